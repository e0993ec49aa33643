/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "daemon/efa_abi.h"
#include "daemon/ioctl_gate.h"
#include "flat_memory.h"

#define HDR_ADDR	(FLAT_BASE + 0x100u)
#define DATA_ADDR	(FLAT_BASE + 0x2000u)
#define MANDATORY	UVERBS_ATTR_F_MANDATORY

struct frame {
	struct flat_memory flat;
	struct ib_uverbs_ioctl_hdr *hdr;
	struct gate_call call;
};

static struct ib_uverbs_attr *frame_attr(struct frame *f, unsigned index)
{
	return &f->hdr->attrs[index];
}

static void frame_add(struct frame *f, uint16_t id, uint16_t len,
		      uint64_t data)
{
	struct ib_uverbs_attr *attr = frame_attr(f, f->hdr->num_attrs);

	attr->attr_id = id;
	attr->len = len;
	attr->flags = MANDATORY;
	attr->data = data;
	f->hdr->num_attrs++;
	f->hdr->length += sizeof(*attr);
}

static void frame_begin(struct frame *f, uint16_t object, uint16_t method)
{
	flat_memory_init(&f->flat);
	f->hdr = flat_at(&f->flat, HDR_ADDR);
	f->hdr->length = sizeof(*f->hdr);
	f->hdr->object_id = object;
	f->hdr->method_id = method;
	f->hdr->driver_id = EFA_ABI_DRIVER_ID;
}

/* A destroy_cq that passes: handle 7 and room for the answer. */
static void frame_destroy_cq(struct frame *f)
{
	frame_begin(f, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY);
	frame_add(f, UVERBS_ATTR_DESTROY_CQ_HANDLE, 0, 7);
	frame_add(f, UVERBS_ATTR_DESTROY_CQ_RESP, 8, DATA_ADDR);
}

static int frame_run(struct frame *f)
{
	return gate_call_init(&f->call, &f->flat.mem, HDR_ADDR);
}

static void test_good_call(void **state)
{
	struct frame f;
	uint64_t answer = 0x1122334455667788;

	frame_destroy_cq(&f);
	assert_int_equal(frame_run(&f), 0);
	assert_int_equal(f.call.id, METHOD_CQ_DESTROY);
	assert_int_equal(gate_object(&f.call, UVERBS_ATTR_DESTROY_CQ_HANDLE),
			 7);
	assert_int_equal(gate_write(&f.call, UVERBS_ATTR_DESTROY_CQ_RESP,
				    &answer, sizeof(answer)), 0);
	assert_memory_equal(flat_at(&f.flat, DATA_ADDR), &answer, 8);
	assert_int_equal(frame_attr(&f, 1)->flags,
			 MANDATORY | UVERBS_ATTR_F_VALID_OUTPUT);
	gate_call_fini(&f.call);
}

/* The client may change its table while the call runs. */
static void test_table_is_copied(void **state)
{
	struct frame f;
	uint64_t answer = 1;

	frame_destroy_cq(&f);
	assert_int_equal(frame_run(&f), 0);
	frame_attr(&f, 0)->data = 99;
	frame_attr(&f, 1)->data = 0;
	frame_attr(&f, 1)->len = 0;
	assert_int_equal(f.flat.reads, 2);
	assert_int_equal(gate_object(&f.call, UVERBS_ATTR_DESTROY_CQ_HANDLE),
			 7);
	assert_int_equal(gate_write(&f.call, UVERBS_ATTR_DESTROY_CQ_RESP,
				    &answer, sizeof(answer)), 0);
}

