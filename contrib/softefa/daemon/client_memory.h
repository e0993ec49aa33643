/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a device reaches of one client: the memory of its process, and the
 * dma-bufs it named, each in a window of addresses above those that a
 * process can have. The engine knows addresses only.
 *
 *	below CLIENT_WINDOW_BASE	the process
 *	above it			window n, of CLIENT_WINDOW_BYTES
 *
 * An address from the client itself must be checked to be no window:
 * client_memory_is_window.
 */
#ifndef DAEMON_CLIENT_MEMORY_H
#define DAEMON_CLIENT_MEMORY_H

#include "daemon/client_process.h"
#include "daemon/dmabuf_map.h"

#define CLIENT_WINDOW_BASE	(1ull << 63)
#define CLIENT_WINDOW_BYTES	(1ull << 44)
/* Of one context: a mapping each, of which the daemon has some 65 000. */
#define CLIENT_MAX_WINDOWS	128u

struct client_memory {
	struct guest_memory mem;	/* first member: for the engine */
	struct client_process *client;	/* stays its owner's */
	bool is_ordered;		/* writes arrive as they are polled */
	struct dmabuf_map *window;	/* NULL, or CLIENT_MAX_WINDOWS */
};

/* @client must outlive it. @is_ordered: write as ordered_write.h says. */
void client_memory_init(struct client_memory *memory,
			struct client_process *client, bool is_ordered);
/* Closes the windows that are left. */
void client_memory_fini(struct client_memory *memory);

/* Whether any of [addr, addr + len_bytes) lies at or above the windows. */
bool client_memory_is_window(uint64_t addr, uint64_t len_bytes);

/*
 * Opens a window on [offset, offset + length) of the buffer @fd, which stays
 * the caller's; its address is congruent to @offset modulo a page. Errors
 * are those of dmabuf_map_open, and -ENOMEM for one window too many.
 */
int client_memory_open_window(struct client_memory *memory, int fd,
			      uint64_t offset, uint64_t length,
			      bool for_write, uint64_t *addr);
/* Where the daemon sees the first byte of the window that starts at @addr. */
void *client_memory_window_base(const struct client_memory *memory,
				uint64_t addr);
/* 0 is allowed: no window. */
void client_memory_close_window(struct client_memory *memory, uint64_t addr);

#endif /* DAEMON_CLIENT_MEMORY_H */
