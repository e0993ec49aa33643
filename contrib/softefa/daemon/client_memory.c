/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/client_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/copy_watch.h"
#include "daemon/ordered_write.h"

/* guest_memory is the first member. */
static struct client_memory *memory_of(struct guest_memory *mem)
{
	return (struct client_memory *)mem;
}

/* The window that holds all of a range, and where in it; NULL: none does. */
static struct dmabuf_map *find(const struct client_memory *memory,
			       uint64_t addr, uint64_t len_bytes, size_t *at)
{
	uint64_t offset = addr - CLIENT_WINDOW_BASE, in_window;
	struct dmabuf_map *map;

	if (addr < CLIENT_WINDOW_BASE || !memory->window ||
	    offset / CLIENT_WINDOW_BYTES >= CLIENT_MAX_WINDOWS)
		return NULL;
	map = &memory->window[offset / CLIENT_WINDOW_BYTES];
	in_window = offset % CLIENT_WINDOW_BYTES;
	if (!map->base || in_window < map->offset ||
	    in_window - map->offset > map->length ||
	    len_bytes > map->length - (in_window - map->offset))
		return NULL;
	*at = in_window - map->offset;
	return map;
}

static int memory_check(struct guest_memory *mem, uint64_t addr,
			uint64_t len_bytes, bool for_write)
{
	struct client_memory *memory = memory_of(mem);
	struct guest_memory *process = &memory->client->mem;
	struct dmabuf_map *map;
	size_t at;

	if (!client_memory_is_window(addr, len_bytes))
		return process->check(process, addr, len_bytes, for_write);
	map = find(memory, addr, len_bytes, &at);
	return map && (map->is_writable || !for_write) ? 0 : -EFAULT;
}

static int memory_read(struct guest_memory *mem, uint64_t addr, void *dst,
		       size_t len_bytes)
{
	struct client_memory *memory = memory_of(mem);
	struct guest_memory *process = &memory->client->mem;
	struct dmabuf_map *map;
	size_t at;

	if (addr < CLIENT_WINDOW_BASE)
		return process->read(process, addr, dst, len_bytes);
	map = find(memory, addr, len_bytes, &at);
	return map ? dmabuf_map_read(map, at, dst, len_bytes) : -EFAULT;
}

static bool all_of_process(const struct guest_range *range, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (range[i].addr >= CLIENT_WINDOW_BASE)
			return false;
	return true;
}

static int memory_read_many(struct guest_memory *mem,
			    const struct guest_range *range, unsigned count)
{
	struct guest_memory *process = &memory_of(mem)->client->mem;
	int err = 0;

	if (all_of_process(range, count))
		return process->read_many(process, range, count);
	for (unsigned i = 0; i < count && !err; i++)
		err = memory_read(mem, range[i].addr, range[i].dst,
				  range[i].len_bytes);
	return err;
}

static int process_write_ordered(struct client_process *client, uint64_t addr,
				 const void *src, size_t len_bytes)
{
	int ret;

	if (!client_process_is_alive(client))
		return -ESRCH;
	copy_watch_begin(client);
	ret = ordered_write(client->pid, addr, src, len_bytes);
	copy_watch_end();
	return ret;
}

static int memory_write(struct guest_memory *mem, uint64_t addr,
			const void *src, size_t len_bytes)
{
	struct client_memory *memory = memory_of(mem);
	struct guest_memory *process = &memory->client->mem;
	struct dmabuf_map *map;
	size_t at;

	if (addr < CLIENT_WINDOW_BASE && !memory->is_ordered)
		return process->write(process, addr, src, len_bytes);
	if (addr < CLIENT_WINDOW_BASE)
		return process_write_ordered(memory->client, addr, src,
					     len_bytes);
	map = find(memory, addr, len_bytes, &at);
	if (!map || !map->is_writable)
		return -EFAULT;
	if (!memory->is_ordered)
		return dmabuf_map_write(map, at, src, len_bytes);
	return ordered_write(getpid(), (uintptr_t)map->base + map->offset + at,
			     src, len_bytes);
}

void client_memory_init(struct client_memory *memory,
			struct client_process *client, bool is_ordered)
{
	*memory = (struct client_memory) {
		.mem = {
			.check = memory_check,
			.read = memory_read,
			.write = memory_write,
			.read_many = memory_read_many,
		},
		.client = client,
		.is_ordered = is_ordered,
	};
}

void client_memory_fini(struct client_memory *memory)
{
	if (!memory->window)
		return;
	for (unsigned i = 0; i < CLIENT_MAX_WINDOWS; i++)
		if (memory->window[i].base)
			dmabuf_map_close(&memory->window[i]);
	free(memory->window);
}

bool client_memory_is_window(uint64_t addr, uint64_t len_bytes)
{
	return addr >= CLIENT_WINDOW_BASE ||
		len_bytes > CLIENT_WINDOW_BASE - addr;
}

/* Registration is no data path: a search will do. */
static struct dmabuf_map *find_free(struct client_memory *memory)
{
	if (!memory->window)
		memory->window = calloc(CLIENT_MAX_WINDOWS,
					sizeof(*memory->window));
	if (!memory->window)
		return NULL;
	for (unsigned i = 0; i < CLIENT_MAX_WINDOWS; i++)
		if (!memory->window[i].base)
			return &memory->window[i];
	return NULL;
}

int client_memory_open_window(struct client_memory *memory, int fd,
			      uint64_t offset, uint64_t length,
			      bool for_write, uint64_t *addr)
{
	struct dmabuf_map *map;
	int err;

	if (length >= CLIENT_WINDOW_BYTES / 2)
		return -EINVAL;
	map = find_free(memory);
	if (!map)
		return -ENOMEM;
	err = dmabuf_map_open(map, fd, offset, length, for_write);
	if (err)
		return err;
	*addr = CLIENT_WINDOW_BASE + map->offset +
		(uint64_t)(map - memory->window) * CLIENT_WINDOW_BYTES;
	return 0;
}

static struct dmabuf_map *at_address(const struct client_memory *memory,
				     uint64_t addr)
{
	return &memory->window[(addr - CLIENT_WINDOW_BASE) /
			       CLIENT_WINDOW_BYTES];
}

void *client_memory_window_base(const struct client_memory *memory,
				uint64_t addr)
{
	const struct dmabuf_map *map = at_address(memory, addr);

	return (char *)map->base + map->offset;
}

void client_memory_close_window(struct client_memory *memory, uint64_t addr)
{
	if (addr)
		dmabuf_map_close(at_address(memory, addr));
}
