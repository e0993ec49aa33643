/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hw/efa_io_defs.h"
#include "trace/trace_filter.h"

#define START_NS	1000u

static struct trace_filter filter;
static struct trace_entry entry;

static int set(const char *option, const char *value)
{
	const char *remedy = NULL;
	int ret = trace_filter_set(&filter, option, value, &remedy);

	assert_true(ret != -EINVAL || remedy);
	return ret;
}

static void only(const char *option, const char *value)
{
	trace_filter_init(&filter);
	assert_int_equal(set(option, value), 0);
}

static void begin(uint16_t kind)
{
	memset(&entry, 0, sizeof(entry));
	entry.record.kind = kind;
	entry.record.time_ns = START_NS;
}

static bool passes(void)
{
	return trace_filter_passes(&filter, &entry, "efa_0", START_NS);
}

static void test_values(void **state)
{
	static const struct {
		const char *option, *value;
	} bad[] = {
		{ "--kind", "" }, { "--kind", "wqe," }, { "--kind", "wq" },
		{ "--kind", "wqe packet" }, { "--qp", "" }, { "--qp", "x" },
		{ "--qp", "4294967296" }, { "--qp", "-1" }, { "--qp", "1 " },
		{ "--req-id", "0x" }, { "--req-id", "99999999999999999999" },
		{ "--since", "" }, { "--since", "1." }, { "--since", ".5" },
		{ "--since", "1.0000000001" }, { "--until", "-1" },
		{ "--until", "1e9" }, { "--until", "99999999999" },
	};
	unsigned i;

	(void)state;
	trace_filter_init(&filter);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(set(bad[i].option, bad[i].value), -EINVAL);
	assert_int_equal(set("--what", "1"), -ENOENT);
	only("--since", "12.000000034");
	assert_int_equal(filter.since_ns, 12000000034ull);
	only("--until", "0.5");
	assert_int_equal(filter.until_ns, 500000000);
	only("--req-id", "0xffffffffffffffff");
	assert_true(filter.req_id == UINT64_MAX);
}

static void test_kinds(void **state)
{
	(void)state;
	only("--kind", "wqe,cqe");
	begin(TRACE_WQE);
	assert_true(passes());
	begin(TRACE_CQE);
	assert_true(passes());
	begin(TRACE_PACKET);
	assert_false(passes());
	begin(77);
	assert_false(passes());
	begin(TRACE_LOST);
	assert_true(passes());
	trace_filter_init(&filter);
	begin(77);
	assert_true(passes());
}

static void test_times(void **state)
{
	(void)state;
	only("--since", "0.000001");
	assert_int_equal(set("--until", "0.000002"), 0);
	begin(TRACE_WQE);
	assert_false(passes());
	entry.record.time_ns = START_NS + 1000;
	assert_true(passes());
	entry.record.time_ns = START_NS + 2000;
	assert_true(passes());
	entry.record.time_ns = START_NS + 2001;
	assert_false(passes());
	/* Before the start is the start. */
	entry.record.time_ns = 1;
	assert_false(passes());
}

static void test_device(void **state)
{
	(void)state;
	only("--device", "efa_0");
	begin(TRACE_WQE);
	assert_true(passes());
	only("--device", "efa_1");
	assert_false(passes());
	assert_false(trace_filter_passes(&filter, &entry, NULL, START_NS));
}

static void test_qp(void **state)
{
	struct efa_io_cdesc cqe = { .qp_num = 5 };

	(void)state;
	only("--qp", "5");
	begin(TRACE_DOORBELL);
	assert_false(passes());
	entry.doorbell.qpn = 5;
	assert_true(passes());
	begin(TRACE_WQE);
	assert_false(passes());
	entry.wqe.qpn = 5;
	assert_true(passes());
	begin(TRACE_RECV);
	assert_false(passes());
	entry.recv.qpn = 5;
	assert_true(passes());
	begin(TRACE_PACKET);
	assert_false(passes());
	entry.packet.src_qpn = 5;
	assert_true(passes());
	entry.packet.src_qpn = 0;
	entry.packet.dst_qpn = 5;
	assert_true(passes());
	begin(TRACE_CQE);
	assert_false(passes());
	memcpy(entry.cqe.entry, &cqe, sizeof(cqe));
	assert_true(passes());
	begin(TRACE_COMMAND);
	entry.command.number = 5;
	entry.command.command = TRACE_CREATE_MR;
	assert_false(passes());
	entry.command.command = TRACE_MODIFY_QP;
	assert_true(passes());
}

static void test_req_id(void **state)
{
	struct efa_io_tx_wqe wqe = { .meta.req_id = 1,
		.meta.req_id_ex = { 0, 2, 0 } };
	struct efa_io_cdesc cqe = { .req_id = 1, .flags = 1 << 1,
		.tx.req_id_ex = { 0, 2, 0 } };

	(void)state;
	only("--req-id", "0x200000001");
	begin(TRACE_WQE);
	assert_false(passes());
	memcpy(&entry.wqe + 1, &wqe, 64);
	assert_true(passes());
	begin(TRACE_PACKET);
	assert_false(passes());
	entry.packet.req_id = 0x200000001;
	assert_true(passes());
	begin(TRACE_CQE);
	memcpy(entry.cqe.entry, &cqe, sizeof(cqe));
	assert_true(passes());
	/* In a receive's completion these bytes mean something else. */
	cqe.flags = 2 << 1;
	memcpy(entry.cqe.entry, &cqe, sizeof(cqe));
	assert_false(passes());
	only("--req-id", "1");
	assert_true(passes());
	begin(TRACE_RECV);
	assert_false(passes());
	entry.recv.req_id = 1;
	assert_true(passes());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_qp),
		cmocka_unit_test(test_req_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
