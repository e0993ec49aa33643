/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "direct/msg.h"

#include <string.h>

#include <rdma/fi_errno.h>

#include "direct/post.h"
#include "fabric/mr.h"
#include "util/small_copy.h"

/* The device gives each message one receive, and takes none back. */
#define DIRECT_RX_REFUSED	\
	(FI_MULTI_RECV | FI_PEEK | FI_CLAIM | FI_DISCARD | FI_TRIGGER)

/* ---- sending ---- */

/* Why a message that does not fit a request itself cannot go. */
static DIRECT_COLD ssize_t direct_send_refuse_long(struct fabric_ep *ep,
						   size_t len, uint64_t flags)
{
	if (len > ep->max_msg_bytes)
		return direct_send_refuse(ep, -FI_EMSGSIZE,
					  "longer than max_msg_size");
	if (flags & FI_INJECT)
		return direct_send_refuse(ep, -FI_EOPNOTSUPP,
					  "longer than inject_size, or in a dma-buf");
	return direct_send_refuse(ep, -FI_EINVAL,
				  "no desc: the buffer must be registered");
}

/* Its payload in the request; the copy is over when the call returns. */
static DIRECT_INLINE ssize_t
direct_send_inline(struct fabric_ep *ep, const void *buf, size_t len,
		   const struct hw_dest *dest, void *context, uint64_t data,
		   uint64_t flags)
{
	struct hw_send_wqe wqe;

	hw_wqe_init(&wqe, ep->sq.entry_size, EFA_IO_SEND, dest);
	util_small_copy(hw_wqe_inline(&wqe, (uint32_t)len), buf, len);
	return direct_send_publish(ep, &wqe, dest, context, data, flags,
				   EFA_IO_SEND);
}

static DIRECT_INLINE ssize_t direct_send_one(struct fabric_ep *ep,
					     const void *buf, size_t len,
					     const void *desc, fi_addr_t addr,
					     void *context, uint64_t data,
					     uint64_t flags)
{
	struct hw_send_wqe wqe;
	struct hw_dest dest;
	struct hw_sge sge;

	if (__builtin_expect(!fabric_av_resolve(ep->av, addr, &dest), 0))
		return direct_send_refuse(ep, -FI_EADDRNOTAVAIL,
					  "unknown address");
	if (__builtin_expect(len < ep->prefix_bytes, 0))
		return direct_send_refuse(ep, -FI_EINVAL,
					  "no prefix in the buffer");
	buf = (const char *)buf + ep->prefix_bytes;
	len -= ep->prefix_bytes;
	if (len <= ep->inject_bytes &&
	    __builtin_expect(fabric_mr_cpu_reads(desc) || !len, 1))
		return direct_send_inline(ep, buf, len, &dest, context, data,
					  flags);
	if (__builtin_expect(len > ep->max_msg_bytes || !desc ||
			     flags & FI_INJECT, 0))
		return direct_send_refuse_long(ep, len, flags);
	sge.addr = (uintptr_t)buf;
	sge.length = (uint32_t)len;
	sge.lkey = fabric_mr_of_desc(desc)->lkey;
	hw_wqe_init(&wqe, ep->sq.entry_size, EFA_IO_SEND, &dest);
	hw_wqe_set_sgl(&wqe, &sge, 1);
	return direct_send_publish(ep, &wqe, &dest, context, data, flags,
				   EFA_IO_SEND);
}

/* The message's pieces without their prefix and without empty ones. */
struct direct_pieces {
	struct {
		const char *buf;
		size_t len;
		const void *desc;
	} piece[EFA_IO_TX_MAX_SGE];
	uint32_t count;
	size_t total;
};

/* False: the first buffer lacks the prefix. */
static bool direct_pieces_gather(struct direct_pieces *pieces,
				 const struct fabric_ep *ep,
				 const struct iovec *iov, void **desc,
				 size_t count)
{
	size_t prefix = ep->prefix_bytes;

	pieces->count = 0;
	pieces->total = 0;
	if (iov[0].iov_len < prefix)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t len = iov[i].iov_len - prefix;

		if (len) {
			pieces->piece[pieces->count].buf =
				(const char *)iov[i].iov_base + prefix;
			pieces->piece[pieces->count].len = len;
			pieces->piece[pieces->count].desc =
				desc ? desc[i] : NULL;
			pieces->count++;
			pieces->total += len;
		}
		prefix = 0;
	}
	return true;
}

static bool direct_pieces_fit_inline(const struct direct_pieces *pieces,
				     const struct fabric_ep *ep)
{
	for (uint32_t i = 0; i < pieces->count; i++)
		if (!fabric_mr_cpu_reads(pieces->piece[i].desc))
			return false;
	return pieces->total <= ep->inject_bytes;
}

