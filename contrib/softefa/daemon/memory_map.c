/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "daemon/memory_map.h"

/* <linux/fs.h> since Linux 6.11: the mapping around an address of a process. */
struct map_query {
	uint64_t size;			/* of this */
	uint64_t flags;			/* MAP_QUERY_*: what it must be */
	uint64_t addr;
	uint64_t start, end;		/* answer */
	uint64_t unused[4];
	uint32_t unused_words[4];
	uint64_t unused_pointers[2];
};

static_assert(sizeof(struct map_query) == 104, "part of the ioctl's number");

#define MAP_QUERY		_IOWR('f', 17, struct map_query)
#define MAP_QUERY_READABLE	1u
#define MAP_QUERY_WRITABLE	2u

/* Longer than any line: an address pair and a path of 4 KiB, escaped. */
#define TEXT_BYTES	32768u

/* What is left to be found mapped, going up. */
struct wanted {
	uint64_t next;
	uint64_t end;
	bool for_write;
};

/* Returns 1 when the range is complete, 0 to go on, or -EFAULT. */
static int wanted_take_line(struct wanted *wanted, const char *line)
{
	uint64_t start, end;
	char read, write;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %c%c", &start, &end, &read,
		   &write) != 4)
		return -EFAULT;
	if (end <= wanted->next)
		return 0;
	if (start > wanted->next || read != 'r' ||
	    (wanted->for_write && write != 'w'))
		return -EFAULT;
	wanted->next = end;
	return end >= wanted->end;
}

/* Takes all whole lines of @text; moves what follows to its start. */
static int wanted_take_text(struct wanted *wanted, char *text, size_t *used)
{
	char *line = text, *end;
	int ret = 0;

	while (!ret && (end = memchr(line, '\n', *used - (line - text)))) {
		*end = '\0';
		ret = wanted_take_line(wanted, line);
		line = end + 1;
	}
	*used -= line - text;
	memmove(text, line, *used);
	return ret;
}

static int check_by_text(int maps_fd, struct wanted *wanted)
{
	char text[TEXT_BYTES];
	size_t used = 0;
	ssize_t n;
	int ret = 0;

	while (!ret) {
		n = read(maps_fd, text + used, sizeof(text) - used);
		if (n <= 0)
			return n < 0 ? -errno : -EFAULT;
		used += n;
		ret = wanted_take_text(wanted, text, &used);
	}
	return ret == 1 ? 0 : ret;
}

/* -ENOTTY when the kernel does not know the question. */
static int check_by_query(int maps_fd, struct wanted *wanted)
{
	while (wanted->next < wanted->end) {
		struct map_query query = {
			.size = sizeof(query),
			.flags = MAP_QUERY_READABLE |
				 (wanted->for_write ? MAP_QUERY_WRITABLE : 0),
			.addr = wanted->next,
		};

		if (ioctl(maps_fd, MAP_QUERY, &query))
			return errno == ENOENT ? -EFAULT : -errno;
		wanted->next = query.end;
	}
	return 0;
}

int memory_map_check(int maps_fd, uint64_t addr, uint64_t len_bytes,
		     bool for_write)
{
	struct wanted wanted = { addr, addr + len_bytes, for_write };
	int ret;

	if (wanted.end < addr)
		return -EFAULT;
	ret = check_by_query(maps_fd, &wanted);
	return ret == -ENOTTY ? check_by_text(maps_fd, &wanted) : ret;
}
