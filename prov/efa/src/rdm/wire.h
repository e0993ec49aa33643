/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The bytes of the RDM protocol, version 4: layout only. Little endian,
 * natural alignment, nothing is swapped. Section numbers are those of
 * efa_rdm_protocol_v4.md; where it and libfabric's own provider differ, what
 * that one sends is what stands here, and a comment says so.
 *
 * A request (types 64 and up) is
 *
 *	mandatory header | rma_iov[] | raw address | CQ data | connid |
 *	read_iov[] | payload
 *
 * with the optional parts that its flags name; read_iov[] is counted by the
 * mandatory header of the types that have one. Because connid takes 4 bytes,
 * what comes behind it is aligned to 4 only.
 */
#ifndef RDM_WIRE_H
#define RDM_WIRE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define RDM_WIRE_VERSION	4u
#define RDM_WIRE_IOV_MAX	2u	/* of each kind; no peer sends more */

/* 1.2 table 1.2, and what is missing there (133-147). */
enum rdm_wire_type {
	RDM_WIRE_RTS = 1,		/* retired with version 4 */
	RDM_WIRE_CONNACK = 2,		/* retired */
	RDM_WIRE_CTS = 3,
	RDM_WIRE_CTSDATA = 4,
	RDM_WIRE_READRSP = 5,
	RDM_WIRE_EOR = 7,
	RDM_WIRE_ATOMRSP = 8,
	RDM_WIRE_HANDSHAKE = 9,
	RDM_WIRE_RECEIPT = 10,
	RDM_WIRE_READ_NACK = 11,
	RDM_WIRE_PEER_ERROR = 12,

	RDM_WIRE_FIRST_REQUEST = 64,
	RDM_WIRE_EAGER_MSGRTM = 64,
	RDM_WIRE_EAGER_TAGRTM = 65,
	RDM_WIRE_MEDIUM_MSGRTM = 66,
	RDM_WIRE_MEDIUM_TAGRTM = 67,
	RDM_WIRE_LONGCTS_MSGRTM = 68,
	RDM_WIRE_LONGCTS_TAGRTM = 69,
	RDM_WIRE_EAGER_RTW = 70,
	RDM_WIRE_LONGCTS_RTW = 71,
	RDM_WIRE_SHORT_RTR = 72,
	RDM_WIRE_LONGCTS_RTR = 73,
	RDM_WIRE_WRITE_RTA = 74,
	RDM_WIRE_FETCH_RTA = 75,
	RDM_WIRE_COMPARE_RTA = 76,

	RDM_WIRE_LONGREAD_MSGRTM = 128,
	RDM_WIRE_LONGREAD_TAGRTM = 129,
	RDM_WIRE_LONGREAD_RTW = 130,
	RDM_WIRE_READ_RTR = 131,	/* reserved, never sent */
	RDM_WIRE_DC_EAGER_MSGRTM = 133,
	RDM_WIRE_DC_EAGER_TAGRTM = 134,
	RDM_WIRE_DC_MEDIUM_MSGRTM = 135,
	RDM_WIRE_DC_MEDIUM_TAGRTM = 136,
	RDM_WIRE_DC_LONGCTS_MSGRTM = 137,
	RDM_WIRE_DC_LONGCTS_TAGRTM = 138,
	RDM_WIRE_DC_EAGER_RTW = 139,
	RDM_WIRE_DC_LONGCTS_RTW = 140,
	RDM_WIRE_DC_WRITE_RTA = 141,
	RDM_WIRE_RUNTCTS_MSGRTM = 142,	/* 142-144 and 147: never sent */
	RDM_WIRE_RUNTCTS_TAGRTM = 143,
	RDM_WIRE_RUNTCTS_RTW = 144,
	RDM_WIRE_RUNTREAD_MSGRTM = 145,
	RDM_WIRE_RUNTREAD_TAGRTM = 146,
	RDM_WIRE_RUNTREAD_RTW = 147,
};

/* 3.1: flags of requests. */
#define RDM_WIRE_RAW_ADDR	0x0001u
#define RDM_WIRE_CQ_DATA	0x0002u
#define RDM_WIRE_MSG		0x0004u
#define RDM_WIRE_TAGGED		0x0008u
#define RDM_WIRE_RMA		0x0010u	/* not set by libfabric's provider */
#define RDM_WIRE_ATOMIC		0x0020u
/* Not in the document: a long-CTS message that takes the place of one whose
 * read was refused; it bypasses the order of messages. */
#define RDM_WIRE_AFTER_NACK	0x2000u
/* 3.1 and 2: of every type; those below 64 hold a connid anyhow, but for
 * CTSDATA and HANDSHAKE, where it says that there is one. */
#define RDM_WIRE_CONNID		0x8000u

/* 4.3: of CTS, "this answers an emulated read". */
#define RDM_WIRE_CTS_READ	0x0080u

