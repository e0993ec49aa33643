/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Messages of the application, plain and tagged, on their way out. */
#ifndef RDM_TX_H
#define RDM_TX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <rdma/fabric.h>

struct rdm_ep;

struct rdm_tx_request {
	const struct iovec *iov;
	void **desc;		/* or NULL */
	size_t count;
	fi_addr_t addr;
	void *context;
	uint64_t data;		/* with FI_REMOTE_CQ_DATA */
	uint64_t tag;
	uint64_t flags;		/* of the operation, with its defaults */
	bool is_tagged;
};

/*
 * Sends a message. 0; -FI_EAGAIN: the endpoint has as many operations in
 * flight as it may, or no packet at hand: to be tried again after a read of
 * the CQ; -FI_EINVAL, -FI_EADDRNOTAVAIL, -FI_EMSGSIZE, -FI_EOPNOTSUPP.
 * Nothing has happened then. With FI_INJECT the buffer is the caller's again.
 */
ssize_t rdm_tx_send(struct rdm_ep *ep, const struct rdm_tx_request *request);

#endif /* RDM_TX_H */
