/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/fault_spec.h"
#include "engine/random_sequence.h"

static struct fault_spec parse(const char *text)
{
	char error[FAULT_ERROR_BYTES] = "";
	struct fault_spec spec;

	if (fault_spec_parse(text, &spec, error))
		fail_msg("'%s': %s", text, error);
	return spec;
}

/* Refused, with a line that holds @part. */
static void refuse(const char *text, const char *part)
{
	char error[FAULT_ERROR_BYTES] = "";
	struct fault_spec spec;

	assert_int_equal(fault_spec_parse(text, &spec, error), -EINVAL);
	if (!strstr(error, part))
		fail_msg("'%s' gave '%s', not '%s'", text, error, part);
	assert_null(strchr(error, '\n'));
}

static void test_defaults(void **state)
{
	struct fault_spec spec = parse("drop");

	assert_int_equal(spec.kind, FAULT_DROP);
	assert_int_equal(spec.device, FAULT_ANY);
	assert_int_equal(spec.qp, FAULT_ANY);
	assert_int_equal(spec.peer, FAULT_ANY);
	assert_int_equal(spec.type, FAULT_ANY);
	assert_int_equal(spec.ops, 15);
	assert_int_equal(spec.after, 0);
	assert_int_equal(spec.every, 1);
	assert_true(spec.count == UINT64_MAX);
	assert_true(spec.chance == RANDOM_SEQUENCE_CERTAIN);
	assert_int_equal(spec.seed, 1);
}

static void test_each_kind(void **state)
{
	struct fault_spec spec;

	spec = parse("reorder delay=0..200us prob=0.5 seed=7");
	assert_int_equal(spec.kind, FAULT_REORDER);
	assert_int_equal(spec.delay_min_ns, 0);
	assert_int_equal(spec.delay_max_ns, 200000);
	assert_true(spec.chance == RANDOM_SEQUENCE_CERTAIN / 2);
	assert_int_equal(spec.seed, 7);
	spec = parse("reorder window=8");
	assert_int_equal(spec.window, 8);
	assert_int_equal(spec.delay_min_ns, 1000000);
	assert_int_equal(spec.delay_max_ns, 1000000);
	spec = parse("hold-cqe queue=send until=recv time=1ms");
	assert_int_equal(spec.kind, FAULT_HOLD_CQE);
	assert_int_equal(spec.queue, FAULT_QUEUE_SEND);
	assert_int_equal(spec.until, FAULT_UNTIL_RECV);
	assert_int_equal(spec.time_ns, 1000000);
	spec = parse("status code=13 nth=3 op=send,read qp=0x12 peer=any type=65");
	assert_int_equal(spec.kind, FAULT_STATUS);
	assert_int_equal(spec.status, 13);
	assert_int_equal(spec.after, 2);
	assert_int_equal(spec.count, 1);
	assert_int_equal(spec.ops, FAULT_OP_SEND | FAULT_OP_READ);
	assert_int_equal(spec.qp, 0x12);
	assert_int_equal(spec.peer, FAULT_ANY);
	assert_int_equal(spec.type, 65);
	spec = parse("status code=feature-mismatch delivered");
	assert_int_equal(spec.status, 18);
	assert_true(spec.is_delivered);
	spec = parse("rnr times=3 every=2 device=efa_1");
	assert_int_equal(spec.times, 3);
	assert_int_equal(spec.every, 2);
	assert_int_equal(spec.device, 1);
	spec = parse("command name=reg_mr nth=2 errno=ENOMEM");
	assert_int_equal(spec.command, FAULT_CMD_REG_MR);
	assert_int_equal(spec.error, ENOMEM);
	spec = parse("kill-qp side=local after=5 count=1");
	assert_int_equal(spec.side, FAULT_SIDE_LOCAL);
	assert_int_equal(spec.after, 5);
	assert_int_equal(parse("kill-qp").side, FAULT_SIDE_REMOTE);
	assert_int_equal(parse("blackhole time=20ms").time_ns, 20000000);
	assert_int_equal(parse("late-packets delay=1ms").delay_min_ns,
			 1000000);
	assert_int_equal(parse("invalidate-mr at=100").at_bytes, 100);
	assert_true(parse("cq-event spurious prob=10%").is_spurious);
	assert_int_equal(parse("cq-event cq=3 coalesce=4 delay=1ms").coalesce,
			 4);
	assert_int_equal(parse("duplicate").kind, FAULT_DUPLICATE);
	assert_string_equal(parse("partition host=[::1]:7000").host,
			    "[::1]:7000");
	assert_string_equal(parse("link-loss host=@b prob=5%").host, "@b");
	assert_string_equal(parse("link-duplicate host=any").host, "");
	assert_string_equal(parse("link-delay delay=1ms").host, "");
}