/* 2.1: flags of HANDSHAKE, in the order of their slots but for CONNID, whose
 * slot is the first. */
#define RDM_WIRE_HOST_ID	0x0001u
#define RDM_WIRE_DEVICE_VERSION	0x0002u
#define RDM_WIRE_USER_RECV_QP	0x0004u
#define RDM_WIRE_P2P		0x0008u

/* 1.3: every packet. */
struct rdm_wire_base {
	uint8_t type;
	uint8_t version;
	uint16_t flags;
};

static_assert(sizeof(struct rdm_wire_base) == 4, "base");

/* 2.1: nextra_p3 - 3 words of extra_info follow, then the slots. */
struct rdm_wire_handshake {
	struct rdm_wire_base base;
	uint32_t nextra_p3;
};

#define RDM_WIRE_SLOT_BYTES	8u	/* of each optional part of it */
#define RDM_WIRE_HANDSHAKE_MAX	\
	(sizeof(struct rdm_wire_handshake) + 6 * RDM_WIRE_SLOT_BYTES)

static_assert(sizeof(struct rdm_wire_handshake) == 8, "handshake");

/* 4.3: the receiver of a message grants its sender recv_length bytes. */
struct rdm_wire_cts {
	struct rdm_wire_base base;
	uint32_t connid;
	uint32_t send_id;
	uint32_t recv_id;
	uint64_t recv_length;
};

static_assert(sizeof(struct rdm_wire_cts) == 24, "cts");
static_assert(offsetof(struct rdm_wire_cts, recv_id) == 12, "cts recv_id");

/* 4.3: what was granted; with flag CONNID struct rdm_wire_connid_pad and
 * then the data, which is seg_length bytes. */
struct rdm_wire_ctsdata {
	struct rdm_wire_base base;
	uint32_t recv_id;
	uint64_t seg_length;
	uint64_t seg_offset;
};

struct rdm_wire_connid_pad {
	uint32_t connid;
	uint32_t pad;
};

static_assert(sizeof(struct rdm_wire_ctsdata) == 24, "ctsdata");
static_assert(sizeof(struct rdm_wire_connid_pad) == 8, "connid pad");

/* 4.5: the document has send_id first. */
struct rdm_wire_readrsp {
	struct rdm_wire_base base;
	uint32_t connid;
	uint32_t recv_id;
	uint32_t send_id;
	uint64_t seg_length;
};

static_assert(sizeof(struct rdm_wire_readrsp) == 24, "readrsp");
static_assert(offsetof(struct rdm_wire_readrsp, send_id) == 12, "send_id");

/* 4.4: EOR, "I have read all of it", and READ_NACK, "I cannot". */
struct rdm_wire_read_done {
	struct rdm_wire_base base;
	uint32_t send_id;
	uint32_t recv_id;
	uint32_t connid;
};

static_assert(sizeof(struct rdm_wire_read_done) == 16, "eor, read_nack");

/* 4.6 */
struct rdm_wire_atomrsp {
	struct rdm_wire_base base;
	uint32_t connid;
	uint32_t reserved;
	uint32_t recv_id;
	uint64_t seg_length;
};

static_assert(sizeof(struct rdm_wire_atomrsp) == 24, "atomrsp");

/* 4.2: delivery complete; send_id is that of the request. */
struct rdm_wire_receipt {
	struct rdm_wire_base base;
	uint32_t send_id;
	uint32_t msg_id;
	uint32_t connid;
};

static_assert(sizeof(struct rdm_wire_receipt) == 16, "receipt");

/* Not in the document: an operation has failed at its other side. */
struct rdm_wire_peer_error {
	struct rdm_wire_base base;
	uint32_t op_id;
	uint32_t ref_kind;
	uint32_t prov_errno;
	uint32_t connid;
};

enum rdm_wire_ref_kind {
	RDM_WIRE_REF_OP = 0,		/* op_id is an id of the receiver's */
	RDM_WIRE_REF_MSG = 1,		/* op_id is a msg_id */
	RDM_WIRE_REF_SKIP = 2,		/* a msg_id that never comes */
};

static_assert(sizeof(struct rdm_wire_peer_error) == 20, "peer_error");

/* 3.2: messages. Where a type is tagged, its tag follows as 8 bytes. */
struct rdm_wire_eager_rtm {
	struct rdm_wire_base base;
	uint32_t msg_id;
};

static_assert(sizeof(struct rdm_wire_eager_rtm) == 8, "eager");

/* The document has the segment's length for msg_length. */
struct rdm_wire_medium_rtm {
	struct rdm_wire_base base;
	uint32_t msg_id;
	uint64_t msg_length;
	uint64_t seg_offset;
};

static_assert(sizeof(struct rdm_wire_medium_rtm) == 24, "medium");