static void test_bad_header(void **state)
{
	struct frame f;

	frame_destroy_cq(&f);
	assert_int_equal(gate_call_init(&f.call, &f.flat.mem, 0), -EFAULT);
	assert_int_equal(gate_call_init(&f.call, &f.flat.mem, UINT64_MAX),
			 -EFAULT);
	f.hdr->length++;
	assert_int_equal(frame_run(&f), -EINVAL);
	frame_destroy_cq(&f);
	f.hdr->num_attrs = 0xffff;
	f.hdr->length = (uint16_t)(sizeof(*f.hdr) + 0xffff * 16);
	assert_int_equal(frame_run(&f), -EINVAL);
	frame_destroy_cq(&f);
	f.hdr->num_attrs = 300;
	f.hdr->length = sizeof(*f.hdr) + 300 * 16;
	assert_int_equal(frame_run(&f), -EINVAL);
	frame_destroy_cq(&f);
	f.hdr->reserved1 = 1;
	assert_int_equal(frame_run(&f), -EPROTONOSUPPORT);
	frame_destroy_cq(&f);
	f.hdr->reserved2 = 1;
	assert_int_equal(frame_run(&f), -EPROTONOSUPPORT);
	frame_destroy_cq(&f);
	f.hdr->driver_id = 1;
	assert_int_equal(frame_run(&f), -EINVAL);
}

static void test_unknown_method(void **state)
{
	struct frame f;

	frame_destroy_cq(&f);
	f.hdr->method_id = 77;
	assert_int_equal(frame_run(&f), -EPROTONOSUPPORT);
	frame_destroy_cq(&f);
	f.hdr->object_id = 0xffff;
	assert_int_equal(frame_run(&f), -EPROTONOSUPPORT);
}

static void test_unknown_attr(void **state)
{
	static const uint16_t unknown[] = {
		2, ATTR_CORE_SLOTS - 1, ATTR_CORE_SLOTS, 0x0fff, 0x1000,
		0x1000 + ATTR_DRIVER_SLOTS, 0xffff,
	};
	struct frame f;

	for (unsigned i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		frame_destroy_cq(&f);
		frame_add(&f, unknown[i], 0, 0);
		assert_int_equal(frame_run(&f), -EPROTONOSUPPORT);
		frame_attr(&f, 2)->flags = 0;
		assert_int_equal(frame_run(&f), 0);
	}
}

static void test_duplicate_and_missing(void **state)
{
	struct frame f;

	frame_destroy_cq(&f);
	frame_add(&f, UVERBS_ATTR_DESTROY_CQ_HANDLE, 0, 7);
	assert_int_equal(frame_run(&f), -EINVAL);
	frame_destroy_cq(&f);
	f.hdr->num_attrs = 1;
	f.hdr->length -= sizeof(struct ib_uverbs_attr);
	assert_int_equal(frame_run(&f), -EINVAL);
	frame_begin(&f, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY);
	assert_int_equal(frame_run(&f), -EINVAL);
}

static void test_bad_lengths(void **state)
{
	struct frame f;

	frame_destroy_cq(&f);
	frame_attr(&f, 0)->len = 4;
	assert_int_equal(frame_run(&f), -EINVAL);
	frame_destroy_cq(&f);
	frame_attr(&f, 1)->len = 7;
	assert_int_equal(frame_run(&f), -EINVAL);
	frame_attr(&f, 1)->len = 9;
	assert_int_equal(frame_run(&f), -EINVAL);
	frame_destroy_cq(&f);
	frame_attr(&f, 0)->attr_data.reserved = 1;
	assert_int_equal(frame_run(&f), -EINVAL);
	frame_destroy_cq(&f);
	frame_attr(&f, 1)->attr_data.reserved = 1;
	assert_int_equal(frame_run(&f), -EINVAL);
}

/* A table that lies half outside the client's memory. */
static void test_table_not_mapped(void **state)
{
	uint64_t addr = FLAT_BASE + FLAT_BYTES -
			sizeof(struct ib_uverbs_ioctl_hdr);
	struct frame f;

	frame_destroy_cq(&f);
	memcpy(flat_at(&f.flat, addr), f.hdr, sizeof(*f.hdr));
	assert_int_equal(gate_call_init(&f.call, &f.flat.mem, addr), -EFAULT);
}

