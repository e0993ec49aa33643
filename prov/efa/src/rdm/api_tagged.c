/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/api_tagged.h"

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/probe.h"
#include "rdm/recv.h"
#include "rdm/tx.h"

static ssize_t rdm_tagged_send_one(struct fid_ep *fid, const void *buf,
				 size_t len, void *desc, uint64_t data,
				 fi_addr_t addr, uint64_t tag, void *context,
				 uint64_t flags)
{
	const struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	const struct rdm_tx_request request = {
		.iov = &iov,
		.desc = &desc,
		.count = 1,
		.addr = addr,
		.context = context,
		.data = data,
		.tag = tag,
		.is_tagged = true,
		.flags = flags,
	};

	return rdm_tx_send(rdm_ep_of(fid), &request);
}

static ssize_t rdm_tagged_send(struct fid_ep *fid, const void *buf, size_t len,
			    void *desc, fi_addr_t addr, uint64_t tag, void *context)
{
	return rdm_tagged_send_one(fid, buf, len, desc, 0, addr, tag, context,
				rdm_ep_of(fid)->base.tx_flags);
}

static ssize_t rdm_tagged_senddata(struct fid_ep *fid, const void *buf,
				size_t len, void *desc, uint64_t data,
				fi_addr_t addr, uint64_t tag, void *context)
{
	return rdm_tagged_send_one(fid, buf, len, desc, data, addr, tag, context,
				rdm_ep_of(fid)->base.tx_flags |
				FI_REMOTE_CQ_DATA);
}

/* Injected messages tell of nothing but their failure. */
static ssize_t rdm_tagged_inject(struct fid_ep *fid, const void *buf, size_t len,
			      fi_addr_t addr, uint64_t tag)
{
	return rdm_tagged_send_one(fid, buf, len, NULL, 0, addr, tag, NULL,
				FI_INJECT);
}

static ssize_t rdm_tagged_injectdata(struct fid_ep *fid, const void *buf,
				  size_t len, uint64_t data, fi_addr_t addr, uint64_t tag)
{
	return rdm_tagged_send_one(fid, buf, len, NULL, data, addr, tag, NULL,
				FI_INJECT | FI_REMOTE_CQ_DATA);
}

static ssize_t rdm_tagged_sendv(struct fid_ep *fid, const struct iovec *iov,
			     void **desc, size_t count, fi_addr_t addr,
			     uint64_t tag, void *context)
{
	const struct rdm_tx_request request = {
		.iov = iov,
		.desc = desc,
		.count = count,
		.addr = addr,
		.context = context,
		.tag = tag,
		.is_tagged = true,
		.flags = rdm_ep_of(fid)->base.tx_flags,
	};

	return rdm_tx_send(rdm_ep_of(fid), &request);
}

static ssize_t rdm_tagged_sendmsg(struct fid_ep *fid, const struct fi_msg_tagged *msg,
			       uint64_t flags)
{
	struct rdm_ep *ep = rdm_ep_of(fid);
	const struct rdm_tx_request request = {
		.iov = msg->msg_iov,
		.desc = msg->desc,
		.count = msg->iov_count,
		.addr = msg->addr,
		.context = msg->context,
		.data = msg->data,
		.tag = msg->tag,
		.is_tagged = true,
		.flags = (flags & ep->base.tx_msg_mask) |
			 ep->base.tx_msg_flags,
	};

	if (__builtin_expect(flags & ep->base.tx_refused, 0))
		return -FI_EOPNOTSUPP;
	return rdm_tx_send(ep, &request);
}

/* Of receives without flags of their own: a buffer for many messages is for
 * untagged ones alone, also where that is the default. */
static uint64_t rdm_tagged_flags(const struct rdm_ep *ep)
{
	return ep->base.rx_flags & ~FI_MULTI_RECV;
}

static ssize_t rdm_tagged_recv(struct fid_ep *fid, void *buf, size_t len,
			    void *desc, fi_addr_t addr, uint64_t tag, uint64_t ignore, void *context)
{
	const struct iovec iov = { .iov_base = buf, .iov_len = len };
	const struct rdm_recv_request request = {
		.iov = &iov,
		.desc = &desc,
		.count = 1,
		.addr = addr,
		.context = context,
		.tag = tag,
		.ignore = ignore,
		.is_tagged = true,
		.flags = rdm_tagged_flags(rdm_ep_of(fid)),
	};

	return rdm_recv_post(rdm_ep_of(fid), &request);
}

static ssize_t rdm_tagged_recvv(struct fid_ep *fid, const struct iovec *iov,
			     void **desc, size_t count, fi_addr_t addr,
			     uint64_t tag, uint64_t ignore, void *context)
{
	const struct rdm_recv_request request = {
		.iov = iov,
		.desc = desc,
		.count = count,
		.addr = addr,
		.context = context,
		.tag = tag,
		.ignore = ignore,
		.is_tagged = true,
		.flags = rdm_tagged_flags(rdm_ep_of(fid)),
	};

	return rdm_recv_post(rdm_ep_of(fid), &request);
}

static ssize_t rdm_tagged_recvmsg(struct fid_ep *fid, const struct fi_msg_tagged *msg,
			       uint64_t flags)
{
	struct rdm_ep *ep = rdm_ep_of(fid);
	const struct rdm_recv_request request = {
		.iov = msg->msg_iov,
		.desc = msg->desc,
		.count = msg->iov_count,
		.addr = msg->addr,
		.context = msg->context,
		.tag = msg->tag,
		.ignore = msg->ignore,
		.is_tagged = true,
		.flags = (flags & ep->base.rx_msg_mask) |
			 ep->base.rx_msg_flags,
	};

	if (flags & (FI_PEEK | FI_CLAIM | FI_DISCARD))
		return rdm_probe(ep, &request);
	return rdm_recv_post(ep, &request);
}

struct fi_ops_tagged rdm_tagged_ops = {
	.size = sizeof(struct fi_ops_tagged),
	.recv = rdm_tagged_recv,
	.recvv = rdm_tagged_recvv,
	.recvmsg = rdm_tagged_recvmsg,
	.send = rdm_tagged_send,
	.sendv = rdm_tagged_sendv,
	.sendmsg = rdm_tagged_sendmsg,
	.inject = rdm_tagged_inject,
	.senddata = rdm_tagged_senddata,
	.injectdata = rdm_tagged_injectdata,
};
