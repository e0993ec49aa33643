/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/wire_type.h"

/* A count of the wire's 32 bits kept in 8: too many stay too many. */
static uint8_t clamp_count(uint32_t count)
{
	return count > UINT8_MAX ? UINT8_MAX : (uint8_t)count;
}

static void read_eager(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_eager_rtm, header, bytes);
	view->msg_id = header.msg_id;
}

static void read_medium(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_medium_rtm, header, bytes);
	view->msg_id = header.msg_id;
	view->msg_length = header.msg_length;
	view->seg_offset = header.seg_offset;
}

static void read_longcts(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_longcts_rtm, header, bytes);
	view->msg_id = header.msg_id;
	view->msg_length = header.msg_length;
	view->send_id = header.send_id;
	view->credit_request = header.credit_request;
}

static void read_longread(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_longread_rtm, header, bytes);
	view->msg_id = header.msg_id;
	view->msg_length = header.msg_length;
	view->send_id = header.send_id;
	view->read_iov_count = clamp_count(header.read_iov_count);
}

static void read_runtread(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_runtread_rtm, header, bytes);
	view->msg_id = header.msg_id;
	view->msg_length = header.msg_length;
	view->send_id = header.send_id;
	view->read_iov_count = clamp_count(header.read_iov_count);
	view->seg_offset = header.seg_offset;
	view->runt_length = header.runt_length;
}

static void read_dc_eager(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_dc_eager_rtm, header, bytes);
	view->msg_id = header.msg_id;
	view->send_id = header.send_id;
}

static void read_dc_medium(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_dc_medium_rtm, header, bytes);
	view->msg_id = header.msg_id;
	view->send_id = header.send_id;
	view->msg_length = header.msg_length;
	view->seg_offset = header.seg_offset;
}

static void read_eager_rtw(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_eager_rtw, header, bytes);
	view->rma_iov_count = clamp_count(header.rma_iov_count);
}

static void read_dc_eager_rtw(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_dc_eager_rtw, header, bytes);
	view->rma_iov_count = clamp_count(header.rma_iov_count);
	view->send_id = header.send_id;
}

static void read_longcts_rtw(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_long_rtw, header, bytes);
	view->rma_iov_count = clamp_count(header.rma_iov_count);
	view->msg_length = header.msg_length;
	view->send_id = header.send_id;
	view->credit_request = header.credits;
}

static void read_longread_rtw(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_long_rtw, header, bytes);
	view->rma_iov_count = clamp_count(header.rma_iov_count);
	view->msg_length = header.msg_length;
	view->send_id = header.send_id;
	view->read_iov_count = clamp_count(header.credits);
}

static void read_rtr(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_rtr, header, bytes);
	view->rma_iov_count = clamp_count(header.rma_iov_count);
	view->msg_length = header.msg_length;
	view->recv_id = header.recv_id;
	view->window = header.recv_length;
}

static void read_rta(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_rta, header, bytes);
	view->msg_id = header.msg_id;
	view->rma_iov_count = clamp_count(header.rma_iov_count);
	view->atomic.datatype = header.datatype;
	view->atomic.op = header.op;
	if (view->kind != RDM_KIND_WRITE_RTA)
		view->recv_id = header.op_id;
	else if (view->is_delivery_complete)
		view->send_id = header.op_id;
}

static void read_cts(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_cts, header, bytes);
	view->connid = header.connid;
	view->send_id = header.send_id;
	view->recv_id = header.recv_id;
	view->window = header.recv_length;
}

static void read_ctsdata(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_ctsdata, header, bytes);
	view->recv_id = header.recv_id;
	view->seg_offset = header.seg_offset;
	view->msg_length = header.seg_length;
}

static void read_readrsp(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_readrsp, header, bytes);
	view->connid = header.connid;
	view->recv_id = header.recv_id;
	view->send_id = header.send_id;
	view->msg_length = header.seg_length;
}

static void read_atomrsp(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_atomrsp, header, bytes);
	view->connid = header.connid;
	view->recv_id = header.recv_id;
	view->msg_length = header.seg_length;
}

static void read_read_done(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_read_done, header, bytes);
	view->connid = header.connid;
	view->send_id = header.send_id;
	view->recv_id = header.recv_id;
}

static void read_receipt(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_receipt, header, bytes);
	view->connid = header.connid;
	view->send_id = header.send_id;
	view->msg_id = header.msg_id;
}

static void read_peer_error(const uint8_t *bytes, struct rdm_wire_view *view)
{
	RDM_READ_HEADER(rdm_wire_peer_error, header, bytes);
	view->connid = header.connid;
	view->error.op_id = header.op_id;
	view->error.ref_kind = header.ref_kind;
	view->error.prov_errno = header.prov_errno;
}

