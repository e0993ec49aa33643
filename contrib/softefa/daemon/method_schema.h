/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which uverbs methods exist, and what each attribute of them must be.
 *
 * The rules are those that the kernel states with its UVERBS_ATTR_* macros
 * (drivers/infiniband/core/uverbs_std_types_*.c): a length range, whether
 * the attribute must be there, whether a longer input must be zero beyond
 * what is known. Tables only; who obeys them is ioctl_gate.
 */
#ifndef DAEMON_METHOD_SCHEMA_H
#define DAEMON_METHOD_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/handle_table.h"

/* The methods softefa implements. */
enum method_id {
	METHOD_INVOKE_WRITE,
	METHOD_QUERY_PORT,
	METHOD_GET_CONTEXT,
	METHOD_QUERY_GID_TABLE,
	METHOD_QUERY_GID_ENTRY,
	METHOD_QUERY_PORT_SPEED,
	METHOD_PD_DESTROY,
	METHOD_CQ_CREATE,
	METHOD_CQ_DESTROY,
	METHOD_QP_CREATE,
	METHOD_QP_DESTROY,
	METHOD_AH_DESTROY,
	METHOD_MR_DESTROY,
	METHOD_REG_DMABUF_MR,
	METHOD_EFA_MR_QUERY,
	METHOD_ASYNC_EVENT_ALLOC,
	METHOD_QUERY_COMP_CNTR_CAPS,
	METHOD_QP_ATTACH_COMP_CNTR,
	METHOD_COMP_CNTR_CREATE,
	METHOD_COMP_CNTR_DESTROY,
	METHOD_COMP_CNTR_MODIFY,
	METHOD_COMP_CNTR_READ,
	METHOD_COUNT,
};

enum attr_kind {
	ATTR_NONE,		/* no attribute of this id */
	ATTR_IN,		/* bytes of the client: inline up to 8 */
	ATTR_OUT,		/* bytes to the client */
	ATTR_HANDLE,		/* an object that exists, of type @handle */
	ATTR_NEW_HANDLE,	/* its number is written back */
	ATTR_FD,		/* a descriptor of the client */
	ATTR_NEW_FD,		/* its number is written back */
};

struct attr_spec {
	enum attr_kind kind;
	enum handle_type handle;
	bool mandatory;
	bool zero_beyond;	/* longer is allowed when zero there */
	uint16_t min_bytes;
	uint16_t max_bytes;	/* known length, if zero_beyond */
};

/*
 * Attribute ids of the core count from 0, those of the driver name space
 * from 0x1000. A slot is the index of either in one array.
 */
#define ATTR_DRIVER_BASE	0x1000u
#define ATTR_CORE_SLOTS		20u
#define ATTR_DRIVER_SLOTS	8u
#define ATTR_SLOTS		(ATTR_CORE_SLOTS + ATTR_DRIVER_SLOTS)

#define ATTR_SLOT(id)							\
	((id) < ATTR_DRIVER_BASE ? (id) :				\
	 ATTR_CORE_SLOTS + ((id) - ATTR_DRIVER_BASE))

struct method_schema {
	const char *name;
	uint16_t object;
	uint16_t method;
	struct attr_spec attr[ATTR_SLOTS];
};

/* The schema of @id, which is below METHOD_COUNT. */
const struct method_schema *method_schema_get(enum method_id id);

/* Finds a method by its numbers on the wire; METHOD_COUNT when unknown. */
enum method_id method_schema_find(uint16_t object, uint16_t method);

/* The rules for @attr_id, NULL when the method has no such attribute. */
const struct attr_spec *method_schema_attr(const struct method_schema *schema,
					   uint16_t attr_id);

#endif /* DAEMON_METHOD_SCHEMA_H */
