/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "util/iov_copy.h"

uint64_t util_iov_total(const struct iovec *iov, size_t count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		if (__builtin_add_overflow(total, iov[i].iov_len, &total))
			return UINT64_MAX;
	return total;
}

/* The next bytes of a message, in one buffer. */
struct piece {
	char *at;
	size_t len_bytes;
};

/*
 * At most @wanted bytes at *@offset of the *@count buffers from *@iov on;
 * none: that is the end. Then @iov and @count begin with the buffer of the
 * piece, and the offset is in that.
 */
static struct piece next_piece(const struct iovec **iov, size_t *count,
			       uint64_t *offset, size_t wanted)
{
	struct piece piece = { NULL, 0 };

	while (*count && *offset >= (*iov)->iov_len) {
		*offset -= (*iov)->iov_len;
		(*iov)++;
		(*count)--;
	}
	if (*count && wanted) {
		piece.at = (char *)(*iov)->iov_base + *offset;
		piece.len_bytes = (*iov)->iov_len - *offset;
		if (piece.len_bytes > wanted)
			piece.len_bytes = wanted;
	}
	return piece;
}

size_t util_iov_copy_to_several(const struct iovec *iov, size_t count,
				uint64_t offset, const void *src,
				size_t len_bytes)
{
	struct piece piece;
	size_t done = 0;

	while ((piece = next_piece(&iov, &count, &offset,
				   len_bytes - done)).len_bytes) {
		memcpy(piece.at, (const char *)src + done, piece.len_bytes);
		done += piece.len_bytes;
		offset += piece.len_bytes;
	}
	return done;
}

size_t util_iov_copy_from_several(void *dst, const struct iovec *iov,
				  size_t count, uint64_t offset,
				  size_t len_bytes)
{
	struct piece piece;
	size_t done = 0;

	while ((piece = next_piece(&iov, &count, &offset,
				   len_bytes - done)).len_bytes) {
		memcpy((char *)dst + done, piece.at, piece.len_bytes);
		done += piece.len_bytes;
		offset += piece.len_bytes;
	}
	return done;
}
