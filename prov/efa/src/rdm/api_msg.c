/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/api_msg.h"

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/recv.h"
#include "rdm/tx.h"

static ssize_t rdm_msg_send_one(struct fid_ep *fid, const void *buf,
				 size_t len, void *desc, uint64_t data,
				 fi_addr_t addr, void *context,
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
		.flags = flags,
	};

	return rdm_tx_send(rdm_ep_of(fid), &request);
}

static ssize_t rdm_msg_send(struct fid_ep *fid, const void *buf, size_t len,
			    void *desc, fi_addr_t addr, void *context)
{
	return rdm_msg_send_one(fid, buf, len, desc, 0, addr, context,
				rdm_ep_of(fid)->base.tx_flags);
}

static ssize_t rdm_msg_senddata(struct fid_ep *fid, const void *buf,
				size_t len, void *desc, uint64_t data,
				fi_addr_t addr, void *context)
{
	return rdm_msg_send_one(fid, buf, len, desc, data, addr, context,
				rdm_ep_of(fid)->base.tx_flags |
				FI_REMOTE_CQ_DATA);
}

/* Injected messages tell of nothing but their failure. */
static ssize_t rdm_msg_inject(struct fid_ep *fid, const void *buf, size_t len,
			      fi_addr_t addr)
{
	return rdm_msg_send_one(fid, buf, len, NULL, 0, addr, NULL,
				FI_INJECT);
}

static ssize_t rdm_msg_injectdata(struct fid_ep *fid, const void *buf,
				  size_t len, uint64_t data, fi_addr_t addr)
{
	return rdm_msg_send_one(fid, buf, len, NULL, data, addr, NULL,
				FI_INJECT | FI_REMOTE_CQ_DATA);
}

static ssize_t rdm_msg_sendv(struct fid_ep *fid, const struct iovec *iov,
			     void **desc, size_t count, fi_addr_t addr,
			     void *context)
{
	const struct rdm_tx_request request = {
		.iov = iov,
		.desc = desc,
		.count = count,
		.addr = addr,
		.context = context,
		.flags = rdm_ep_of(fid)->base.tx_flags,
	};

	return rdm_tx_send(rdm_ep_of(fid), &request);
}

static ssize_t rdm_msg_sendmsg(struct fid_ep *fid, const struct fi_msg *msg,
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
		.flags = (flags & ep->base.tx_msg_mask) |
			 ep->base.tx_msg_flags,
	};

	if (__builtin_expect(flags & ep->base.tx_refused, 0))
		return -FI_EOPNOTSUPP;
	return rdm_tx_send(ep, &request);
}

static ssize_t rdm_msg_recv(struct fid_ep *fid, void *buf, size_t len,
			    void *desc, fi_addr_t addr, void *context)
{
	const struct iovec iov = { .iov_base = buf, .iov_len = len };
	const struct rdm_recv_request request = {
		.iov = &iov,
		.desc = &desc,
		.count = 1,
		.addr = addr,
		.context = context,
		.flags = rdm_ep_of(fid)->base.rx_flags,
	};

	return rdm_recv_post(rdm_ep_of(fid), &request);
}

static ssize_t rdm_msg_recvv(struct fid_ep *fid, const struct iovec *iov,
			     void **desc, size_t count, fi_addr_t addr,
			     void *context)
{
	const struct rdm_recv_request request = {
		.iov = iov,
		.desc = desc,
		.count = count,
		.addr = addr,
		.context = context,
		.flags = rdm_ep_of(fid)->base.rx_flags,
	};

	return rdm_recv_post(rdm_ep_of(fid), &request);
}

static ssize_t rdm_msg_recvmsg(struct fid_ep *fid, const struct fi_msg *msg,
			       uint64_t flags)
{
	struct rdm_ep *ep = rdm_ep_of(fid);
	const struct rdm_recv_request request = {
		.iov = msg->msg_iov,
		.desc = msg->desc,
		.count = msg->iov_count,
		.addr = msg->addr,
		.context = msg->context,
		.flags = (flags & ep->base.rx_msg_mask) |
			 ep->base.rx_msg_flags,
	};

	if (flags & (FI_PEEK | FI_CLAIM | FI_DISCARD))
		return -FI_EOPNOTSUPP;
	return rdm_recv_post(ep, &request);
}

struct fi_ops_msg rdm_msg_ops = {
	.size = sizeof(struct fi_ops_msg),
	.recv = rdm_msg_recv,
	.recvv = rdm_msg_recvv,
	.recvmsg = rdm_msg_recvmsg,
	.send = rdm_msg_send,
	.sendv = rdm_msg_sendv,
	.sendmsg = rdm_msg_sendmsg,
	.inject = rdm_msg_inject,
	.senddata = rdm_msg_senddata,
	.injectdata = rdm_msg_injectdata,
};
