/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Faults of completion events: given without cause, late, or for several
 * completions at once. None makes a consumer miss a wake-up for good.
 */
#ifndef ENGINE_CQ_EVENT_FAULT_H
#define ENGINE_CQ_EVENT_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/comp_ring.h"

/*
 * Whether the event of sequence number @sn, which was not given yet, is to
 * be given now; @unread: completions beyond the consumer's index. To be
 * asked again at each poll until it was.
 */
bool cq_event_fault_gives(struct engine_cq *cq, int sn, uint32_t unread);

/* @cq is being destroyed. */
void cq_event_fault_forget(struct engine_cq *cq);

#endif /* ENGINE_CQ_EVENT_FAULT_H */
