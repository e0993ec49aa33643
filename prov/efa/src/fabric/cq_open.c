/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/cq_open.h"

#include <stdlib.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "fabric/cq_soft.h"
#include "fabric/cq_wait.h"
#include "fabric/unsupported.h"
#include "util/cache_line.h"

/* A ring's indexes are told to the device in 16 bits. */
#define FABRIC_CQ_MAX_DEPTH	32768u

static const char *fabric_cq_strerror(struct fid_cq *fid, int prov_errno,
				      const void *err_data, char *buf,
				      size_t len)
{
	const char *text = err_data ? err_data
				    : fabric_comp_strerror(prov_errno);

	if (buf && len) {
		buf[0] = '\0';
		strncat(buf, text, len - 1);
		return buf;
	}
	return text;
}

static int fabric_cq_control(struct fid *fid, int command, void *arg)
{
	struct fabric_cq *cq = fabric_cq_of((struct fid_cq *)fid);

	switch (command) {
	case FI_GETWAIT:
		if (cq->wait_obj == FI_WAIT_NONE)
			return -FI_ENODATA;
		*(int *)arg = cq->dev.channel->fd;
		return 0;
	case FI_GETWAITOBJ:
		*(enum fi_wait_obj *)arg = cq->wait_obj;
		return 0;
	default:
		return -FI_ENOSYS;
	}
}

static int fabric_cq_close(struct fid *fid)
{
	struct fabric_cq *cq = fabric_cq_of((struct fid_cq *)fid);
	int ret;

	if (fabric_reference_is_used(&cq->users))
		return -FI_EBUSY;
	ret = dev_cq_destroy(&cq->dev);
	if (ret)
		return ret;
	fabric_cq_wait_fini(cq);
	fabric_cq_fini(cq);
	fabric_reference_put(&cq->domain->users);
	free(cq);
	return 0;
}

static struct fi_ops fabric_cq_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = fabric_cq_close,
	.bind = fabric_no_bind,
	.control = fabric_cq_control,
	.ops_open = fabric_no_ops_open,
	.tostr = fabric_no_tostr,
	.ops_set = fabric_no_ops_set,
};

static struct fi_ops_cq fabric_cq_ops = {
	.size = sizeof(struct fi_ops_cq),
	.read = fabric_cq_read,
	.readfrom = fabric_cq_readfrom,
	.readerr = fabric_cq_readerr,
	.sread = fabric_cq_sread,
	.sreadfrom = fabric_cq_sreadfrom,
	.signal = fabric_cq_signal,
	.strerror = fabric_cq_strerror,
};

static struct fi_ops_cq fabric_cq_soft_ops = {
	.size = sizeof(struct fi_ops_cq),
	.read = fabric_cq_soft_read,
	.readfrom = fabric_cq_soft_readfrom,
	.readerr = fabric_cq_soft_readerr,
	.sread = fabric_cq_sread,
	.sreadfrom = fabric_cq_sreadfrom,
	.signal = fabric_cq_signal,
	.strerror = fabric_cq_strerror,
};

static int fabric_cq_check_format(struct fabric_cq *cq,
				  const struct fabric_domain *domain,
				  const struct fi_cq_attr *attr)
{
	if (attr->format == FI_CQ_FORMAT_TAGGED && domain->soft_completions) {
		cq->format = attr->format;
		return 0;
	}
	switch (attr->format) {
	case FI_CQ_FORMAT_UNSPEC:
		cq->format = FI_CQ_FORMAT_CONTEXT;
		return 0;
	case FI_CQ_FORMAT_CONTEXT:
	case FI_CQ_FORMAT_MSG:
	case FI_CQ_FORMAT_DATA:
		cq->format = attr->format;
		return 0;
	default:
		compat_warn(FI_LOG_CQ,
			    "fi_cq_open: no endpoint of this domain has tags; use FI_CQ_FORMAT_DATA instead of format %d",
			    attr->format);
		return -FI_ENOSYS;
	}
}

