/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * verbs_device_fatal SOFTEFA: ends the daemon of its device and gets
 * DEVICE_FATAL; nothing that it does to its objects then hangs. Run by
 * verbs_settings.sh, on a daemon that was started by name.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

int main(int argc, char **argv)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct ibv_async_event event;
	struct pollfd fd;
	/* What cannot be destroyed any more stays in sight: no leaks. */
	static struct endpoint e;
	char command[256];

	expect_deadline(60);
	REQUIRE_EQ(argc, 2);
	endpoint_open(&e, device_open(0), &wish);
	fd = (struct pollfd) { .fd = e.ctx->async_fd, .events = POLLIN };
	expect_stage("no event before");
	EXPECT_EQ(poll(&fd, 1, 0), 0);
	expect_stage("the device goes");
	snprintf(command, sizeof(command), "'%s' stop", argv[1]);
	REQUIRE_EQ(system(command), 0);
	EXPECT_EQ(poll(&fd, 1, 30000), 1);
	REQUIRE_EQ(ibv_get_async_event(e.ctx, &event), 0);
	EXPECT_EQ(event.event_type, IBV_EVENT_DEVICE_FATAL);
	ibv_ack_async_event(&event);
	expect_stage("no hang after");
	errno = 0;
	EXPECT(!ibv_reg_mr(e.pd, e.buf, 4096, IBV_ACCESS_LOCAL_WRITE));
	EXPECT_EQ(errno, EIO);
	EXPECT(!ibv_create_cq(e.ctx, 4, NULL, NULL, 0));
	ibv_destroy_qp(e.qp);
	ibv_destroy_cq(ibv_cq_ex_to_cq(e.cq));
	ibv_close_device(e.ctx);
	return expect_result();
}
