/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "dev/cq_create.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "compat/log.h"
#include "compat/verbs_symbols.h"
#include "hw/efa_io_defs.h"

/* Where making a CQ failed. */
struct cq_failure {
	const char *step;
	int ret;
};

static int failed(struct cq_failure *failure, const char *step, int err)
{
	failure->step = step;
	failure->ret = -(err ? err : ENOMEM);
	return failure->ret;
}

/* The channel's fd is for poll and select: reading it must not block. */
static int channel_open(const struct dev_device *device, struct dev_cq *cq,
			struct cq_failure *failure)
{
	int flags;

	cq->channel = compat_verbs()->create_comp_channel(device->verbs);
	if (!cq->channel)
		return failed(failure, "no completion channel", errno);
	flags = fcntl(cq->channel->fd, F_GETFL);
	if (flags < 0 ||
	    fcntl(cq->channel->fd, F_SETFL, flags | O_NONBLOCK) < 0) {
		failed(failure, "no non-blocking completion channel", errno);
		compat_verbs()->destroy_comp_channel(cq->channel);
		return failure->ret;
	}
	return 0;
}

static int verbs_open(const struct dev_device *device,
		      const struct dev_cq_attr *attr, struct dev_cq *cq,
		      struct cq_failure *failure)
{
	struct compat_efadv_cq_init_attr efa_attr = { 0 };
	struct ibv_cq_init_attr_ex verbs_attr = {
		.cqe = attr->depth,
		.channel = cq->channel,
		.comp_vector = (uint32_t)attr->comp_vector %
			       (uint32_t)device->verbs->num_comp_vectors,
	};

	cq->with_sgid = attr->sgid && device->caps.cq_with_sgid;
	if (cq->with_sgid)
		efa_attr.wc_flags |= COMPAT_EFADV_WC_WITH_SGID;
	if (attr->unsolicited)
		efa_attr.wc_flags |= COMPAT_EFADV_WC_WITH_IS_UNSOLICITED;
	cq->verbs = compat_verbs()->efadv_create_cq(device->verbs,
						    &verbs_attr, &efa_attr,
						    sizeof(efa_attr));
	return cq->verbs ? 0 : failed(failure, "not created", errno);
}

static int geometry_query(const struct dev_cq_attr *attr, struct dev_cq *cq,
			  struct cq_failure *failure)
{
	struct compat_efadv_cq_attr efa_attr = { 0 };
	int err;

	err = compat_verbs()->efadv_query_cq(ibv_cq_ex_to_cq(cq->verbs),
					     &efa_attr, sizeof(efa_attr));
	if (err)
		return failed(failure, "its ring cannot be found", err);
	if (!efa_attr.buffer ||
	    efa_attr.entry_size != EFA_IO_CDESC_SIZE ||
	    efa_attr.num_entries < attr->depth ||
	    efa_attr.num_entries & (efa_attr.num_entries - 1))
		return failed(failure, "its ring has an unknown form",
			      EOPNOTSUPP);
	if (attr->wait && !efa_attr.doorbell)
		return failed(failure, "it cannot be armed (rdma-core 60)",
			      EOPNOTSUPP);
	cq->geometry = (struct hw_cq_geometry) {
		.buffer = efa_attr.buffer,
		.entry_size = efa_attr.entry_size,
		.num_entries = efa_attr.num_entries,
		.doorbell = efa_attr.doorbell,
	};
	return 0;
}

static int cq_make(const struct dev_device *device,
		   const struct dev_cq_attr *attr, struct dev_cq *cq,
		   struct cq_failure *failure)
{
	*cq = (struct dev_cq) { .device = device };
	if (attr->wait && channel_open(device, cq, failure))
		return failure->ret;
	if (verbs_open(device, attr, cq, failure))
		goto destroy_channel;
	if (geometry_query(attr, cq, failure))
		goto destroy_cq;
	return 0;

destroy_cq:
	compat_verbs()->destroy_cq(ibv_cq_ex_to_cq(cq->verbs));
destroy_channel:
	if (cq->channel)
		compat_verbs()->destroy_comp_channel(cq->channel);
	return failure->ret;
}

/* What is wrong with @attr on this device, or NULL. */
static const char *attr_fault(const struct dev_device *device,
			      const struct dev_cq_attr *attr, int *ret)
{
	*ret = -EOPNOTSUPP;
	if (attr->wait && !device->caps.cq_notification)
		return "the device or rdma-core has no completion events";
	if (attr->unsolicited && !device->caps.unsolicited_write_recv)
		return "the device has no unsolicited write completions";
	*ret = -EINVAL;
	if (attr->depth == 0 || attr->depth > (uint32_t)device->attr.max_cqe)
		return "beyond the device's limit of entries";
	return NULL;
}

int dev_cq_create(const struct dev_device *device,
		  const struct dev_cq_attr *attr, struct dev_cq *cq)
{
	struct cq_failure failure;
	struct dev_cq made;

	failure.step = attr_fault(device, attr, &failure.ret);
	if (failure.step || cq_make(device, attr, &made, &failure)) {
		compat_warn(FI_LOG_CQ,
			    "%s: completion queue of %u entries (limit %d): %s: %s",
			    device->name, attr->depth, device->attr.max_cqe,
			    failure.step, strerror(-failure.ret));
		return failure.ret;
	}
	*cq = made;
	return 0;
}

int dev_cq_destroy(struct dev_cq *cq)
{
	const struct compat_verbs *verbs = compat_verbs();
	int err = verbs->destroy_cq(ibv_cq_ex_to_cq(cq->verbs));

	if (!err && cq->channel)
		err = verbs->destroy_comp_channel(cq->channel);
	if (err)
		compat_warn(FI_LOG_CQ,
			    "%s: the completion queue stays: %s; close the endpoints bound to it first",
			    cq->device->name, strerror(err));
	return -err;
}

int dev_cq_take_event(struct dev_cq *cq)
{
	struct ibv_cq *verbs;
	void *context;

	if (compat_verbs()->get_cq_event(cq->channel, &verbs, &context))
		return errno == EAGAIN ? 0 : -errno;
	/* destroying a CQ waits until its events are acknowledged */
	compat_verbs()->ack_cq_events(verbs, 1);
	return 1;
}

int dev_cq_probe(const struct dev_device *device, bool *wait_works)
{
	struct dev_cq_attr attr = { .depth = 1, .wait = true };
	struct cq_failure failure;
	struct dev_cq cq;
	int ret = cq_make(device, &attr, &cq, &failure);

	if (ret == -EOPNOTSUPP) {
		attr.wait = false;
		ret = cq_make(device, &attr, &cq, &failure);
	}
	if (ret)
		return ret;
	*wait_works = attr.wait;
	return dev_cq_destroy(&cq);
}
