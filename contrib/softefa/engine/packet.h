/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What one host says to another about an operation: the bytes of a packet,
 * and the one gate that reads them.
 *
 *	initiator                       target
 *	SEND            -------------->  delivers, or finds no receive
 *	WRITE, ...      -------------->  one segment each; of one without an
 *	                                 immediate the last one leaves when
 *	                                 all others are answered
 *	WRITE_END       -------------->  the immediate, after all segments
 *	READ, ...       -------------->  one segment each, the last one as above
 *	                <--------------  STATUS to SEND, WRITE, WRITE_END,
 *	                                 READ that failed
 *	                <--------------  READ_DATA to READ
 *	DATAGRAM        -------------->  UD: no answer
 *
 * Requests and answers arrive once each and in any order, that is the
 * link's business; a target keeps nothing between two packets. A segment is
 * PACKET_SEGMENT_BYTES, the last one what is left.
 *
 * The format is of this version of softefa alone: hosts of one network run
 * the same one, and the link's version number says so. Integers are little
 * endian.
 */
#ifndef ENGINE_PACKET_H
#define ENGINE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/message.h"

#define PACKET_HEADER_BYTES	100u
#define PACKET_MAX_PAYLOAD	16384u	/* at least any profile's MTU */
#define PACKET_MAX_BYTES	(PACKET_HEADER_BYTES + PACKET_MAX_PAYLOAD)
#define PACKET_SEGMENT_BYTES	8192u	/* of an RDMA operation */

static inline bool packet_is_answer(enum packet_type type)
{
	return type >= PACKET_STATUS;
}

struct packet {
	enum packet_type type;
	uint8_t src_gid[16], dst_gid[16];
	uint32_t src_qpn, dst_qpn;
	uint32_t op_id;			/* the initiator's; not of DATAGRAM */
	/* requests */
	uint32_t qkey;
	uint32_t imm;
	bool has_imm;
	bool is_unsolicited;		/* a write that takes no receive */
	struct send_sge remote;		/* of an RDMA operation, all of it */
	/* RDMA and its answers */
	uint32_t offset;		/* of this segment */
	uint64_t target_serial;		/* which QP it is; 0: not known yet */
	/* PACKET_STATUS */
	enum efa_io_comp_status status;
	/* SEND, DATAGRAM, WRITE, READ_DATA; of READ: what is asked for */
	uint32_t len_bytes;
	const uint8_t *payload;		/* NULL where there is none */
};

/*
 * Writes the header of @packet, PACKET_HEADER_BYTES, to @bytes; the payload
 * is to follow it. @packet must be one that packet_decode would let pass.
 */
void packet_encode_header(const struct packet *packet, uint8_t *bytes);

/*
 * The gate. Reads @len_bytes of @bytes, which may be anything; the payload
 * of @packet points into them. -EPROTO with @reason when it is no packet:
 *	- the length is exactly that of header and payload
 *	- type and flags are known, flags and fields that a type does not
 *	  have are zero
 *	- a segment lies in its operation and has the length it must have
 *	- QPNs fit a completion; a status is one of the device's, or OK
 */
int packet_decode(const uint8_t *bytes, size_t len_bytes,
		  struct packet *packet, const char **reason);

/* What the receiving side of @packet, a request, is told. */
void packet_message(const struct packet *packet, struct message *message);

#endif /* ENGINE_PACKET_H */