static int fabric_cq_check_wait(struct fabric_cq *cq,
				const struct fi_cq_attr *attr)
{
	switch (attr->wait_obj) {
	case FI_WAIT_NONE:
		cq->wait_obj = FI_WAIT_NONE;
		return 0;
	case FI_WAIT_UNSPEC:
	case FI_WAIT_FD:
		cq->wait_obj = FI_WAIT_FD;
		cq->wait_cond = attr->wait_cond;
		return 0;
	default:
		compat_warn(FI_LOG_CQ,
			    "fi_cq_open: wait object %d is not there; use FI_WAIT_FD",
			    attr->wait_obj);
		return -FI_ENOSYS;
	}
}

/* Entries to ask the device for: see fabric_cq_open. */
static int fabric_cq_depth(const struct dev_device *device, size_t wanted,
			   uint32_t *depth)
{
	uint32_t most = FABRIC_CQ_MAX_DEPTH;
	uint32_t full = device->efa.max_sq_wr + device->efa.max_rq_wr;

	if (device->attr.max_cqe > 0 && (uint32_t)device->attr.max_cqe < most)
		most = (uint32_t)device->attr.max_cqe;
	if (wanted > most) {
		compat_warn(FI_LOG_CQ,
			    "fi_cq_open: %zu entries asked, %s has at most %u in a CQ",
			    wanted, device->name, most);
		return -FI_EINVAL;
	}
	*depth = full < most ? hw_cq_depth(full) : most;
	if (*depth < wanted)
		*depth = (uint32_t)wanted;
	if (*depth > most)
		*depth = most;
	return 0;
}

static int fabric_cq_create(struct fabric_cq *cq,
			    struct fabric_domain *domain,
			    const struct fi_cq_attr *attr)
{
	struct dev_cq_attr dev_attr = {
		.wait = cq->wait_obj != FI_WAIT_NONE,
		.sgid = domain->device->caps.cq_with_sgid,
		/* endpoints come later, and some may need it */
		.unsolicited = domain->device->caps.unsolicited_write_recv,
	};
	int ret;

	if (attr->flags & FI_AFFINITY)
		dev_attr.comp_vector = attr->signaling_vector;
	ret = fabric_cq_depth(domain->device, attr->size, &dev_attr.depth);
	if (ret)
		return ret;
	ret = dev_cq_create(domain->device, &dev_attr, &cq->dev);
	if (ret)
		return ret;
	ret = fabric_cq_init(cq, domain, cq->format);
	if (ret)
		goto err_destroy;
	if (domain->soft_completions)
		ret = fabric_cq_soft_init(cq);
	if (!ret)
		ret = fabric_cq_wait_init(cq);
	if (ret)
		goto err_fini;
	return 0;

err_fini:
	fabric_cq_fini(cq);
err_destroy:
	dev_cq_destroy(&cq->dev);
	return ret;
}

int fabric_cq_open(struct fid_domain *domain_fid, struct fi_cq_attr *attr,
		   struct fid_cq **fid, void *context)
{
	struct fabric_domain *domain = fabric_domain_of(domain_fid);
	struct fi_cq_attr none = {0};
	struct fabric_cq *cq;
	int ret;

	if (!attr)
		attr = &none;
	if (attr->flags & ~(uint64_t)FI_AFFINITY) {
		compat_warn(FI_LOG_CQ, "fi_cq_open: unknown flags %#llx",
			    (unsigned long long)attr->flags);
		return -FI_EINVAL;
	}
	cq = util_cache_line_calloc(sizeof(*cq));
	if (!cq)
		return -FI_ENOMEM;
	ret = fabric_cq_check_format(cq, domain, attr);
	if (!ret)
		ret = fabric_cq_check_wait(cq, attr);
	if (!ret)
		ret = fabric_cq_create(cq, domain, attr);
	if (ret) {
		free(cq);
		return ret;
	}
	fabric_reference_init(&cq->users);
	fabric_reference_get(&domain->users);
	cq->fid.fid.fclass = FI_CLASS_CQ;
	cq->fid.fid.context = context;
	cq->fid.fid.ops = &fabric_cq_fid_ops;
	cq->fid.ops = cq->done ? &fabric_cq_soft_ops : &fabric_cq_ops;
	*fid = &cq->fid;
	return 0;
}
