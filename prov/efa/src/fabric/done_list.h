/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completions that software makes: those of a protocol whose operations are
 * more than one work request. An operation ends anywhere, under any lock,
 * and its completion waits here until the application reads it.
 *
 * An end needs no memory, and cannot fail: who starts operations holds
 * rights, each of which is a place for one completion. A right is taken
 * (reserve, by the piece), used up by put, or given back (release).
 *
 * The lock inside is a leaf: nothing is taken under it.
 */
#ifndef FABRIC_DONE_LIST_H
#define FABRIC_DONE_LIST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rdma/fabric.h>
#include <rdma/fi_eq.h>

#include "fabric/comp_stash.h"
#include "util/futex_lock.h"

struct fabric_done_list {
	_Atomic uint32_t count;		/* for readers without the lock */
	bool locks;
	struct util_lock lock;
	struct fabric_comp_stash stash;
	uint32_t reserved;		/* rights out */
	size_t entry_size;		/* of the application's array */
	uint32_t sleepers;		/* under the lock */
	int wake_fd;			/* eventfd that wakes them, or -1 */
};

/* Completions of @format; @locks: several threads use the list. */
void fabric_done_init(struct fabric_done_list *list,
		      enum fi_cq_format format, bool locks);
/* Forgets what was not read. */
void fabric_done_fini(struct fabric_done_list *list);

/* Takes @rights. 0, -FI_ENOMEM. Any thread. */
int fabric_done_reserve(struct fabric_done_list *list, uint32_t rights);
void fabric_done_release(struct fabric_done_list *list, uint32_t rights);

/* Appends @completion, for one right. Its text, malloc'ed or NULL, is the
 * list's from now on. Any thread. */
void fabric_done_put(struct fabric_done_list *list,
		     const struct fabric_completion *completion);

static inline bool fabric_done_is_empty(const struct fabric_done_list *list)
{
	return !atomic_load_explicit(&list->count, memory_order_relaxed);
}

/* As fi_cq_readfrom: how many, -FI_EAGAIN, or -FI_EAVAIL when the oldest has
 * failed. */
ssize_t fabric_done_read(struct fabric_done_list *list, void *buf,
			 size_t count, fi_addr_t *source);

/* The oldest, if it has failed: true, and its text is the caller's. */
bool fabric_done_take_error(struct fabric_done_list *list,
			    struct fabric_completion *out);

/*
 * Readers that sleep until @wake_fd is readable, which a put makes it while
 * there are some. Begin: is the list empty, so that there is something to
 * sleep for? End, in either case, once awake.
 */
/* Makes @wake_fd; fini closes it. 0, or a negative errno. */
int fabric_done_open_wake(struct fabric_done_list *list);
bool fabric_done_sleep_begin(struct fabric_done_list *list);
void fabric_done_sleep_end(struct fabric_done_list *list);

/* Forgets those of @owner; its rights are released one by one. */
void fabric_done_purge(struct fabric_done_list *list, const void *owner);

#endif /* FABRIC_DONE_LIST_H */
