/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The gate: bytes that a peer sent become a view that can be believed, or a
 * reason why they cannot. Behind it no handler looks at the bytes again but
 * for the payload. What it proves:
 *
 * - the packet is long enough for its header and every part its flags and
 *   counts name; the payload is the rest of it;
 * - lengths and offsets agree with each other: a segment lies within its
 *   message, iovs add up to the message and do not wrap, what must not be
 *   empty is not;
 * - the type exists, and counts are at most RDM_WIRE_IOV_MAX.
 *
 * What only the endpoint knows stays to its handlers: whether ids are in use
 * and of this peer, whether segments agree with those before them, whether
 * keys and addresses are registered, whether the connid is the peer's.
 */
#ifndef RDM_WIRE_DECODE_H
#define RDM_WIRE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rdm/wire.h"

/* Which protocol a packet belongs to; the handler's table is indexed by it.
 * Plain, tagged and delivery-complete types of one protocol are one kind. */
enum rdm_wire_kind {
	RDM_KIND_NONE,		/* no type that can be received */
	RDM_KIND_EAGER,
	RDM_KIND_MEDIUM,
	RDM_KIND_LONGCTS,
	RDM_KIND_LONGREAD,
	RDM_KIND_RUNTREAD,
	RDM_KIND_EAGER_RTW,
	RDM_KIND_LONGCTS_RTW,
	RDM_KIND_LONGREAD_RTW,
	RDM_KIND_SHORT_RTR,
	RDM_KIND_LONGCTS_RTR,
	RDM_KIND_WRITE_RTA,
	RDM_KIND_FETCH_RTA,
	RDM_KIND_COMPARE_RTA,
	RDM_KIND_CTS,
	RDM_KIND_CTSDATA,
	RDM_KIND_READRSP,
	RDM_KIND_EOR,
	RDM_KIND_ATOMRSP,
	RDM_KIND_HANDSHAKE,
	RDM_KIND_RECEIPT,
	RDM_KIND_READ_NACK,
	RDM_KIND_PEER_ERROR,
	RDM_KINDS
};

/* Does a packet carry a msg_id and belong in the order of messages? Those of
 * MSG, TAGGED and atomic requests; RECEIPT only refers to one. */
static inline bool rdm_wire_has_msg_id(enum rdm_wire_kind kind)
{
	return (kind >= RDM_KIND_EAGER && kind <= RDM_KIND_RUNTREAD) ||
		(kind >= RDM_KIND_WRITE_RTA && kind <= RDM_KIND_COMPARE_RTA);
}

/* Why a packet is dropped. */
enum rdm_wire_fault {
	RDM_WIRE_OK,
	RDM_WIRE_SHORT,		/* ends within its header */
	RDM_WIRE_BAD_VERSION,
	RDM_WIRE_BAD_TYPE,
	RDM_WIRE_RETIRED_TYPE,
	RDM_WIRE_BAD_FLAGS,	/* AFTER_NACK where it means nothing */
	RDM_WIRE_BAD_ADDRESS,	/* a raw address of no usable length */
	RDM_WIRE_BAD_COUNT,	/* of iovs or feature words */
	RDM_WIRE_BAD_IOV,	/* wraps, or does not add up */
	RDM_WIRE_BAD_LENGTH,	/* of message, segment, window or runt */
	RDM_WIRE_OUT_OF_MESSAGE, /* the segment lies beyond the message */
	RDM_WIRE_BAD_REF,	/* PEER_ERROR is about no known thing */
	RDM_WIRE_FAULTS
};

/* "ends within its header" and so on, for logs and error texts. */
const char *rdm_wire_fault_text(enum rdm_wire_fault fault);

#define RDM_FEATURE_WORDS	4u

/* The body of a HANDSHAKE. What it did not bring is 0. */
struct rdm_handshake_view {
	uint64_t extra_info[RDM_FEATURE_WORDS];
	uint64_t host_id;
	uint32_t device_version;
	uint32_t user_qpn, user_qkey;	/* with has_user_qp */
	bool has_user_qp;
	bool has_p2p;			/* true when it was not said */
};

/*
 * Fields above the line are always set, 0 where the type does not have them;
 * those in the union only for the kinds named. Pointers are into the bytes.
 */
struct rdm_wire_view {
	uint8_t type;
	uint8_t kind;		/* enum rdm_wire_kind, never NONE */
	bool is_tagged;
	bool is_delivery_complete;
	uint16_t flags;		/* as on the wire */
	bool has_connid;
	bool has_cq_data;
	uint32_t connid;
	uint32_t msg_id;	/* MSG and TAG RTM, RTA, RECEIPT */
	const uint8_t *payload;
	uint32_t payload_len;
	uint32_t send_id;	/* an id of the sender of the message... */
	uint32_t recv_id;	/* ...and of its receiver */
	uint8_t rma_iov_count, read_iov_count;
	uint64_t tag;
	uint64_t cq_data;
	/* of all of it, for eager the payload; of CTSDATA, READRSP and
	 * ATOMRSP, which do not tell, the payload too */
	uint64_t msg_length;
	uint64_t seg_offset;	/* of the payload in the message */
	/* of RDM_WIRE_RAW_ADDR_MIN bytes at least, not aligned; or NULL */
	const uint8_t *raw_addr;
	/* ------------------------------------------------------------ */
	struct rdm_wire_iov rma_iov[RDM_WIRE_IOV_MAX];
	struct rdm_wire_iov read_iov[RDM_WIRE_IOV_MAX];
	union {
		uint64_t window;	/* CTS, LONGCTS_RTR: bytes granted */
		uint64_t runt_length;	/* RUNTREAD */
		uint32_t credit_request; /* LONGCTS, LONGCTS_RTW */
		struct {		/* RTA */
			uint32_t datatype, op;
		} atomic;
		struct {		/* PEER_ERROR */
			uint32_t op_id, ref_kind, prov_errno;
		} error;
		struct rdm_handshake_view handshake;
	};
};

/*
 * Decodes the @len bytes of a packet, which need not be aligned. Sets all
 * that is promised of *@view on RDM_WIRE_OK; else *@view is undefined, but
 * for its type, which is set when there are at least 4 bytes. Which
 * packets get an answer is not decided here.
 *
 * A LONGCTS message brings its first bytes with it, or none: AFTER_NACK.
 */
enum rdm_wire_fault rdm_wire_decode(const void *bytes, size_t len,
				    struct rdm_wire_view *view);

#endif /* RDM_WIRE_DECODE_H */
