/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Copies between a run of bytes and a message that lies in several buffers,
 * at an offset of the message.
 */
#ifndef UTIL_IOV_COPY_H
#define UTIL_IOV_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

/* Bytes of @count buffers together, or UINT64_MAX when those are too many to
 * count. */
uint64_t util_iov_total(const struct iovec *iov, size_t count);

/* Out of line: called by the functions below alone. */
size_t util_iov_copy_to_several(const struct iovec *iov, size_t count,
				uint64_t offset, const void *src,
				size_t len_bytes);
size_t util_iov_copy_from_several(void *dst, const struct iovec *iov,
				  size_t count, uint64_t offset,
				  size_t len_bytes);

/*
 * Copies @len_bytes from @src to @offset of the @count buffers, and returns
 * how many there were room for. Nothing may overlap.
 */
static inline size_t util_iov_copy_to(const struct iovec *iov, size_t count,
				      uint64_t offset, const void *src,
				      size_t len_bytes)
{
	if (__builtin_expect(!count || offset > iov[0].iov_len ||
			     len_bytes > iov[0].iov_len - offset, 0))
		return util_iov_copy_to_several(iov, count, offset, src,
						len_bytes);
	if (len_bytes)
		memcpy((char *)iov[0].iov_base + offset, src, len_bytes);
	return len_bytes;
}

/*
 * Copies @len_bytes at @offset of the @count buffers to @dst, and returns how
 * many there were. Nothing may overlap.
 */
static inline size_t util_iov_copy_from(void *dst, const struct iovec *iov,
					size_t count, uint64_t offset,
					size_t len_bytes)
{
	if (__builtin_expect(!count || offset > iov[0].iov_len ||
			     len_bytes > iov[0].iov_len - offset, 0))
		return util_iov_copy_from_several(dst, iov, count, offset,
						  len_bytes);
	if (len_bytes)
		memcpy(dst, (const char *)iov[0].iov_base + offset, len_bytes);
	return len_bytes;
}

#endif /* UTIL_IOV_COPY_H */
