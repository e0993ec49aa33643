/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What libfabric's own provider sends is read as it was meant, and written
 * just as it wrote it. */
#include "recorded_packets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rdm/wire_encode.h"
#include "rdm/wire_type.h"

enum { RECORDED = sizeof(recorded_packets) / sizeof(recorded_packets[0]) };

/* Of its exact size, the payload 0; the caller's. */
static uint8_t *bytes_of(const struct recorded_packet *recorded,
			 size_t *header_len)
{
	uint8_t *bytes;

	*header_len = strlen(recorded->hex) / 2;
	bytes = calloc(1, *header_len + recorded->payload_len);
	assert_non_null(bytes);
	for (size_t i = 0; i < *header_len; i++) {
		unsigned int byte;

		assert_int_equal(sscanf(recorded->hex + 2 * i, "%2x", &byte),
				 1);
		bytes[i] = (uint8_t)byte;
	}
	return bytes;
}

static void expect_iov(const struct rdm_wire_iov *iov, uint32_t count,
		       uint64_t addr, uint64_t len, uint64_t key)
{
	assert_true(count <= 1);
	if (!count)
		return;
	assert_true(iov->addr == addr);
	assert_true(iov->len == len);
	assert_true(iov->key == key);
}

static void expect_fields(const struct rdm_wire_view *view,
			  const struct recorded_fields *is)
{
	assert_int_equal(view->connid, is->connid);
	assert_int_equal(view->msg_id, is->msg_id);
	assert_int_equal(view->send_id, is->send_id);
	assert_int_equal(view->recv_id, is->recv_id);
	assert_int_equal(view->tag, is->tag);
	assert_int_equal(view->cq_data, is->cq_data);
	assert_int_equal(view->msg_length, is->msg_length);
	assert_int_equal(view->seg_offset, is->seg_offset);
	if (is->window)
		assert_int_equal(view->window, is->window);
	if (is->runt_length)
		assert_int_equal(view->runt_length, is->runt_length);
	assert_int_equal(view->rma_iov_count, is->rma_iov_count);
	assert_int_equal(view->read_iov_count, is->read_iov_count);
	expect_iov(view->rma_iov, view->rma_iov_count, is->rma_addr,
		   is->rma_len, is->rma_key);
	expect_iov(view->read_iov, view->read_iov_count, is->read_addr,
		   is->read_len, is->read_key);
}

static void test_decoded(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < RECORDED; i++) {
		const struct recorded_packet *recorded = &recorded_packets[i];
		struct rdm_wire_view view;
		size_t header_len;
		uint8_t *bytes = bytes_of(recorded, &header_len);
		enum rdm_wire_fault fault = rdm_wire_decode(bytes,
			header_len + recorded->payload_len, &view);

		assert_string_equal(rdm_wire_fault_text(fault),
				    rdm_wire_fault_text(RDM_WIRE_OK));
		assert_string_equal(rdm_wire_type_name(view.type),
				    recorded->type);
		assert_ptr_equal(view.payload, bytes + header_len);
		assert_int_equal(view.payload_len, recorded->payload_len);
		expect_fields(&view, &recorded->fields);
		free(bytes);
	}
}

/* The header that says what @view does; 0: there is no writer for it. */
static size_t encode_message(void *buf, const struct rdm_wire_view *view,
			     const struct rdm_wire_message *msg)
{
	switch (view->kind) {
	case RDM_KIND_EAGER:
		return rdm_wire_put_eager(buf, msg);
	case RDM_KIND_MEDIUM:
		return rdm_wire_put_medium(buf, msg, view->seg_offset);
	case RDM_KIND_LONGCTS:
		return rdm_wire_put_longcts(buf, msg, view->credit_request,
					    false);
	case RDM_KIND_LONGREAD:
		return rdm_wire_put_longread(buf, msg, view->read_iov,
					     view->read_iov_count);
	case RDM_KIND_RUNTREAD:
		return rdm_wire_put_runtread(buf, msg, view->read_iov,
					     view->read_iov_count,
					     view->seg_offset,
					     view->runt_length);
	default:
		return 0;
	}
}

static size_t encode_answer(void *buf, const struct rdm_wire_view *view)
{
	switch (view->kind) {
	case RDM_KIND_CTS:
		return rdm_wire_put_cts(buf, view->connid, view->send_id,
					view->recv_id, view->window);
	case RDM_KIND_CTSDATA:
		return rdm_wire_put_ctsdata(buf, view->connid, view->recv_id,
					    view->seg_offset,
					    view->payload_len);
	case RDM_KIND_EOR:
		return rdm_wire_put_eor(buf, view->connid, view->send_id,
					view->recv_id);
	case RDM_KIND_RECEIPT:
		return rdm_wire_put_receipt(buf, view->connid, view->send_id,
					    view->msg_id);
	default:
		return 0;
	}
}

static size_t encode(void *buf, const struct rdm_wire_view *view)
{
	struct fabric_address address;
	struct rdm_wire_message msg = {
		.has_connid = view->has_connid, .connid = view->connid,
		.has_cq_data = view->has_cq_data, .cq_data = view->cq_data,
		.is_tagged = view->is_tagged, .tag = view->tag,
		.is_delivery_complete = view->is_delivery_complete,
		.msg_id = view->msg_id, .send_id = view->send_id,
		.msg_length = view->msg_length,
	};

	if (view->raw_addr) {
		memcpy(&address, view->raw_addr, sizeof(address));
		msg.raw_addr = &address;
	}
	return view->type < RDM_WIRE_FIRST_REQUEST ?
		encode_answer(buf, view) : encode_message(buf, view, &msg);
}

static void test_encoded(void **state)
{
	unsigned int compared = 0;

	(void)state;
	for (unsigned int i = 0; i < RECORDED; i++) {
		const struct recorded_packet *recorded = &recorded_packets[i];
		uint64_t buf[RDM_WIRE_HEADER_MAX / 8 + 1];
		struct rdm_wire_view view;
		size_t header_len, len;
		uint8_t *bytes = bytes_of(recorded, &header_len);

		assert_int_equal(rdm_wire_decode(bytes, header_len +
			recorded->payload_len, &view), RDM_WIRE_OK);
		len = encode(buf, &view);
		if (len) {
			assert_int_equal(len, header_len);
			assert_memory_equal(buf, bytes, len);
			compared++;
		}
		free(bytes);
	}
	/* All but HANDSHAKE, which says more here, and what is of RMA. */
	assert_int_equal(compared, 27);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decoded),
		cmocka_unit_test(test_encoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
