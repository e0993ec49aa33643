/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "dev/mem_region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compat/log.h"
#include "compat/verbs_symbols.h"

static int take_over(struct ibv_mr *verbs, struct dev_mr *mr)
{
	if (!verbs)
		return -(errno ? errno : ENOMEM);
	mr->verbs = verbs;
	mr->lkey = verbs->lkey;
	mr->rkey = verbs->rkey;
	return 0;
}

int dev_mr_create_at(struct dev_pd *pd, void *addr, size_t len_bytes,
		     uint64_t iova, int access, struct dev_mr *mr)
{
	/* the one call that passes optional access bits on when the kernel
	 * knows them and drops them when it does not */
	return take_over(compat_verbs()->reg_mr_iova2(pd->verbs, addr,
						      len_bytes, iova,
						      access), mr);
}

int dev_mr_create(struct dev_pd *pd, void *addr, size_t len_bytes,
		  int access, struct dev_mr *mr)
{
	return dev_mr_create_at(pd, addr, len_bytes, (uintptr_t)addr, access,
				mr);
}

int dev_mr_create_dmabuf(struct dev_pd *pd, uint64_t offset, size_t len_bytes,
			 uint64_t iova, int fd, int access, struct dev_mr *mr)
{
	return take_over(compat_verbs()->reg_dmabuf_mr(pd->verbs, offset,
						       len_bytes, iova, fd,
						       access), mr);
}

int dev_mr_query(const struct dev_mr *mr, struct dev_mr_interconnects *out)
{
	struct compat_efadv_mr_attr attr = { 0 };
	int err = compat_verbs()->efadv_query_mr(mr->verbs, &attr,
						 sizeof(attr));

	if (err)
		return -abs(err);
	*out = (struct dev_mr_interconnects) {
		.valid = attr.ic_id_validity,
		.recv = attr.recv_ic_id,
		.rdma_read = attr.rdma_read_ic_id,
		.rdma_recv = attr.rdma_recv_ic_id,
	};
	return 0;
}

int dev_mr_destroy(struct dev_mr *mr)
{
	int err = compat_verbs()->dereg_mr(mr->verbs);

	if (err)
		compat_warn(FI_LOG_MR,
			    "memory region with key 0x%x stays registered: %s",
			    mr->rkey, strerror(err));
	return -err;
}
