/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/wire_encode.h"

#include <string.h>

#include "rdm/wire_type.h"

static enum rdm_wire_type type_of(const struct rdm_wire_message *msg,
				  enum rdm_wire_type plain,
				  enum rdm_wire_type complete)
{
	return (msg->is_delivery_complete ? complete : plain) +
		(msg->is_tagged ? 1 : 0);
}

enum rdm_wire_type rdm_wire_eager_type(const struct rdm_wire_message *msg)
{
	if (msg->rma_iov_count)
		return type_of(msg, RDM_WIRE_EAGER_RTW, RDM_WIRE_DC_EAGER_RTW);
	return type_of(msg, RDM_WIRE_EAGER_MSGRTM, RDM_WIRE_DC_EAGER_MSGRTM);
}

enum rdm_wire_type rdm_wire_medium_type(const struct rdm_wire_message *msg)
{
	return type_of(msg, RDM_WIRE_MEDIUM_MSGRTM, RDM_WIRE_DC_MEDIUM_MSGRTM);
}

enum rdm_wire_type rdm_wire_longcts_type(const struct rdm_wire_message *msg)
{
	if (msg->rma_iov_count)
		return type_of(msg, RDM_WIRE_LONGCTS_RTW,
			       RDM_WIRE_DC_LONGCTS_RTW);
	return type_of(msg, RDM_WIRE_LONGCTS_MSGRTM,
		       RDM_WIRE_DC_LONGCTS_MSGRTM);
}

enum rdm_wire_type rdm_wire_longread_type(const struct rdm_wire_message *msg)
{
	if (msg->rma_iov_count)
		return RDM_WIRE_LONGREAD_RTW;
	return type_of(msg, RDM_WIRE_LONGREAD_MSGRTM,
		       RDM_WIRE_LONGREAD_MSGRTM);
}

enum rdm_wire_type rdm_wire_runtread_type(const struct rdm_wire_message *msg)
{
	return type_of(msg, RDM_WIRE_RUNTREAD_MSGRTM,
		       RDM_WIRE_RUNTREAD_MSGRTM);
}

size_t rdm_wire_header_len(enum rdm_wire_type type,
			   const struct rdm_wire_message *msg,
			   unsigned int read_iov_count)
{
	const struct rdm_wire_row *row = rdm_wire_row_of(type);

	return row->header_len +
		(row->is_tagged ? RDM_WIRE_TAG_BYTES : 0) +
		(msg->raw_addr ? RDM_WIRE_RAW_ADDR_BYTES : 0) +
		(msg->has_cq_data ? RDM_WIRE_CQ_DATA_BYTES : 0) +
		(msg->has_connid ? RDM_WIRE_CONNID_BYTES : 0) +
		msg->rma_iov_count * sizeof(struct rdm_wire_iov) +
		read_iov_count * sizeof(struct rdm_wire_iov);
}

static uint16_t flags_of(const struct rdm_wire_message *msg)
{
	return (msg->raw_addr ? RDM_WIRE_RAW_ADDR : 0) |
		(msg->has_cq_data ? RDM_WIRE_CQ_DATA : 0) |
		(msg->has_connid ? RDM_WIRE_CONNID : 0) |
		(msg->rma_iov_count ? 0 : RDM_WIRE_MSG) |
		(msg->is_tagged ? RDM_WIRE_TAGGED : 0);
}

static struct rdm_wire_base base_of(enum rdm_wire_type type, uint16_t flags)
{
	return (struct rdm_wire_base) {
		.type = (uint8_t)type,
		.version = RDM_WIRE_VERSION,
		.flags = flags,
	};
}

static struct rdm_wire_base message_base(const struct rdm_wire_message *msg,
					 enum rdm_wire_type type)
{
	return base_of(type, flags_of(msg));
}

/* Each put_ writes one part at @at and returns where the next one goes. */
static uint8_t *put(uint8_t *at, const void *part, size_t len)
{
	memcpy(at, part, len);
	return at + len;
}

