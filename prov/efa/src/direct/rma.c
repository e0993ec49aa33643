/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "direct/rma.h"

#include <string.h>

#include <rdma/fi_ext_efa.h>

#include "direct/post.h"
#include "fabric/mr.h"
#include "util/small_copy.h"

/* Flags of a write that mean nothing to a read. */
#define DIRECT_READ_REFUSED	(FI_INJECT | FI_REMOTE_CQ_DATA)

/* The range at the peer. */
struct direct_target {
	uint64_t addr;
	uint64_t key;
};

/* Why an operation that needs a registered buffer cannot be. */
static DIRECT_COLD ssize_t direct_rma_refuse(struct fabric_ep *ep, size_t len,
					     uint64_t flags)
{
	if (len > ep->max_rma_bytes)
		return direct_send_refuse(ep, -FI_EMSGSIZE,
					  "longer than the RMA size");
	if (flags & FI_INJECT)
		return direct_send_refuse(ep, -FI_EOPNOTSUPP,
					  "longer than the RMA inject size, or in a dma-buf");
	return direct_send_refuse(ep, -FI_EINVAL,
				  "no desc: the buffer must be registered");
}

/* Why several buffers cannot be those of one operation. */
static DIRECT_COLD ssize_t direct_rma_refuse_several(struct fabric_ep *ep,
						     size_t len,
						     uint64_t flags)
{
	if (len > ep->max_rma_bytes || flags & FI_INJECT)
		return direct_rma_refuse(ep, len, flags);
	return direct_send_refuse(ep, -FI_EINVAL, "RMA has one local buffer");
}

/* Its bytes in the request; the copy is over when the call returns. */
static DIRECT_INLINE ssize_t
direct_write_inline(struct fabric_ep *ep, const void *buf, size_t len,
		    const struct hw_dest *dest,
		    struct direct_target target, void *context,
		    uint64_t data, uint64_t flags)
{
	struct hw_send_wqe wqe;

	hw_wqe_init(&wqe, ep->sq.entry_size, EFA_IO_RDMA_WRITE, dest);
	util_small_copy(hw_wqe_rdma_inline(&wqe, (uint32_t)len, target.addr,
					   (uint32_t)target.key), buf, len);
	if (flags & FI_EFA_WR_HIGH_PPS)
		hw_wqe_set_high_rate(&wqe);
	return direct_send_publish(ep, &wqe, dest, context, data, flags,
				   EFA_IO_RDMA_WRITE);
}

static DIRECT_INLINE ssize_t
direct_rma_one(struct fabric_ep *ep, enum efa_io_send_op_type op,
	       const void *buf, size_t len, const void *desc, fi_addr_t addr,
	       struct direct_target target, void *context,
	       uint64_t data, uint64_t flags)
{
	const bool write = op == EFA_IO_RDMA_WRITE;
	struct hw_send_wqe wqe;
	struct hw_dest dest;
	struct hw_sge sge;

	if (__builtin_expect(!fabric_av_resolve(ep->av, addr, &dest), 0))
		return direct_send_refuse(ep, -FI_EADDRNOTAVAIL,
					  "unknown address");
	if (__builtin_expect(target.key > UINT32_MAX, 0))
		return direct_send_refuse(ep, -FI_EINVAL,
					  "a key that no region has");
	/* of length 0, it has no place in an entry */
	if (write && len - 1 < ep->inject_rma_bytes &&
	    __builtin_expect(fabric_mr_cpu_reads(desc), 1))
		return direct_write_inline(ep, buf, len, &dest, target,
					   context, data, flags);
	if (__builtin_expect(len - 1 >= ep->max_rma_bytes || !desc ||
			     (write && flags & FI_INJECT), 0)) {
		if (len)
			return direct_rma_refuse(ep, len, flags);
		sge = ep->empty_sge;
	} else {
		sge.addr = (uintptr_t)buf;
		sge.length = (uint32_t)len;
		sge.lkey = fabric_mr_of_desc(desc)->lkey;
	}
	hw_wqe_init(&wqe, ep->sq.entry_size, op, &dest);
	hw_wqe_set_rdma(&wqe, &sge, target.addr, (uint32_t)target.key);
	if (write && flags & FI_EFA_WR_HIGH_PPS)
		hw_wqe_set_high_rate(&wqe);
	return direct_send_publish(ep, &wqe, &dest, context, data, flags, op);
}

