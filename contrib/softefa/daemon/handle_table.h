/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The objects of one context by the number its client calls them.
 *
 * All types share one number space and the lowest free number is given
 * out, as uverbs does (ib_core's rdma_core.c). The table does not own the
 * objects.
 */
#ifndef DAEMON_HANDLE_TABLE_H
#define DAEMON_HANDLE_TABLE_H

#include <stdint.h>

/*
 * More than the objects that any device has, and a bound where the device
 * has none: an address handle may be created again and again.
 */
#define HANDLE_TABLE_MAX	(1u << 20)

enum handle_type {
	HANDLE_FREE,
	HANDLE_PD,
	HANDLE_MR,
	HANDLE_AH,
	HANDLE_CQ,
	HANDLE_QP,
	HANDLE_COMP_CNTR,
};

struct handle_slot {
	enum handle_type type;
	void *object;
};

struct handle_table {
	struct handle_slot *slot;
	uint32_t size;
	uint32_t lowest_free;	/* nothing below it is free */
	uint32_t used;
};

void handle_table_init(struct handle_table *table);

/* Frees the table's own memory; objects still in it are the caller's. */
void handle_table_fini(struct handle_table *table);

/* Numbers @object (not NULL). -ENOMEM, also beyond HANDLE_TABLE_MAX. */
int handle_table_add(struct handle_table *table, enum handle_type type,
		     void *object, uint32_t *handle);

/*
 * The object that a client calls @handle, any 64-bit value. -ENOENT when
 * there is none, -EINVAL when it is of another type.
 */
int handle_table_find(const struct handle_table *table, uint64_t handle,
		      enum handle_type type, void **object);

/* Forgets @handle, which must be in use. */
void handle_table_remove(struct handle_table *table, uint32_t handle);

/*
 * The first object of @type at or above *@handle, NULL when there is none;
 * *@handle becomes its number. Visits all: start at 0, add 1 each time.
 */
void *handle_table_next(const struct handle_table *table,
			enum handle_type type, uint32_t *handle);

#endif /* DAEMON_HANDLE_TABLE_H */
