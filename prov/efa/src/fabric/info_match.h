/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Does an offer fit an application's hints? The rules are fi_getinfo(3)'s:
 * capabilities and limits asked for must be there, modes needed must be
 * given, names and types must be the same, and what is 0 or NULL in the
 * hints asks for nothing.
 */
#ifndef FABRIC_INFO_MATCH_H
#define FABRIC_INFO_MATCH_H

#include <stdbool.h>

#include <rdma/fabric.h>

#include "dev/device_list.h"
#include "fabric/info_offer.h"
#include "hw/efa_io_defs.h"

/* The hint that keeps an offer out, with what it asks and what there is. */
struct fabric_info_misfit {
	const char *what;	/* "tx_attr->size" */
	uint64_t asked;
	uint64_t offered;
	/* of names, in place of the numbers; the hints' and the offer's */
	const char *asked_name;
	const char *offered_name;
};

/* Room for every text of fabric_info_misfit_text; names are cut. */
#define FABRIC_INFO_MISFIT_SIZE		256

/* "tx_attr->size is 0x2000, there is 0x1000". The hints and the offer must
 * still be there. */
void fabric_info_misfit_text(const struct fabric_info_misfit *misfit,
			     char *buf, size_t size);

/*
 * True when @offer fits @hints (NULL: anything) of an application of
 * @version; otherwise *@misfit tells the first reason. Addresses are not
 * looked at.
 */
bool fabric_info_matches(const struct fi_info *offer,
			 const struct fi_info *hints, uint32_t version,
			 struct fabric_info_misfit *misfit);

/* What the application of @hints (or NULL) can do: FI_RX_CQ_DATA may be
 * given where receives are described alone. */
uint64_t fabric_info_given_mode(const struct fi_info *hints);

/*
 * Are @hints (or NULL) an info from which FI_RMA was taken away in caps
 * alone? What tx_attr and rx_attr still say of it then asks for nothing, and
 * max_msg_size is that of reads and writes: the hints fit an offer with
 * FI_RMA.
 */
bool fabric_info_lost_rma(const struct fi_info *hints);

/*
 * The capabilities to make an offer of, for @hints (or NULL) of an
 * application of @version; 0: all. FI_HMEM that was taken away in caps alone
 * is among them, so that what is left of it fits. Without the modes of memory registration
 * that go with them nobody who did not ask gets reads and writes.
 */
uint64_t fabric_info_wanted_caps(const struct fi_info *hints,
				 uint32_t version);

/*
 * An endpoint of efa-direct keeps nothing at op_context. Who names the fabric
 * in @hints has it without FI_CONTEXT2, which @offer then does not have
 * either; everybody else must grant it, so that no application that knows of
 * RDM endpoints alone comes upon one without order and tags.
 */
void fabric_info_waive_context(struct fi_info *offer,
			       const struct fi_info *hints);

/* What is left of the send queue of @offer with @inject_size bytes inline:
 * above 32 bytes its entries are twice as long. */
static inline size_t fabric_info_tx_size(const struct fi_info *offer,
					 size_t inject_size)
{
	size_t size = offer->tx_attr->size;

	return inject_size > EFA_IO_TX_INLINE_MAX &&
	       !fabric_info_is_rdm(offer) ? size / 2 : size;
}

/* fi_mr(3): does a memory registration mode of before API 1.5 apply, in
 * which FI_MR_BASIC stands for the three basic modes? */
bool fabric_info_is_legacy_mr(const struct fi_info *hints, uint32_t version);

/*
 * Which kind @info is, when it is one that @device offers to an application
 * of @version: what fi_getinfo gave, or that with fewer capabilities and
 * smaller limits. -FI_EINVAL otherwise, logged with the attribute;
 * -FI_ENOMEM.
 */
int fabric_info_check(const struct dev_device *device, uint32_t version,
		      const struct fi_info *info, enum fabric_info_kind *kind);

#endif /* FABRIC_INFO_MATCH_H */
