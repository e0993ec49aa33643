/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The file that `softefa trace` writes and prints. Layout only.
 *
 *	file header | record | record | ...
 *	record: struct trace_record, then length_bytes of body
 *
 * Little endian, natural alignment inside a body; records follow each other
 * without padding, so that a body is copied before it is looked at. A body
 * is one of the structs below, some with more bytes behind it. A reader
 * skips a kind it does not know, and what a body is longer than it knows:
 * that is how a later minor version adds things. A file that was cut short
 * (its daemon was killed) ends without TRACE_END.
 *
 * It is a format of its own because no packet analyser has a dissector for
 * EFA, and what is here is not packets alone: queue entries, doorbells and
 * commands would be opaque blobs to one as well.
 */
#ifndef SOFTEFA_TRACE_FILE_DEFS_H
#define SOFTEFA_TRACE_FILE_DEFS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_MAGIC		"EFATRACE"	/* 8 bytes, no NUL */
#define TRACE_MAJOR		1u		/* another one: another format */
#define TRACE_MINOR		0u
#define TRACE_MAX_BODY		1024u		/* no writer writes more */
#define TRACE_MAX_PAYLOAD	256u		/* bytes kept of a packet */
#define TRACE_NO_DEVICE		0xffffu

struct trace_file_header {
	uint8_t magic[8];
	uint16_t major, minor;
	uint32_t header_bytes;		/* the first record starts there */
	uint64_t start_ns;		/* CLOCK_MONOTONIC, of all records */
	uint64_t start_realtime_ns;	/* CLOCK_REALTIME at the same time */
};

static_assert(sizeof(struct trace_file_header) == 32, "trace header size");
static_assert(offsetof(struct trace_file_header, start_ns) == 16, "");

enum trace_kind {
	TRACE_DEVICE = 1,	/* struct trace_device, one a device at start */
	TRACE_DOORBELL = 2,	/* struct trace_doorbell */
	TRACE_WQE = 3,		/* struct trace_wqe, 64 or 128 bytes as found */
	TRACE_RECV = 4,		/* struct trace_recv, trace_recv_sge[] */
	TRACE_PACKET = 5,	/* struct trace_packet, payload */
	TRACE_CQE = 6,		/* struct trace_cqe */
	TRACE_COMMAND = 7,	/* struct trace_command */
	TRACE_RULE = 8,		/* text: a rule of the device was broken */
	TRACE_FAULT = 9,	/* text: a fault was injected, or a request of a
				 * client refused */
	TRACE_LOST = 10,	/* struct trace_lost: records missing here */
	TRACE_END = 11,		/* struct trace_end: the trace was stopped */
};

struct trace_record {
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
	uint16_t kind;
	uint16_t device;	/* index, or TRACE_NO_DEVICE */
	uint32_t length_bytes;	/* of the body that follows */
};

static_assert(sizeof(struct trace_record) == 16, "trace record size");

struct trace_device {
	char name[32];		/* "efa_0", NUL-padded */
	char profile[32];
	uint8_t gid[16];
	uint32_t mtu;
	uint32_t caps;
};

static_assert(sizeof(struct trace_device) == 88, "trace device size");

enum trace_queue { TRACE_SQ = 1, TRACE_RQ = 2 };	/* efa_io_queue_type */

/* A doorbell word that was seen to have changed. */
struct trace_doorbell {
	uint32_t qpn;
	uint32_t queue;		/* enum trace_queue */
	uint32_t value;		/* the word */
	uint32_t taken;		/* entries the device had taken before */
};

static_assert(sizeof(struct trace_doorbell) == 16, "trace doorbell size");

#define TRACE_WQE_REQ_ID_64	1u	/* flags: the queue has wide IDs */

/* A send queue entry that was fetched. */
struct trace_wqe {
	uint32_t qpn;
	uint32_t index;		/* counts freely since the last reset */
	uint32_t flags;
	uint32_t wqe_bytes;	/* 64 or 128, which follow */
};

static_assert(sizeof(struct trace_wqe) == 16, "trace wqe size");

/* A receive that was taken from the queue: its descriptors, decoded. */
struct trace_recv {
	uint32_t qpn;
	uint32_t index;		/* of its first descriptor */
	uint16_t req_id;
	uint16_t sge_count;	/* trace_recv_sge that follow */
	uint32_t reserved;
};

