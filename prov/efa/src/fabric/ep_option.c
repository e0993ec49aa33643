/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/ep_option.h"

#include <stdbool.h>
#include <string.h>

#include <rdma/fi_errno.h>

#include "compat/fi_abi.h"
#include "compat/log.h"
#include "fabric/ep_base.h"

#define FABRIC_EP_RNR_RETRY_MAX		7	/* without end */

static int fabric_ep_option_give(void *optval, size_t *optlen,
				 const void *value, size_t size)
{
	if (*optlen < size) {
		*optlen = size;
		return -FI_ETOOSMALL;
	}
	*optlen = size;
	memcpy(optval, value, size);
	return 0;
}

static int fabric_ep_getopt(struct fid *fid, int level, int optname,
			    void *optval, size_t *optlen)
{
	struct fabric_ep *ep = fabric_ep_of_fid(fid);
	int p2p = FI_HMEM_P2P_REQUIRED;
	bool emulated = false;
	size_t number;

	if (level != FI_OPT_ENDPOINT)
		return -FI_ENOPROTOOPT;
	switch (optname) {
	case FI_OPT_FI_HMEM_P2P:
		return fabric_ep_option_give(optval, optlen, &p2p,
					     sizeof(p2p));
	case COMPAT_OPT_EFA_EMULATED_READ:
	case COMPAT_OPT_EFA_EMULATED_WRITE:
		return fabric_ep_option_give(optval, optlen, &emulated,
					     sizeof(emulated));
	case COMPAT_OPT_EFA_RNR_RETRY:
		number = ep->rnr_retry;
		break;
	case COMPAT_OPT_MAX_MSG_SIZE:
		number = ep->max_msg_bytes;
		break;
	case COMPAT_OPT_INJECT_MSG_SIZE:
		number = ep->inject_bytes;
		break;
	case COMPAT_OPT_MAX_RMA_SIZE:
		number = ep->rma ? ep->max_rma_bytes : 0;
		break;
	case COMPAT_OPT_INJECT_RMA_SIZE:
		number = ep->rma ? ep->inject_rma_bytes : 0;
		break;
	default:
		return -FI_ENOPROTOOPT;
	}
	return fabric_ep_option_give(optval, optlen, &number, sizeof(number));
}

static int fabric_ep_set_rnr_retry(struct fabric_ep *ep, size_t tries)
{
	if (ep->enabled || tries > FABRIC_EP_RNR_RETRY_MAX) {
		compat_warn(FI_LOG_EP_CTRL,
			    "FI_OPT_EFA_RNR_RETRY takes 0 to %u (without end) before fi_enable",
			    FABRIC_EP_RNR_RETRY_MAX);
		return -FI_EINVAL;
	}
	if (!ep->domain->device->caps.rnr_retry ||
	    ep->kind == FABRIC_INFO_DGRAM)
		return -FI_ENOSYS;
	ep->rnr_retry = (uint8_t)tries;
	return 0;
}

static int fabric_ep_set_limit(size_t *limit, size_t value, size_t most,
			       const char *name)
{
	if (value > most) {
		compat_warn(FI_LOG_EP_CTRL, "%s of %zu: at most %zu here",
			    name, value, most);
		return -FI_EINVAL;
	}
	*limit = value;
	return 0;
}

static size_t fabric_ep_most_inject_rma(const struct fabric_ep *ep)
{
	return ep->rma && ep->inject_limit > ep->domain->device->inline_size ?
	       ep->inject_limit : 0;
}

static int fabric_ep_set_bytes(struct fabric_ep *ep, int optname, size_t value)
{
	switch (optname) {
	case COMPAT_OPT_MAX_MSG_SIZE:
		return fabric_ep_set_limit(&ep->max_msg_bytes, value,
					   ep->domain->device->mtu,
					   "FI_OPT_MAX_MSG_SIZE");
	case COMPAT_OPT_MAX_RMA_SIZE:
		return fabric_ep_set_limit(&ep->max_rma_bytes, value,
					   ep->rma ?
					   ep->domain->device->max_rdma_size :
					   0, "FI_OPT_MAX_RMA_SIZE");
	case COMPAT_OPT_INJECT_RMA_SIZE:
		return fabric_ep_set_limit(&ep->inject_rma_asked, value,
					   fabric_ep_most_inject_rma(ep),
					   "FI_OPT_INJECT_RMA_SIZE");
	default:
		return fabric_ep_set_limit(&ep->inject_asked, value,
					   ep->inject_limit,
					   "FI_OPT_INJECT_MSG_SIZE");
	}
}

