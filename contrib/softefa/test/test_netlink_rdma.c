/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <linux/netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "shim/netlink_rdma.h"

#define PORT	77u
#define SEQ	5u

static struct softefa_devices devices = {
	.count = 2,
	.entry = {
		{ .ibdev = "efa_0", .uverbs = "uverbs0", .minor = 192,
		  .node_guid = "0123:4567:89ab:cdef" },
		{ .ibdev = "efa_1", .uverbs = "uverbs1", .minor = 448 + 1,
		  .node_guid = "0000:0000:0000:0001" },
	},
};

struct request {
	struct nlmsghdr header;
	char attrs[64];
};

static char answer[NETLINK_RDMA_MAX_ANSWER] __attribute__((aligned(8)));

static struct request request_of(uint16_t type, uint16_t flags)
{
	return (struct request){
		.header = {
			.nlmsg_len = NLMSG_HDRLEN,
			.nlmsg_type = type,
			.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags),
			.nlmsg_seq = SEQ,
		},
	};
}

static void add_attr(struct request *request, uint16_t type,
		     const void *value, size_t len)
{
	char *at = (char *)request + request->header.nlmsg_len;
	const struct nlattr attr = {
		.nla_len = (uint16_t)(NLA_HDRLEN + len),
		.nla_type = type,
	};

	memcpy(at, &attr, sizeof(attr));
	memcpy(at + NLA_HDRLEN, value, len);
	request->header.nlmsg_len += (uint32_t)NLA_ALIGN(NLA_HDRLEN + len);
}

static size_t ask(const struct request *request)
{
	return netlink_rdma_answer(&devices, request,
				   request->header.nlmsg_len, PORT, answer);
}

/* The value of attribute @type in @msg, @len bytes long. */
static const void *attr_of(const struct nlmsghdr *msg, uint16_t type,
			   size_t len)
{
	const char *at = (const char *)msg + NLMSG_HDRLEN;
	const struct nlattr *attr;

	while (at < (const char *)msg + msg->nlmsg_len) {
		attr = (const void *)at;
		if (attr->nla_type == type) {
			assert_int_equal(attr->nla_len, NLA_HDRLEN + len);
			return at + NLA_HDRLEN;
		}
		at += NLA_ALIGN(attr->nla_len);
	}
	fail_msg("no attribute %d", type);
	return NULL;
}

static uint64_t number_of(const struct nlmsghdr *msg, uint16_t type,
			  size_t len)
{
	uint64_t value = 0;

	memcpy(&value, attr_of(msg, type, len), len);
	return value;
}

static const struct nlmsghdr *next_message(const struct nlmsghdr *msg)
{
	return (const void *)((const char *)msg + NLMSG_ALIGN(msg->nlmsg_len));
}

/* Attribute numbers and sizes: rdma_netlink.h. */
static void dumps_all_devices(void **state)
{
	struct request request = request_of(0x1401, NLM_F_DUMP);
	const struct nlmsghdr *msg = (const void *)answer;
	size_t len = ask(&request);

	(void)state;
	assert_int_equal(msg->nlmsg_type, 0x1401);
	assert_int_equal(msg->nlmsg_pid, PORT);
	assert_int_equal(msg->nlmsg_seq, SEQ);
	assert_true(msg->nlmsg_flags & NLM_F_MULTI);
	assert_int_equal(number_of(msg, 1, 4), 0);
	assert_string_equal(attr_of(msg, 2, 6), "efa_0");
	assert_int_equal(number_of(msg, 3, 4), 1);
	assert_true(number_of(msg, 6, 8) == 0x0123456789abcdef);
	assert_int_equal(number_of(msg, 14, 1), 7);
	msg = next_message(msg);
	assert_int_equal(number_of(msg, 1, 4), 1);
	assert_string_equal(attr_of(msg, 2, 6), "efa_1");
	msg = next_message(msg);
	assert_int_equal(msg->nlmsg_type, NLMSG_DONE);
	assert_ptr_equal(next_message(msg), answer + len);
}

static struct request chardev_request(uint32_t index, const char *type)
{
	struct request request = request_of(0x140f, 0);

	add_attr(&request, 1, &index, sizeof(index));
	add_attr(&request, 69, type, strlen(type) + 1);
	return request;
}

