/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Packet buffers, registered with the device. A pool grows by the chunk, up
 * to its limit, and keeps what it has until the endpoint is closed.
 *
 * Who owns a packet of the send pool: the handler that got it, until it is
 * given to the outbox; the outbox, and with it the device, until its work
 * request has completed. One of the receive pool is the device's but for the
 * time its completion is being handled.
 *
 * All under the endpoint's lock, but for rdm_packet_chunk_create.
 */
#ifndef RDM_PACKET_POOL_H
#define RDM_PACKET_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dev/mem_region.h"
#include "hw/work_queue.h"
#include "util/list.h"

struct rdm_op;
struct rdm_peer;

enum rdm_packet_work {
	RDM_WORK_SEND,		/* the packet goes to the peer */
	RDM_WORK_READ,		/* memory of the peer comes here */
	RDM_WORK_WRITE,		/* memory here goes to the peer's */
};

struct rdm_packet {
	struct util_list node;	/* in the pool, or waiting in the outbox */
	uint8_t *data;		/* the buffer, aligned to 8 */
	uint32_t len;		/* bytes of it to be sent */
	uint32_t lkey;		/* of the buffer */
	/* sent behind the buffer's bytes; of a read or write, the local side.
	 * Length 0: nothing, or the buffer of the packet. Memory of the
	 * operation or the application's, whose it is not before its end. */
	struct hw_sge payload;
	struct rdm_peer *peer;	/* whom it goes to */
	struct rdm_op *op;	/* what waits for its completion, or NULL */
	uint64_t remote_addr;	/* of a read or write */
	uint32_t rkey;
	uint8_t work;		/* enum rdm_packet_work */
	uint8_t rnr_count;	/* refusals in a row */
	bool more;		/* FI_MORE: the doorbell waits for the next */
	bool has_imm;		/* of a write: with its op's cq_data */
};

struct rdm_packet_chunk {
	struct rdm_packet_chunk *next;
	struct rdm_packet *packets;
	uint8_t *memory;
	uint32_t count;
	struct dev_mr mr;
};

struct rdm_packet_pool {
	struct util_list free;
	uint32_t free_count;
	uint32_t total, limit;	/* packets */
	uint32_t size;		/* bytes of a buffer */
	struct rdm_packet_chunk *chunks;
};

void rdm_packet_pool_init(struct rdm_packet_pool *pool, uint32_t size,
			  uint32_t limit);
/* Frees every chunk; the device must have let go of the packets. */
void rdm_packet_pool_fini(struct rdm_packet_pool *pool);

/*
 * Makes @count buffers of @size bytes. 0, -FI_ENOMEM, or what the kernel says
 * to their registration (logged). Calls verbs: no lock may be held.
 */
int rdm_packet_chunk_create(struct dev_pd *pd, uint32_t count, uint32_t size,
			    struct rdm_packet_chunk **chunk);
/* Of one that went into no pool. */
void rdm_packet_chunk_destroy(struct rdm_packet_chunk *chunk);

/* The pool takes over @chunk, whose buffers have its size. */
void rdm_packet_pool_add(struct rdm_packet_pool *pool,
			 struct rdm_packet_chunk *chunk);

/* A packet with nothing in it, or NULL: none is free. */
static inline struct rdm_packet *
rdm_packet_get(struct rdm_packet_pool *pool)
{
	struct rdm_packet *packet;

	if (__builtin_expect(!pool->free_count, 0))
		return NULL;
	pool->free_count--;
	packet = util_list_entry(util_list_pop(&pool->free),
				 struct rdm_packet, node);
	packet->len = 0;
	packet->payload.length = 0;
	packet->op = NULL;
	packet->work = RDM_WORK_SEND;
	packet->rnr_count = 0;
	packet->more = false;
	packet->has_imm = false;
	return packet;
}

static inline void rdm_packet_put(struct rdm_packet_pool *pool,
				  struct rdm_packet *packet)
{
	pool->free_count++;
	util_list_push(&pool->free, &packet->node);
}

#endif /* RDM_PACKET_POOL_H */