static uint8_t *put_raw_addr(uint8_t *at, const struct fabric_address *own)
{
	const uint32_t len = RDM_WIRE_RAW_ADDR_LEN;

	static_assert(sizeof(*own) == RDM_WIRE_RAW_ADDR_MIN, "address size");
	at = put(at, &len, sizeof(len));
	at = put(at, own, sizeof(*own));
	memset(at, 0, RDM_WIRE_RAW_ADDR_LEN - sizeof(*own));
	return at + RDM_WIRE_RAW_ADDR_LEN - sizeof(*own);
}

/* The mandatory header of a message, with its tag or ranges, and the optional
 * headers. */
static uint8_t *put_message(void *buf, const struct rdm_wire_message *msg,
			    const void *header, size_t len)
{
	uint8_t *at = put(buf, header, len);

	if (msg->is_tagged)
		at = put(at, &msg->tag, sizeof(msg->tag));
	if (msg->rma_iov_count)
		at = put(at, msg->rma_iov,
			 msg->rma_iov_count * sizeof(*msg->rma_iov));
	if (msg->raw_addr)
		at = put_raw_addr(at, msg->raw_addr);
	if (msg->has_cq_data)
		at = put(at, &msg->cq_data, sizeof(msg->cq_data));
	if (msg->has_connid)
		at = put(at, &msg->connid, sizeof(msg->connid));
	return at;
}

static size_t length_to(const void *buf, const uint8_t *end)
{
	return (size_t)(end - (const uint8_t *)buf);
}

static size_t put_eager_rtw(void *buf, const struct rdm_wire_message *msg)
{
	const struct rdm_wire_dc_eager_rtw header = {
		.base = message_base(msg, rdm_wire_eager_type(msg)),
		.rma_iov_count = msg->rma_iov_count,
		.send_id = msg->send_id,
	};

	/* The plain header is what the other begins with. */
	return length_to(buf, put_message(buf, msg, &header,
		msg->is_delivery_complete ? sizeof(header) :
			sizeof(struct rdm_wire_eager_rtw)));
}

size_t rdm_wire_put_eager(void *buf, const struct rdm_wire_message *msg)
{
	const struct rdm_wire_dc_eager_rtm header = {
		.base = message_base(msg, rdm_wire_eager_type(msg)),
		.msg_id = msg->msg_id,
		.send_id = msg->send_id,
	};

	if (msg->rma_iov_count)
		return put_eager_rtw(buf, msg);
	/* The plain header is what the other begins with. */
	return length_to(buf, put_message(buf, msg, &header,
		msg->is_delivery_complete ? sizeof(header) :
			sizeof(struct rdm_wire_eager_rtm)));
}

static size_t put_dc_medium(void *buf, const struct rdm_wire_message *msg,
			    uint64_t seg_offset)
{
	const struct rdm_wire_dc_medium_rtm header = {
		.base = message_base(msg, rdm_wire_medium_type(msg)),
		.msg_id = msg->msg_id,
		.send_id = msg->send_id,
		.msg_length = msg->msg_length,
		.seg_offset = seg_offset,
	};

	return length_to(buf, put_message(buf, msg, &header, sizeof(header)));
}

size_t rdm_wire_put_medium(void *buf, const struct rdm_wire_message *msg,
			   uint64_t seg_offset)
{
	const struct rdm_wire_medium_rtm header = {
		.base = message_base(msg, rdm_wire_medium_type(msg)),
		.msg_id = msg->msg_id,
		.msg_length = msg->msg_length,
		.seg_offset = seg_offset,
	};

	if (msg->is_delivery_complete)
		return put_dc_medium(buf, msg, seg_offset);
	return length_to(buf, put_message(buf, msg, &header, sizeof(header)));
}

/* LONGCTS_RTW, with @credits, and LONGREAD_RTW, with its count of ranges. */
static uint8_t *put_long_rtw(void *buf, const struct rdm_wire_message *msg,
			     enum rdm_wire_type type, uint32_t credits)
{
	const struct rdm_wire_long_rtw header = {
		.base = message_base(msg, type),
		.rma_iov_count = msg->rma_iov_count,
		.msg_length = msg->msg_length,
		.send_id = msg->send_id,
		.credits = credits,
	};

	return put_message(buf, msg, &header, sizeof(header));
}

