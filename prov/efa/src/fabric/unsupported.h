/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Entries of operation tables for calls an object does not have: they
 * return -FI_ENOSYS and touch nothing. No table has an empty slot, since
 * applications call through it without looking.
 */
#ifndef FABRIC_UNSUPPORTED_H
#define FABRIC_UNSUPPORTED_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

int fabric_no_bind(struct fid *fid, struct fid *bfid, uint64_t flags);
int fabric_no_control(struct fid *fid, int command, void *arg);
int fabric_no_ops_open(struct fid *fid, const char *name, uint64_t flags,
		       void **ops, void *context);
int fabric_no_ops_set(struct fid *fid, const char *name, uint64_t flags,
		      void *ops, void *context);
int fabric_no_tostr(const struct fid *fid, char *buf, size_t len);

int fabric_no_passive_ep(struct fid_fabric *fabric, struct fi_info *info,
			 struct fid_pep **pep, void *context);
int fabric_no_wait_open(struct fid_fabric *fabric, struct fi_wait_attr *attr,
			struct fid_wait **waitset);

int fabric_no_scalable_ep(struct fid_domain *domain, struct fi_info *info,
			  struct fid_ep **sep, void *context);
int fabric_no_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
			struct fid_poll **pollset);
int fabric_no_stx_ctx(struct fid_domain *domain, struct fi_tx_attr *attr,
		      struct fid_stx **stx, void *context);
int fabric_no_srx_ctx(struct fid_domain *domain, struct fi_rx_attr *attr,
		      struct fid_ep **rx_ep, void *context);
int fabric_no_query_atomic(struct fid_domain *domain,
			   enum fi_datatype datatype, enum fi_op op,
			   struct fi_atomic_attr *attr, uint64_t flags);
int fabric_no_query_collective(struct fid_domain *domain,
			       enum fi_collective_op coll,
			       struct fi_collective_attr *attr,
			       uint64_t flags);

int fabric_no_av_insertsvc(struct fid_av *av, const char *node,
			   const char *service, fi_addr_t *fi_addr,
			   uint64_t flags, void *context);
int fabric_no_av_insertsym(struct fid_av *av, const char *node,
			   size_t nodecnt, const char *service, size_t svccnt,
			   fi_addr_t *fi_addr, uint64_t flags, void *context);
int fabric_no_av_set(struct fid_av *av, struct fi_av_set_attr *attr,
		     struct fid_av_set **av_set, void *context);

#endif /* FABRIC_UNSUPPORTED_H */