static void test_blanks(void **state)
{
	struct fault_spec spec = parse("  rnr\t times=2 \n");

	assert_int_equal(spec.times, 2);
}

static void test_refusals(void **state)
{
	refuse("", "KIND");
	refuse("  ", "KIND");
	refuse("reorde delay=1ms", "'reorde' is no kind of fault; there are: reorder drop");
	refuse("reorder dely=1ms", "'dely' is not a word of it; it takes: device");
	refuse("reorder code=3 delay=1ms", "'code' is not a word");
	refuse("reorder", "one of: delay window");
	refuse("reorder delay", "'delay=' wants a time");
	refuse("reorder delay=", "'delay=' is wrong; it wants a time");
	refuse("reorder delay=5", "'delay=5' is wrong; it wants a time");
	refuse("reorder delay=1ms delay=2ms", "'delay' is there twice");
	refuse("reorder window=1", "wants 2 to 256");
	refuse("status code=0", "code=0");
	refuse("status code=256", "code=256");
	refuse("status code=unresp", "unresp-remote");
	refuse("status code=13 delivered=1", "'delivered' takes no value");
	refuse("status code=13 queue=recv delivered", "queue=send");
	refuse("status code=13 queue=recv type=1", "queue=send");
	refuse("status code=13 nth=1 count=2", "nth=");
	refuse("status code=13 nth=0", "a count from 1");
	refuse("status code=13 op=send,", "op=send,");
	refuse("status code=13 op=sendreadwriteandmore", "send,read");
	refuse("hold-cqe queue=send", "one of: until time");
	refuse("hold-cqe until=send", "other queue");
	refuse("hold-cqe queue=recv until=recv", "other queue");
	refuse("hold-cqe until=time", "send, recv or destroy");
	refuse("command name=reg errno=ENOMEM", "reg_mr");
	refuse("command name=reg_mr", "errno");
	refuse("command errno=EWHAT", "ENOMEM");
	refuse("drop op=send", "'op' is not a word");
	refuse("drop device=1", "efa_N");
	refuse("drop device=efa_256", "efa_N");
	refuse("drop prob=2", "0 to 1");
	refuse("drop qp=4294967295", "QP number");
	refuse("drop host=@b", "'host' is not a word");
	refuse("partition host=", "the address of another host");
	refuse("partition host=@"
	       "0123456789abcdef0123456789abcdef0123456789abcdef"
	       "0123456789abcdef0123456789abcdef0123456789abcdef"
	       "0123456789abcdef0123456789abcdef",
	       "the address of another host");
}

static void test_too_long(void **state)
{
	char text[FAULT_SPEC_BYTES + 8];

	memset(text, ' ', sizeof(text));
	memcpy(text, "drop", 4);
	text[FAULT_SPEC_BYTES - 1] = '\0';
	parse(text);
	text[FAULT_SPEC_BYTES - 1] = ' ';
	text[FAULT_SPEC_BYTES] = '\0';
	refuse(text, "at most 255");
}

static void test_command_names(void **state)
{
	char text[64];
	int i;

	for (i = 0; i < FAULT_COMMANDS; i++) {
		snprintf(text, sizeof(text), "command errno=EIO name=%s",
			 fault_command_name(i));
		assert_int_equal(parse(text).command, i);
	}
	assert_int_equal(parse("command errno=EIO").command, FAULT_ANY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_each_kind),
		cmocka_unit_test(test_blanks),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_command_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