static int fabric_ep_set_number(struct fabric_ep *ep, int optname,
				size_t value)
{
	int ret;

	if (optname == COMPAT_OPT_EFA_RNR_RETRY)
		return fabric_ep_set_rnr_retry(ep, value);
	ret = fabric_ep_set_bytes(ep, optname, value);
	fabric_ep_bound_inject(ep);
	return ret;
}

/*
 * What is asked here holds without doing anything: these endpoints use
 * neither CUDA calls nor shared memory, emulate nothing and shake no hands.
 * Data placed in order within 128 bytes is a promise not kept so far; and
 * RDMA, or telling of remote writes by themselves, is what fi_getinfo
 * promised where it did.
 */
static int fabric_ep_set_bool(const struct fabric_ep *ep, int optname,
			      bool value)
{
	switch (optname) {
	case COMPAT_OPT_EFA_SENDRECV_IN_ORDER_ALIGNED_128_BYTES:
	case COMPAT_OPT_EFA_WRITE_IN_ORDER_ALIGNED_128_BYTES:
		return value ? -FI_EOPNOTSUPP : 0;
	case COMPAT_OPT_EFA_USE_DEVICE_RDMA:
		return !value && ep->rma ? -FI_EOPNOTSUPP : 0;
	case COMPAT_OPT_EFA_USE_UNSOLICITED_WRITE_RECV:
		return !value && ep->unsolicited ? -FI_EOPNOTSUPP : 0;
	default:
		return 0;
	}
}

static int fabric_ep_set_p2p(int value)
{
	switch (value) {
	case FI_HMEM_P2P_ENABLED:
	case FI_HMEM_P2P_REQUIRED:
	case FI_HMEM_P2P_PREFERRED:
		return 0;
	case FI_HMEM_P2P_DISABLED:
		return -FI_EOPNOTSUPP;
	default:
		return -FI_EINVAL;
	}
}

static int fabric_ep_setopt(struct fid *fid, int level, int optname,
			    const void *optval, size_t optlen)
{
	struct fabric_ep *ep = fabric_ep_of_fid(fid);

	if (level != FI_OPT_ENDPOINT)
		return -FI_ENOPROTOOPT;
	switch (optname) {
	case COMPAT_OPT_EFA_RNR_RETRY:
	case COMPAT_OPT_MAX_MSG_SIZE:
	case COMPAT_OPT_INJECT_MSG_SIZE:
	case COMPAT_OPT_MAX_RMA_SIZE:
	case COMPAT_OPT_INJECT_RMA_SIZE:
		if (optlen != sizeof(size_t))
			return -FI_EINVAL;
		return fabric_ep_set_number(ep, optname,
					    *(const size_t *)optval);
	case COMPAT_OPT_CUDA_API_PERMITTED:
	case COMPAT_OPT_SHARED_MEMORY_PERMITTED:
	case COMPAT_OPT_EFA_USE_DEVICE_RDMA:
	case COMPAT_OPT_EFA_HOMOGENEOUS_PEERS:
	case COMPAT_OPT_EFA_USE_UNSOLICITED_WRITE_RECV:
	case COMPAT_OPT_EFA_SENDRECV_IN_ORDER_ALIGNED_128_BYTES:
	case COMPAT_OPT_EFA_WRITE_IN_ORDER_ALIGNED_128_BYTES:
		if (optlen != sizeof(bool))
			return -FI_EINVAL;
		return fabric_ep_set_bool(ep, optname,
					  *(const bool *)optval);
	case FI_OPT_FI_HMEM_P2P:
		if (optlen != sizeof(int))
			return -FI_EINVAL;
		return fabric_ep_set_p2p(*(const int *)optval);
	default:
		return -FI_ENOPROTOOPT;
	}
}

static ssize_t fabric_ep_cancel(struct fid *fid, void *context)
{
	return -FI_ENOSYS;
}

static int fabric_ep_no_tx_ctx(struct fid_ep *sep, int index,
			       struct fi_tx_attr *attr, struct fid_ep **ep,
			       void *context)
{
	return -FI_ENOSYS;
}

static int fabric_ep_no_rx_ctx(struct fid_ep *sep, int index,
			       struct fi_rx_attr *attr, struct fid_ep **ep,
			       void *context)
{
	return -FI_ENOSYS;
}

static ssize_t fabric_ep_no_size_left(struct fid_ep *ep)
{
	return -FI_ENOSYS;
}

struct fi_ops_ep fabric_ep_option_ops = {
	.size = sizeof(struct fi_ops_ep),
	.cancel = fabric_ep_cancel,
	.getopt = fabric_ep_getopt,
	.setopt = fabric_ep_setopt,
	.tx_ctx = fabric_ep_no_tx_ctx,
	.rx_ctx = fabric_ep_no_rx_ctx,
	.rx_size_left = fabric_ep_no_size_left,
	.tx_size_left = fabric_ep_no_size_left,
};
