/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reads and writes of peers' memory, on their way. */
#ifndef RDM_ONE_SIDED_H
#define RDM_ONE_SIDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <rdma/fabric.h>

struct rdm_ep;

struct rdm_rma_request {
	const struct iovec *iov;
	void **desc;		/* or NULL */
	size_t count;
	fi_addr_t addr;
	uint64_t remote_addr;
	uint64_t key;
	void *context;
	uint64_t data;		/* with FI_REMOTE_CQ_DATA */
	uint64_t flags;		/* of the operation, with its defaults */
	bool is_get;
};

/*
 * Reads or writes. The device does it where it and the peer's can, which is
 * known once the peer has told: until then an operation waits for that. Else
 * packets do. 0; -FI_EAGAIN as rdm_tx_send; -FI_EINVAL, -FI_EADDRNOTAVAIL,
 * -FI_EMSGSIZE, -FI_ENOMEM (of what FI_INJECT brings). Nothing has happened
 * then. With FI_INJECT the buffer is the caller's again.
 */
ssize_t rdm_rma(struct rdm_ep *ep, const struct rdm_rma_request *request);

#endif /* RDM_ONE_SIDED_H */
