/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A peer's writes to this side's memory: emulated ones, which come as
 * packets, and what the device tells of its own. Once the ranges are found
 * to be the peer's to write, a write is a receive into them. Nobody here is
 * told but of a write's data.
 */
#ifndef RDM_TARGET_H
#define RDM_TARGET_H

#include "rdm/protocol_table.h"

/* EAGER_RTW, LONGCTS_RTW, LONGREAD_RTW. */
rdm_answer_fn rdm_target_write;

/* The device has written @len bytes of the sender @ahn, @qpn, whose data are
 * @data. */
void rdm_target_written(struct rdm_ep *ep, uint16_t ahn, uint16_t qpn,
			uint32_t len, uint32_t data);

#endif /* RDM_TARGET_H */
