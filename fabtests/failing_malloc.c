/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include "fabtests/failing_malloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#define FRAMES		64
#define KEPT_FRAMES	8
#define BLOCKS		65536u	/* a power of two */

/* ---- what is replaced ---- */

static void *(*next_malloc)(size_t size);
static void *(*next_calloc)(size_t count, size_t size);
static void *(*next_realloc)(void *ptr, size_t size);
static void *(*next_aligned_alloc)(size_t alignment, size_t size);
static int (*next_posix_memalign)(void **ptr, size_t alignment, size_t size);
static void (*next_free)(void *ptr);

/* For what dlsym itself may ask for before there is anybody to ask. */
static _Alignas(16) uint8_t early[4096];
static size_t early_used;

static void *early_alloc(size_t size)
{
	void *ptr = early + early_used;

	early_used += (size + 15) & ~(size_t)15;
	return early_used <= sizeof(early) ? ptr : NULL;
}

static bool is_early(const void *ptr)
{
	return (const uint8_t *)ptr >= early &&
	       (const uint8_t *)ptr < early + sizeof(early);
}

/* False: it is being resolved, the caller takes early memory. */
static bool resolve(void)
{
	static __thread bool resolving;

	if (next_free)
		return true;
	if (resolving)
		return false;
	resolving = true;
	*(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
	*(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
	*(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
	*(void **)&next_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
	*(void **)&next_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
	*(void **)&next_free = dlsym(RTLD_NEXT, "free");
	resolving = false;
	return true;
}

/* ---- whose an allocation is ---- */

static const char *watched;

struct trail {
	void *frame[FRAMES];
	int count;
};

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context,
				      void *arg)
{
	struct trail *trail = arg;

	if (trail->count == FRAMES)
		return _URC_END_OF_STACK;
	trail->frame[trail->count++] = (void *)_Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static const char *object_of(void *frame)
{
	Dl_info info;

	/* the address after a call may be the next function's */
	if (!dladdr((char *)frame - 1, &info) || !info.dli_fname)
		return "";
	return info.dli_fname;
}

static bool is_passed_over(const char *object, const char *program)
{
	return !strcmp(object, program) || strstr(object, "/libc.so") ||
	       strstr(object, "san.so");
}

/* Where the object is on the way here, and whether by itself. */
static bool leads_from_watched(const struct trail *trail, bool *own)
{
	const char *program = object_of(early + 1);

	*own = true;
	for (int i = 0; i < trail->count; i++) {
		const char *object = object_of(trail->frame[i]);

		if (strstr(object, watched))
			return true;
		if (!is_passed_over(object, program))
			*own = false;
	}
	return false;
}

/* ---- the account ---- */

struct block {
	void *ptr;
	void *frame[KEPT_FRAMES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* under the lock */
static struct block blocks[BLOCKS];
static size_t live;
static unsigned countdown;
static bool countdown_own, struck;

static uint32_t home(const void *ptr)
{
	return (uint32_t)(((uintptr_t)ptr * 0x9e3779b97f4a7c15ull) >> 32) &
	       (BLOCKS - 1);
}

static void block_add(void *ptr, const struct trail *trail)
{
	uint32_t at = home(ptr);

	if (!ptr || live == BLOCKS - 1)
		return;
	while (blocks[at].ptr)
		at = (at + 1) & (BLOCKS - 1);
	blocks[at].ptr = ptr;
	memcpy(blocks[at].frame, trail->frame, sizeof(blocks[at].frame));
	live++;
}

/* Later entries of the run move up, so that none is lost. */
static void block_remove(void *ptr)
{
	uint32_t at = home(ptr), hole;

	while (blocks[at].ptr && blocks[at].ptr != ptr)
		at = (at + 1) & (BLOCKS - 1);
	if (!blocks[at].ptr)
		return;
	live--;
	hole = at;
	for (at = (at + 1) & (BLOCKS - 1); blocks[at].ptr;
	     at = (at + 1) & (BLOCKS - 1)) {
		uint32_t wanted = home(blocks[at].ptr);

		if (((at - wanted) & (BLOCKS - 1)) <
		    ((at - hole) & (BLOCKS - 1)))
			continue;
		blocks[hole] = blocks[at];
		hole = at;
	}
	blocks[hole].ptr = NULL;
}

static __thread bool inside;

/* Is it to fail? *@is_ours: it is to be entered in the account. */
static bool fails(struct trail *trail, bool *is_ours)
{
	bool own, failing = false;

	*is_ours = false;
	if (!watched || inside)
		return false;
	inside = true;
	trail->count = 0;
	_Unwind_Backtrace(note_frame, trail);
	*is_ours = leads_from_watched(trail, &own);
	if (*is_ours) {
		pthread_mutex_lock(&lock);
		if (countdown && (own || !countdown_own))
			failing = --countdown == 0;
		struck |= failing;
		pthread_mutex_unlock(&lock);
	}
	inside = false;
	return failing;
}

static void *entered(void *ptr, const struct trail *trail, bool is_ours)
{
	if (is_ours) {
		pthread_mutex_lock(&lock);
		block_add(ptr, trail);
		pthread_mutex_unlock(&lock);
	}
	return ptr;
}

static void *refuse(void)
{
	errno = ENOMEM;
	return NULL;
}

void *malloc(size_t size)
{
	struct trail trail;
	bool is_ours;

	if (!resolve())
		return early_alloc(size);
	if (fails(&trail, &is_ours))
		return refuse();
	return entered(next_malloc(size), &trail, is_ours);
}

void *calloc(size_t count, size_t size)
{
	struct trail trail;
	bool is_ours;

	if (!resolve())
		return early_alloc(count * size);
	if (fails(&trail, &is_ours))
		return refuse();
	return entered(next_calloc(count, size), &trail, is_ours);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	struct trail trail;
	bool is_ours;

	if (!resolve() || fails(&trail, &is_ours))
		return refuse();
	return entered(next_aligned_alloc(alignment, size), &trail, is_ours);
}

int posix_memalign(void **ptr, size_t alignment, size_t size)
{
	struct trail trail;
	bool is_ours;
	int err;

	if (!resolve() || fails(&trail, &is_ours))
		return ENOMEM;
	err = next_posix_memalign(ptr, alignment, size);
	if (!err)
		entered(*ptr, &trail, is_ours);
	return err;
}

void free(void *ptr)
{
	if (!ptr || is_early(ptr) || !resolve())
		return;
	if (watched) {
		pthread_mutex_lock(&lock);
		block_remove(ptr);
		pthread_mutex_unlock(&lock);
	}
	next_free(ptr);
}

void *realloc(void *ptr, size_t size)
{
	struct trail trail;
	bool is_ours;
	void *moved;

	if (!resolve() || is_early(ptr))
		return refuse();
	if (fails(&trail, &is_ours))
		return refuse();
	if (!watched)
		return next_realloc(ptr, size);
	/* off the account before its address may be another's */
	pthread_mutex_lock(&lock);
	block_remove(ptr);
	pthread_mutex_unlock(&lock);
	moved = next_realloc(ptr, size);
	return entered(moved, &trail, is_ours);
}

/* ---- the program's side ---- */

void failing_malloc_watch(const char *object)
{
	watched = object;
}

void failing_malloc_arm(unsigned nth, bool own_only)
{
	pthread_mutex_lock(&lock);
	countdown = nth;
	countdown_own = own_only;
	struck = false;
	pthread_mutex_unlock(&lock);
}

bool failing_malloc_disarm(void)
{
	bool was;

	pthread_mutex_lock(&lock);
	was = struck;
	countdown = 0;
	struck = false;
	pthread_mutex_unlock(&lock);
	return was;
}

size_t failing_malloc_live(void)
{
	size_t there;

	pthread_mutex_lock(&lock);
	there = live;
	pthread_mutex_unlock(&lock);
	return there;
}

static void show_frame(void *frame)
{
	Dl_info info;

	if (!frame || !dladdr((char *)frame - 1, &info) || !info.dli_fname)
		return;
	fprintf(stderr, "    %s+%#zx %s\n", info.dli_fname,
		(size_t)((char *)frame - (char *)info.dli_fbase),
		info.dli_sname ? info.dli_sname : "");
}

void failing_malloc_show_live(void)
{
	inside = true;
	for (uint32_t i = 0; i < BLOCKS; i++) {
		if (!blocks[i].ptr)
			continue;
		fprintf(stderr, "  not freed: %p of\n", blocks[i].ptr);
		for (int k = 0; k < KEPT_FRAMES; k++)
			show_frame(blocks[i].frame[k]);
	}
	inside = false;
}
