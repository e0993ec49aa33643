/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A line of text that is put together piece by piece. It never grows beyond
 * its room: what does not fit is left out, and the end says "...".
 */
#ifndef TRACE_TEXT_LINE_H
#define TRACE_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_LINE_BYTES	4096u

struct text_line {
	size_t used;
	char text[TEXT_LINE_BYTES];	/* with a NUL */
};

void text_line_clear(struct text_line *line);
void text_line_add(struct text_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Bytes as hex digits, at most @max of them, then "..". */
void text_line_add_hex(struct text_line *line, const void *bytes,
		       size_t length, size_t max);

/* Text that is not to be trusted: control characters become '?'. */
void text_line_add_foreign(struct text_line *line, const void *text,
			   size_t length);

/* A GID as an IPv6 address. */
void text_line_add_gid(struct text_line *line, const uint8_t gid[16]);

#endif /* TRACE_TEXT_LINE_H */
