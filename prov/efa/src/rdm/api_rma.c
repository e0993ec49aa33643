/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/api_rma.h"

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "rdm/ep_state.h"
#include "rdm/one_sided.h"

/* Flags of a write that mean nothing to a read. */
#define RDM_READ_REFUSED	(FI_INJECT | FI_REMOTE_CQ_DATA)

/* ---- reading ---- */

static ssize_t rdm_api_readv(struct fid_ep *fid, const struct iovec *iov,
			     void **desc, size_t count, fi_addr_t src_addr,
			     uint64_t addr, uint64_t key, void *context)
{
	const struct rdm_rma_request request = {
		.iov = iov,
		.desc = desc,
		.count = count,
		.addr = src_addr,
		.remote_addr = addr,
		.key = key,
		.context = context,
		/* FI_INJECT by default is of writes */
		.flags = rdm_ep_of(fid)->base.tx_flags & ~RDM_READ_REFUSED,
		.is_get = true,
	};

	return rdm_rma(rdm_ep_of(fid), &request);
}

static ssize_t rdm_api_read(struct fid_ep *fid, void *buf, size_t len,
			    void *desc, fi_addr_t src_addr, uint64_t addr,
			    uint64_t key, void *context)
{
	const struct iovec iov = { .iov_base = buf, .iov_len = len };

	return rdm_api_readv(fid, &iov, &desc, 1, src_addr, addr, key,
			     context);
}

static ssize_t rdm_api_msg(struct rdm_ep *ep, const struct fi_msg_rma *msg,
			   uint64_t flags, bool is_get)
{
	struct rdm_rma_request request = {
		.iov = msg->msg_iov,
		.desc = msg->desc,
		.count = msg->iov_count,
		.addr = msg->addr,
		.context = msg->context,
		.data = msg->data,
		.flags = (flags & ep->base.tx_msg_mask) |
			 ep->base.tx_msg_flags,
		.is_get = is_get,
	};
	size_t total = 0;

	if (flags & ep->base.tx_refused ||
	    (is_get && flags & RDM_READ_REFUSED))
		return -FI_EOPNOTSUPP;
	for (size_t i = 0; i < msg->iov_count; i++)
		total += msg->msg_iov[i].iov_len;
	if (msg->rma_iov_count != 1 || total > msg->rma_iov[0].len) {
		compat_debug(FI_LOG_EP_DATA,
			     "RMA refused: there must be one remote range, as long as the local ones");
		return -FI_EINVAL;
	}
	request.remote_addr = msg->rma_iov[0].addr;
	request.key = msg->rma_iov[0].key;
	if (is_get)
		request.flags &= ~RDM_READ_REFUSED;
	return rdm_rma(ep, &request);
}

static ssize_t rdm_api_readmsg(struct fid_ep *fid,
			       const struct fi_msg_rma *msg, uint64_t flags)
{
	return rdm_api_msg(rdm_ep_of(fid), msg, flags, true);
}

/* ---- writing ---- */

static ssize_t rdm_api_write_one(struct fid_ep *fid, const void *buf,
				 size_t len, void *desc, uint64_t data,
				 fi_addr_t dest_addr, uint64_t addr,
				 uint64_t key, void *context, uint64_t flags)
{
	const struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	const struct rdm_rma_request request = {
		.iov = &iov,
		.desc = &desc,
		.count = 1,
		.addr = dest_addr,
		.remote_addr = addr,
		.key = key,
		.context = context,
		.data = data,
		.flags = flags,
	};

	return rdm_rma(rdm_ep_of(fid), &request);
}

static ssize_t rdm_api_write(struct fid_ep *fid, const void *buf, size_t len,
			     void *desc, fi_addr_t dest_addr, uint64_t addr,
			     uint64_t key, void *context)
{
	return rdm_api_write_one(fid, buf, len, desc, 0, dest_addr, addr, key,
				 context, rdm_ep_of(fid)->base.tx_flags);
}

static ssize_t rdm_api_writedata(struct fid_ep *fid, const void *buf,
				 size_t len, void *desc, uint64_t data,
				 fi_addr_t dest_addr, uint64_t addr,
				 uint64_t key, void *context)
{
	return rdm_api_write_one(fid, buf, len, desc, data, dest_addr, addr,
				 key, context, rdm_ep_of(fid)->base.tx_flags |
				 FI_REMOTE_CQ_DATA);
}

static ssize_t rdm_api_writev(struct fid_ep *fid, const struct iovec *iov,
			      void **desc, size_t count, fi_addr_t dest_addr,
			      uint64_t addr, uint64_t key, void *context)
{
	const struct rdm_rma_request request = {
		.iov = iov,
		.desc = desc,
		.count = count,
		.addr = dest_addr,
		.remote_addr = addr,
		.key = key,
		.context = context,
		.flags = rdm_ep_of(fid)->base.tx_flags,
	};

	return rdm_rma(rdm_ep_of(fid), &request);
}

static ssize_t rdm_api_writemsg(struct fid_ep *fid,
				const struct fi_msg_rma *msg, uint64_t flags)
{
	return rdm_api_msg(rdm_ep_of(fid), msg, flags, false);
}

/* Injected writes tell of nothing but their failure. */
static ssize_t rdm_api_inject_write(struct fid_ep *fid, const void *buf,
				    size_t len, fi_addr_t dest_addr,
				    uint64_t addr, uint64_t key)
{
	return rdm_api_write_one(fid, buf, len, NULL, 0, dest_addr, addr, key,
				 NULL, FI_INJECT);
}

static ssize_t rdm_api_inject_writedata(struct fid_ep *fid, const void *buf,
					size_t len, uint64_t data,
					fi_addr_t dest_addr, uint64_t addr,
					uint64_t key)
{
	return rdm_api_write_one(fid, buf, len, NULL, data, dest_addr, addr,
				 key, NULL, FI_INJECT | FI_REMOTE_CQ_DATA);
}

struct fi_ops_rma rdm_rma_ops = {
	.size = sizeof(struct fi_ops_rma),
	.read = rdm_api_read,
	.readv = rdm_api_readv,
	.readmsg = rdm_api_readmsg,
	.write = rdm_api_write,
	.writev = rdm_api_writev,
	.writemsg = rdm_api_writemsg,
	.inject = rdm_api_inject_write,
	.writedata = rdm_api_writedata,
	.injectdata = rdm_api_inject_writedata,
};
