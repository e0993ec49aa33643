/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/text_page.h"

#include <assert.h>
#include <string.h>

/* Behind the newline of the line that starts at @text, or @end. */
static const char *next_line(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));

	return newline ? newline + 1 : end;
}

size_t text_page_write(const char *text, size_t text_bytes, uint64_t *line,
		       char *page, size_t page_bytes)
{
	const char *end = text + text_bytes, *first, *last, *next;
	uint64_t count;

	for (count = 0; count < *line && text < end; count++)
		text = next_line(text, end);
	first = last = text;
	for (; last < end; last = next, count++) {
		next = next_line(last, end);
		if ((size_t)(next - first) > page_bytes)
			break;
	}
	assert(last > first || first == end);
	memcpy(page, first, (size_t)(last - first));
	*line = last < end ? count : 0;
	return (size_t)(last - first);
}
