/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Data transfer calls an endpoint does not have, or not yet: tables without
 * an empty slot, since applications call through them without looking.
 */
#ifndef FABRIC_EP_REFUSAL_H
#define FABRIC_EP_REFUSAL_H

#include <rdma/fi_endpoint.h>

/*
 * Every data transfer call of @ep is refused: messages with -FI_EOPBADSTATE
 * (not enabled), RMA with -FI_EOPNOTSUPP, the rest with -FI_ENOSYS. The
 * endpoint type puts in tables of its own for what it can do.
 */
void fabric_ep_refuse_all(struct fid_ep *ep);

/* RMA as well is a matter of state: the endpoint has FI_RMA. */
void fabric_ep_refuse_early_rma(struct fid_ep *ep);

#endif /* FABRIC_EP_REFUSAL_H */
