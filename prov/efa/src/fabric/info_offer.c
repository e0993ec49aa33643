/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/info_offer.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "compat/fi_abi.h"
#include "compat/nic_attr.h"
#include "fabric/address.h"
#include "fabric/comp_error.h"
#include "fabric/device_region.h"
#include "fabric/fabric.h"
#include "hw/efa_io_defs.h"

#define OFFER_DOMAIN_CAPS	(FI_LOCAL_COMM | FI_REMOTE_COMM)
#define OFFER_TX_CAPS		(FI_MSG | FI_SEND)
#define OFFER_RX_CAPS		(FI_MSG | FI_RECV | FI_SOURCE)
#define OFFER_TX_RMA_CAPS	(FI_RMA | FI_READ | FI_WRITE)
#define OFFER_RDM_TX_CAPS	(OFFER_TX_CAPS | FI_TAGGED)
#define OFFER_RDM_RX_CAPS	(OFFER_RX_CAPS | FI_TAGGED | FI_MULTI_RECV | \
				 FI_DIRECTED_RECV)
#define OFFER_RX_RMA_CAPS	(FI_RMA | FI_REMOTE_READ | FI_REMOTE_WRITE)

/* Software keeps counters; a number, since 0 would mean none. */
#define OFFER_COUNTERS		65536
#define OFFER_CONTEXTS		1024
#define OFFER_CQ_DATA_SIZE	4
#define OFFER_MR_KEY_SIZE	4
#define OFFER_RDM_INJECT_MAX	4096	/* as libfabric's own provider */
#define OFFER_TAG_FORMAT	0xaaaaaaaaaaaaaaaaull	/* one field of 64 bits */
#define OFFER_RING_MAX		32768	/* a queue's 16-bit counters allow */

const char *fabric_info_fabric_name(enum fabric_info_kind kind)
{
	return kind == FABRIC_INFO_DIRECT ? FABRIC_NAME_DIRECT :
					    FABRIC_NAME_EFA;
}

const char *fabric_info_domain_suffix(enum fabric_info_kind kind)
{
	return kind == FABRIC_INFO_DGRAM ? "-dgrm" : "-rdm";
}

