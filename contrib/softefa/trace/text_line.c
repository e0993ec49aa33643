/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "trace/text_line.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_line_clear(struct text_line *line)
{
	line->used = 0;
	line->text[0] = '\0';
}

void text_line_add(struct text_line *line, const char *format, ...)
{
	size_t room = sizeof(line->text) - line->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line->text + line->used, room, format, args);
	va_end(args);
	if (n < 0)
		return;
	if ((size_t)n < room) {
		line->used += (size_t)n;
		return;
	}
	line->used = sizeof(line->text) - 1;
	memcpy(line->text + line->used - 3, "...", 3);
}

void text_line_add_hex(struct text_line *line, const void *bytes,
		       size_t length, size_t max)
{
	const uint8_t *byte = bytes;
	size_t i;

	for (i = 0; i < length && i < max; i++)
		text_line_add(line, "%02x", byte[i]);
	if (length > max)
		text_line_add(line, "..");
}

void text_line_add_foreign(struct text_line *line, const void *text,
			   size_t length)
{
	const uint8_t *byte = text;
	size_t i;

	for (i = 0; i < length && byte[i]; i++)
		text_line_add(line, "%c", byte[i] < ' ' || byte[i] > '~' ?
			      '?' : byte[i]);
}

void text_line_add_gid(struct text_line *line, const uint8_t gid[16])
{
	char text[INET6_ADDRSTRLEN];

	text_line_add(line, "%s", inet_ntop(AF_INET6, gid, text,
					    sizeof(text)));
}
