/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes packet headers. Each function writes a whole header to @buf, which
 * is aligned to 8 and has room for RDM_WIRE_HEADER_MAX bytes, and returns
 * its length; the payload goes right behind. Fields that mean nothing are
 * written as 0: no byte of memory leaves that was not meant to.
 */
#ifndef RDM_WIRE_ENCODE_H
#define RDM_WIRE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/address.h"
#include "rdm/wire.h"

/*
 * What all packets of one message say. The optional headers follow from
 * raw_addr (NULL: none), has_cq_data and has_connid. libfabric's provider
 * takes a raw address and a connid for exclusive: one of them is given, which
 * is feature_set.h's to say.
 */
struct rdm_wire_message {
	const struct fabric_address *raw_addr;
	bool has_connid;
	bool has_cq_data;
	bool is_tagged;
	bool is_delivery_complete;
	uint32_t connid;
	uint32_t msg_id;
	uint32_t send_id;	/* not used by plain EAGER and MEDIUM */
	uint64_t tag;
	uint64_t cq_data;
	uint64_t msg_length;	/* not used by EAGER */
	/* a write or read of the peer's memory, of 1 to RDM_WIRE_IOV_MAX
	 * ranges that add up to msg_length: then it has no msg_id and no tag,
	 * and is an RTW or RTR. 0: a message. */
	unsigned int rma_iov_count;
	const struct rdm_wire_iov *rma_iov;
};

/*
 * The header's length of a packet of @type, of those the functions below
 * write, for @msg with @read_iov_count; the type says by itself whether it
 * is tagged or delivery complete. rdm_wire_*_type choose it.
 */
size_t rdm_wire_header_len(enum rdm_wire_type type,
			   const struct rdm_wire_message *msg,
			   unsigned int read_iov_count);

/* The type of @msg's packets. */
enum rdm_wire_type rdm_wire_eager_type(const struct rdm_wire_message *msg);
enum rdm_wire_type rdm_wire_medium_type(const struct rdm_wire_message *msg);
enum rdm_wire_type rdm_wire_longcts_type(const struct rdm_wire_message *msg);
/* These are delivery complete by nature. */
enum rdm_wire_type rdm_wire_longread_type(const struct rdm_wire_message *msg);
enum rdm_wire_type rdm_wire_runtread_type(const struct rdm_wire_message *msg);

/* How much payload a packet of @mtu bytes has room for; 0 when the header
 * alone does not fit. */
static inline size_t rdm_wire_max_payload(size_t mtu, size_t header_len)
{
	return mtu > header_len ? mtu - header_len : 0;
}

size_t rdm_wire_put_eager(void *buf, const struct rdm_wire_message *msg);
size_t rdm_wire_put_medium(void *buf, const struct rdm_wire_message *msg,
			   uint64_t seg_offset);
/* @after_nack: takes the place of a read that was refused; no payload. */
size_t rdm_wire_put_longcts(void *buf, const struct rdm_wire_message *msg,
			    uint32_t credit_request, bool after_nack);
/* @count is 1 to RDM_WIRE_IOV_MAX, the lengths add up to msg_length. */
size_t rdm_wire_put_longread(void *buf, const struct rdm_wire_message *msg,
			     const struct rdm_wire_iov *iov,
			     unsigned int count);
size_t rdm_wire_put_runtread(void *buf, const struct rdm_wire_message *msg,
			     const struct rdm_wire_iov *iov,
			     unsigned int count, uint64_t seg_offset,
			     uint64_t runt_length);

/* A write of nothing, sent to be answered by a HANDSHAKE before anything that
 * needs one; @own address goes with it. */
size_t rdm_wire_put_greeting(void *buf, const struct fabric_address *own);

/* Reads of the peer's memory: @recv_id is the reader's, @window what it
 * grants at once of a long one; 0 for one that is answered in one packet. */
size_t rdm_wire_put_rtr(void *buf, const struct rdm_wire_message *msg,
			uint32_t recv_id, uint64_t window);

/* Answers. Each carries the sender's own @connid. */
size_t rdm_wire_put_cts(void *buf, uint32_t connid, uint32_t send_id,
			uint32_t recv_id, uint64_t window);
/* The same of a reader: @send_id is of the READRSP. */
size_t rdm_wire_put_read_cts(void *buf, uint32_t connid, uint32_t send_id,
			     uint32_t recv_id, uint64_t window);
/* The first answer to a read, with @seg_length bytes of payload. */
size_t rdm_wire_put_readrsp(void *buf, uint32_t connid, uint32_t recv_id,
			    uint32_t send_id, uint64_t seg_length);
/* The payload, of @seg_length bytes, is the caller's. */
size_t rdm_wire_put_ctsdata(void *buf, uint32_t connid, uint32_t recv_id,
			    uint64_t seg_offset, uint64_t seg_length);
size_t rdm_wire_put_eor(void *buf, uint32_t connid, uint32_t send_id,
			uint32_t recv_id);
size_t rdm_wire_put_read_nack(void *buf, uint32_t connid, uint32_t send_id,
			      uint32_t recv_id);
size_t rdm_wire_put_receipt(void *buf, uint32_t connid, uint32_t send_id,
			    uint32_t msg_id);
size_t rdm_wire_put_peer_error(void *buf, uint32_t connid,
			       enum rdm_wire_ref_kind ref_kind,
			       uint32_t op_id, uint32_t prov_errno);

/* The lengths of those that carry data. */
#define RDM_WIRE_CTSDATA_HEADER	\
	(sizeof(struct rdm_wire_ctsdata) + sizeof(struct rdm_wire_connid_pad))

/* What a HANDSHAKE says; 0 as a host_id or device_version is left out. */
struct rdm_wire_hello {
	uint64_t features;	/* extra_info[0], of feature_set.h */
	uint64_t host_id;
	uint32_t connid;
	uint32_t device_version;
	bool has_p2p;
};

size_t rdm_wire_put_handshake(void *buf, const struct rdm_wire_hello *hello);

#endif /* RDM_WIRE_ENCODE_H */
