/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The packet types: their names, mandatory headers and what the fields in
 * those must agree on. The part of the gate that knows types one by one; see
 * wire_decode.h, which is what handlers call.
 */
#ifndef RDM_WIRE_TYPE_H
#define RDM_WIRE_TYPE_H

#include <string.h>

#include "rdm/wire_decode.h"

/* A header is copied out, because nothing says that it is aligned. */
#define RDM_READ_HEADER(type, name, bytes)				\
	struct type name;						\
	memcpy(&name, bytes, sizeof(name))

struct rdm_wire_row {
	const char *name;
	uint8_t kind;		/* enum rdm_wire_kind; NONE: not received */
	uint8_t header_len;	/* mandatory, without tag and iovs */
	bool is_tagged;
	bool is_delivery_complete;
	/* Fills the view from header_len bytes; NULL: done elsewhere. */
	void (*read)(const uint8_t *header, struct rdm_wire_view *view);
	/* Once all is read and the payload is known. */
	enum rdm_wire_fault (*check)(const struct rdm_wire_view *view);
};

/* The row of @type, or NULL: there is no such type. */
const struct rdm_wire_row *rdm_wire_row_of(uint8_t type);

/* The kind of packets of @type; RDM_KIND_NONE. */
enum rdm_wire_kind rdm_wire_kind_of(uint8_t type);

/* "EAGER_TAGRTM" and so on; "unknown" for what does not exist. */
const char *rdm_wire_type_name(uint8_t type);

#endif /* RDM_WIRE_TYPE_H */
