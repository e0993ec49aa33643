/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/memory_map.h"

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

int memory_map_check(int maps_fd, uint64_t addr, uint64_t len_bytes,
		     bool for_write)
{
	struct wanted wanted = { addr, addr + len_bytes, for_write };
	char text[TEXT_BYTES];
	size_t used = 0;
	ssize_t n;
	int ret = 0;

	if (wanted.end < addr)
		return -EFAULT;
	while (!ret) {
		n = read(maps_fd, text + used, sizeof(text) - used);
		if (n <= 0)
			return n < 0 ? -errno : -EFAULT;
		used += n;
		ret = wanted_take_text(&wanted, text, &used);
	}
	return ret == 1 ? 0 : ret;
}