static void names_the_character_device(void **state)
{
	struct request request = chardev_request(1, "uverbs");
	const struct nlmsghdr *msg = (const void *)answer;
	size_t len = ask(&request);
	uint64_t dev;

	(void)state;
	assert_int_equal(len, NLMSG_ALIGN(msg->nlmsg_len));
	assert_int_equal(msg->nlmsg_type, 0x140f);
	assert_string_equal(attr_of(msg, 70, 8), "uverbs1");
	assert_int_equal(number_of(msg, 71, 8), 1);
	assert_int_equal(number_of(msg, 73, 4), 17);
	/* The reader's way back: 12 bits of major, 20 of minor. */
	dev = number_of(msg, 72, 8);
	assert_int_equal((dev & 0xfff00) >> 8, 231);
	assert_int_equal((dev & 0xff) | ((dev >> 12) & 0xfff00), 449);
}

static int error_of(size_t len)
{
	const struct nlmsghdr *msg = (const void *)answer;
	const struct nlmsgerr *err = NLMSG_DATA(msg);

	assert_true(len >= NLMSG_LENGTH(sizeof(*err)));
	assert_int_equal(msg->nlmsg_type, NLMSG_ERROR);
	assert_int_equal(err->msg.nlmsg_seq, SEQ);
	return err->error;
}

static void refuses_as_the_kernel_does(void **state)
{
	struct request request = chardev_request(2, "uverbs");

	(void)state;
	assert_int_equal(error_of(ask(&request)), -ENODEV);
	request = chardev_request(0, "issm");
	assert_int_equal(error_of(ask(&request)), -EOPNOTSUPP);
	request = request_of(0x140f, 0);
	assert_int_equal(error_of(ask(&request)), -ENODEV);
	request = request_of(0x14ff, 0);
	assert_int_equal(error_of(ask(&request)), -EOPNOTSUPP);
}

static void says_that_memory_survives_fork(void **state)
{
	struct request request = request_of(0x1406, 0);
	const struct nlmsghdr *msg = (const void *)answer;

	(void)state;
	ask(&request);
	assert_int_equal(number_of(msg, 93, 1), 1);
}

static void acknowledges_on_request(void **state)
{
	struct request request = request_of(0x1406, NLM_F_ACK);
	const struct nlmsghdr *msg = (const void *)answer;
	size_t len = ask(&request);

	(void)state;
	msg = next_message(msg);
	assert_int_equal(msg->nlmsg_type, NLMSG_ERROR);
	assert_int_equal(((struct nlmsgerr *)NLMSG_DATA(msg))->error, 0);
	assert_ptr_equal(next_message(msg), answer + len);
}

static void leaves_other_families_alone(void **state)
{
	struct request request = request_of(0x0012, NLM_F_DUMP);

	(void)state;
	assert_int_equal(ask(&request), 0);
	request = request_of(0x1401, 0);
	assert_int_equal(netlink_rdma_answer(&devices, &request,
					     NLMSG_HDRLEN - 1, PORT, answer),
			 0);
	request.header.nlmsg_len = 1000;
	assert_int_equal(netlink_rdma_answer(&devices, &request,
					     sizeof(request), PORT, answer),
			 0);
}

/* Sixteen devices with the longest names fit. */
static void has_room_for_all(void **state)
{
	static struct softefa_devices many = {
		.count = SOFTEFA_MAX_DEVICES,
	};
	struct request request = request_of(0x1401, NLM_F_DUMP);
	uint32_t i;
	size_t len;

	(void)state;
	for (i = 0; i < many.count; i++)
		memset(many.entry[i].ibdev, 'n',
		       sizeof(many.entry[i].ibdev) - 1);
	len = netlink_rdma_answer(&many, &request, sizeof(request), PORT,
				  answer);
	assert_true(len > 0 && len <= NETLINK_RDMA_MAX_ANSWER);
}

/* Hostile attributes: read within the message, answered or refused. */
static void bears_any_attributes(void **state)
{
	struct request request;
	unsigned turn, i;

	(void)state;
	srand(1);
	for (turn = 0; turn < 20000; turn++) {
		request = request_of((uint16_t)(0x1400 + rand() % 17),
				     (uint16_t)rand());
		for (i = 0; i < sizeof(request.attrs); i++)
			request.attrs[i] = (char)(rand() % 3 ? rand() % 75 :
						  0);
		request.header.nlmsg_len =
			NLMSG_HDRLEN +
			(uint32_t)rand() % (sizeof(request.attrs) + 1);
		assert_true(ask(&request) <= NETLINK_RDMA_MAX_ANSWER);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dumps_all_devices),
		cmocka_unit_test(names_the_character_device),
		cmocka_unit_test(refuses_as_the_kernel_does),
		cmocka_unit_test(says_that_memory_survives_fork),
		cmocka_unit_test(acknowledges_on_request),
		cmocka_unit_test(leaves_other_families_alone),
		cmocka_unit_test(has_room_for_all),
		cmocka_unit_test(bears_any_attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
