/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Requests for completion queues that no libefa makes, but a client can. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "wire_client.h"

static int start(void **state)
{
	static struct wire_daemon daemon;

	wire_daemon_start(&daemon, 1);
	*state = &daemon;
	return 0;
}

static int stop(void **state)
{
	struct wire_daemon *daemon = *state;

	close(daemon->life_fd);
	assert_int_equal(wire_daemon_wait(daemon), 0);
	return 0;
}

/* Sub-queues are refused, by any number but the one that a device has. */
static void test_sub_queues(void **state)
{
	static const uint16_t bad[] = { 0, 2, 3, 8, 0x8001, UINT16_MAX };
	int fd = wire_open_uverbs(*state, 0);
	struct wire_cq cq;

	assert_int_equal(wire_get_context(fd), 0);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(wire_create_cq_of(fd, 16, -1, bad[i], &cq),
				 -EINVAL);
	assert_int_equal(wire_create_cq_of(fd, 16, -1, 1, &cq), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sub_queues, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
