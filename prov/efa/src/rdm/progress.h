/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What fi_cq_read of an RDM endpoint's CQ runs when there is nothing to give:
 * a bounded number of the device's completions, of this CQ and of the other
 * CQs of the endpoints bound to it, so that nothing depends on which of them
 * an application reads; then what waited for time to pass.
 */
#ifndef RDM_PROGRESS_H
#define RDM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/cq.h"

struct rdm_ep;

extern const struct fabric_cq_source rdm_progress_source;

/* Makes the CQs of @ep know each other. 0, -FI_ENOMEM. Pairs with leave. */
int rdm_progress_join(struct rdm_ep *ep);
/* Once it returns, nobody who reads a CQ begins anything for @ep but with
 * completions on the ring, of which its queues' close takes care. */
void rdm_progress_leave(struct rdm_ep *ep);

/*
 * For close: moves @ep on until nothing of it is with the device or waits to
 * be, at most @timeout_ms.
 */
void rdm_progress_settle(struct rdm_ep *ep, uint32_t timeout_ms);

#endif /* RDM_PROGRESS_H */