/* Sum of @count lengths; false when an entry or the sum wraps. */
static bool add_up(const struct rdm_wire_iov *iov, unsigned int count,
		   uint64_t *total)
{
	uint64_t end;

	*total = 0;
	for (unsigned int i = 0; i < count; i++)
		if (__builtin_add_overflow(iov[i].addr, iov[i].len, &end) ||
		    __builtin_add_overflow(*total, iov[i].len, total))
			return false;
	return true;
}

static enum rdm_wire_fault check_sum(const struct rdm_wire_iov *iov,
				     unsigned int count, uint64_t expected)
{
	uint64_t total;

	return add_up(iov, count, &total) && total == expected ?
		RDM_WIRE_OK : RDM_WIRE_BAD_IOV;
}

static enum rdm_wire_fault check_nothing(const struct rdm_wire_view *view)
{
	(void)view;
	return RDM_WIRE_OK;
}

static enum rdm_wire_fault check_segment(const struct rdm_wire_view *view,
					 uint64_t area)
{
	if (!view->payload_len || !area)
		return RDM_WIRE_BAD_LENGTH;
	if (view->seg_offset > area ||
	    view->payload_len > area - view->seg_offset)
		return RDM_WIRE_OUT_OF_MESSAGE;
	return RDM_WIRE_OK;
}

static enum rdm_wire_fault check_medium(const struct rdm_wire_view *view)
{
	return check_segment(view, view->msg_length);
}

static enum rdm_wire_fault check_longcts(const struct rdm_wire_view *view)
{
	if (!view->msg_length)
		return RDM_WIRE_BAD_LENGTH;
	return view->payload_len > view->msg_length ?
		RDM_WIRE_OUT_OF_MESSAGE : RDM_WIRE_OK;
}

static enum rdm_wire_fault check_longread(const struct rdm_wire_view *view)
{
	if (!view->msg_length)
		return RDM_WIRE_BAD_LENGTH;
	return check_sum(view->read_iov, view->read_iov_count,
			 view->msg_length);
}

static enum rdm_wire_fault check_runtread(const struct rdm_wire_view *view)
{
	if (view->runt_length > view->msg_length)
		return RDM_WIRE_BAD_LENGTH;
	if (check_longread(view))
		return check_longread(view);
	return check_segment(view, view->runt_length);
}

static enum rdm_wire_fault check_rma(const struct rdm_wire_view *view)
{
	return check_sum(view->rma_iov, view->rma_iov_count,
			 view->msg_length);
}

static enum rdm_wire_fault check_longcts_rtw(const struct rdm_wire_view *view)
{
	return check_longcts(view) ? check_longcts(view) : check_rma(view);
}

static enum rdm_wire_fault check_longread_rtw(const struct rdm_wire_view *view)
{
	return check_longread(view) ? check_longread(view) : check_rma(view);
}

static enum rdm_wire_fault check_longcts_rtr(const struct rdm_wire_view *view)
{
	if (!view->window || view->window > view->msg_length)
		return RDM_WIRE_BAD_LENGTH;
	return check_rma(view);
}

/* The payload is one operand, or two, for the memory that iovs name. */
static enum rdm_wire_fault check_rta(const struct rdm_wire_view *view)
{
	uint64_t operands = view->kind == RDM_KIND_COMPARE_RTA ? 2 : 1;
	uint64_t total;

	if (!add_up(view->rma_iov, view->rma_iov_count, &total))
		return RDM_WIRE_BAD_IOV;
	if (!total || total > view->payload_len ||
	    total * operands != view->payload_len)
		return RDM_WIRE_BAD_LENGTH;
	return RDM_WIRE_OK;
}

static enum rdm_wire_fault check_cts(const struct rdm_wire_view *view)
{
	return view->window ? RDM_WIRE_OK : RDM_WIRE_BAD_LENGTH;
}

/* The reader left the segment's length, as its header says, in msg_length. */
static enum rdm_wire_fault check_answer(const struct rdm_wire_view *view)
{
	return view->msg_length == view->payload_len ?
		RDM_WIRE_OK : RDM_WIRE_BAD_LENGTH;
}

static enum rdm_wire_fault check_ctsdata(const struct rdm_wire_view *view)
{
	if (!view->payload_len || check_answer(view))
		return RDM_WIRE_BAD_LENGTH;
	return view->seg_offset > UINT64_MAX - view->payload_len ?
		RDM_WIRE_OUT_OF_MESSAGE : RDM_WIRE_OK;
}

static enum rdm_wire_fault check_peer_error(const struct rdm_wire_view *view)
{
	return view->error.ref_kind > RDM_WIRE_REF_SKIP ?
		RDM_WIRE_BAD_REF : RDM_WIRE_OK;
}

