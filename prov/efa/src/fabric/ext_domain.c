/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/ext_domain.h"

#include <assert.h>

#include <rdma/fi_errno.h>

#include "fabric/mr.h"

static_assert(FI_EFA_MR_ATTR_RECV_IC_ID == DEV_MR_IC_RECV &&
	      FI_EFA_MR_ATTR_RDMA_READ_IC_ID == DEV_MR_IC_RDMA_READ &&
	      FI_EFA_MR_ATTR_RDMA_RECV_IC_ID == DEV_MR_IC_RDMA_RECV,
	      "the same bits");

static int query_mr(struct fid_mr *fid, struct fi_efa_mr_attr *attr)
{
	struct dev_mr_interconnects found;
	int ret;

	if (!fid || fid->fid.fclass != FI_CLASS_MR || !attr)
		return -FI_EINVAL;
	ret = dev_mr_query(&fabric_mr_of(fid)->dev, &found);
	if (ret)
		return ret;
	*attr = (struct fi_efa_mr_attr) {
		.ic_id_validity = found.valid,
		.recv_ic_id = found.recv,
		.rdma_read_ic_id = found.rdma_read,
		.rdma_recv_ic_id = found.rdma_recv,
	};
	return 0;
}

struct fi_efa_ops_domain fabric_ext_domain_ops = {
	.query_mr = query_mr,
};
