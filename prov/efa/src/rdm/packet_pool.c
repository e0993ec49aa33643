/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/packet_pool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/fi_errno.h>

#include "compat/log.h"

#define RDM_PACKET_ALIGN	64u

void rdm_packet_pool_init(struct rdm_packet_pool *pool, uint32_t size,
			  uint32_t limit)
{
	*pool = (struct rdm_packet_pool) { .size = size, .limit = limit };
	util_list_init(&pool->free);
}

void rdm_packet_chunk_destroy(struct rdm_packet_chunk *chunk)
{
	if (chunk->mr.verbs && dev_mr_destroy(&chunk->mr))
		return;	/* the device may write to it: it stays */
	free(chunk->memory);
	free(chunk->packets);
	free(chunk);
}

void rdm_packet_pool_fini(struct rdm_packet_pool *pool)
{
	struct rdm_packet_chunk *chunk;

	while ((chunk = pool->chunks)) {
		pool->chunks = chunk->next;
		rdm_packet_chunk_destroy(chunk);
	}
}

static uint32_t rdm_packet_stride(uint32_t size)
{
	return (size + RDM_PACKET_ALIGN - 1) & ~(RDM_PACKET_ALIGN - 1);
}

static int rdm_packet_chunk_alloc(struct rdm_packet_chunk *chunk,
				  size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	bytes = (bytes + page - 1) & ~(page - 1);
	chunk->packets = calloc(chunk->count, sizeof(*chunk->packets));
	chunk->memory = aligned_alloc(page, bytes);
	if (!chunk->packets || !chunk->memory)
		return -FI_ENOMEM;
	/* what no packet has written is sent to nobody, nor anything old */
	memset(chunk->memory, 0, bytes);
	return 0;
}

int rdm_packet_chunk_create(struct dev_pd *pd, uint32_t count, uint32_t size,
			    struct rdm_packet_chunk **result)
{
	uint32_t stride = rdm_packet_stride(size);
	struct rdm_packet_chunk *chunk = calloc(1, sizeof(*chunk));
	int ret;

	if (!chunk)
		return -FI_ENOMEM;
	chunk->count = count;
	ret = rdm_packet_chunk_alloc(chunk, (size_t)count * stride);
	if (!ret)
		ret = dev_mr_create(pd, chunk->memory,
				    (size_t)count * stride,
				    IBV_ACCESS_LOCAL_WRITE, &chunk->mr);
	if (ret) {
		compat_warn(FI_LOG_EP_DATA,
			    "cannot register %u packet buffers of %u bytes: %s; raise ulimit -l, or open fewer endpoints",
			    count, stride, strerror(-ret));
		rdm_packet_chunk_destroy(chunk);
		return ret;
	}
	for (uint32_t i = 0; i < count; i++) {
		chunk->packets[i].data = chunk->memory + (size_t)i * stride;
		chunk->packets[i].lkey = chunk->mr.lkey;
	}
	*result = chunk;
	return 0;
}

void rdm_packet_pool_add(struct rdm_packet_pool *pool,
			 struct rdm_packet_chunk *chunk)
{
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	pool->total += chunk->count;
	for (uint32_t i = 0; i < chunk->count; i++)
		rdm_packet_put(pool, &chunk->packets[i]);
}