#define PLAIN(name, kind, layout, read, check)				\
	[RDM_WIRE_##name] = { #name, RDM_KIND_##kind,			\
		sizeof(struct rdm_wire_##layout), false, false, read, check }
#define PLAIN_DC(name, kind, layout, read, check)			\
	[RDM_WIRE_##name] = { #name, RDM_KIND_##kind,			\
		sizeof(struct rdm_wire_##layout), false, true, read, check }
/* Of a message: its two types. */
#define MESSAGE(name, layout, read, check)				\
	PLAIN(name##_MSGRTM, name, layout, read, check),		\
	[RDM_WIRE_##name##_TAGRTM] = { #name "_TAGRTM", RDM_KIND_##name, \
		sizeof(struct rdm_wire_##layout), true, false, read, check }
#define MESSAGE_DC(name, layout, read, check)				\
	PLAIN_DC(DC_##name##_MSGRTM, name, layout, read, check),	\
	[RDM_WIRE_DC_##name##_TAGRTM] = { "DC_" #name "_TAGRTM",	\
		RDM_KIND_##name, sizeof(struct rdm_wire_##layout),	\
		true, true, read, check }
/* Known by name, not received. */
#define NAME(type) [RDM_WIRE_##type] = { .name = #type }

static const struct rdm_wire_row rows[] = {
	NAME(RTS), NAME(CONNACK), NAME(READ_RTR), NAME(RUNTCTS_MSGRTM),
	NAME(RUNTCTS_TAGRTM), NAME(RUNTCTS_RTW), NAME(RUNTREAD_RTW),
	PLAIN(HANDSHAKE, HANDSHAKE, handshake, NULL, check_nothing),
	PLAIN(CTS, CTS, cts, read_cts, check_cts),
	PLAIN(CTSDATA, CTSDATA, ctsdata, read_ctsdata, check_ctsdata),
	PLAIN(READRSP, READRSP, readrsp, read_readrsp, check_answer),
	PLAIN(EOR, EOR, read_done, read_read_done, check_nothing),
	PLAIN(ATOMRSP, ATOMRSP, atomrsp, read_atomrsp, check_answer),
	PLAIN(RECEIPT, RECEIPT, receipt, read_receipt, check_nothing),
	PLAIN(READ_NACK, READ_NACK, read_done, read_read_done, check_nothing),
	PLAIN(PEER_ERROR, PEER_ERROR, peer_error, read_peer_error,
	      check_peer_error),
	MESSAGE(EAGER, eager_rtm, read_eager, check_nothing),
	MESSAGE(MEDIUM, medium_rtm, read_medium, check_medium),
	MESSAGE(LONGCTS, longcts_rtm, read_longcts, check_longcts),
	MESSAGE(LONGREAD, longread_rtm, read_longread, check_longread),
	MESSAGE(RUNTREAD, runtread_rtm, read_runtread, check_runtread),
	MESSAGE_DC(EAGER, dc_eager_rtm, read_dc_eager, check_nothing),
	MESSAGE_DC(MEDIUM, dc_medium_rtm, read_dc_medium, check_medium),
	MESSAGE_DC(LONGCTS, longcts_rtm, read_longcts, check_longcts),
	PLAIN(EAGER_RTW, EAGER_RTW, eager_rtw, read_eager_rtw, check_rma),
	PLAIN(LONGCTS_RTW, LONGCTS_RTW, long_rtw, read_longcts_rtw,
	      check_longcts_rtw),
	PLAIN(LONGREAD_RTW, LONGREAD_RTW, long_rtw, read_longread_rtw,
	      check_longread_rtw),
	PLAIN_DC(DC_EAGER_RTW, EAGER_RTW, dc_eager_rtw, read_dc_eager_rtw,
		 check_rma),
	PLAIN_DC(DC_LONGCTS_RTW, LONGCTS_RTW, long_rtw, read_longcts_rtw,
		 check_longcts_rtw),
	PLAIN(SHORT_RTR, SHORT_RTR, rtr, read_rtr, check_rma),
	PLAIN(LONGCTS_RTR, LONGCTS_RTR, rtr, read_rtr, check_longcts_rtr),
	PLAIN(WRITE_RTA, WRITE_RTA, rta, read_rta, check_rta),
	PLAIN(FETCH_RTA, FETCH_RTA, rta, read_rta, check_rta),
	PLAIN(COMPARE_RTA, COMPARE_RTA, rta, read_rta, check_rta),
	PLAIN_DC(DC_WRITE_RTA, WRITE_RTA, rta, read_rta, check_rta),
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct rdm_wire_row *rdm_wire_row_of(uint8_t type)
{
	return type < ROWS && rows[type].name ? &rows[type] : NULL;
}

enum rdm_wire_kind rdm_wire_kind_of(uint8_t type)
{
	return type < ROWS ? rows[type].kind : RDM_KIND_NONE;
}

const char *rdm_wire_type_name(uint8_t type)
{
	return type < ROWS && rows[type].name ? rows[type].name : "unknown";
}
