/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An operation: a message being sent, or a receive from its posting on, or
 * a message that came before its receive was posted; a read or write of a
 * peer's memory, or one of this side's memory by a peer.
 *
 * It ends once, in rdm_op_try_end, when its answer is in and every packet it
 * gave to the outbox has completed, whichever is last. Until then it keeps
 * its id, which the peer and the device may bring back; afterwards the id is
 * dead, as its generation has passed.
 *
 *	RDM_OP_SEND	the outbox's packets and the peer's answers lead to it
 *	RDM_OP_POSTED	of rdm/tag_match, until a message comes or it is
 *			cancelled
 *	RDM_OP_UNEXPECTED	of rdm/tag_match and the peer's message table:
 *			holds the message's packets in @stored
 *	RDM_OP_RECEIVING	of the peer's packets; multi-packet ones are
 *			in the peer's message table
 *	RDM_OP_READING	of the peer's packets: an emulated read, whose bytes
 *			come as those of a receive
 *	RDM_OP_SERVING	the other side of that: its bytes go as those of a
 *			message being sent
 *
 * Of writes and reads by the device, and emulated writes, the initiator's are
 * RDM_OP_SEND. A peer's emulated write is RDM_OP_RECEIVING, and is_target, as
 * is what RDM_OP_SERVING serves: it goes to registered memory, which may be
 * closed meanwhile.
 *
 * All under the endpoint's lock.
 */
#ifndef RDM_OP_H
#define RDM_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <rdma/fabric.h>

#include "fabric/mr.h"
#include "rdm/outbox.h"
#include "rdm/reassembly.h"
#include "rdm/remote_read.h"
#include "rdm/stored_packet.h"
#include "rdm/tag_match.h"
#include "rdm/wire.h"
#include "util/hash_table.h"

struct rdm_ep;
struct rdm_peer;
struct rdm_protocol;

#define RDM_OP_IOV	2

enum rdm_op_kind {
	RDM_OP_FREE,
	RDM_OP_SEND,
	RDM_OP_POSTED,
	RDM_OP_UNEXPECTED,
	RDM_OP_RECEIVING,
	RDM_OP_READING,
	RDM_OP_SERVING,
};

/* What a registration gives the device. Of a copy: the application may close
 * the registration while its operation is in flight. */
struct rdm_op_key {
	uint32_t lkey;
	uint32_t rkey;
	bool is_registered;
};

struct rdm_op {
	uint8_t kind;
	bool report;		/* a success is told to the application */
	bool is_tagged;
	bool is_delivery_complete;
	bool is_answered;	/* nothing more is waited for but packets */
	bool has_cq_data;
	bool in_messages;	/* of the peer, by msg_id */
	bool is_inject;		/* its buffer is the application's again */
	bool is_more;		/* FI_MORE */
	bool is_rma;		/* of this side's read or write */
	bool is_get;		/* a read */
	bool is_target;		/* of a peer's read or write */
	uint8_t iov_count;
	uint32_t id;
	uint32_t msg_id;
	uint32_t packets;	/* given to the outbox, not completed */
	struct rdm_peer *peer;	/* of a receive: once a message has come */
	void *context;
	const struct rdm_protocol *protocol;
	/* the application's memory, or with is_copied this operation's */
	struct iovec iov[RDM_OP_IOV];
	struct rdm_op_key key[RDM_OP_IOV];
	size_t room;		/* bytes of iov together */
	size_t length;		/* bytes of the message */
	uint64_t tag;
	uint64_t cq_data;
	uint64_t comp_flags;	/* FI_SEND | FI_TAGGED and so on */
	void *copied;		/* freed at the end: what FI_INJECT brought */
	/* the first failure, which is what the end tells */
	int err;		/* positive FI_E*, or 0 */
	int prov_errno;
	char *text;		/* malloc'ed or NULL */
	/* waits for packets to be free: rdm/outbox.h */
	struct rdm_deferred deferred;
	/* the id the other side gave it */
	uint32_t peer_id;
	union {
		struct {	/* RDM_OP_SEND, of families */
			uint64_t sent;		/* bytes given to packets */
			uint64_t window_end;	/* granted up to here */
			uint64_t runt;		/* of the peer's runt_bytes */
			bool is_read;		/* the peer is to read it */
			bool is_granted;	/* peer_id is the receive's */
			bool is_delivered;	/* a packet has got there */
			/* RMA: the peer's memory; serving: of this side */
			struct rdm_wire_iov range[RDM_WIRE_IOV_MAX];
			uint8_t range_count;
			bool is_parked;		/* waits for a handshake */
			struct util_list parked;	/* in the peer's */
		} tx;
		struct {	/* receives */
			struct util_hash_node by_msg_id;
			union {
				struct rdm_match_recv posted;
				struct rdm_match_message unexpected;
				/* of a peer's write */
				struct {
					struct rdm_wire_iov
						range[RDM_WIRE_IOV_MAX];
					uint8_t range_count;
				};
			};
			struct util_list claimed;	/* in the endpoint's */
			struct rdm_op *parent;	/* its multi-receive buffer */
			struct rdm_stored_queue stored;
			struct rdm_reassembly segments;
			struct rdm_remote_read *read;	/* malloc'ed or NULL */
			uint64_t received;	/* bytes */
			uint64_t window_end;	/* granted up to here */
			uint32_t children;	/* of a multi-receive buffer */
			size_t used;		/* the same: bytes given away */
			bool is_multi;
			bool is_discarded;	/* the data goes nowhere */
		} rx;
	};
};

