/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which addresses of a process are mapped, as its /proc/PID/maps says: asked
 * for the range alone where the kernel can (Linux 6.11), since the text of a
 * process with many mappings takes long to read; else read.
 */
#ifndef DAEMON_MEMORY_MAP_H
#define DAEMON_MEMORY_MAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether all of [addr, addr + len_bytes) is mapped readable, and writable
 * if @for_write, says @maps_fd: a process' maps, or a file with such a text,
 * which is read to the end of the range. 0, -EFAULT when some byte is not (or the range wraps), or the errno
 * of read.
 */
int memory_map_check(int maps_fd, uint64_t addr, uint64_t len_bytes,
		     bool for_write);

#endif /* DAEMON_MEMORY_MAP_H */