/*
 * The device takes one local buffer. Empty ones do not count, and several
 * small ones of a write can go into the entry.
 */
static ssize_t direct_rma_several(struct fabric_ep *ep,
				  enum efa_io_send_op_type op,
				  const struct iovec *iov, void **desc,
				  size_t count, fi_addr_t addr,
				  struct direct_target target,
				  void *context, uint64_t data,
				  uint64_t flags)
{
	uint8_t joined[EFA_IO_TX_INLINE_MAX_WIDE];
	size_t total = 0, used = 0, last = 0;
	bool cpu_reads = true;

	if (count > ep->tx_iov_limit)
		return direct_send_refuse(ep, -FI_EINVAL,
					  "more buffers than iov_limit");
	for (size_t i = 0; i < count; i++) {
		if (!iov[i].iov_len)
			continue;
		total += iov[i].iov_len;
		last = i;
		used++;
		cpu_reads &= !desc || fabric_mr_cpu_reads(desc[i]);
	}
	if (used <= 1)
		return direct_rma_one(ep, op, used ? iov[last].iov_base : NULL,
				      total, used && desc ? desc[last] : NULL,
				      addr, target, context, data, flags);
	if (op != EFA_IO_RDMA_WRITE || total > ep->inject_rma_bytes ||
	    !cpu_reads)
		return direct_rma_refuse_several(ep, total, flags);
	total = 0;
	for (size_t i = 0; i < count; i++) {
		if (!iov[i].iov_len)
			continue;
		memcpy(joined + total, iov[i].iov_base, iov[i].iov_len);
		total += iov[i].iov_len;
	}
	return direct_rma_one(ep, op, joined, total, NULL, addr, target,
			      context, data, flags);
}

static DIRECT_INLINE ssize_t
direct_rma_iov(struct fabric_ep *ep, enum efa_io_send_op_type op,
	       const struct iovec *iov, void **desc, size_t count,
	       fi_addr_t addr, struct direct_target target,
	       void *context, uint64_t data, uint64_t flags)
{
	if (__builtin_expect(count == 1, 1))
		return direct_rma_one(ep, op, iov[0].iov_base, iov[0].iov_len,
				      desc ? desc[0] : NULL, addr, target,
				      context, data, flags);
	return direct_rma_several(ep, op, iov, desc, count, addr, target,
				  context, data, flags);
}

static DIRECT_INLINE ssize_t
direct_rma_msg(struct fabric_ep *ep, enum efa_io_send_op_type op,
	       const struct fi_msg_rma *msg, uint64_t flags)
{
	struct direct_target target;
	size_t total;

	if (__builtin_expect(flags & ep->tx_refused, 0))
		return direct_send_refuse(ep, -FI_EOPNOTSUPP,
					  "a flag that cannot be honoured");
	if (__builtin_expect(msg->rma_iov_count != 1, 0))
		return direct_send_refuse(ep, -FI_EINVAL,
					  "RMA has one remote range");
	total = msg->iov_count ? msg->msg_iov[0].iov_len : 0;
	for (size_t i = 1; i < msg->iov_count; i++)
		total += msg->msg_iov[i].iov_len;
	if (__builtin_expect(total > msg->rma_iov[0].len, 0))
		return direct_send_refuse(ep, -FI_EINVAL,
			"the remote range is shorter than the local one");
	target.addr = msg->rma_iov[0].addr;
	target.key = msg->rma_iov[0].key;
	return direct_rma_iov(ep, op, msg->msg_iov, msg->desc, msg->iov_count,
			      msg->addr, target, msg->context, msg->data,
			      (flags & ep->tx_msg_mask) | ep->tx_msg_flags);
}

/* ---- reading ---- */

static ssize_t direct_read(struct fid_ep *fid, void *buf, size_t len,
			   void *desc, fi_addr_t src_addr, uint64_t addr,
			   uint64_t key, void *context)
{
	struct fabric_ep *ep = fabric_ep_of(fid);
	struct direct_target target = { addr, key };

	return direct_rma_one(ep, EFA_IO_RDMA_READ, buf, len, desc, src_addr,
			      target, context, 0, ep->tx_flags);
}

