/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Receives of the application: posting and cancelling. */
#ifndef RDM_RECV_H
#define RDM_RECV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <rdma/fabric.h>

#include "rdm/tag_match.h"

struct rdm_ep;
struct rdm_op;

struct rdm_recv_request {
	const struct iovec *iov;
	void **desc;		/* or NULL */
	size_t count;
	fi_addr_t addr;
	void *context;
	uint64_t tag, ignore;
	uint64_t flags;		/* of the operation, with its defaults */
	bool is_tagged;
};

/*
 * Posts a receive: for the first message that it matches and that has come,
 * or for the next one. 0, -FI_EAGAIN (no memory: try again), -FI_EINVAL,
 * -FI_EADDRNOTAVAIL.
 */
ssize_t rdm_recv_post(struct rdm_ep *ep,
		      const struct rdm_recv_request *request);

/* Sets which messages @recv takes. False: the address is unknown. Under the
 * lock. */
bool rdm_recv_set_match(struct rdm_ep *ep,
			const struct rdm_recv_request *request,
			struct rdm_match_recv *recv);

/* Gives the buffers, context and flags of @request to @op. */
void rdm_recv_fill(struct rdm_op *op,
		   const struct rdm_recv_request *request);

/* fi_cancel: 0 and the operation of @context will complete with FI_ECANCELED;
 * -FI_ENOENT: there is no receive that could be cancelled. */
ssize_t rdm_recv_cancel(struct rdm_ep *ep, const void *context);

#endif /* RDM_RECV_H */