/* A new operation of @kind with an id, or NULL: no memory, or no right to a
 * completion of its CQ to be had. Everything but kind and id is 0. */
struct rdm_op *rdm_op_create(struct rdm_ep *ep, enum rdm_op_kind kind);

/* Forgets an operation that ends without anybody being told. No packet of it
 * may be in the outbox. */
void rdm_op_destroy(struct rdm_ep *ep, struct rdm_op *op);

/* For close: the same, with no rights left to return. */
void rdm_op_forget(struct rdm_ep *ep, struct rdm_op *op);

/*
 * The operation a packet of @peer names, which must be of @kind and of that
 * peer; NULL: it is stale, made up or somebody else's.
 */
struct rdm_op *rdm_op_find(struct rdm_ep *ep, const struct rdm_peer *peer,
			   enum rdm_op_kind kind, uint32_t id);

/* Notes that @op has failed: the first failure counts. @text is copied and
 * may be NULL: then it is what @prov_errno says, with the addresses. Does not
 * end it: nor does it wait for an answer any more. */
void rdm_op_fail(struct rdm_ep *ep, struct rdm_op *op, int err,
		 int prov_errno, const char *text);

/* Gives @op the application's @count buffers, at most RDM_OP_IOV, and what
 * their registrations say; @desc, or one of it, may be NULL. */
static inline void rdm_op_set_buffers(struct rdm_op *op,
				      const struct iovec *iov,
				      void *const *desc, size_t count)
{
	const struct fabric_mr *mr;

	op->iov_count = (uint8_t)count;
	op->room = 0;
	for (size_t i = 0; i < count; i++) {
		op->iov[i] = iov[i];
		op->room += iov[i].iov_len;
		mr = desc ? fabric_mr_of_desc(desc[i]) : NULL;
		if (!mr) {
			op->key[i].is_registered = false;
			continue;
		}
		op->key[i] = (struct rdm_op_key) {
			.lkey = mr->lkey,
			.rkey = (uint32_t)mr->fid.key,
			.is_registered = true,
		};
	}
}

/* All its bytes: so that the device may read or write them. */
static inline bool rdm_op_is_registered(const struct rdm_op *op)
{
	for (unsigned int i = 0; i < op->iov_count; i++)
		if (!op->key[i].is_registered && op->iov[i].iov_len)
			return false;
	return true;
}

/* Ends @op if nothing is missing any more: tells the CQ and the counter, and
 * frees it. To be called when something that it waited for has come. */
void rdm_op_try_end(struct rdm_ep *ep, struct rdm_op *op);

/* Has it begun here, so that it counts among those that may be in flight? */
static inline bool rdm_op_is_own(const struct rdm_op *op)
{
	return op->kind == RDM_OP_SEND || op->kind == RDM_OP_READING;
}

/* Which half of its union is in use? */
static inline bool rdm_op_is_outgoing(const struct rdm_op *op)
{
	return op->kind == RDM_OP_SEND || op->kind == RDM_OP_SERVING;
}

/* Copies what fits of @len payload bytes at @offset of the message to the
 * buffers of a receive. A peer's write fails when its memory was closed. */
void rdm_op_place(struct rdm_ep *ep, struct rdm_op *op, uint64_t offset,
		  const void *payload, size_t len);

/* Gives @op a copy of its buffers, which are the caller's again. False: no
 * memory. */
bool rdm_op_keep_copy(struct rdm_op *op);

#endif /* RDM_OP_H */
