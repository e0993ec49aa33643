/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabtests/functional/two_processes.h"

#include <stdlib.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "fabtests/oob_pair.h"

int two_processes(void (*run)(int oob, bool first),
		  const struct fab_wish *wish, unsigned deadline_s)
{
	struct fi_info *hints, *info;
	const char *path = getenv("FABTESTS_CHILD_PROVIDER_PATH");
	pid_t child;
	int oob;

	expect_deadline(deadline_s);
	oob = oob_fork(&child);
	if (child == 0) {
		expect_deadline(deadline_s);
		if (path)
			setenv("FI_PROVIDER_PATH", path, 1);
		run(oob, false);
		expect_child_exit();
	}
	/* Without a device this process skips, and takes the child along. */
	hints = fab_hints(wish);
	info = fab_getinfo(hints);
	fi_freeinfo(hints);
	fi_freeinfo(info);
	run(oob, true);
	close(oob);
	expect_child(child);
	return expect_result();
}