/* The largest power of two that is not above @value; 0 for 0. */
static size_t floor_pow2(size_t value)
{
	size_t result = value ? 1 : 0;

	while (result && result <= value / 2)
		result *= 2;
	return result;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static char *text_of(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static char *text_of(const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	return len < 0 ? NULL : text;
}

static bool fill_names(struct fi_info *info, const struct dev_device *device,
		       enum fabric_info_kind kind)
{
	info->fabric_attr->name = strdup(fabric_info_fabric_name(kind));
	info->domain_attr->name = text_of("%s%s", device->name,
					  fabric_info_domain_suffix(kind));
	return info->fabric_attr->name && info->domain_attr->name;
}

static bool fill_src_addr(struct fi_info *info,
			  const struct dev_device *device)
{
	struct fabric_address *address = calloc(1, sizeof(*address));

	if (!address)
		return false;
	memcpy(address->gid, device->gid.raw, sizeof(address->gid));
	info->addr_format = FI_ADDR_EFA;
	info->src_addr = address;
	info->src_addrlen = sizeof(*address);
	return true;
}

static void fill_domain(struct fi_domain_attr *attr,
			const struct dev_device *device)
{
	size_t qps = (size_t)device->attr.max_qp;
	/* those of software go further */
	uint64_t most = device->comp_cntr_ops ? device->comp_cntr_max
					      : UINT64_MAX;

	attr->caps = OFFER_DOMAIN_CAPS;
	attr->threading = FI_THREAD_SAFE;
	attr->control_progress = FI_PROGRESS_AUTO;
	attr->data_progress = FI_PROGRESS_AUTO;
	attr->resource_mgmt = FI_RM_ENABLED;
	attr->av_type = FI_AV_TABLE;
	attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED |
			FI_MR_PROV_KEY;
	attr->mr_key_size = OFFER_MR_KEY_SIZE;
	attr->mr_iov_limit = 1;
	attr->mr_cnt = (size_t)device->attr.max_mr;
	attr->cq_data_size = OFFER_CQ_DATA_SIZE;
	attr->cq_cnt = (size_t)device->attr.max_cq;
	attr->ep_cnt = qps;
	attr->tx_ctx_cnt = min_size(OFFER_CONTEXTS, qps);
	attr->rx_ctx_cnt = min_size(OFFER_CONTEXTS, qps);
	attr->max_ep_tx_ctx = 1;
	attr->max_ep_rx_ctx = 1;
	attr->cntr_cnt = OFFER_COUNTERS;
	attr->max_err_data = FABRIC_COMP_ERROR_SIZE;
	compat_domain_tail(attr)->max_cntr_value = most;
	compat_domain_tail(attr)->max_err_cntr_value = most;
}

static void fill_ep(struct fi_ep_attr *attr, const struct dev_device *device,
		    enum fabric_info_kind kind)
{
	attr->type = kind == FABRIC_INFO_DGRAM ? FI_EP_DGRAM : FI_EP_RDM;
	attr->protocol = FI_PROTO_EFA;
	attr->protocol_version = 1;
	attr->max_msg_size = device->mtu;
	attr->msg_prefix_size = kind == FABRIC_INFO_DGRAM ?
				FABRIC_DGRAM_PREFIX_SIZE : 0;
	attr->tx_ctx_cnt = 1;
	attr->rx_ctx_cnt = 1;
}

static void fill_tx(struct fi_tx_attr *attr, const struct dev_device *device,
		    enum fabric_info_kind kind, uint64_t mode)
{
	attr->caps = OFFER_TX_CAPS;
	attr->mode = mode;
	attr->op_flags = FI_INJECT | FI_COMPLETION | FI_TRANSMIT_COMPLETE;
	attr->inject_size = device->inline_size;
	attr->size = min_size(floor_pow2(device->max_send_depth),
			      OFFER_RING_MAX);
	/* the ack of a reliable datagram comes when the data is in place */
	if (kind == FABRIC_INFO_DIRECT) {
		attr->op_flags |= FI_DELIVERY_COMPLETE;
		if (device->max_send_depth_wide >= attr->size / 2)
			attr->inject_size = device->inline_size_wide;
	}
	attr->iov_limit = min_size(device->efa.max_sq_sge, EFA_IO_TX_MAX_SGE);
}

static bool has_rma(const struct dev_device *device,
		    enum fabric_info_kind kind, uint64_t caps, uint64_t mode)
{
	if (caps && !(caps & FI_RMA))
		return false;
	/* what a device cannot do, the protocol does */
	if (kind == FABRIC_INFO_RDM)
		return true;
	return kind == FABRIC_INFO_DIRECT &&
	       device->caps.rdma_read && device->caps.rdma_write &&
	       (device->caps.unsolicited_write_recv ||
		mode & FI_RX_CQ_DATA);
}

/* One remote range: to the device, with one local buffer. */
static void fill_rma(struct fi_info *info, const struct dev_device *device,
		     uint64_t mode)
{
	info->caps |= OFFER_TX_RMA_CAPS | OFFER_RX_RMA_CAPS;
	info->tx_attr->caps |= OFFER_TX_RMA_CAPS;
	info->rx_attr->caps |= OFFER_RX_RMA_CAPS;
	info->tx_attr->rma_iov_limit = 1;
	if (fabric_info_is_rdm(info))
		return;
	if (device->max_rdma_size > info->ep_attr->max_msg_size)
		info->ep_attr->max_msg_size = device->max_rdma_size;
	info->mode |= mode & FI_RX_CQ_DATA;
	info->rx_attr->mode |= mode & FI_RX_CQ_DATA;
}

void fabric_info_drop_rma(struct fi_info *info,
			  const struct dev_device *device)
{
	const uint64_t rma = OFFER_TX_RMA_CAPS | OFFER_RX_RMA_CAPS;

	info->caps &= ~rma;
	info->tx_attr->caps &= ~rma;
	info->rx_attr->caps &= ~rma;
	info->tx_attr->rma_iov_limit = 0;
	if (fabric_info_is_rdm(info))
		return;
	info->ep_attr->max_msg_size = device->mtu;
	info->mode &= ~FI_RX_CQ_DATA;
	info->rx_attr->mode &= ~FI_RX_CQ_DATA;
}

/* Any device takes any accelerator's memory as a dma-buf: whether there is
 * one is for a registration to find out, not for discovery. */
static bool has_hmem(enum fabric_info_kind kind, uint64_t caps)
{
	return kind == FABRIC_INFO_DIRECT && (!caps || caps & FI_HMEM) &&
	       fabric_device_region_permitted();
}

static void fill_hmem(struct fi_info *info)
{
	info->caps |= FI_HMEM;
	info->tx_attr->caps |= FI_HMEM;
	info->rx_attr->caps |= FI_HMEM;
	info->domain_attr->mr_mode |= FI_MR_HMEM;
}

/*
 * What the protocol adds: tags, messages of any length, in order, from
 * memory that need not be registered. It moves on when the application
 * reads its CQs, and only then.
 */
static void fill_rdm(struct fi_info *info, const struct dev_device *device)
{
	info->caps |= OFFER_RDM_TX_CAPS | OFFER_RDM_RX_CAPS;
	info->mode = 0;
	info->domain_attr->control_progress = FI_PROGRESS_MANUAL;
	info->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	info->domain_attr->mr_mode &= ~FI_MR_LOCAL;
	info->ep_attr->protocol_version = 4;
	info->ep_attr->max_msg_size = SIZE_MAX;
	info->ep_attr->mem_tag_format = OFFER_TAG_FORMAT;
	info->tx_attr->caps = OFFER_RDM_TX_CAPS;
	info->tx_attr->mode = 0;
	info->tx_attr->op_flags |= FI_DELIVERY_COMPLETE;
	info->tx_attr->msg_order = FI_ORDER_SAS;
	info->tx_attr->inject_size =
		min_size(device->mtu - FABRIC_RDM_HEADER_ROOM,
			 OFFER_RDM_INJECT_MAX);
	info->tx_attr->iov_limit = FABRIC_RDM_IOV_LIMIT;
	info->rx_attr->caps = OFFER_RDM_RX_CAPS;
	info->rx_attr->mode = 0;
	info->rx_attr->op_flags |= FI_MULTI_RECV;
	info->rx_attr->msg_order = FI_ORDER_SAS;
	info->rx_attr->iov_limit = FABRIC_RDM_IOV_LIMIT;
	info->rx_attr->size = min_size(floor_pow2(device->efa.max_rq_wr),
				       OFFER_RING_MAX);
}

static void fill_rx(struct fi_rx_attr *attr, const struct dev_device *device,
		    uint64_t mode)
{
	/* a ring is a power of two of buffers */
	size_t ring = min_size(floor_pow2(device->efa.max_rq_wr),
			       OFFER_RING_MAX);

	attr->caps = OFFER_RX_CAPS;
	attr->mode = mode;
	attr->op_flags = FI_COMPLETION;
	attr->iov_limit = min_size(device->efa.max_rq_sge,
				   FABRIC_EP_MAX_RX_IOV);
	attr->size = floor_pow2(ring / (attr->iov_limit ? attr->iov_limit : 1));
}

static bool fill_nic_device(struct fi_device_attr *attr,
			    const struct dev_device *device)
{
	attr->name = strdup(device->name);
	attr->device_id = text_of("0x%x", device->attr.vendor_part_id);
	attr->device_version = text_of("0x%x", device->attr.hw_ver);
	attr->vendor_id = text_of("0x%x", device->attr.vendor_id);
	attr->driver = strdup(device->driver);
	attr->firmware = strdup(device->attr.fw_ver);
	return attr->name && attr->device_id && attr->device_version &&
	       attr->vendor_id && attr->driver && attr->firmware;
}

static bool fill_nic_link(struct fi_link_attr *attr,
			  const struct dev_device *device)
{
	char gid[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, device->gid.raw, gid, sizeof(gid));
	attr->address = text_of("EFA-%s", gid);
	attr->network_type = strdup("Ethernet");
	attr->mtu = device->mtu;
	attr->speed = device->speed_bps;
	switch (device->port.state) {
	case IBV_PORT_ACTIVE:
		attr->state = FI_LINK_UP;
		break;
	case IBV_PORT_DOWN:
		attr->state = FI_LINK_DOWN;
		break;
	default:
		attr->state = FI_LINK_UNKNOWN;
		break;
	}
	return attr->address && attr->network_type;
}

static bool fill_nic(struct fi_info *info, const struct dev_device *device)
{
	struct fi_bus_attr *bus;

	info->nic = compat_nic_create();
	if (!info->nic)
		return false;
	bus = info->nic->bus_attr;
	if (device->has_pci) {
		bus->bus_type = FI_BUS_PCI;
		bus->attr.pci.domain_id = device->pci_domain;
		bus->attr.pci.bus_id = device->pci_bus;
		bus->attr.pci.device_id = device->pci_device;
		bus->attr.pci.function_id = device->pci_function;
	}
	return fill_nic_device(info->nic->device_attr, device) &&
	       fill_nic_link(info->nic->link_attr, device);
}

struct fi_info *fabric_info_offer(const struct dev_device *device,
				  enum fabric_info_kind kind, uint64_t caps,
				  uint64_t mode)
{
	struct fi_info *info = compat_info_create();

	if (!info)
		return NULL;
	info->caps = OFFER_TX_CAPS | OFFER_RX_CAPS | OFFER_DOMAIN_CAPS;
	info->mode = FI_CONTEXT2;
	if (kind == FABRIC_INFO_DGRAM)
		info->mode |= FI_MSG_PREFIX;
	fill_domain(info->domain_attr, device);
	fill_ep(info->ep_attr, device, kind);
	fill_tx(info->tx_attr, device, kind, info->mode);
	fill_rx(info->rx_attr, device, info->mode);
	if (kind == FABRIC_INFO_RDM)
		fill_rdm(info, device);
	if (has_rma(device, kind, caps, mode))
		fill_rma(info, device, mode);
	if (has_hmem(kind, caps))
		fill_hmem(info);
	if (!fill_names(info, device, kind) || !fill_src_addr(info, device) ||
	    !fill_nic(info, device)) {
		compat_info_destroy(info);
		return NULL;
	}
	return info;
}