struct rdm_wire_longcts_rtm {
	struct rdm_wire_base base;
	uint32_t msg_id;
	uint64_t msg_length;
	uint32_t send_id;
	uint32_t credit_request;
};

static_assert(sizeof(struct rdm_wire_longcts_rtm) == 24, "longcts");

struct rdm_wire_longread_rtm {
	struct rdm_wire_base base;
	uint32_t msg_id;
	uint64_t msg_length;
	uint32_t send_id;
	uint32_t read_iov_count;
};

static_assert(sizeof(struct rdm_wire_longread_rtm) == 24, "longread");

/* runt_length is how many bytes of the message travel in such packets. */
struct rdm_wire_runtread_rtm {
	struct rdm_wire_base base;
	uint32_t msg_id;
	uint64_t msg_length;
	uint32_t send_id;
	uint32_t read_iov_count;
	uint64_t seg_offset;
	uint64_t runt_length;
};

static_assert(sizeof(struct rdm_wire_runtread_rtm) == 40, "runtread");

struct rdm_wire_dc_eager_rtm {
	struct rdm_wire_base base;
	uint32_t msg_id;
	uint32_t send_id;
	uint32_t pad;
};

static_assert(sizeof(struct rdm_wire_dc_eager_rtm) == 16, "dc eager");

struct rdm_wire_dc_medium_rtm {
	struct rdm_wire_base base;
	uint32_t msg_id;
	uint32_t send_id;
	uint32_t pad;
	uint64_t msg_length;
	uint64_t seg_offset;
};

static_assert(sizeof(struct rdm_wire_dc_medium_rtm) == 32, "dc medium");

/* 3.3: emulated writes. rma_iov[] follows each mandatory header. */
struct rdm_wire_eager_rtw {
	struct rdm_wire_base base;
	uint32_t rma_iov_count;
};

struct rdm_wire_dc_eager_rtw {
	struct rdm_wire_base base;
	uint32_t rma_iov_count;
	uint32_t send_id;
	uint32_t pad;
};

/* LONGCTS_RTW, and LONGREAD_RTW, where credits is read_iov_count. */
struct rdm_wire_long_rtw {
	struct rdm_wire_base base;
	uint32_t rma_iov_count;
	uint64_t msg_length;
	uint32_t send_id;
	uint32_t credits;
};

static_assert(sizeof(struct rdm_wire_eager_rtw) == 8, "eager rtw");
static_assert(sizeof(struct rdm_wire_dc_eager_rtw) == 16, "dc eager rtw");
static_assert(sizeof(struct rdm_wire_long_rtw) == 24, "long rtw");

/* 3.4: emulated reads; recv_length is the first window of LONGCTS_RTR. */
struct rdm_wire_rtr {
	struct rdm_wire_base base;
	uint32_t rma_iov_count;
	uint64_t msg_length;
	uint32_t recv_id;
	uint32_t recv_length;
};

static_assert(sizeof(struct rdm_wire_rtr) == 24, "rtr");

/* 3.5: atomics. op_id is a pad (WRITE), the receive's (FETCH, COMPARE) or
 * the send's (DC_WRITE). */
struct rdm_wire_rta {
	struct rdm_wire_base base;
	uint32_t msg_id;
	uint32_t rma_iov_count;
	uint32_t datatype;
	uint32_t op;
	uint32_t op_id;
};

static_assert(sizeof(struct rdm_wire_rta) == 24, "rta");
static_assert(offsetof(struct rdm_wire_rta, rma_iov_count) == 8, "rta iov");

/* Of rma_iov[] and read_iov[]. */
struct rdm_wire_iov {
	uint64_t addr;
	uint64_t len;
	uint64_t key;
};

static_assert(sizeof(struct rdm_wire_iov) == 24, "iov");

/*
 * The raw address header: a length and as many bytes. What is sent is 36,
 * the 32 of struct fabric_address and 4 of padding; older releases send
 * other lengths.
 */
#define RDM_WIRE_RAW_ADDR_LEN	36u
#define RDM_WIRE_RAW_ADDR_MIN	32u
#define RDM_WIRE_RAW_ADDR_BYTES	(4u + RDM_WIRE_RAW_ADDR_LEN)
#define RDM_WIRE_CQ_DATA_BYTES	8u
#define RDM_WIRE_CONNID_BYTES	4u
#define RDM_WIRE_TAG_BYTES	8u

/* The longest header of a message: DC medium or runting read, tagged. */
#define RDM_WIRE_HEADER_MAX	\
	(sizeof(struct rdm_wire_runtread_rtm) + RDM_WIRE_TAG_BYTES + \
	 RDM_WIRE_IOV_MAX * sizeof(struct rdm_wire_iov) + \
	 RDM_WIRE_RAW_ADDR_BYTES + RDM_WIRE_CQ_DATA_BYTES + \
	 RDM_WIRE_CONNID_BYTES)

#endif /* RDM_WIRE_H */
