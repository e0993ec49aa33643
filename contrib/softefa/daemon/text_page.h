/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A text that is longer than an answer goes in pages of whole lines. */
#ifndef DAEMON_TEXT_PAGE_H
#define DAEMON_TEXT_PAGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copies the lines of @text from number *@line on, as many as fit, to @page;
 * returns their length. *@line becomes the number to go on with, 0 when these
 * were the last. @text ends with a newline, and no line is longer than a page.
 */
size_t text_page_write(const char *text, size_t text_bytes, uint64_t *line,
		       char *page, size_t page_bytes);

#endif /* DAEMON_TEXT_PAGE_H */
