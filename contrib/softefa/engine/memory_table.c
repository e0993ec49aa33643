/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/memory_table.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/device_state.h"
#include "engine/trace_point.h"

struct engine_mr {
	struct engine_pd *pd;
	uint32_t key;
	uint32_t access;
	uint64_t start;
	uint64_t length;
	uint64_t iova;
	uint32_t pages;
	bool is_invalid;	/* by a fault, while its owner has it */
	LIST_ENTRY(engine_mr) link;
};

static uint32_t possible_access(const struct device_profile *profile)
{
	uint32_t access = ENGINE_ACCESS_LOCAL_WRITE;

	if (profile->device_caps & DEVICE_CAP_RDMA_READ)
		access |= ENGINE_ACCESS_REMOTE_READ;
	if (profile->device_caps & DEVICE_CAP_RDMA_WRITE)
		access |= ENGINE_ACCESS_REMOTE_WRITE;
	return access;
}

static int check_range(const struct engine_pd *pd, uint64_t start,
		       uint64_t length, uint64_t iova, uint32_t access)
{
	const struct device_profile *profile = pd->ctx->device->profile;
	bool for_write = access & (ENGINE_ACCESS_LOCAL_WRITE |
				   ENGINE_ACCESS_REMOTE_WRITE);

	if (access & ~possible_access(profile))
		return -EOPNOTSUPP;
	if (!length || length > profile_max_mr_size(profile) ||
	    start + length < start || iova + length < iova)
		return -EINVAL;
	return pd->ctx->mem->check(pd->ctx->mem, start, length, for_write);
}

/* At most what the length limit allows, which is no more than 32 bits. */
static uint32_t count_pages(uint64_t start, uint64_t length)
{
	uint64_t first = start / PROFILE_PAGE_BYTES;
	uint64_t last = (start + length - 1) / PROFILE_PAGE_BYTES;

	return last - first + 1;
}

int engine_mr_create(struct engine_pd *pd, uint64_t start, uint64_t length,
		     uint64_t iova, uint32_t access, struct engine_mr **out)
{
	struct engine_device *device = pd->ctx->device;
	struct engine_mr *mr;
	uint32_t pages;
	int err;

	err = check_range(pd, start, length, iova, access);
	if (err)
		return err;
	pages = count_pages(start, length);
	if (pages > device->profile->max_mr_pages - device->mr_pages)
		return -ENOMEM;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return -ENOMEM;
	err = number_pool_take(&device->keys, mr, &mr->key);
	if (err) {
		free(mr);
		return err;
	}
	mr->pd = pd;
	mr->access = access;
	mr->start = start;
	mr->length = length;
	mr->iova = iova;
	mr->pages = pages;
	device->mr_pages += pages;
	LIST_INSERT_HEAD(&pd->mrs, mr, link);
	pd->users++;
	trace_command(pd->ctx->device, TRACE_CREATE_MR, mr->key, pd->number,
		      start, length, iova, access);
	*out = mr;
	return 0;
}

void memory_invalidate(struct engine_device *device, uint32_t key)
{
	struct engine_mr *mr = number_pool_find(&device->keys, key);

	if (mr)
		mr->is_invalid = true;
}

uint32_t engine_mr_key(const struct engine_mr *mr)
{
	return mr->key;
}

void engine_mr_destroy(struct engine_mr *mr)
{
	struct engine_device *device = mr->pd->ctx->device;

	trace_command(device, TRACE_DESTROY_MR, mr->key, 0);
	number_pool_return(&device->keys, mr->key);
	device->mr_pages -= mr->pages;
	LIST_REMOVE(mr, link);
	mr->pd->users--;
	free(mr);
}

const char *memory_refusal(const struct engine_pd *pd, uint32_t key,
			   uint32_t access)
{
	const struct engine_mr *mr;

	mr = number_pool_find(&pd->ctx->device->keys, key);
	if (!mr)
		return "no memory region has this key";
	if (mr->is_invalid)
		return NULL;
	if (mr->pd != pd)
		return "the memory region is of another protection domain";
	if (access & ~mr->access)
		return "the memory region does not allow this access";
	return "not all of it lies in the memory region";
}

int memory_resolve(const struct engine_pd *pd, uint32_t key, uint64_t addr,
		   uint64_t len_bytes, uint32_t access, uint64_t *guest_addr)
{
	const struct engine_mr *mr;

	mr = number_pool_find(&pd->ctx->device->keys, key);
	if (!mr || mr->pd != pd || mr->is_invalid || (access & ~mr->access))
		return -EACCES;
	if (len_bytes && (addr < mr->iova || len_bytes > mr->length ||
			  addr - mr->iova > mr->length - len_bytes))
		return -EACCES;
	*guest_addr = mr->start + (addr - mr->iova);
	return 0;
}
