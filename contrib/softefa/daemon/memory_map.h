/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which addresses of a process are mapped, read from its /proc/PID/maps.
 */
#ifndef DAEMON_MEMORY_MAP_H
#define DAEMON_MEMORY_MAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether all of [addr, addr + len_bytes) is mapped readable, and writable
 * if @for_write, by the text in @maps_fd, which is read to the end of the
 * range. 0, -EFAULT when some byte is not (or the range wraps), or the errno
 * of read.
 */
int memory_map_check(int maps_fd, uint64_t addr, uint64_t len_bytes,
		     bool for_write);

#endif /* DAEMON_MEMORY_MAP_H */