size_t rdm_wire_put_longcts(void *buf, const struct rdm_wire_message *msg,
			    uint32_t credit_request, bool after_nack)
{
	struct rdm_wire_longcts_rtm header = {
		.base = message_base(msg, rdm_wire_longcts_type(msg)),
		.msg_id = msg->msg_id,
		.msg_length = msg->msg_length,
		.send_id = msg->send_id,
		.credit_request = credit_request,
	};

	if (msg->rma_iov_count)
		return length_to(buf, put_long_rtw(buf, msg,
			rdm_wire_longcts_type(msg), credit_request));
	if (after_nack)
		header.base.flags |= RDM_WIRE_AFTER_NACK;
	return length_to(buf, put_message(buf, msg, &header, sizeof(header)));
}

size_t rdm_wire_put_longread(void *buf, const struct rdm_wire_message *msg,
			     const struct rdm_wire_iov *iov,
			     unsigned int count)
{
	const struct rdm_wire_longread_rtm header = {
		.base = message_base(msg, rdm_wire_longread_type(msg)),
		.msg_id = msg->msg_id,
		.msg_length = msg->msg_length,
		.send_id = msg->send_id,
		.read_iov_count = count,
	};
	uint8_t *at;

	if (msg->rma_iov_count)
		at = put_long_rtw(buf, msg, RDM_WIRE_LONGREAD_RTW, count);
	else
		at = put_message(buf, msg, &header, sizeof(header));
	return length_to(buf, put(at, iov, count * sizeof(*iov)));
}

size_t rdm_wire_put_runtread(void *buf, const struct rdm_wire_message *msg,
			     const struct rdm_wire_iov *iov,
			     unsigned int count, uint64_t seg_offset,
			     uint64_t runt_length)
{
	const struct rdm_wire_runtread_rtm header = {
		.base = message_base(msg, rdm_wire_runtread_type(msg)),
		.msg_id = msg->msg_id,
		.msg_length = msg->msg_length,
		.send_id = msg->send_id,
		.read_iov_count = count,
		.seg_offset = seg_offset,
		.runt_length = runt_length,
	};
	uint8_t *at = put_message(buf, msg, &header, sizeof(header));

	return length_to(buf, put(at, iov, count * sizeof(*iov)));
}

size_t rdm_wire_put_greeting(void *buf, const struct fabric_address *own)
{
	const struct rdm_wire_eager_rtw header = {
		.base = base_of(RDM_WIRE_EAGER_RTW, RDM_WIRE_RAW_ADDR),
	};
	uint8_t *at = put(buf, &header, sizeof(header));

	return length_to(buf, put_raw_addr(at, own));
}

size_t rdm_wire_put_rtr(void *buf, const struct rdm_wire_message *msg,
			uint32_t recv_id, uint64_t window)
{
	const struct rdm_wire_rtr header = {
		.base = message_base(msg, window ? RDM_WIRE_LONGCTS_RTR
						 : RDM_WIRE_SHORT_RTR),
		.rma_iov_count = msg->rma_iov_count,
		.msg_length = msg->msg_length,
		.recv_id = recv_id,
		.recv_length = (uint32_t)(window ? window : msg->msg_length),
	};

	return length_to(buf, put_message(buf, msg, &header, sizeof(header)));
}

static size_t put_cts(void *buf, uint16_t flags, uint32_t connid,
		      uint32_t send_id, uint32_t recv_id, uint64_t window)
{
	const struct rdm_wire_cts header = {
		.base = base_of(RDM_WIRE_CTS, flags),
		.connid = connid,
		.send_id = send_id,
		.recv_id = recv_id,
		.recv_length = window,
	};

	return length_to(buf, put(buf, &header, sizeof(header)));
}

size_t rdm_wire_put_cts(void *buf, uint32_t connid, uint32_t send_id,
			uint32_t recv_id, uint64_t window)
{
	return put_cts(buf, RDM_WIRE_CONNID, connid, send_id, recv_id,
		       window);
}

size_t rdm_wire_put_read_cts(void *buf, uint32_t connid, uint32_t send_id,
			     uint32_t recv_id, uint64_t window)
{
	return put_cts(buf, RDM_WIRE_CONNID | RDM_WIRE_CTS_READ, connid,
		       send_id, recv_id, window);
}

