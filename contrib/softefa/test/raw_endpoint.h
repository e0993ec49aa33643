/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rings of an endpoint, written without a library in between: so that a
 * test can do what no library does. An endpoint that is used like this is not
 * to be used through verbs any more, but for being destroyed.
 */
#ifndef TEST_RAW_ENDPOINT_H
#define TEST_RAW_ENDPOINT_H

#include <stdint.h>

#include "hw/send_wqe.h"
#include "test/two_qps.h"

struct raw_endpoint {
	struct endpoint *e;
	struct efadv_wq_attr sq, rq;
	struct efadv_cq_attr cq;
	struct hw_dest dest;		/* the connected peer */
	uint32_t completions;		/* seen so far */
};

void raw_open(struct raw_endpoint *raw, struct endpoint *e);

/* A send of 8 bytes to the peer, without its phase bit. */
struct hw_send_wqe raw_send(const struct raw_endpoint *raw, uint16_t req_id);

/* Stores @wqe as entry @index, with the phase that the index demands. */
void raw_put_send(struct raw_endpoint *raw, uint32_t index,
		  const struct hw_send_wqe *wqe);
/* The slot of entry @index. */
uint8_t *raw_send_slot(const struct raw_endpoint *raw, uint32_t index);
/* Barrier and doorbell: @count entries since the reset. */
void raw_ring_sq(struct raw_endpoint *raw, uint32_t count);

/* Descriptor @index of @len bytes of the buffer; @bits beside the lkey. */
void raw_put_recv(struct raw_endpoint *raw, uint32_t index, uint16_t req_id,
		  uint16_t len, uint32_t bits);
struct efa_io_rx_desc *raw_recv_slot(const struct raw_endpoint *raw,
				     uint32_t index);
void raw_ring_rq(struct raw_endpoint *raw, uint32_t count);

/* Waits for @count more completions; the program's deadline is the bound. */
void raw_await(struct raw_endpoint *raw, uint32_t count);
void raw_ring_cq(struct raw_endpoint *raw, uint32_t consumed);

#endif /* TEST_RAW_ENDPOINT_H */
