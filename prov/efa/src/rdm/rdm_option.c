/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/rdm_option.h"

#include <string.h>

#include <rdma/fi_errno.h>

#include "compat/fi_abi.h"
#include "compat/log.h"
#include "fabric/ep_option.h"
#include "rdm/ep_state.h"
#include "rdm/recv.h"

/* Where the number @optname is kept, or NULL: it is none of this layer's. */
static size_t *rdm_option_number(struct rdm_ep *ep, int optname)
{
	switch (optname) {
	case FI_OPT_MIN_MULTI_RECV:
		return &ep->min_multi_recv;
	case COMPAT_OPT_MAX_MSG_SIZE:
	case COMPAT_OPT_MAX_TAGGED_SIZE:
		return &ep->base.max_msg_bytes;
	case COMPAT_OPT_INJECT_MSG_SIZE:
	case COMPAT_OPT_INJECT_TAGGED_SIZE:
		return &ep->base.inject_bytes;
	case COMPAT_OPT_MAX_RMA_SIZE:
		return ep->base.rma ? &ep->base.max_rma_bytes : NULL;
	case COMPAT_OPT_INJECT_RMA_SIZE:
		return ep->base.rma ? &ep->base.inject_rma_bytes : NULL;
	default:
		return NULL;
	}
}

static size_t rdm_option_most(const struct rdm_ep *ep, int optname)
{
	switch (optname) {
	case COMPAT_OPT_INJECT_MSG_SIZE:
	case COMPAT_OPT_INJECT_TAGGED_SIZE:
	case COMPAT_OPT_INJECT_RMA_SIZE:
		return ep->base.inject_limit;
	default:
		return SIZE_MAX;
	}
}

/* Do packets do what the device might? */
static bool rdm_option_emulates(const struct rdm_ep *ep, int optname)
{
	const struct dev_caps *caps = &ep->base.domain->device->caps;

	return !ep->settings.use_device_rdma ||
	       !(optname == COMPAT_OPT_EFA_EMULATED_READ ? caps->rdma_read
							 : caps->rdma_write);
}

static int rdm_option_get(struct fid *fid, int level, int optname,
			  void *optval, size_t *optlen)
{
	struct rdm_ep *ep = rdm_ep_of((struct fid_ep *)fid);
	const size_t *number = rdm_option_number(ep, optname);
	size_t room = *optlen;

	if (level == FI_OPT_ENDPOINT &&
	    (optname == COMPAT_OPT_EFA_EMULATED_READ ||
	     optname == COMPAT_OPT_EFA_EMULATED_WRITE)) {
		*optlen = sizeof(bool);
		if (room < sizeof(bool))
			return -FI_ETOOSMALL;
		*(bool *)optval = rdm_option_emulates(ep, optname);
		return 0;
	}
	if (level != FI_OPT_ENDPOINT || !number)
		return fabric_ep_option_ops.getopt(fid, level, optname,
						   optval, optlen);
	*optlen = sizeof(*number);
	if (room < sizeof(*number))
		return -FI_ETOOSMALL;
	memcpy(optval, number, sizeof(*number));
	return 0;
}

/* What an endpoint needs to know before it says what it can. */
static int rdm_option_set_switch(struct rdm_ep *ep, int optname, bool value)
{
	if (ep->base.enabled) {
		compat_warn(FI_LOG_EP_CTRL,
			    "fi_setopt: option %d is to be set before fi_enable",
			    optname);
		return -FI_EINVAL;
	}
	if (optname == COMPAT_OPT_EFA_HOMOGENEOUS_PEERS)
		ep->is_homogeneous = value;
	else if (value && !ep->base.domain->device->caps.rdma_read)
		return -FI_EOPNOTSUPP;
	else
		ep->settings.use_device_rdma = value;
	return 0;
}

static int rdm_option_set(struct fid *fid, int level, int optname,
			  const void *optval, size_t optlen)
{
	struct rdm_ep *ep = rdm_ep_of((struct fid_ep *)fid);
	size_t *number = rdm_option_number(ep, optname);
	size_t value;

	if (level == FI_OPT_ENDPOINT && optlen == sizeof(bool) &&
	    (optname == COMPAT_OPT_EFA_HOMOGENEOUS_PEERS ||
	     optname == COMPAT_OPT_EFA_USE_DEVICE_RDMA))
		return rdm_option_set_switch(ep, optname,
					     *(const bool *)optval);
	if (level != FI_OPT_ENDPOINT || !number)
		return fabric_ep_option_ops.setopt(fid, level, optname,
						   optval, optlen);
	if (optlen != sizeof(value))
		return -FI_EINVAL;
	memcpy(&value, optval, sizeof(value));
	if (value > rdm_option_most(ep, optname)) {
		compat_warn(FI_LOG_EP_CTRL,
			    "fi_setopt: option %d of %zu: at most %zu here",
			    optname, value, rdm_option_most(ep, optname));
		return -FI_EINVAL;
	}
	rdm_ep_lock(ep);
	*number = value;
	rdm_ep_unlock(ep);
	return 0;
}

static ssize_t rdm_option_cancel(struct fid *fid, void *context)
{
	return rdm_recv_cancel(rdm_ep_of((struct fid_ep *)fid), context);
}

static int rdm_option_no_tx_ctx(struct fid_ep *sep, int index,
				struct fi_tx_attr *attr, struct fid_ep **ep,
				void *context)
{
	return -FI_ENOSYS;
}

static int rdm_option_no_rx_ctx(struct fid_ep *sep, int index,
				struct fi_rx_attr *attr, struct fid_ep **ep,
				void *context)
{
	return -FI_ENOSYS;
}

static ssize_t rdm_option_no_size_left(struct fid_ep *ep)
{
	return -FI_ENOSYS;
}

struct fi_ops_ep rdm_option_ops = {
	.size = sizeof(struct fi_ops_ep),
	.cancel = rdm_option_cancel,
	.getopt = rdm_option_get,
	.setopt = rdm_option_set,
	.tx_ctx = rdm_option_no_tx_ctx,
	.rx_ctx = rdm_option_no_rx_ctx,
	.rx_size_left = rdm_option_no_size_left,
	.tx_size_left = rdm_option_no_size_left,
};
