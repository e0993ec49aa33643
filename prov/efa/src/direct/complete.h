/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completions of efa-direct and datagram endpoints: an entry of the
 * device's ring is an operation of the application, and goes into its array
 * as it is.
 *
 * What no operation in flight explains is dropped and counted: an unknown
 * QP, a dead ID, a kind of queue that the CQ does not serve.
 */
#ifndef DIRECT_COMPLETE_H
#define DIRECT_COMPLETE_H

#include "fabric/cq.h"

/* For CQs whose owners are fabric_eps that direct/msg posts for. */
extern const struct fabric_cq_source direct_complete_source;

#endif /* DIRECT_COMPLETE_H */
