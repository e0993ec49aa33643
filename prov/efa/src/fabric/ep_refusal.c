/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/ep_refusal.h"

#include <rdma/fi_atomic.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

/* A function of the type an operations table wants, that returns @error. */
#define REFUSE(type, name, error, ...)					\
	static type refuse_##name(struct fid_ep *ep, __VA_ARGS__)	\
	{								\
		return error;						\
	}

/* Messages: not before fi_enable. */
REFUSE(ssize_t, msg_recv, -FI_EOPBADSTATE, void *buf, size_t len, void *desc,
       fi_addr_t src_addr, void *context)
REFUSE(ssize_t, msg_recvv, -FI_EOPBADSTATE, const struct iovec *iov,
       void **desc, size_t count, fi_addr_t src_addr, void *context)
REFUSE(ssize_t, msg_recvmsg, -FI_EOPBADSTATE, const struct fi_msg *msg,
       uint64_t flags)
REFUSE(ssize_t, msg_send, -FI_EOPBADSTATE, const void *buf, size_t len,
       void *desc, fi_addr_t dest_addr, void *context)
REFUSE(ssize_t, msg_sendv, -FI_EOPBADSTATE, const struct iovec *iov,
       void **desc, size_t count, fi_addr_t dest_addr, void *context)
REFUSE(ssize_t, msg_sendmsg, -FI_EOPBADSTATE, const struct fi_msg *msg,
       uint64_t flags)
REFUSE(ssize_t, msg_inject, -FI_EOPBADSTATE, const void *buf, size_t len,
       fi_addr_t dest_addr)
REFUSE(ssize_t, msg_senddata, -FI_EOPBADSTATE, const void *buf, size_t len,
       void *desc, uint64_t data, fi_addr_t dest_addr, void *context)
REFUSE(ssize_t, msg_injectdata, -FI_EOPBADSTATE, const void *buf, size_t len,
       uint64_t data, fi_addr_t dest_addr)

static struct fi_ops_msg refuse_msg_ops = {
	.size = sizeof(struct fi_ops_msg),
	.recv = refuse_msg_recv,
	.recvv = refuse_msg_recvv,
	.recvmsg = refuse_msg_recvmsg,
	.send = refuse_msg_send,
	.sendv = refuse_msg_sendv,
	.sendmsg = refuse_msg_sendmsg,
	.inject = refuse_msg_inject,
	.senddata = refuse_msg_senddata,
	.injectdata = refuse_msg_injectdata,
};

/* RMA: never, as FI_RMA was not among the capabilities; or not before
 * fi_enable. */
#define REFUSE_RMA(when, error)						\
	REFUSE(ssize_t, when##_read, error, void *buf, size_t len,	\
	       void *desc, fi_addr_t src_addr, uint64_t addr,		\
	       uint64_t key, void *context)				\
	REFUSE(ssize_t, when##_readv, error, const struct iovec *iov,	\
	       void **desc, size_t count, fi_addr_t src_addr,		\
	       uint64_t addr, uint64_t key, void *context)		\
	REFUSE(ssize_t, when##_readmsg, error,				\
	       const struct fi_msg_rma *msg, uint64_t flags)		\
	REFUSE(ssize_t, when##_write, error, const void *buf,		\
	       size_t len, void *desc, fi_addr_t dest_addr,		\
	       uint64_t addr, uint64_t key, void *context)		\
	REFUSE(ssize_t, when##_writev, error, const struct iovec *iov,	\
	       void **desc, size_t count, fi_addr_t dest_addr,		\
	       uint64_t addr, uint64_t key, void *context)		\
	REFUSE(ssize_t, when##_writemsg, error,				\
	       const struct fi_msg_rma *msg, uint64_t flags)		\
	REFUSE(ssize_t, when##_inject, error, const void *buf,		\
	       size_t len, fi_addr_t dest_addr, uint64_t addr,		\
	       uint64_t key)						\
	REFUSE(ssize_t, when##_writedata, error, const void *buf,	\
	       size_t len, void *desc, uint64_t data,			\
	       fi_addr_t dest_addr, uint64_t addr, uint64_t key,	\
	       void *context)						\
	REFUSE(ssize_t, when##_injectdata, error, const void *buf,	\
	       size_t len, uint64_t data, fi_addr_t dest_addr,		\
	       uint64_t addr, uint64_t key)				\
									\
	static struct fi_ops_rma refuse_##when##_ops = {		\
		.size = sizeof(struct fi_ops_rma),			\
		.read = refuse_##when##_read,				\
		.readv = refuse_##when##_readv,				\
		.readmsg = refuse_##when##_readmsg,			\
		.write = refuse_##when##_write,				\
		.writev = refuse_##when##_writev,			\
		.writemsg = refuse_##when##_writemsg,			\
		.inject = refuse_##when##_inject,			\
		.writedata = refuse_##when##_writedata,			\
		.injectdata = refuse_##when##_injectdata,		\
	};

