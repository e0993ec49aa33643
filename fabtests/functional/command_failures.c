/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Control commands of the device fail, each once, one after the other: the
 * call that needs it fails with that error or does without; the next one
 * works, and in the end nothing is left, in the process or at the device.
 */
#include <stdio.h>
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/failing_malloc.h"
#include "fabtests/functional/whole_life.h"
#include "test/fault_setting.h"

#define COMMANDS_MOST	5000u

/* Did a command fail since the last call? */
static bool has_struck(void)
{
	static unsigned long long mark;
	static char text[1 << 16];

	fault_log_read(&mark, text, sizeof(text));
	return text[0];
}

static void check_life(const char *what, struct whole_life life)
{
	size_t live;
	unsigned nth;

	whole_life_run(&life);
	live = failing_malloc_live();
	for (nth = 1;; nth++) {
		fault_set("command nth=%u errno=%d", nth, life.error);
		whole_life_run(&life);
		fault_clear();
		if (!has_struck())
			break;
		if (!EXPECT_EQ(failing_malloc_live(), live)) {
			fprintf(stderr, "  (command %u of %s)\n", nth, what);
			failing_malloc_show_live();
			live = failing_malloc_live();
		}
		REQUIRE(nth < COMMANDS_MOST);
	}
	printf("%s: %u commands, %u calls failed\n", what, nth - 1,
	       life.failed);
	EXPECT(life.failed > 10);
}

int main(void)
{
	struct whole_life direct, dgram;

	expect_deadline(600);
	failing_malloc_watch("libefa-fi.so");
	direct = whole_life_direct(FI_EIO);
	dgram = whole_life_dgram(FI_ENOMEM);
	check_life("efa-direct", direct);
	check_life("datagrams", dgram);
	return expect_result();
}
