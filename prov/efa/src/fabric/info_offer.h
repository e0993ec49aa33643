/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a device is offered as: an fi_info with everything it can do, from
 * which an application's hints pick.
 */
#ifndef FABRIC_INFO_OFFER_H
#define FABRIC_INFO_OFFER_H

#include <rdma/fabric.h>

#include "dev/device_list.h"

/* In the order of fi_getinfo's list. */
enum fabric_info_kind {
	FABRIC_INFO_DIRECT,	/* fabric efa-direct, FI_EP_RDM */
	FABRIC_INFO_DGRAM,	/* fabric efa, FI_EP_DGRAM */
	FABRIC_INFO_KINDS
};

/* Buffers of one receive, at most; devices have fewer. */
#define FABRIC_EP_MAX_RX_IOV		8

/* What a UD receive begins with: the place of the global route header. */
#define FABRIC_DGRAM_PREFIX_SIZE	40

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
