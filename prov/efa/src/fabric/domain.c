/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_errno.h>
#include <rdma/fi_ext_efa.h>

#include "compat/log.h"
#include "fabric/av.h"
#include "fabric/cntr.h"
#include "fabric/cq_open.h"
#include "fabric/ep_type.h"
#include "fabric/eq.h"
#include "fabric/ext_domain.h"
#include "fabric/ext_gda.h"
#include "fabric/info_offer.h"
#include "fabric/mr.h"
#include "fabric/unsupported.h"

static struct fabric_reference open_domains;

static struct fabric_domain *domain_of_fid(struct fid *fid)
{
	return (struct fabric_domain *)
		((char *)fid - offsetof(struct fabric_domain, fid.fid));
}

static int domain_close(struct fid *fid)
{
	struct fabric_domain *domain = domain_of_fid(fid);
	int ret;

	if (fabric_reference_is_used(&domain->users)) {
		compat_warn(FI_LOG_DOMAIN, "fi_close: endpoints, queues, "
			    "vectors or regions of %s are still open",
			    domain->name);
		return -FI_EBUSY;
	}
	/* what the device does not let go of stays for the next try */
	ret = fabric_empty_region_close(&domain->empty_region);
	if (!ret && domain->ahs)
		ret = dev_ah_table_destroy(domain->ahs);
	if (ret)
		return ret;
	domain->ahs = NULL;
	ret = dev_pd_destroy(&domain->pd);
	if (ret)
		return ret;
	if (domain->eq)
		fabric_reference_put(&domain->eq->users);
	fabric_reference_put(&domain->fabric->users);
	fabric_region_table_fini(&domain->regions);
	pthread_mutex_destroy(&domain->lock);
	free(domain);
	fabric_reference_put(&open_domains);
	return 0;
}

static int domain_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct fabric_domain *domain = domain_of_fid(fid);
	int ret = 0;

	/* FI_REG_MR asks for asynchronous registration */
	if (bfid->fclass != FI_CLASS_EQ || flags)
		return -FI_ENOSYS;
	pthread_mutex_lock(&domain->lock);
	if (domain->eq) {
		ret = -FI_EINVAL;
	} else {
		domain->eq = fabric_eq_of((struct fid_eq *)bfid);
		fabric_reference_get(&domain->eq->users);
	}
	pthread_mutex_unlock(&domain->lock);
	return ret;
}

/* The tables of fi_ext_efa.h. Queues to be driven from outside are those
 * where one operation is one work request. */
static int domain_ops_open(struct fid *fid, const char *name, uint64_t flags,
			   void **ops, void *context)
{
	if (!strcmp(name, FI_EFA_DOMAIN_OPS)) {
		*ops = &fabric_ext_domain_ops;
		return 0;
	}
	if (strcmp(name, FI_EFA_GDA_OPS))
		return -FI_EINVAL;
	if (strcmp(domain_of_fid(fid)->fabric->name, FABRIC_NAME_DIRECT)) {
		compat_warn(FI_LOG_DOMAIN, FI_EFA_GDA_OPS " are those of the "
			    "fabric " FABRIC_NAME_DIRECT ", not of %s",
			    domain_of_fid(fid)->fabric->name);
		return -FI_EOPNOTSUPP;
	}
	*ops = &fabric_ext_gda_ops;
	return 0;
}

static struct fi_ops domain_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = domain_close,
	.bind = domain_bind,
	.control = fabric_no_control,
	.ops_open = domain_ops_open,
	.tostr = fabric_no_tostr,
	.ops_set = fabric_no_ops_set,
};

static struct fi_ops_domain domain_ops = {
	.size = sizeof(struct fi_ops_domain),
	.av_open = fabric_av_open,
	.cq_open = fabric_cq_open,
	.endpoint = fabric_ep_open,
	.scalable_ep = fabric_no_scalable_ep,
	.cntr_open = fabric_cntr_open,
	.poll_open = fabric_no_poll_open,
	.stx_ctx = fabric_no_stx_ctx,
	.srx_ctx = fabric_no_srx_ctx,
	.query_atomic = fabric_no_query_atomic,
	.query_collective = fabric_no_query_collective,
	.endpoint2 = fabric_ep_open2,
};

static struct fi_ops_mr domain_mr_ops = {
	.size = sizeof(struct fi_ops_mr),
	.reg = fabric_mr_reg,
	.regv = fabric_mr_regv,
	.regattr = fabric_mr_regattr,
};

bool fabric_domain_any_is_open(void)
{
	return fabric_reference_is_used(&open_domains);
}