static void frame_invoke_write(struct frame *f, uint16_t in_len,
			       uint64_t in_data)
{
	frame_begin(f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	frame_add(f, UVERBS_ATTR_WRITE_CMD, 8, 9);
	frame_add(f, UVERBS_ATTR_CORE_IN, in_len, in_data);
}

static void test_inline_input(void **state)
{
	uint8_t got[12];
	struct frame f;

	frame_invoke_write(&f, 8, 0x0807060504030201);
	assert_int_equal(frame_run(&f), 0);
	assert_int_equal(gate_value(&f.call, UVERBS_ATTR_WRITE_CMD, 0), 9);
	memset(got, 0xff, sizeof(got));
	assert_int_equal(gate_read(&f.call, UVERBS_ATTR_CORE_IN, got,
				   sizeof(got)), 0);
	assert_memory_equal(got, "\1\2\3\4\5\6\7\10\0\0\0\0", 12);
	/* Five bytes: the rest of the word is not part of it. */
	frame_invoke_write(&f, 5, 0x0807060504030201);
	assert_int_equal(frame_run(&f), 0);
	assert_int_equal(gate_read(&f.call, UVERBS_ATTR_CORE_IN, got, 8), 0);
	assert_memory_equal(got, "\1\2\3\4\5\0\0\0", 8);
	frame_invoke_write(&f, 3, 0);
	assert_int_equal(frame_run(&f), -EINVAL);
}

static void test_pointer_input(void **state)
{
	uint8_t got[24];
	struct frame f;

	frame_invoke_write(&f, 16, DATA_ADDR);
	memset(flat_at(&f.flat, DATA_ADDR), 0xab, 64);
	assert_int_equal(frame_run(&f), 0);
	assert_int_equal(gate_read(&f.call, UVERBS_ATTR_CORE_IN, got,
				   sizeof(got)), 0);
	assert_int_equal(got[15], 0xab);
	assert_int_equal(got[16], 0);
	frame_invoke_write(&f, 16, FLAT_BASE + FLAT_BYTES - 8);
	assert_int_equal(frame_run(&f), 0);
	assert_int_equal(gate_read(&f.call, UVERBS_ATTR_CORE_IN, got, 16),
			 -EFAULT);
	frame_invoke_write(&f, 16, 0);
	assert_int_equal(frame_run(&f), 0);
	assert_int_equal(gate_read(&f.call, UVERBS_ATTR_CORE_IN, got, 16),
			 -EFAULT);
	assert_int_equal(gate_read(&f.call, UVERBS_ATTR_UHW_IN, got, 16),
			 -ENOENT);
}

static void test_zero_beyond(void **state)
{
	struct frame f;

	frame_invoke_write(&f, 40, DATA_ADDR);
	assert_int_equal(frame_run(&f), 0);
	assert_int_equal(gate_check_zero(&f.call, UVERBS_ATTR_CORE_IN, 8), 0);
	*(uint8_t *)flat_at(&f.flat, DATA_ADDR + 39) = 1;
	assert_int_equal(gate_check_zero(&f.call, UVERBS_ATTR_CORE_IN, 8),
			 -EOPNOTSUPP);
	assert_int_equal(gate_check_zero(&f.call, UVERBS_ATTR_CORE_IN, 40),
			 0);
	frame_invoke_write(&f, 8, 1ull << 56);
	assert_int_equal(frame_run(&f), 0);
	assert_int_equal(gate_check_zero(&f.call, UVERBS_ATTR_CORE_IN, 7),
			 -EOPNOTSUPP);
}

/* CAP of create_qp is a struct that may grow with zeros. */
static void test_growing_struct(void **state)
{
	struct frame f;
	unsigned cap;

	frame_begin(&f, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	frame_add(&f, UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0);
	frame_add(&f, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8, 0);
	frame_add(&f, UVERBS_ATTR_CREATE_QP_TYPE, 8, 4);
	frame_add(&f, UVERBS_ATTR_CREATE_QP_RESP_CAP, 20, DATA_ADDR);
	frame_add(&f, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4, DATA_ADDR);
	cap = f.hdr->num_attrs;
	frame_add(&f, UVERBS_ATTR_CREATE_QP_CAP, 20, DATA_ADDR);
	assert_int_equal(frame_run(&f), 0);
	frame_attr(&f, cap)->len = 300;
	assert_int_equal(frame_run(&f), 0);
	*(uint8_t *)flat_at(&f.flat, DATA_ADDR + 299) = 1;
	assert_int_equal(frame_run(&f), -EOPNOTSUPP);
	frame_attr(&f, cap)->len = 19;
	assert_int_equal(frame_run(&f), -EINVAL);
}

static void test_output_room(void **state)
{
	uint8_t src[48];
	struct frame f;
	uint8_t *room;

	memset(src, 0x5a, sizeof(src));
	frame_begin(&f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	frame_add(&f, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 8, 1);
	frame_add(&f, UVERBS_ATTR_QUERY_PORT_RESP, 600, DATA_ADDR);
	assert_int_equal(frame_run(&f), 0);
	room = flat_at(&f.flat, DATA_ADDR);
	memset(room, 0xff, 601);
	assert_int_equal(gate_write_zeroing(&f.call,
					    UVERBS_ATTR_QUERY_PORT_RESP, src,
					    sizeof(src)), 0);
	assert_memory_equal(room, src, sizeof(src));
	for (unsigned i = sizeof(src); i < 600; i++)
		assert_int_equal(room[i], 0);
	assert_int_equal(room[600], 0xff);
	frame_attr(&f, 1)->data = 0;
	assert_int_equal(frame_run(&f), 0);
	assert_int_equal(gate_write(&f.call, UVERBS_ATTR_QUERY_PORT_RESP, src,
				    sizeof(src)), -EFAULT);
}

/* A descriptor nobody took is closed with the call. */
static void test_descriptors(void **state)
{
	struct frame f;
	int pipe_fd[2];

	assert_int_equal(pipe(pipe_fd), 0);
	frame_begin(&f, UVERBS_OBJECT_ASYNC_EVENT,
		    UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	frame_add(&f, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
	assert_int_equal(frame_run(&f), 0);
	gate_give_fd(&f.call, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE,
		     pipe_fd[1]);
	assert_int_equal(f.call.fd[0].addr, HDR_ADDR + 24 + 8);
	assert_int_equal(f.call.fd[0].width, 8);
	gate_call_fini(&f.call);
	assert_int_equal(close(pipe_fd[1]), -1);
	close(pipe_fd[0]);
}

static void test_schema_is_sane(void **state)
{
	for (enum method_id id = 0; id < METHOD_COUNT; id++) {
		const struct method_schema *schema = method_schema_get(id);

		assert_non_null(schema->name);
		assert_int_equal(method_schema_find(schema->object,
						    schema->method), id);
		for (unsigned i = 0; i < ATTR_SLOTS; i++) {
			const struct attr_spec *spec = &schema->attr[i];
			bool bytes = spec->kind == ATTR_IN ||
				     spec->kind == ATTR_OUT;

			assert_true(spec->min_bytes <= spec->max_bytes);
			assert_true(bytes || spec->max_bytes == 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_call),
		cmocka_unit_test(test_table_is_copied),
		cmocka_unit_test(test_bad_header),
		cmocka_unit_test(test_unknown_method),
		cmocka_unit_test(test_unknown_attr),
		cmocka_unit_test(test_duplicate_and_missing),
		cmocka_unit_test(test_bad_lengths),
		cmocka_unit_test(test_table_not_mapped),
		cmocka_unit_test(test_inline_input),
		cmocka_unit_test(test_pointer_input),
		cmocka_unit_test(test_zero_beyond),
		cmocka_unit_test(test_growing_struct),
		cmocka_unit_test(test_output_room),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_schema_is_sane),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