size_t rdm_wire_put_readrsp(void *buf, uint32_t connid, uint32_t recv_id,
			    uint32_t send_id, uint64_t seg_length)
{
	const struct rdm_wire_readrsp header = {
		.base = base_of(RDM_WIRE_READRSP, RDM_WIRE_CONNID),
		.connid = connid,
		.recv_id = recv_id,
		.send_id = send_id,
		.seg_length = seg_length,
	};

	return length_to(buf, put(buf, &header, sizeof(header)));
}

size_t rdm_wire_put_ctsdata(void *buf, uint32_t connid, uint32_t recv_id,
			    uint64_t seg_offset, uint64_t seg_length)
{
	const struct rdm_wire_ctsdata header = {
		.base = base_of(RDM_WIRE_CTSDATA, RDM_WIRE_CONNID),
		.recv_id = recv_id,
		.seg_length = seg_length,
		.seg_offset = seg_offset,
	};
	const struct rdm_wire_connid_pad tail = { .connid = connid };
	uint8_t *at = put(buf, &header, sizeof(header));

	return length_to(buf, put(at, &tail, sizeof(tail)));
}

static size_t put_read_done(void *buf, enum rdm_wire_type type,
			    uint32_t connid, uint32_t send_id,
			    uint32_t recv_id)
{
	const struct rdm_wire_read_done header = {
		.base = base_of(type, RDM_WIRE_CONNID),
		.send_id = send_id,
		.recv_id = recv_id,
		.connid = connid,
	};

	return length_to(buf, put(buf, &header, sizeof(header)));
}

size_t rdm_wire_put_eor(void *buf, uint32_t connid, uint32_t send_id,
			uint32_t recv_id)
{
	return put_read_done(buf, RDM_WIRE_EOR, connid, send_id, recv_id);
}

size_t rdm_wire_put_read_nack(void *buf, uint32_t connid, uint32_t send_id,
			      uint32_t recv_id)
{
	return put_read_done(buf, RDM_WIRE_READ_NACK, connid, send_id,
			     recv_id);
}

size_t rdm_wire_put_receipt(void *buf, uint32_t connid, uint32_t send_id,
			    uint32_t msg_id)
{
	const struct rdm_wire_receipt header = {
		.base = base_of(RDM_WIRE_RECEIPT, RDM_WIRE_CONNID),
		.send_id = send_id,
		.msg_id = msg_id,
		.connid = connid,
	};

	return length_to(buf, put(buf, &header, sizeof(header)));
}

size_t rdm_wire_put_peer_error(void *buf, uint32_t connid,
			       enum rdm_wire_ref_kind ref_kind,
			       uint32_t op_id, uint32_t prov_errno)
{
	const struct rdm_wire_peer_error header = {
		.base = base_of(RDM_WIRE_PEER_ERROR, RDM_WIRE_CONNID),
		.op_id = op_id,
		.ref_kind = ref_kind,
		.prov_errno = prov_errno,
		.connid = connid,
	};

	return length_to(buf, put(buf, &header, sizeof(header)));
}

/* An optional part of HANDSHAKE: 8 bytes, the value in the first of them. */
static uint8_t *put_slot(uint8_t *at, uint64_t value)
{
	return put(at, &value, RDM_WIRE_SLOT_BYTES);
}

size_t rdm_wire_put_handshake(void *buf, const struct rdm_wire_hello *hello)
{
	struct rdm_wire_handshake header = {
		.base = base_of(RDM_WIRE_HANDSHAKE,
				RDM_WIRE_CONNID | RDM_WIRE_P2P),
		.nextra_p3 = 1 + 3,
	};
	uint8_t *at;

	if (hello->host_id)
		header.base.flags |= RDM_WIRE_HOST_ID;
	if (hello->device_version)
		header.base.flags |= RDM_WIRE_DEVICE_VERSION;
	at = put(buf, &header, sizeof(header));
	at = put_slot(at, hello->features);
	at = put_slot(at, hello->connid);
	if (hello->host_id)
		at = put_slot(at, hello->host_id);
	if (hello->device_version)
		at = put_slot(at, hello->device_version);
	return length_to(buf, put_slot(at, hello->has_p2p));
}