/* 0, or why the pieces cannot be the payload of @wqe. */
static ssize_t direct_pieces_put(const struct direct_pieces *pieces,
				 struct fabric_ep *ep, uint64_t flags,
				 struct hw_send_wqe *wqe)
{
	struct hw_sge sge[EFA_IO_TX_MAX_SGE];

	if (direct_pieces_fit_inline(pieces, ep)) {
		uint8_t *payload =
			hw_wqe_inline(wqe, (uint32_t)pieces->total);

		for (uint32_t i = 0; i < pieces->count; i++) {
			memcpy(payload, pieces->piece[i].buf,
			       pieces->piece[i].len);
			payload += pieces->piece[i].len;
		}
		return 0;
	}
	if (pieces->total > ep->max_msg_bytes || flags & FI_INJECT)
		return direct_send_refuse_long(ep, pieces->total, flags);
	for (uint32_t i = 0; i < pieces->count; i++) {
		if (!pieces->piece[i].desc)
			return direct_send_refuse_long(ep, pieces->total,
						       flags);
		sge[i].addr = (uintptr_t)pieces->piece[i].buf;
		sge[i].length = (uint32_t)pieces->piece[i].len;
		sge[i].lkey = fabric_mr_of_desc(pieces->piece[i].desc)->lkey;
	}
	hw_wqe_set_sgl(wqe, sge, pieces->count);
	return 0;
}

static ssize_t direct_send_several(struct fabric_ep *ep,
				   const struct iovec *iov, void **desc,
				   size_t count, fi_addr_t addr, void *context,
				   uint64_t data, uint64_t flags)
{
	struct direct_pieces pieces;
	struct hw_send_wqe wqe;
	struct hw_dest dest;
	ssize_t ret;

	if (count > ep->tx_iov_limit)
		return direct_send_refuse(ep, -FI_EINVAL,
					  "more buffers than iov_limit");
	if (!fabric_av_resolve(ep->av, addr, &dest))
		return direct_send_refuse(ep, -FI_EADDRNOTAVAIL,
					  "unknown address");
	if (!direct_pieces_gather(&pieces, ep, iov, desc, count))
		return direct_send_refuse(ep, -FI_EINVAL,
					  "no prefix in the first buffer");
	hw_wqe_init(&wqe, ep->sq.entry_size, EFA_IO_SEND, &dest);
	ret = direct_pieces_put(&pieces, ep, flags, &wqe);
	if (ret)
		return ret;
	return direct_send_publish(ep, &wqe, &dest, context, data, flags,
				   EFA_IO_SEND);
}

static DIRECT_INLINE ssize_t direct_send_iov(struct fabric_ep *ep,
					     const struct iovec *iov,
					     void **desc, size_t count,
					     fi_addr_t addr, void *context,
					     uint64_t data, uint64_t flags)
{
	if (__builtin_expect(count == 1, 1))
		return direct_send_one(ep, iov[0].iov_base, iov[0].iov_len,
				       desc ? desc[0] : NULL, addr, context,
				       data, flags);
	if (!count)
		return direct_send_one(ep, NULL, 0, NULL, addr, context, data,
				       flags);
	return direct_send_several(ep, iov, desc, count, addr, context, data,
				   flags);
}

static ssize_t direct_send(struct fid_ep *fid, const void *buf, size_t len,
			   void *desc, fi_addr_t addr, void *context)
{
	struct fabric_ep *ep = fabric_ep_of(fid);

	return direct_send_one(ep, buf, len, desc, addr, context, 0,
			       ep->tx_flags);
}

static ssize_t direct_senddata(struct fid_ep *fid, const void *buf,
			       size_t len, void *desc, uint64_t data,
			       fi_addr_t addr, void *context)
{
	struct fabric_ep *ep = fabric_ep_of(fid);

	return direct_send_one(ep, buf, len, desc, addr, context, data,
			       ep->tx_flags | FI_REMOTE_CQ_DATA);
}

static ssize_t direct_inject(struct fid_ep *fid, const void *buf, size_t len,
			     fi_addr_t addr)
{
	return direct_send_one(fabric_ep_of(fid), buf, len, NULL, addr, NULL,
			       0, FI_INJECT);
}

static ssize_t direct_injectdata(struct fid_ep *fid, const void *buf,
				 size_t len, uint64_t data, fi_addr_t addr)
{
	return direct_send_one(fabric_ep_of(fid), buf, len, NULL, addr, NULL,
			       data, FI_INJECT | FI_REMOTE_CQ_DATA);
}

static ssize_t direct_sendv(struct fid_ep *fid, const struct iovec *iov,
			    void **desc, size_t count, fi_addr_t addr,
			    void *context)
{
	struct fabric_ep *ep = fabric_ep_of(fid);

	return direct_send_iov(ep, iov, desc, count, addr, context, 0,
			       ep->tx_flags);
}

