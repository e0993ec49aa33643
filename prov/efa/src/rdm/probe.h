/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* FI_PEEK, FI_CLAIM and FI_DISCARD: looking at messages that have come. */
#ifndef RDM_PROBE_H
#define RDM_PROBE_H

#include "rdm/recv.h"

/*
 * FI_PEEK tells of the first message that the request takes by a completion,
 * FI_ENOMSG when there is none; with FI_CLAIM the message is kept for the
 * request's context, with FI_DISCARD thrown away. FI_CLAIM alone receives
 * what is kept for the context, with FI_DISCARD it throws it away. 0,
 * -FI_EINVAL, -FI_EADDRNOTAVAIL, -FI_EAGAIN.
 */
ssize_t rdm_probe(struct rdm_ep *ep, const struct rdm_recv_request *request);

#endif /* RDM_PROBE_H */
