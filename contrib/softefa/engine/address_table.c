/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/address_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/device_state.h"
#include "engine/trace_point.h"
#include "hw/efa_io_defs.h"

struct engine_ah {
	struct engine_pd *pd;
	uint32_t number;
	uint32_t users;
	uint8_t gid[16];
	LIST_ENTRY(engine_ah) link;		/* of the PD */
	LIST_ENTRY(engine_ah) hash_link;	/* of the device */
};

static struct ah_list *bucket_of(const struct engine_pd *pd,
				 const uint8_t gid[16])
{
	uint64_t half[2], hash;

	memcpy(half, gid, sizeof(half));
	hash = half[0] ^ (half[1] * 0x9e3779b97f4a7c15ull) ^ pd->number;
	hash *= 0x9e3779b97f4a7c15ull;
	return &pd->ctx->device->ah_hash[(hash >> 32) %
					 DEVICE_AH_BUCKETS];
}

static struct engine_ah *find(const struct engine_pd *pd,
			      const uint8_t gid[16])
{
	struct engine_ah *ah;

	LIST_FOREACH(ah, bucket_of(pd, gid), hash_link)
		if (ah->pd == pd && !memcmp(ah->gid, gid, sizeof(ah->gid)))
			return ah;
	return NULL;
}

int engine_ah_create(struct engine_pd *pd, const uint8_t dgid[16],
		     struct engine_ah **out)
{
	struct engine_ah *ah = find(pd, dgid);
	int err;

	if (ah) {
		ah->users++;
		*out = ah;
		return 0;
	}
	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return -ENOMEM;
	err = number_pool_take(&pd->ctx->device->ahs, ah, &ah->number);
	if (err) {
		free(ah);
		return err;
	}
	ah->pd = pd;
	ah->users = 1;
	memcpy(ah->gid, dgid, sizeof(ah->gid));
	LIST_INSERT_HEAD(&pd->ahs, ah, link);
	LIST_INSERT_HEAD(bucket_of(pd, dgid), ah, hash_link);
	pd->users++;
	trace_ah(pd, ah->number, dgid);
	*out = ah;
	return 0;
}

uint16_t engine_ah_number(const struct engine_ah *ah)
{
	return ah->number;
}

void engine_ah_destroy(struct engine_ah *ah)
{
	if (--ah->users)
		return;
	trace_command(ah->pd->ctx->device, TRACE_DESTROY_AH, ah->number, 0);
	number_pool_return(&ah->pd->ctx->device->ahs, ah->number);
	LIST_REMOVE(ah, link);
	LIST_REMOVE(ah, hash_link);
	ah->pd->users--;
	free(ah);
}

const uint8_t *address_gid(const struct engine_pd *pd, uint16_t number)
{
	const struct engine_ah *ah;

	ah = number_pool_find(&pd->ctx->device->ahs, number);
	return ah && ah->pd == pd ? ah->gid : NULL;
}

uint16_t address_number_of(const struct engine_pd *pd, const uint8_t gid[16])
{
	const struct engine_ah *ah = find(pd, gid);

	return ah ? ah->number : EFA_IO_AH_UNKNOWN;
}
