/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/done_list.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rdma/fi_errno.h>

/* An entry of any format is the beginning of a completion. */
static_assert(offsetof(struct fabric_completion, flags) ==
	      offsetof(struct fi_cq_tagged_entry, flags), "");
static_assert(offsetof(struct fabric_completion, len) ==
	      offsetof(struct fi_cq_tagged_entry, len), "");
static_assert(offsetof(struct fabric_completion, buf) ==
	      offsetof(struct fi_cq_tagged_entry, buf), "");
static_assert(offsetof(struct fabric_completion, data) ==
	      offsetof(struct fi_cq_tagged_entry, data), "");
static_assert(offsetof(struct fabric_completion, tag) ==
	      offsetof(struct fi_cq_tagged_entry, tag), "");

static void fabric_done_lock(struct fabric_done_list *list)
{
	if (list->locks)
		util_lock_acquire(&list->lock);
}

static void fabric_done_unlock(struct fabric_done_list *list)
{
	if (list->locks)
		util_lock_release(&list->lock);
}

/* To be called when the stash has changed. */
static void fabric_done_changed(struct fabric_done_list *list)
{
	atomic_store_explicit(&list->count,
			      fabric_comp_stash_count(&list->stash),
			      memory_order_relaxed);
}

static size_t fabric_done_entry_size(enum fi_cq_format format)
{
	switch (format) {
	case FI_CQ_FORMAT_CONTEXT:
		return sizeof(struct fi_cq_entry);
	case FI_CQ_FORMAT_MSG:
		return sizeof(struct fi_cq_msg_entry);
	case FI_CQ_FORMAT_DATA:
		return sizeof(struct fi_cq_data_entry);
	default:
		return sizeof(struct fi_cq_tagged_entry);
	}
}

void fabric_done_init(struct fabric_done_list *list,
		      enum fi_cq_format format, bool locks)
{
	*list = (struct fabric_done_list) {
		.locks = locks,
		.entry_size = fabric_done_entry_size(format),
		.wake_fd = -1,
	};
	util_lock_init(&list->lock);
	atomic_init(&list->count, 0);
}

void fabric_done_fini(struct fabric_done_list *list)
{
	if (list->wake_fd >= 0)
		close(list->wake_fd);
	fabric_comp_stash_fini(&list->stash);
}

int fabric_done_reserve(struct fabric_done_list *list, uint32_t rights)
{
	int ret;

	fabric_done_lock(list);
	ret = fabric_comp_stash_reserve(&list->stash,
					list->reserved + rights);
	if (!ret)
		list->reserved += rights;
	fabric_done_unlock(list);
	return ret;
}

void fabric_done_release(struct fabric_done_list *list, uint32_t rights)
{
	fabric_done_lock(list);
	list->reserved -= rights;
	fabric_done_unlock(list);
}

/* A full descriptor is readable as well. */
static void __attribute__((noinline, cold))
fabric_done_wake(struct fabric_done_list *list)
{
	const uint64_t one = 1;

	if (write(list->wake_fd, &one, sizeof(one)) < 0)
		errno = 0;
}

void fabric_done_put(struct fabric_done_list *list,
		     const struct fabric_completion *completion)
{
	bool wakes;

	fabric_done_lock(list);
	fabric_comp_stash_push(&list->stash, completion);
	list->reserved--;
	fabric_done_changed(list);
	wakes = list->sleepers != 0;
	fabric_done_unlock(list);
	if (__builtin_expect(wakes, 0))
		fabric_done_wake(list);
}

/* ---- who sleeps ---- */

int fabric_done_open_wake(struct fabric_done_list *list)
{
	list->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return list->wake_fd < 0 ? -errno : 0;
}

bool fabric_done_sleep_begin(struct fabric_done_list *list)
{
	bool is_empty;

	fabric_done_lock(list);
	list->sleepers++;
	is_empty = !fabric_comp_stash_first(&list->stash);
	fabric_done_unlock(list);
	return is_empty;
}

void fabric_done_sleep_end(struct fabric_done_list *list)
{
	uint64_t wakes;

	fabric_done_lock(list);
	/* the last one takes it away: the others are yet to see it; nothing
	 * in it is as good as something */
	if (!--list->sleepers &&
	    read(list->wake_fd, &wakes, sizeof(wakes)) < 0)
		errno = 0;
	fabric_done_unlock(list);
}

/* Of at least one. */
static ssize_t fabric_done_read_some(struct fabric_done_list *list, char *buf,
				     size_t count, fi_addr_t *source)
{
	struct fabric_completion *first;
	size_t n = 0;

	while (n < count && (first = fabric_comp_stash_first(&list->stash))) {
		if (first->err)
			return n ? (ssize_t)n : -FI_EAVAIL;
		memcpy(buf + n * list->entry_size, first, list->entry_size);
		if (source)
			source[n] = first->source;
		fabric_comp_stash_pop(&list->stash);
		n++;
	}
	return n ? (ssize_t)n : -FI_EAGAIN;
}

ssize_t fabric_done_read(struct fabric_done_list *list, void *buf,
			 size_t count, fi_addr_t *source)
{
	struct fabric_completion *first;
	ssize_t ret;

	if (fabric_done_is_empty(list))
		return -FI_EAGAIN;
	fabric_done_lock(list);
	first = fabric_comp_stash_first(&list->stash);
	if (!count)
		ret = first && first->err ? -FI_EAVAIL : -FI_EAGAIN;
	else
		ret = fabric_done_read_some(list, buf, count, source);
	fabric_done_changed(list);
	fabric_done_unlock(list);
	return ret;
}

bool fabric_done_take_error(struct fabric_done_list *list,
			    struct fabric_completion *out)
{
	struct fabric_completion *first;
	bool failed;

	fabric_done_lock(list);
	first = fabric_comp_stash_first(&list->stash);
	failed = first && first->err;
	if (failed) {
		*out = *first;
		fabric_comp_stash_pop(&list->stash);
		fabric_done_changed(list);
	}
	fabric_done_unlock(list);
	return failed;
}

void fabric_done_purge(struct fabric_done_list *list, const void *owner)
{
	fabric_done_lock(list);
	fabric_comp_stash_purge(&list->stash, owner);
	fabric_done_changed(list);
	fabric_done_unlock(list);
}