static ssize_t direct_readv(struct fid_ep *fid, const struct iovec *iov,
			    void **desc, size_t count, fi_addr_t src_addr,
			    uint64_t addr, uint64_t key, void *context)
{
	struct fabric_ep *ep = fabric_ep_of(fid);
	struct direct_target target = { addr, key };

	return direct_rma_iov(ep, EFA_IO_RDMA_READ, iov, desc, count,
			      src_addr, target, context, 0, ep->tx_flags);
}

static ssize_t direct_readmsg(struct fid_ep *fid, const struct fi_msg_rma *msg,
			      uint64_t flags)
{
	struct fabric_ep *ep = fabric_ep_of(fid);

	if (__builtin_expect(flags & DIRECT_READ_REFUSED, 0))
		return direct_send_refuse(ep, -FI_EOPNOTSUPP,
					  "a flag that a read does not have");
	return direct_rma_msg(ep, EFA_IO_RDMA_READ, msg, flags);
}

/* ---- writing ---- */

static ssize_t direct_write(struct fid_ep *fid, const void *buf, size_t len,
			    void *desc, fi_addr_t dest_addr, uint64_t addr,
			    uint64_t key, void *context)
{
	struct fabric_ep *ep = fabric_ep_of(fid);
	struct direct_target target = { addr, key };

	return direct_rma_one(ep, EFA_IO_RDMA_WRITE, buf, len, desc, dest_addr,
			      target, context, 0, ep->tx_flags);
}

static ssize_t direct_writedata(struct fid_ep *fid, const void *buf,
				size_t len, void *desc, uint64_t data,
				fi_addr_t dest_addr, uint64_t addr,
				uint64_t key, void *context)
{
	struct fabric_ep *ep = fabric_ep_of(fid);
	struct direct_target target = { addr, key };

	return direct_rma_one(ep, EFA_IO_RDMA_WRITE, buf, len, desc, dest_addr,
			      target, context, data,
			      ep->tx_flags | FI_REMOTE_CQ_DATA);
}

static ssize_t direct_writev(struct fid_ep *fid, const struct iovec *iov,
			     void **desc, size_t count, fi_addr_t dest_addr,
			     uint64_t addr, uint64_t key, void *context)
{
	struct fabric_ep *ep = fabric_ep_of(fid);
	struct direct_target target = { addr, key };

	return direct_rma_iov(ep, EFA_IO_RDMA_WRITE, iov, desc, count,
			      dest_addr, target, context, 0, ep->tx_flags);
}

static ssize_t direct_writemsg(struct fid_ep *fid,
			       const struct fi_msg_rma *msg, uint64_t flags)
{
	return direct_rma_msg(fabric_ep_of(fid), EFA_IO_RDMA_WRITE, msg,
			      flags);
}

static ssize_t direct_inject_write(struct fid_ep *fid, const void *buf,
				   size_t len, fi_addr_t dest_addr,
				   uint64_t addr, uint64_t key)
{
	struct direct_target target = { addr, key };

	return direct_rma_one(fabric_ep_of(fid), EFA_IO_RDMA_WRITE, buf, len,
			      NULL, dest_addr, target, NULL, 0, FI_INJECT);
}

static ssize_t direct_inject_writedata(struct fid_ep *fid, const void *buf,
				       size_t len, uint64_t data,
				       fi_addr_t dest_addr, uint64_t addr,
				       uint64_t key)
{
	struct direct_target target = { addr, key };

	return direct_rma_one(fabric_ep_of(fid), EFA_IO_RDMA_WRITE, buf, len,
			      NULL, dest_addr, target, NULL, data,
			      FI_INJECT | FI_REMOTE_CQ_DATA);
}

struct fi_ops_rma direct_rma_ops = {
	.size = sizeof(struct fi_ops_rma),
	.read = direct_read,
	.readv = direct_readv,
	.readmsg = direct_readmsg,
	.write = direct_write,
	.writev = direct_writev,
	.writemsg = direct_writemsg,
	.inject = direct_inject_write,
	.writedata = direct_writedata,
	.injectdata = direct_inject_writedata,
};
