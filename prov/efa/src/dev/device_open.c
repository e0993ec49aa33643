/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "dev/device_open.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compat/log.h"
#include "compat/verbs_symbols.h"
#include "dev/cq_create.h"
#include "dev/pci_location.h"

#define AMAZON_VENDOR_ID	0x1d0f
/* Its completion queues are made of several rings, and libefa does not tell
 * how many. */
#define PART_WITH_SUB_CQS	0xefa0

static int __attribute__((format(printf, 3, 4)))
fail(struct dev_open_failure *failure, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(failure->reason, sizeof(failure->reason), format, args);
	va_end(args);
	return -err;
}

static int open_failed(struct ibv_device *ibv, int err,
		       struct dev_open_failure *failure)
{
	if (err == EACCES || err == EPERM)
		return fail(failure, EACCES,
			    "/dev/infiniband/%s: %s; give this user read and write access to it, "
			    "in a container pass the device through",
			    ibv->dev_name, strerror(err));
	return fail(failure, err ? err : EIO,
		    "opening /dev/infiniband/%s: %s; see the kernel's log, update rdma-core or the efa driver",
		    ibv->dev_name, strerror(err ? err : EIO));
}

/* The queries every device answers. */
static int query_constants(struct dev_device *device,
			   struct dev_open_failure *failure)
{
	const struct compat_verbs *verbs = compat_verbs();
	const char *what = "ibv_query_device";
	int err;

	err = verbs->query_device(device->verbs, &device->attr);
	if (!err) {
		what = "ibv_query_port";
		err = verbs->query_port(device->verbs, 1, &device->port);
	}
	if (!err) {
		what = "ibv_query_gid";
		err = verbs->query_gid(device->verbs, 1, 0, &device->gid);
		err = err < 0 ? errno : err;
	}
	if (err)
		return fail(failure, err ? err : EIO,
			    "%s: %s; see the kernel's log", what,
			    strerror(err));
	if (!device->port.max_msg_sz)
		return fail(failure, EIO,
			    "its port has no MTU; see the kernel's log");
	return 0;
}

static void fill_caps(struct dev_device *device)
{
	uint32_t bits = device->efa.device_caps;

	device->caps = (struct dev_caps) {
		.rdma_read = bits & COMPAT_EFADV_RDMA_READ,
		.rdma_write = bits & COMPAT_EFADV_RDMA_WRITE,
		.rnr_retry = bits & COMPAT_EFADV_RNR_RETRY,
		.cq_with_sgid = bits & COMPAT_EFADV_CQ_WITH_SGID,
		.unsolicited_write_recv =
			bits & COMPAT_EFADV_UNSOLICITED_WRITE_RECV,
	};
	if (device->caps.rdma_read || device->caps.rdma_write)
		device->max_rdma_size = device->efa.max_rdma_size;
}

/* With part of the functions there are none. */
static void fill_comp_cntr(struct dev_device *device)
{
	const struct compat_verbs *verbs = compat_verbs();
	struct compat_comp_cntr_caps caps = { 0 };

	if (!(device->efa.device_caps & COMPAT_EFADV_COMP_CNTR) ||
	    !verbs->query_comp_cntr_caps || !verbs->efadv_create_comp_cntr ||
	    !verbs->destroy_comp_cntr || !verbs->qp_attach_comp_cntr ||
	    verbs->query_comp_cntr_caps(device->verbs, &caps, sizeof(caps)))
		return;
	if (!caps.max_counters)
		return;
	device->comp_cntr_ops = caps.attach_ops;
	device->comp_cntr_max = caps.max_value;
}

/* Work requests in a send queue whose WQEs hold @inline_size bytes, or 0:
 * its memory is on the device, and only libefa (63) knows how much. */
static uint32_t send_depth(const struct dev_device *device,
			   uint32_t inline_size)
{
	struct compat_efadv_sq_depth_attr attr = {
		.max_send_sge = 1,
		.max_inline_data = inline_size,
	};
	int depth;

	if (!compat_verbs()->efadv_get_max_sq_depth)
		return 0;
	depth = compat_verbs()->efadv_get_max_sq_depth(device->verbs, &attr,
						       sizeof(attr));
	if (depth <= 0)
		return 0;
	return (uint32_t)depth < device->efa.max_sq_wr ?
		(uint32_t)depth : device->efa.max_sq_wr;
}

