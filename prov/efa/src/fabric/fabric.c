/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_errno.h>
#include <rdma/fi_ext_efa.h>

#include "compat/log.h"
#include "fabric/cq_wait.h"
#include "fabric/domain.h"
#include "fabric/eq.h"
#include "fabric/unsupported.h"

/* Features are told by name. Of those defined efa-direct has all: a message
 * from buffers of the system and of an accelerator at once. */
static bool feature_query_direct(const char *feature)
{
	return feature && !strcmp(feature, "mixed_hmem_iov");
}

static bool feature_query_none(const char *feature)
{
	return false;
}

static struct fi_efa_feature_ops feature_ops_direct = {
	.query = feature_query_direct,
};

static struct fi_efa_feature_ops feature_ops_none = {
	.query = feature_query_none,
};

static int fabric_ops_open(struct fid *fid, const char *name, uint64_t flags,
			   void **ops, void *context)
{
	struct fabric_fabric *fabric =
		fabric_fabric_of((struct fid_fabric *)fid);

	if (strcmp(name, FI_EFA_FEATURE_OPS))
		return -FI_EINVAL;
	*ops = strcmp(fabric->name, FABRIC_NAME_DIRECT) ? &feature_ops_none :
							  &feature_ops_direct;
	return 0;
}

static int fabric_close(struct fid *fid)
{
	struct fabric_fabric *fabric = (struct fabric_fabric *)
		((char *)fid - offsetof(struct fabric_fabric, fid.fid));

	if (fabric_reference_is_used(&fabric->users)) {
		compat_warn(FI_LOG_FABRIC, "fi_close: domains or event queues "
			    "of %s are still open", fabric->name);
		return -FI_EBUSY;
	}
	free(fabric);
	return 0;
}

static int trywait_one(struct fid *fid)
{
	switch (fid->fclass) {
	case FI_CLASS_CQ:
		return fabric_cq_trywait((struct fid_cq *)fid);
	case FI_CLASS_EQ:
		return fabric_eq_trywait(fabric_eq_of((struct fid_eq *)fid));
	default:
		return -FI_EINVAL;
	}
}

static int fabric_trywait(struct fid_fabric *fabric, struct fid **fids,
			  int count)
{
	int ret = 0;

	for (int i = 0; i < count && !ret; i++)
		ret = trywait_one(fids[i]);
	return ret;
}

static struct fi_ops fabric_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = fabric_close,
	.bind = fabric_no_bind,
	.control = fabric_no_control,
	.ops_open = fabric_ops_open,
	.tostr = fabric_no_tostr,
	.ops_set = fabric_no_ops_set,
};

static struct fi_ops_fabric fabric_ops = {
	.size = sizeof(struct fi_ops_fabric),
	.domain = fabric_domain_open,
	.passive_ep = fabric_no_passive_ep,
	.eq_open = fabric_eq_open,
	.wait_open = fabric_no_wait_open,
	.trywait = fabric_trywait,
	.domain2 = fabric_domain_open2,
};

bool fabric_fabric_is_ours(const struct fid_fabric *fid)
{
	return fid->fid.fclass == FI_CLASS_FABRIC &&
	       fid->fid.ops == &fabric_fid_ops;
}

int fabric_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fid,
		       void *context)
{
	struct fabric_fabric *fabric;

	if (!attr->name || (strcmp(attr->name, FABRIC_NAME_EFA) &&
			    strcmp(attr->name, FABRIC_NAME_DIRECT))) {
		compat_warn(FI_LOG_FABRIC, "no fabric is called \"%s\"; there "
			    "are " FABRIC_NAME_EFA " and " FABRIC_NAME_DIRECT,
			    attr->name ? attr->name : "");
		return -FI_ENODATA;
	}
	fabric = calloc(1, sizeof(*fabric));
	if (!fabric)
		return -FI_ENOMEM;
	snprintf(fabric->name, sizeof(fabric->name), "%s", attr->name);
	fabric_reference_init(&fabric->users);
	fabric->fid.fid.fclass = FI_CLASS_FABRIC;
	fabric->fid.fid.context = context;
	fabric->fid.fid.ops = &fabric_fid_ops;
	fabric->fid.ops = &fabric_ops;
	fabric->fid.api_version = attr->api_version;
	*fid = &fabric->fid;
	return 0;
}