static ssize_t direct_sendmsg(struct fid_ep *fid, const struct fi_msg *msg,
			      uint64_t flags)
{
	struct fabric_ep *ep = fabric_ep_of(fid);

	if (__builtin_expect(flags & ep->tx_refused, 0))
		return direct_send_refuse(ep, -FI_EOPNOTSUPP,
					  "a flag that cannot be honoured");
	return direct_send_iov(ep, msg->msg_iov, msg->desc, msg->iov_count,
			       msg->addr, msg->context, msg->data,
			       (flags & ep->tx_msg_mask) | ep->tx_msg_flags);
}

/* ---- receiving ---- */

/* No message is as long as a descriptor can be: longer buffers are cut. */
static DIRECT_INLINE void direct_recv_sge(struct hw_sge *sge, const void *buf,
					  size_t len, const void *desc)
{
	sge->addr = (uintptr_t)buf;
	sge->length = len < HW_RQ_MAX_SGE_LEN ? (uint32_t)len
					      : HW_RQ_MAX_SGE_LEN;
	sge->lkey = fabric_mr_of_desc(desc)->lkey;
}

static DIRECT_INLINE ssize_t direct_recv_one(struct fabric_ep *ep, void *buf,
					     size_t len, const void *desc,
					     void *context, uint64_t flags)
{
	struct hw_sge sge;

	if (__builtin_expect(!desc, 0))
		return direct_recv_refuse(ep, -FI_EINVAL,
			"no desc: the buffer must be registered");
	if (__builtin_expect(len < ep->prefix_bytes, 0))
		return direct_recv_refuse(ep, -FI_EINVAL,
					  "no room for the prefix");
	direct_recv_sge(&sge, buf, len, desc);
	return direct_recv_publish_one(ep, &sge, context, flags);
}

static ssize_t direct_recv_several(struct fabric_ep *ep,
				   const struct iovec *iov, void **desc,
				   size_t count, void *context, uint64_t flags)
{
	struct hw_sge sge[FABRIC_EP_MAX_RX_IOV];
	uint32_t room_bytes = 0;

	if (!count || count > ep->rx_iov_limit)
		return direct_recv_refuse(ep, -FI_EINVAL,
			"no buffer, or more than iov_limit");
	if (iov[0].iov_len < ep->prefix_bytes)
		return direct_recv_refuse(ep, -FI_EINVAL,
			"no room for the prefix in the first buffer");
	for (size_t i = 0; i < count; i++) {
		if (!desc || !desc[i])
			return direct_recv_refuse(ep, -FI_EINVAL,
				"no desc: each buffer must be registered");
		direct_recv_sge(&sge[i], iov[i].iov_base, iov[i].iov_len,
				desc[i]);
		room_bytes += sge[i].length;
	}
	return direct_recv_publish(ep, ep->lock_data_path, sge,
				   (uint32_t)count, room_bytes, context,
				   flags);
}

static DIRECT_INLINE ssize_t direct_recv_iov(struct fabric_ep *ep,
					     const struct iovec *iov,
					     void **desc, size_t count,
					     void *context, uint64_t flags)
{
	if (__builtin_expect(count == 1, 1))
		return direct_recv_one(ep, iov[0].iov_base, iov[0].iov_len,
				       desc ? desc[0] : NULL, context, flags);
	return direct_recv_several(ep, iov, desc, count, context, flags);
}

static ssize_t direct_recv(struct fid_ep *fid, void *buf, size_t len,
			   void *desc, fi_addr_t addr, void *context)
{
	struct fabric_ep *ep = fabric_ep_of(fid);

	return direct_recv_one(ep, buf, len, desc, context, ep->rx_flags);
}

static ssize_t direct_recvv(struct fid_ep *fid, const struct iovec *iov,
			    void **desc, size_t count, fi_addr_t addr,
			    void *context)
{
	struct fabric_ep *ep = fabric_ep_of(fid);

	return direct_recv_iov(ep, iov, desc, count, context, ep->rx_flags);
}

static ssize_t direct_recvmsg(struct fid_ep *fid, const struct fi_msg *msg,
			      uint64_t flags)
{
	struct fabric_ep *ep = fabric_ep_of(fid);

	if (__builtin_expect(flags & DIRECT_RX_REFUSED, 0))
		return direct_recv_refuse(ep, -FI_EOPNOTSUPP,
			"a flag that cannot be honoured");
	return direct_recv_iov(ep, msg->msg_iov, msg->desc, msg->iov_count,
			       msg->context,
			       (flags & ep->rx_msg_mask) | ep->rx_msg_flags);
}

struct fi_ops_msg direct_msg_ops = {
	.size = sizeof(struct fi_ops_msg),
	.recv = direct_recv,
	.recvv = direct_recvv,
	.recvmsg = direct_recvmsg,
	.send = direct_send,
	.sendv = direct_sendv,
	.sendmsg = direct_sendmsg,
	.inject = direct_inject,
	.senddata = direct_senddata,
	.injectdata = direct_injectdata,
};
