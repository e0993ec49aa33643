/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What posting leaves in the request slot (hw/req_id.h) for completing.
 * The context is the application's, a send's peer is direct_peer_pack.
 */
#ifndef DIRECT_OP_SLOT_H
#define DIRECT_OP_SLOT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rdma/fabric.h>

#include "hw/efa_io_defs.h"
#include "hw/work_queue.h"

/* A success is told to the application; a failure always is. */
#define DIRECT_OP_REPORT	1u
/* Which operation of the send queue it is (enum efa_io_send_op_type). */
#define DIRECT_OP_KIND_SHIFT	1

static inline uint16_t direct_op_flags(uint64_t fi_flags,
				       enum efa_io_send_op_type kind)
{
	return (uint16_t)((fi_flags & FI_COMPLETION ? DIRECT_OP_REPORT : 0) |
			  kind << DIRECT_OP_KIND_SHIFT);
}

static inline enum efa_io_send_op_type direct_op_kind(uint16_t flags)
{
	return (enum efa_io_send_op_type)(flags >> DIRECT_OP_KIND_SHIFT);
}

static inline uint32_t direct_peer_pack(const struct hw_dest *dest)
{
	uint32_t peer;

	/* as it lies there: the AH number, then the QP number */
	static_assert(offsetof(struct hw_dest, qpn) == 2, "");
	memcpy(&peer, dest, sizeof(peer));
	return peer;
}

static inline uint16_t direct_peer_ahn(uint32_t peer)
{
	return (uint16_t)peer;
}

static inline uint16_t direct_peer_qpn(uint32_t peer)
{
	return (uint16_t)(peer >> 16);
}

#endif /* DIRECT_OP_SLOT_H */