struct trace_recv_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

static_assert(sizeof(struct trace_recv) == 16, "trace recv size");
static_assert(sizeof(struct trace_recv_sge) == 16, "trace sge size");

enum trace_packet_event {
	TRACE_SENT = 1,		/* it left device, the source */
	TRACE_RECEIVED = 2,	/* it reached a QP of device; status says
				 * what became of it there */
	TRACE_NOT_READY = 3,	/* device has no receive for it (RNR) */
	TRACE_DROPPED = 4,	/* a datagram that device, its source, lost */
};

#define TRACE_PACKET_HAS_IMM	1u
#define TRACE_PACKET_INLINE	2u

/*
 * A message, or a segment of an RDMA transfer: of a write source to target,
 * of a read too, though the data goes the other way. Payload bytes follow,
 * at most TRACE_MAX_PAYLOAD; of RDMA from memory there are none.
 */
struct trace_packet {
	uint8_t event;		/* enum trace_packet_event */
	uint8_t op;		/* enum efa_io_send_op_type */
	uint8_t qp_type;	/* enum engine_qp_type: 0 SRD, 1 UD */
	uint8_t flags;		/* TRACE_PACKET_* */
	uint8_t status;		/* enum efa_io_comp_status, of TRACE_RECEIVED */
	uint8_t reserved[3];
	uint32_t src_qpn;
	uint32_t dst_qpn;
	uint32_t qkey;
	uint32_t imm;
	uint64_t req_id;	/* of the source's WQE; 0: of another host */
	uint32_t length;	/* of the message, or of the transfer */
	uint32_t segment;	/* bytes of this packet */
	uint32_t offset;	/* of the segment in the transfer */
	uint32_t rkey;		/* RDMA */
	uint64_t remote_addr;	/* RDMA, of the transfer */
	uint8_t src_gid[16];
	uint8_t dst_gid[16];
	uint32_t payload_bytes;	/* which follow */
	uint32_t reserved2;
};

static_assert(sizeof(struct trace_packet) == 96, "trace packet size");
static_assert(offsetof(struct trace_packet, req_id) == 24, "");
static_assert(offsetof(struct trace_packet, src_gid) == 56, "");

/* A completion that was written. */
struct trace_cqe {
	uint32_t cqn;
	uint32_t index;		/* counts freely */
	uint8_t entry[32];	/* struct efa_io_cdesc */
};

static_assert(sizeof(struct trace_cqe) == 40, "trace cqe size");

/* Commands that succeeded, with what arg[] says; others are in the text of
 * TRACE_FAULT. */
enum trace_command_type {
	TRACE_CREATE_PD = 1,
	TRACE_DESTROY_PD = 2,
	TRACE_CREATE_MR = 3,	/* pd, start, length, iova, access */
	TRACE_DESTROY_MR = 4,
	TRACE_CREATE_AH = 5,	/* pd, GID as two words in memory order */
	TRACE_DESTROY_AH = 6,
	TRACE_CREATE_CQ = 7,	/* depth, flags (ENGINE_CQ_*) */
	TRACE_DESTROY_CQ = 8,
	TRACE_CREATE_QP = 9,	/* type, pd, send CQ, receive CQ, depths of the
				 * queues (low half: send), flags */
	TRACE_MODIFY_QP = 10,	/* mask (ENGINE_QPA_*), state, qkey, PSN, RNR
				 * retry */
	TRACE_DESTROY_QP = 11,
};

#define TRACE_COMMAND_ARGS	6u

struct trace_command {
	uint32_t command;	/* enum trace_command_type */
	uint32_t number;	/* of the object: PDN, key, AHN, CQN, QPN */
	uint64_t arg[TRACE_COMMAND_ARGS];
};

static_assert(sizeof(struct trace_command) == 56, "trace command size");

struct trace_lost {
	uint64_t records;
};

struct trace_end {
	uint64_t records;	/* in the file before this one */
	uint64_t lost;
};

static_assert(sizeof(struct trace_end) == 16, "trace end size");

#endif /* SOFTEFA_TRACE_FILE_DEFS_H */
