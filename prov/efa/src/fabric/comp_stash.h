/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completions that wait in software for fi_cq_read: those that had to be
 * taken off the device's queue before the application came for them. Empty,
 * and without memory, in the usual course of things. The owner's lock.
 */
#ifndef FABRIC_COMP_STASH_H
#define FABRIC_COMP_STASH_H

#include <stddef.h>
#include <stdint.h>

#include <rdma/fabric.h>

/* What fi_cq_read and fi_cq_readerr tell of an operation. It begins as
 * fi_cq_tagged_entry does, and with it the entries of every format. */
struct fabric_completion {
	void *op_context;
	uint64_t flags;
	size_t len;
	void *buf;
	uint64_t data;
	uint64_t tag;
	fi_addr_t source;	/* or FI_ADDR_NOTAVAIL */
	void *owner;		/* the endpoint, for fabric_comp_stash_purge */
	int err;		/* positive FI_E*; 0: it succeeded */
	int prov_errno;
	size_t olen;		/* bytes that were cut off */
	char *text;		/* err_data, malloc'ed, or NULL; the stash's */
};

struct fabric_comp_stash {
	struct fabric_completion *entries;
	uint32_t size;		/* 0 or a power of two */
	uint32_t head, tail;	/* free running: head is the oldest */
};

static inline uint32_t
fabric_comp_stash_count(const struct fabric_comp_stash *stash)
{
	return stash->tail - stash->head;
}

/* Makes room for @more. 0, -FI_ENOMEM. */
int fabric_comp_stash_reserve(struct fabric_comp_stash *stash, uint32_t more);

/* Appends a copy of @completion, whose text is the stash's from now on;
 * assumes fabric_comp_stash_reserve. */
void fabric_comp_stash_push(struct fabric_comp_stash *stash,
			   const struct fabric_completion *completion);

/* The oldest, or NULL. Valid until the next call on the stash. */
struct fabric_completion *
fabric_comp_stash_first(const struct fabric_comp_stash *stash);

/* Removes the oldest; its text is the caller's now. */
void fabric_comp_stash_pop(struct fabric_comp_stash *stash);

/* Removes all of @owner, keeping the order of the others. */
void fabric_comp_stash_purge(struct fabric_comp_stash *stash,
			     const void *owner);

void fabric_comp_stash_fini(struct fabric_comp_stash *stash);

#endif /* FABRIC_COMP_STASH_H */
