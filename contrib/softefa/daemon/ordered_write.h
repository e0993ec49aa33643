/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writing to a process so that who polls the data sees it arrive in order,
 * as a device with DATA_POLLING_128 does: piece after piece of 8 bytes, each
 * aligned where it goes to.
 *
 * The kernel copies each piece by itself, and x86 does not reorder stores of
 * different instructions. Other processors may: there it is no promise.
 */
#ifndef DAEMON_ORDERED_WRITE_H
#define DAEMON_ORDERED_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define ORDERED_PIECE_BYTES	8u
#define ORDERED_MAX_PIECES	512u	/* of one system call */

/*
 * Divides [src, src + len_bytes), which goes to @addr, into at most
 * ORDERED_MAX_PIECES pieces; returns their number, and their bytes in
 * @covered.
 */
unsigned ordered_pieces(uint64_t addr, const void *src, size_t len_bytes,
			struct iovec piece[ORDERED_MAX_PIECES],
			size_t *covered);

/* Writes to @addr of process @pid. -EFAULT, or -ESRCH when it is gone. */
int ordered_write(pid_t pid, uint64_t addr, const void *src,
		  size_t len_bytes);

#endif /* DAEMON_ORDERED_WRITE_H */
