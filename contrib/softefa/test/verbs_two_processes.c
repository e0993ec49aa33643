/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Two processes, on one device and on two: messages and RDMA both ways. */
#include <unistd.h>

#include "fabtests/expect.h"
#include "fabtests/oob_pair.h"
#include "test/peer_exchange.h"

#define ROUNDS	500u

static void check_devices(unsigned parent_device, unsigned child_device)
{
	pid_t child;
	int oob = oob_fork(&child);

	if (child == 0) {
		expect_deadline(120);
		peer_exchange(oob, child_device, ROUNDS, 1000, 2000);
		expect_child_exit();
	}
	peer_exchange(oob, parent_device, ROUNDS, 2000, 1000);
	close(oob);
	expect_child(child);
}

int main(void)
{
	expect_deadline(120);
	expect_stage("two processes on one device");
	check_devices(0, 0);
	expect_stage("two processes on two devices");
	check_devices(0, 1);
	return expect_result();
}