REFUSE_RMA(rma, -FI_EOPNOTSUPP)
REFUSE_RMA(early_rma, -FI_EOPBADSTATE)

/* No endpoint has tags. */
REFUSE(ssize_t, tagged_recv, -FI_ENOSYS, void *buf, size_t len, void *desc,
       fi_addr_t src_addr, uint64_t tag, uint64_t ignore, void *context)
REFUSE(ssize_t, tagged_recvv, -FI_ENOSYS, const struct iovec *iov, void **desc,
       size_t count, fi_addr_t src_addr, uint64_t tag, uint64_t ignore,
       void *context)
REFUSE(ssize_t, tagged_recvmsg, -FI_ENOSYS, const struct fi_msg_tagged *msg,
       uint64_t flags)
REFUSE(ssize_t, tagged_send, -FI_ENOSYS, const void *buf, size_t len,
       void *desc, fi_addr_t dest_addr, uint64_t tag, void *context)
REFUSE(ssize_t, tagged_sendv, -FI_ENOSYS, const struct iovec *iov, void **desc,
       size_t count, fi_addr_t dest_addr, uint64_t tag, void *context)
REFUSE(ssize_t, tagged_sendmsg, -FI_ENOSYS, const struct fi_msg_tagged *msg,
       uint64_t flags)
REFUSE(ssize_t, tagged_inject, -FI_ENOSYS, const void *buf, size_t len,
       fi_addr_t dest_addr, uint64_t tag)
REFUSE(ssize_t, tagged_senddata, -FI_ENOSYS, const void *buf, size_t len,
       void *desc, uint64_t data, fi_addr_t dest_addr, uint64_t tag,
       void *context)
REFUSE(ssize_t, tagged_injectdata, -FI_ENOSYS, const void *buf, size_t len,
       uint64_t data, fi_addr_t dest_addr, uint64_t tag)

static struct fi_ops_tagged refuse_tagged_ops = {
	.size = sizeof(struct fi_ops_tagged),
	.recv = refuse_tagged_recv,
	.recvv = refuse_tagged_recvv,
	.recvmsg = refuse_tagged_recvmsg,
	.send = refuse_tagged_send,
	.sendv = refuse_tagged_sendv,
	.sendmsg = refuse_tagged_sendmsg,
	.inject = refuse_tagged_inject,
	.senddata = refuse_tagged_senddata,
	.injectdata = refuse_tagged_injectdata,
};

/* No endpoint has atomics. */
REFUSE(ssize_t, atomic_write, -FI_ENOSYS, const void *buf, size_t count,
       void *desc, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
       enum fi_datatype datatype, enum fi_op op, void *context)
REFUSE(ssize_t, atomic_writev, -FI_ENOSYS, const struct fi_ioc *iov,
       void **desc, size_t count, fi_addr_t dest_addr, uint64_t addr,
       uint64_t key, enum fi_datatype datatype, enum fi_op op, void *context)
REFUSE(ssize_t, atomic_writemsg, -FI_ENOSYS, const struct fi_msg_atomic *msg,
       uint64_t flags)
REFUSE(ssize_t, atomic_inject, -FI_ENOSYS, const void *buf, size_t count,
       fi_addr_t dest_addr, uint64_t addr, uint64_t key,
       enum fi_datatype datatype, enum fi_op op)
REFUSE(ssize_t, atomic_readwrite, -FI_ENOSYS, const void *buf, size_t count,
       void *desc, void *result, void *result_desc, fi_addr_t dest_addr,
       uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op,
       void *context)
REFUSE(ssize_t, atomic_readwritev, -FI_ENOSYS, const struct fi_ioc *iov,
       void **desc, size_t count, struct fi_ioc *resultv, void **result_desc,
       size_t result_count, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
       enum fi_datatype datatype, enum fi_op op, void *context)
REFUSE(ssize_t, atomic_readwritemsg, -FI_ENOSYS,
       const struct fi_msg_atomic *msg, struct fi_ioc *resultv,
       void **result_desc, size_t result_count, uint64_t flags)
REFUSE(ssize_t, atomic_compwrite, -FI_ENOSYS, const void *buf, size_t count,
       void *desc, const void *compare, void *compare_desc, void *result,
       void *result_desc, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
       enum fi_datatype datatype, enum fi_op op, void *context)
REFUSE(ssize_t, atomic_compwritev, -FI_ENOSYS, const struct fi_ioc *iov,
       void **desc, size_t count, const struct fi_ioc *comparev,
       void **compare_desc, size_t compare_count, struct fi_ioc *resultv,
       void **result_desc, size_t result_count, fi_addr_t dest_addr,
       uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op,
       void *context)
REFUSE(ssize_t, atomic_compwritemsg, -FI_ENOSYS,
       const struct fi_msg_atomic *msg, const struct fi_ioc *comparev,
       void **compare_desc, size_t compare_count, struct fi_ioc *resultv,
       void **result_desc, size_t result_count, uint64_t flags)
