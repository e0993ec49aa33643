/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/wire_decode.h"

#include <string.h>

#include "rdm/wire_type.h"

/* What is left of a packet. */
struct cursor {
	const uint8_t *at;
	size_t left;
};

static bool take(struct cursor *rest, void *to, size_t len)
{
	if (rest->left < len)
		return false;
	memcpy(to, rest->at, len);
	rest->at += len;
	rest->left -= len;
	return true;
}

static enum rdm_wire_fault take_iovs(struct cursor *rest,
				     struct rdm_wire_iov *iov,
				     unsigned int count)
{
	if (count > RDM_WIRE_IOV_MAX)
		return RDM_WIRE_BAD_COUNT;
	return take(rest, iov, count * sizeof(*iov)) ?
		RDM_WIRE_OK : RDM_WIRE_SHORT;
}

static enum rdm_wire_fault take_raw_addr(struct cursor *rest,
					 struct rdm_wire_view *view)
{
	uint32_t len;

	if (!take(rest, &len, sizeof(len)))
		return RDM_WIRE_SHORT;
	if (len < RDM_WIRE_RAW_ADDR_MIN)
		return RDM_WIRE_BAD_ADDRESS;
	if (len > rest->left)
		return RDM_WIRE_SHORT;
	view->raw_addr = rest->at;
	rest->at += len;
	rest->left -= len;
	return RDM_WIRE_OK;
}

static enum rdm_wire_fault take_optional(struct cursor *rest,
					 struct rdm_wire_view *view)
{
	enum rdm_wire_fault fault;

	if (view->flags & RDM_WIRE_RAW_ADDR) {
		fault = take_raw_addr(rest, view);
		if (fault)
			return fault;
	}
	if (view->has_cq_data &&
	    !take(rest, &view->cq_data, RDM_WIRE_CQ_DATA_BYTES))
		return RDM_WIRE_SHORT;
	if (view->has_connid &&
	    !take(rest, &view->connid, RDM_WIRE_CONNID_BYTES))
		return RDM_WIRE_SHORT;
	return RDM_WIRE_OK;
}

/* Behind the mandatory header of a request. */
static enum rdm_wire_fault take_request(struct cursor *rest,
					struct rdm_wire_view *view)
{
	enum rdm_wire_fault fault;

	if ((view->flags & RDM_WIRE_AFTER_NACK) &&
	    view->kind != RDM_KIND_LONGCTS &&
	    view->kind != RDM_KIND_LONGCTS_RTW)
		return RDM_WIRE_BAD_FLAGS;
	view->has_cq_data = view->flags & RDM_WIRE_CQ_DATA;
	if (view->is_tagged && !take(rest, &view->tag, sizeof(view->tag)))
		return RDM_WIRE_SHORT;
	if (view->rma_iov_count) {
		fault = take_iovs(rest, view->rma_iov, view->rma_iov_count);
		if (fault)
			return fault;
	}
	fault = take_optional(rest, view);
	if (fault || !view->read_iov_count)
		return fault;
	return take_iovs(rest, view->read_iov, view->read_iov_count);
}

/* Of a slot of 8 bytes the first @len; nothing if the flag is not set. */
static bool take_slot(struct cursor *rest, bool is_there, void *to, size_t len)
{
	uint8_t slot[RDM_WIRE_SLOT_BYTES];

	if (!is_there)
		return true;
	if (!take(rest, slot, sizeof(slot)))
		return false;
	memcpy(to, slot, len);
	return true;
}

static enum rdm_wire_fault take_words(struct cursor *rest, uint32_t nextra_p3,
				      uint64_t *extra_info)
{
	uint32_t words = nextra_p3 - 3;
	uint32_t kept = words < RDM_FEATURE_WORDS ? words : RDM_FEATURE_WORDS;

	if (nextra_p3 < 3)
		return RDM_WIRE_BAD_COUNT;
	if (words > rest->left / sizeof(uint64_t))
		return RDM_WIRE_SHORT;
	memcpy(extra_info, rest->at, kept * sizeof(uint64_t));
	rest->at += words * sizeof(uint64_t);
	rest->left -= words * sizeof(uint64_t);
	return RDM_WIRE_OK;
}

static enum rdm_wire_fault take_handshake(const uint8_t *bytes,
					  struct cursor *rest,
					  struct rdm_wire_view *view)
{
	struct rdm_handshake_view *hello = &view->handshake;
	enum rdm_wire_fault fault;
	uint32_t user_qp[2] = { 0, 0 };
	uint8_t p2p = 1;

