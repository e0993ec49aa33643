/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "flat_memory.h"

static int flat_check(struct guest_memory *mem, uint64_t addr,
		      uint64_t len_bytes, bool for_write)
{
	(void)mem;
	(void)for_write;
	if (addr < FLAT_BASE || len_bytes > FLAT_BYTES ||
	    addr - FLAT_BASE > FLAT_BYTES - len_bytes)
		return -EFAULT;
	return 0;
}

static int flat_read(struct guest_memory *mem, uint64_t addr, void *dst,
		     size_t len_bytes)
{
	struct flat_memory *flat = (struct flat_memory *)mem;

	flat->reads++;
	if (flat_check(mem, addr, len_bytes, false))
		return -EFAULT;
	memcpy(dst, flat->byte + (addr - FLAT_BASE), len_bytes);
	return 0;
}

static int flat_write(struct guest_memory *mem, uint64_t addr,
		      const void *src, size_t len_bytes)
{
	struct flat_memory *flat = (struct flat_memory *)mem;

	if (flat_check(mem, addr, len_bytes, true))
		return -EFAULT;
	memcpy(flat->byte + (addr - FLAT_BASE), src, len_bytes);
	return 0;
}

void flat_memory_init(struct flat_memory *flat)
{
	memset(flat, 0, sizeof(*flat));
	flat->mem.check = flat_check;
	flat->mem.read = flat_read;
	flat->mem.write = flat_write;
}

void *flat_at(struct flat_memory *flat, uint64_t addr)
{
	assert(addr >= FLAT_BASE && addr < FLAT_BASE + FLAT_BYTES);
	return flat->byte + (addr - FLAT_BASE);
}
