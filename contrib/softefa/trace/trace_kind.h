/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kinds of records by name. */
#ifndef TRACE_TRACE_KIND_H
#define TRACE_TRACE_KIND_H

#include <stddef.h>
#include <stdint.h>

/* All names, for a person to choose from. */
#define TRACE_KIND_NAMES "device, doorbell, wqe, recv, packet, cqe, command, " \
	"rule, fault, lost, end"

/* NULL: a kind this version does not know. */
const char *trace_kind_name(uint16_t kind);

/* The kind called the @length bytes at @name, 0: there is none. */
uint16_t trace_kind_find(const char *name, size_t length);

#endif /* TRACE_TRACE_KIND_H */
