/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a device is offered as: an fi_info with everything it can do, from
 * which an application's hints pick.
 */
#ifndef FABRIC_INFO_OFFER_H
#define FABRIC_INFO_OFFER_H

#include <stdbool.h>

#include <rdma/fabric.h>
#include <rdma/fi_endpoint.h>

#include "dev/device_list.h"

/* In the order of fi_getinfo's list. */
enum fabric_info_kind {
	FABRIC_INFO_DIRECT,	/* fabric efa-direct, FI_EP_RDM */
	FABRIC_INFO_RDM,	/* fabric efa, FI_EP_RDM: protocol version 4 */
	FABRIC_INFO_DGRAM,	/* fabric efa, FI_EP_DGRAM */
	FABRIC_INFO_KINDS
};

/* Buffers of one receive, at most; devices have fewer. */
#define FABRIC_EP_MAX_RX_IOV		8

/* Room that is left in a packet for headers: inject_size is the rest. */
#define FABRIC_RDM_HEADER_ROOM		160

/* Buffers of a message of an RDM endpoint of the fabric efa. */
#define FABRIC_RDM_IOV_LIMIT		2

/* What a UD receive begins with: the place of the global route header. */
#define FABRIC_DGRAM_PREFIX_SIZE	40

/* Is it of an endpoint of FABRIC_INFO_RDM, where software copies what is
 * injected and keeps the queues' limits? */
static inline bool fabric_info_is_rdm(const struct fi_info *offer)
{
	return offer->ep_attr->protocol_version == 4;
}

/* Name of the fabric of @kind; of the domain of @device: "efa_0-rdm". */
const char *fabric_info_fabric_name(enum fabric_info_kind kind);
const char *fabric_info_domain_suffix(enum fabric_info_kind kind);

/*
 * What @device has for an application that asks for @caps (0: for all there
 * is) and grants @mode. One that asks for messages without FI_RMA is offered
 * messages alone. Remote writes with data need either a device that tells of
 * them by themselves, or an application that posts receives for them and
 * says so by FI_RX_CQ_DATA in @mode, which the offer then has as well;
 * without either there is no FI_RMA. FI_HMEM is offered where it is asked
 * for and the environment does not forbid it; nothing is asked of any
 * accelerator.
 *
 * The tree is the caller's, to be freed by compat_info_destroy or
 * fi_freeinfo. NULL: no memory.
 */
struct fi_info *fabric_info_offer(const struct dev_device *device,
				  enum fabric_info_kind kind, uint64_t caps,
				  uint64_t mode);

/* Makes an offer that has FI_RMA one without. */
void fabric_info_drop_rma(struct fi_info *info,
			  const struct dev_device *device);

#endif /* FABRIC_INFO_OFFER_H */
