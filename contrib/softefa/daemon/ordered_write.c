/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include "daemon/ordered_write.h"

#include <errno.h>

unsigned ordered_pieces(uint64_t addr, const void *src, size_t len_bytes,
			struct iovec piece[ORDERED_MAX_PIECES],
			size_t *covered)
{
	const char *from = src;
	unsigned count;
	size_t part;

	for (count = 0; len_bytes && count < ORDERED_MAX_PIECES; count++) {
		part = ORDERED_PIECE_BYTES - addr % ORDERED_PIECE_BYTES;
		if (part > len_bytes)
			part = len_bytes;
		piece[count].iov_base = (void *)(uintptr_t)from;
		piece[count].iov_len = part;
		from += part;
		addr += part;
		len_bytes -= part;
	}
	*covered = (size_t)(from - (const char *)src);
	return count;
}

int ordered_write(pid_t pid, uint64_t addr, const void *src,
		  size_t len_bytes)
{
	struct iovec piece[ORDERED_MAX_PIECES], theirs;
	const char *from = src;
	unsigned count;
	size_t covered;
	ssize_t n;

	while (len_bytes) {
		count = ordered_pieces(addr, from, len_bytes, piece, &covered);
		theirs.iov_base = (void *)(uintptr_t)addr;
		theirs.iov_len = covered;
		n = process_vm_writev(pid, piece, count, &theirs, 1, 0);
		if (n <= 0)
			return n < 0 && errno == ESRCH ? -ESRCH : -EFAULT;
		from += n;
		addr += (size_t)n;
		len_bytes -= (size_t)n;
	}
	return 0;
}