bool fabric_domain_is_ours(const struct fid_domain *fid)
{
	return fid->fid.fclass == FI_CLASS_DOMAIN &&
	       fid->fid.ops == &domain_fid_ops;
}

/* A domain is named after its device, with a suffix. */
static bool names_device(const char *name, const struct dev_device *device)
{
	size_t len = strlen(device->name);

	if (strncmp(name, device->name, len))
		return false;
	for (int kind = 0; kind < FABRIC_INFO_KINDS; kind++) {
		if (!strcmp(name + len, fabric_info_domain_suffix(kind)))
			return true;
	}
	return false;
}

static int find_device(const char *name, const struct dev_device **device)
{
	const struct dev_list *list;

	if (dev_list_get(&list))
		return -FI_ENODATA;
	for (uint32_t i = 0; i < list->count; i++) {
		if (names_device(name, &list->device[i])) {
			*device = &list->device[i];
			return 0;
		}
	}
	compat_warn(FI_LOG_DOMAIN, "no domain is called \"%s\"; take a name "
		    "that fi_getinfo returned", name);
	return -FI_ENODATA;
}

static int open_device(struct fabric_domain *domain)
{
	int ret;

	ret = dev_pd_create(domain->device, &domain->pd);
	if (ret)
		return ret;
	ret = dev_ah_table_create(&domain->pd, &domain->ahs);
	if (ret)
		goto err_destroy_pd;
	ret = fabric_region_table_init(&domain->regions);
	if (ret)
		goto err_destroy_ahs;
	return 0;

err_destroy_ahs:
	dev_ah_table_destroy(domain->ahs);
err_destroy_pd:
	dev_pd_destroy(&domain->pd);
	return ret;
}

static bool threads_need_locks(const struct fabric_domain *domain)
{
	return domain->threading != FI_THREAD_DOMAIN &&
	       (domain->threading != FI_THREAD_COMPLETION ||
		domain->soft_completions);
}

static bool is_of_rdm(const struct fabric_fabric *fabric, const char *name,
		      const struct dev_device *device)
{
	return !strcmp(fabric->name,
		       fabric_info_fabric_name(FABRIC_INFO_RDM)) &&
	       !strcmp(name + strlen(device->name),
		       fabric_info_domain_suffix(FABRIC_INFO_RDM));
}

static int domain_create(struct fabric_fabric *fabric,
			 const struct fi_domain_attr *attr,
			 struct fabric_domain **result)
{
	struct fabric_domain *domain = calloc(1, sizeof(*domain));
	int ret;

	if (!domain)
		return -FI_ENOMEM;
	ret = find_device(attr->name, &domain->device);
	if (!ret)
		ret = open_device(domain);
	if (ret) {
		free(domain);
		return ret;
	}
	snprintf(domain->name, sizeof(domain->name), "%s", attr->name);
	domain->api_version = fabric->fid.api_version;
	domain->threading = attr->threading;
	domain->soft_completions = is_of_rdm(fabric, attr->name,
					     domain->device);
	domain->lock_data_path = threads_need_locks(domain);
	pthread_mutex_init(&domain->lock, NULL);
	fabric_reference_init(&domain->users);
	domain->fabric = fabric;
	fabric_reference_get(&fabric->users);
	fabric_reference_get(&open_domains);
	*result = domain;
	return 0;
}

int fabric_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		       struct fid_domain **result, void *context)
{
	struct fabric_domain *domain = NULL;
	int ret;

	if (!info || !info->domain_attr || !info->domain_attr->name) {
		compat_warn(FI_LOG_DOMAIN, "fi_domain: the info has no domain "
			    "name; take one that fi_getinfo returned");
		return -FI_EINVAL;
	}
	ret = domain_create(fabric_fabric_of(fabric), info->domain_attr,
			    &domain);
	if (ret)
		return ret;
	domain->hmem = info->caps & FI_HMEM;
	domain->fid.fid.fclass = FI_CLASS_DOMAIN;
	domain->fid.fid.context = context;
	domain->fid.fid.ops = &domain_fid_ops;
	domain->fid.ops = &domain_ops;
	domain->fid.mr = &domain_mr_ops;
	*result = &domain->fid;
	return 0;
}

int fabric_domain_open2(struct fid_fabric *fabric, struct fi_info *info,
			struct fid_domain **domain, uint64_t flags,
			void *context)
{
	if (flags)
		return -FI_EBADFLAGS;
	return fabric_domain_open(fabric, info, domain, context);
}