static void fill_send_queue(struct dev_device *device)
{
	uint32_t inline_size = device->efa.inline_buf_size;
	uint32_t wide = device->efa.inline_buf_size_ex;

	device->inline_size = inline_size;
	device->max_send_depth = send_depth(device, inline_size);
	if (!device->max_send_depth)
		device->max_send_depth = device->efa.max_sq_wr;
	if (wide <= inline_size)
		return;
	device->max_send_depth_wide = send_depth(device, wide);
	device->caps.wide_wqe = device->max_send_depth_wide > 0;
	device->inline_size_wide = device->caps.wide_wqe ? wide : 0;
}

/* Bits a second and lane of an active_speed, in units of 100 Mb: the names
 * of the speeds promise these. */
static uint64_t lane_speed(uint8_t active_speed)
{
	switch (active_speed) {
	case 1:		/* SDR */
		return 25;
	case 2:		/* DDR */
		return 50;
	case 4:		/* QDR */
	case 8:		/* FDR10 */
		return 100;
	case 16:	/* FDR */
		return 140;
	case 32:	/* EDR */
		return 250;
	case 64:	/* HDR */
		return 500;
	case 128:	/* NDR */
		return 1000;
	default:
		return 0;
	}
}

static uint64_t lane_count(uint8_t active_width)
{
	switch (active_width) {
	case 1:
		return 1;
	case 2:
		return 4;
	case 4:
		return 8;
	case 8:
		return 12;
	case 16:
		return 2;
	default:
		return 0;
	}
}

static void fill_derived(struct dev_device *device)
{
	struct dev_pci_location pci;
	const char *path = device->verbs->device->ibdev_path;

	device->mtu = device->port.max_msg_sz;
	device->speed_bps = lane_speed(device->port.active_speed) *
			    lane_count(device->port.active_width) * 100000000;
	device->has_pci = dev_pci_find(path, &pci);
	if (device->has_pci) {
		device->pci_domain = pci.domain;
		device->pci_bus = pci.bus;
		device->pci_device = pci.device;
		device->pci_function = pci.function;
	}
	dev_pci_driver(path, device->driver, sizeof(device->driver));
}

/* The one back end there is needs the queues themselves. */
static int probe_queues(struct dev_device *device,
			struct dev_open_failure *failure)
{
	int ret;

	if (device->attr.vendor_part_id == PART_WITH_SUB_CQS)
		return fail(failure, EOPNOTSUPP,
			    "EFA devices of the first generation (0x%x) have split completion queues, "
			    "which this provider does not drive; use libfabric's own efa provider",
			    device->attr.vendor_part_id);
	ret = dev_cq_probe(device, &device->caps.cq_notification);
	if (ret)
		return fail(failure, -ret,
			    "a completion queue cannot be made and mapped: %s; see the kernel's log",
			    strerror(-ret));
	return 0;
}

static int device_fill(struct dev_device *device,
		       struct dev_open_failure *failure)
{
	int err, ret;

	err = compat_verbs()->efadv_query_device(device->verbs, &device->efa,
						 sizeof(device->efa));
	if (err == EOPNOTSUPP)
		return -EPROTONOSUPPORT;
	if (err)
		return fail(failure, err,
			    "efadv_query_device: %s; update rdma-core",
			    strerror(err));
	ret = query_constants(device, failure);
	if (ret)
		return ret;
	fill_caps(device);
	fill_comp_cntr(device);
	fill_send_queue(device);
	fill_derived(device);
	return probe_queues(device, failure);
}

int dev_device_open(struct ibv_device *ibv, struct dev_device *device,
		    struct dev_open_failure *failure)
{
	uint16_t vendor = dev_pci_vendor(ibv->ibdev_path);
	int ret;

	if (vendor && vendor != AMAZON_VENDOR_ID)
		return -EPROTONOSUPPORT;
	memset(device, 0, sizeof(*device));
	snprintf(device->name, sizeof(device->name), "%s", ibv->name);
	errno = 0;
	device->verbs = compat_verbs()->open_device(ibv);
	if (!device->verbs)
		return open_failed(ibv, errno, failure);
	ret = device_fill(device, failure);
	if (ret)
		dev_device_close(device);
	return ret;
}

void dev_device_close(struct dev_device *device)
{
	int err = compat_verbs()->close_device(device->verbs);

	if (err)
		compat_warn(FI_LOG_DOMAIN, "%s stays open: %s", device->name,
			    strerror(err > 0 ? err : errno));
	device->verbs = NULL;
}
