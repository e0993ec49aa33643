/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/link_frame.h"
#include "daemon/link_spec.h"

static uint8_t bytes[LINK_FRAME_MAX_BYTES + 1];

static struct link_frame sample(enum link_frame_type type)
{
	struct link_frame frame = {
		.type = type,
		.from = { 0x1122334455667788ull, 3 },
		.to = { 0x99aabbccddeeff00ull, UINT32_MAX },
	};

	if (type == LINK_DATA || type == LINK_ACK) {
		frame.ack[LINK_REQUESTS] = (struct link_stream_ack) { 7, 5 };
		frame.ack[LINK_ANSWERS].bits = 1ull << 63;
	}
	return frame;
}

static int decode(size_t len_bytes, struct link_frame *frame)
{
	const char *reason = NULL;
	int ret = link_frame_decode(bytes, len_bytes, frame, &reason);

	assert_int_equal(ret != 0, reason != NULL);
	return ret;
}

static void test_data(void **state)
{
	struct link_frame frame = sample(LINK_DATA), back;
	size_t len;

	(void)state;
	frame.stream = LINK_ANSWERS;
	frame.seq = 0xfffffffe;
	frame.packet = (const uint8_t *)"packet";
	frame.packet_bytes = 6;
	len = link_frame_encode(&frame, bytes);
	assert_int_equal(len, LINK_FRAME_HEADER_BYTES + 6);
	assert_int_equal(decode(len, &back), 0);
	assert_memory_equal(back.packet, "packet", 6);
	back.packet = frame.packet;
	assert_memory_equal(&frame, &back, sizeof(frame));
	assert_int_equal(decode(len - 1, &back), -EPROTO);
	assert_int_equal(decode(len + 1, &back), -EPROTO);
	bytes[7] = 3;		/* the stream */
	assert_int_equal(decode(len, &back), -EPROTO);
}

static void test_hello(void **state)
{
	struct link_frame frame = sample(LINK_HELLO), back;
	size_t len, empty;

	(void)state;
	empty = link_frame_encode(&frame, bytes);
	assert_int_equal(decode(empty, &back), 0);
	frame.is_reply = true;
	frame.is_up = true;
	frame.gid_count = 2;
	strcpy(frame.name, "host");
	memset(frame.gid[1], 0xfe, 16);
	len = link_frame_encode(&frame, bytes);
	assert_int_equal(len, empty);	/* nobody is answered with more */
	assert_int_equal(decode(len, &back), 0);
	assert_memory_equal(&frame, &back, sizeof(frame));
	assert_int_equal(decode(len - 1, &back), -EPROTO);
	bytes[LINK_FRAME_HEADER_BYTES + LINK_HOST_NAME_BYTES] = 17;
	assert_int_equal(decode(len, &back), -EPROTO);
}

/* A name is printed: no control characters, and an end. */
static void test_hostile_name(void **state)
{
	struct link_frame frame = sample(LINK_HELLO), back;
	size_t len = link_frame_encode(&frame, bytes);

	(void)state;
	memset(bytes + LINK_FRAME_HEADER_BYTES, '\033', LINK_HOST_NAME_BYTES);
	assert_int_equal(decode(len, &back), 0);
	assert_int_equal(strlen(back.name), LINK_HOST_NAME_BYTES - 1);
	assert_null(strchr(back.name, '\033'));
}

static void test_refused(void **state)
{
	struct link_frame frame = sample(LINK_ACK), back;
	size_t len = link_frame_encode(&frame, bytes);

	(void)state;
	assert_int_equal(decode(len, &back), 0);
	assert_int_equal(decode(0, &back), -EPROTO);
	assert_int_equal(decode(len - 1, &back), -EPROTO);
	assert_int_equal(decode(len + 1, &back), -EPROTO);
	bytes[4]++;		/* version */
	assert_int_equal(decode(len, &back), -EPROTO);
	bytes[4]--;
	bytes[5] = 9;		/* type */
	assert_int_equal(decode(len, &back), -EPROTO);
	frame.from.host = 0;
	link_frame_encode(&frame, bytes);
	assert_int_equal(decode(len, &back), -EPROTO);
	assert_int_equal(decode(sizeof(bytes), &back), -EPROTO);
}

static void check_spec(const char *text, unsigned peers)
{
	char error[LINK_ERROR_BYTES] = "";
	struct link_spec spec;

	assert_int_equal(link_spec_parse(text, &spec, error), 0);
	assert_string_equal(error, "");
	assert_int_equal(spec.peer_count, peers);
}

static void refuse_spec(const char *text, const char *word)
{
	char error[LINK_ERROR_BYTES] = "";
	struct link_spec spec;

	assert_int_equal(link_spec_parse(text, &spec, error), -EINVAL);
	assert_non_null(strstr(error, word));
}

static void test_specs(void **state)
{
	char error[LINK_ERROR_BYTES], text[LINK_ADDRESS_TEXT_BYTES];
	struct link_spec spec;

	(void)state;
	check_spec("udp:127.0.0.1:7000", 0);
	check_spec("udp:[::1]:7000,peer=[::1]:7001,retry=500ms", 1);
	check_spec("unix:/tmp/x,peer=@y,peer=/z,join=any", 2);
	assert_int_equal(link_spec_parse("unix:@a,join=any,retry=2s", &spec,
					 error), 0);
	assert_true(spec.any_may_join);
	assert_true(spec.retry_ns == 2000000000ull);
	link_address_format(&spec.local, text);
	assert_string_equal(text, "@a");
	assert_int_equal(link_spec_parse("udp:127.0.0.1:7", &spec, error), 0);
	link_address_format(&spec.local, text);
	assert_string_equal(text, "127.0.0.1:7");
	refuse_spec("tcp:1:2", "tcp:1:2");
	refuse_spec("", "udp:");
	refuse_spec("udp:127.0.0.1", "127.0.0.1");
	refuse_spec("udp::5", ":5");
	refuse_spec("udp:1.2.3.4:99999", "99999");
	refuse_spec("udp:127.0.0.1:1,peer=[::1]:2", "family");
	refuse_spec("unix:@", "@");
	refuse_spec("unix:here/x", "here/x");
	refuse_spec("unix:@a,peer=here/x", "here/x");
	refuse_spec("unix:@a,retry=0", "retry=0");
	refuse_spec("unix:@a,retry", "retry");
	refuse_spec("unix:@a,,", "''");
	refuse_spec("unix:@a,join=none", "join=none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_hostile_name),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_specs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