	RDM_READ_HEADER(rdm_wire_handshake, header, bytes);
	memset(hello, 0, sizeof(*hello));
	fault = take_words(rest, header.nextra_p3, hello->extra_info);
	if (fault)
		return fault;
	hello->has_user_qp = view->flags & RDM_WIRE_USER_RECV_QP;
	if (!take_slot(rest, view->has_connid, &view->connid, 4) ||
	    !take_slot(rest, view->flags & RDM_WIRE_HOST_ID,
		       &hello->host_id, 8) ||
	    !take_slot(rest, view->flags & RDM_WIRE_DEVICE_VERSION,
		       &hello->device_version, 4) ||
	    !take_slot(rest, hello->has_user_qp, user_qp, 8) ||
	    !take_slot(rest, view->flags & RDM_WIRE_P2P, &p2p, 1))
		return RDM_WIRE_SHORT;
	hello->user_qpn = user_qp[0];
	hello->user_qkey = user_qp[1];
	hello->has_p2p = p2p;
	return RDM_WIRE_OK;
}

/* Behind the mandatory header of what is no request: most have nothing. */
static enum rdm_wire_fault take_answer(const uint8_t *bytes,
				       struct cursor *rest,
				       struct rdm_wire_view *view)
{
	if (view->kind == RDM_KIND_HANDSHAKE)
		return take_handshake(bytes, rest, view);
	if (view->kind == RDM_KIND_CTSDATA &&
	    !take_slot(rest, view->has_connid, &view->connid, 4))
		return RDM_WIRE_SHORT;
	return RDM_WIRE_OK;
}

static enum rdm_wire_fault find_type(const struct rdm_wire_base *base,
				     size_t len,
				     const struct rdm_wire_row **found)
{
	const struct rdm_wire_row *type;

	if (base->version != RDM_WIRE_VERSION)
		return RDM_WIRE_BAD_VERSION;
	type = rdm_wire_row_of(base->type);
	if (!type)
		return RDM_WIRE_BAD_TYPE;
	if (!type->kind)
		return RDM_WIRE_RETIRED_TYPE;
	if (len < type->header_len)
		return RDM_WIRE_SHORT;
	*found = type;
	return RDM_WIRE_OK;
}

static void begin_view(const struct rdm_wire_base *base,
		       const struct rdm_wire_row *type,
		       struct rdm_wire_view *view)
{
	memset(view, 0, offsetof(struct rdm_wire_view, rma_iov));
	view->type = base->type;
	view->kind = type->kind;
	view->is_tagged = type->is_tagged;
	view->is_delivery_complete = type->is_delivery_complete;
	view->flags = base->flags;
	view->has_connid = base->flags & RDM_WIRE_CONNID;
}

/* The payload is what is left; where it is the whole message, or the
 * operand of an atomic, no header told the message's length. */
static void end_view(const struct cursor *rest, struct rdm_wire_view *view)
{
	view->payload = rest->at;
	view->payload_len = (uint32_t)rest->left;
	if (view->kind == RDM_KIND_EAGER || view->kind == RDM_KIND_EAGER_RTW)
		view->msg_length = rest->left;
}

enum rdm_wire_fault rdm_wire_decode(const void *bytes, size_t len,
				    struct rdm_wire_view *view)
{
	const struct rdm_wire_row *type;
	enum rdm_wire_fault fault;
	struct cursor rest;

	if (len < sizeof(struct rdm_wire_base))
		return RDM_WIRE_SHORT;
	RDM_READ_HEADER(rdm_wire_base, base, bytes);
	view->type = base.type;
	fault = find_type(&base, len, &type);
	if (fault)
		return fault;
	begin_view(&base, type, view);
	if (type->read)
		type->read(bytes, view);
	rest.at = (const uint8_t *)bytes + type->header_len;
	rest.left = len - type->header_len;
	fault = base.type >= RDM_WIRE_FIRST_REQUEST ?
		take_request(&rest, view) : take_answer(bytes, &rest, view);
	if (fault)
		return fault;
	end_view(&rest, view);
	return type->check(view);
}

const char *rdm_wire_fault_text(enum rdm_wire_fault fault)
{
	static const char *const text[RDM_WIRE_FAULTS] = {
		[RDM_WIRE_OK] = "nothing is wrong",
		[RDM_WIRE_SHORT] = "it ends within its header",
		[RDM_WIRE_BAD_VERSION] = "it is of another protocol version",
		[RDM_WIRE_BAD_TYPE] = "there is no such packet type",
		[RDM_WIRE_RETIRED_TYPE] = "its type is reserved or retired",
		[RDM_WIRE_BAD_FLAGS] = "a flag does not fit its type",
		[RDM_WIRE_BAD_ADDRESS] = "its raw address is too short",
		[RDM_WIRE_BAD_COUNT] = "a count in it is out of range",
		[RDM_WIRE_BAD_IOV] = "its memory areas do not add up",
		[RDM_WIRE_BAD_LENGTH] = "a length in it cannot be right",
		[RDM_WIRE_OUT_OF_MESSAGE] = "its data lie beyond the message",
		[RDM_WIRE_BAD_REF] = "it refers to an unknown kind of thing",
	};

	return text[fault];
}
