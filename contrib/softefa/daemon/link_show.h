/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What `softefa show` says of a link and the hosts behind it. */
#ifndef DAEMON_LINK_SHOW_H
#define DAEMON_LINK_SHOW_H

#include <stddef.h>

struct host_link;

/*
 * Writes at most @text_bytes, 1 at least, to @text, a NUL included; returns
 * the length. NULL @link: nothing.
 */
size_t link_show_write(const struct host_link *link, char *text,
		       size_t text_bytes);

#endif /* DAEMON_LINK_SHOW_H */