REFUSE(int, atomic_writevalid, -FI_ENOSYS, enum fi_datatype datatype,
       enum fi_op op, size_t *count)
REFUSE(int, atomic_readwritevalid, -FI_ENOSYS, enum fi_datatype datatype,
       enum fi_op op, size_t *count)
REFUSE(int, atomic_compwritevalid, -FI_ENOSYS, enum fi_datatype datatype,
       enum fi_op op, size_t *count)

static struct fi_ops_atomic refuse_atomic_ops = {
	.size = sizeof(struct fi_ops_atomic),
	.write = refuse_atomic_write,
	.writev = refuse_atomic_writev,
	.writemsg = refuse_atomic_writemsg,
	.inject = refuse_atomic_inject,
	.readwrite = refuse_atomic_readwrite,
	.readwritev = refuse_atomic_readwritev,
	.readwritemsg = refuse_atomic_readwritemsg,
	.compwrite = refuse_atomic_compwrite,
	.compwritev = refuse_atomic_compwritev,
	.compwritemsg = refuse_atomic_compwritemsg,
	.writevalid = refuse_atomic_writevalid,
	.readwritevalid = refuse_atomic_readwritevalid,
	.compwritevalid = refuse_atomic_compwritevalid,
};

/* No endpoint has collectives. */
REFUSE(ssize_t, coll_barrier, -FI_ENOSYS, fi_addr_t coll_addr, void *context)
REFUSE(ssize_t, coll_broadcast, -FI_ENOSYS, void *buf, size_t count, void *desc,
       fi_addr_t coll_addr, fi_addr_t root_addr, enum fi_datatype datatype,
       uint64_t flags, void *context)
REFUSE(ssize_t, coll_alltoall, -FI_ENOSYS, const void *buf, size_t count,
       void *desc, void *result, void *result_desc, fi_addr_t coll_addr,
       enum fi_datatype datatype, uint64_t flags, void *context)
REFUSE(ssize_t, coll_allreduce, -FI_ENOSYS, const void *buf, size_t count,
       void *desc, void *result, void *result_desc, fi_addr_t coll_addr,
       enum fi_datatype datatype, enum fi_op op, uint64_t flags, void *context)
REFUSE(ssize_t, coll_allgather, -FI_ENOSYS, const void *buf, size_t count,
       void *desc, void *result, void *result_desc, fi_addr_t coll_addr,
       enum fi_datatype datatype, uint64_t flags, void *context)
REFUSE(ssize_t, coll_reduce_scatter, -FI_ENOSYS, const void *buf, size_t count,
       void *desc, void *result, void *result_desc, fi_addr_t coll_addr,
       enum fi_datatype datatype, enum fi_op op, uint64_t flags, void *context)
REFUSE(ssize_t, coll_reduce, -FI_ENOSYS, const void *buf, size_t count,
       void *desc, void *result, void *result_desc, fi_addr_t coll_addr,
       fi_addr_t root_addr, enum fi_datatype datatype, enum fi_op op,
       uint64_t flags, void *context)
REFUSE(ssize_t, coll_scatter, -FI_ENOSYS, const void *buf, size_t count,
       void *desc, void *result, void *result_desc, fi_addr_t coll_addr,
       fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags,
       void *context)
REFUSE(ssize_t, coll_gather, -FI_ENOSYS, const void *buf, size_t count,
       void *desc, void *result, void *result_desc, fi_addr_t coll_addr,
       fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags,
       void *context)
REFUSE(ssize_t, coll_msg, -FI_ENOSYS, const struct fi_msg_collective *msg,
       struct fi_ioc *resultv, void **result_desc, size_t result_count,
       uint64_t flags)
REFUSE(ssize_t, coll_barrier2, -FI_ENOSYS, fi_addr_t coll_addr, uint64_t flags,
       void *context)

static struct fi_ops_collective refuse_collective_ops = {
	.size = sizeof(struct fi_ops_collective),
	.barrier = refuse_coll_barrier,
	.broadcast = refuse_coll_broadcast,
	.alltoall = refuse_coll_alltoall,
	.allreduce = refuse_coll_allreduce,
	.allgather = refuse_coll_allgather,
	.reduce_scatter = refuse_coll_reduce_scatter,
	.reduce = refuse_coll_reduce,
	.scatter = refuse_coll_scatter,
	.gather = refuse_coll_gather,
	.msg = refuse_coll_msg,
	.barrier2 = refuse_coll_barrier2,
};

void fabric_ep_refuse_all(struct fid_ep *ep)
{
	ep->msg = &refuse_msg_ops;
	ep->rma = &refuse_rma_ops;
	ep->tagged = &refuse_tagged_ops;
	ep->atomic = &refuse_atomic_ops;
	ep->collective = &refuse_collective_ops;
}

void fabric_ep_refuse_early_rma(struct fid_ep *ep)
{
	ep->rma = &refuse_early_rma_ops;
}
