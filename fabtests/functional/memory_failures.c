/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Memory runs out under the provider: each allocation that it or what it
 * calls asks for fails once, one after the other. The call that needs it says
 * -FI_ENOMEM, or does without; the next one works, and in the end all memory
 * is given back.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "fabtests/failing_malloc.h"
#include "fabtests/functional/whole_life.h"

/* Far more than there are, if it does not end. */
#define ALLOCATIONS_MOST	20000u

/*
 * The devices are found once in a process, hence each try in one of its own;
 * without those of libibverbs and of the dynamic linker, which tell of no
 * lack of memory but of devices or files.
 */
static bool discover_without(unsigned nth, unsigned infos)
{
	struct whole_life life = {
		.wish = fab_wish_direct(), .error = FI_ENOMEM, .infos = infos,
	};
	pid_t child = fork();
	int status = -1;

	REQUIRE(child >= 0);
	if (!child) {
		failing_malloc_arm(nth, true);
		fi_freeinfo(whole_life_getinfo(&life));
		if (!failing_malloc_disarm())
			_exit(42);
		fi_freeinfo(whole_life_getinfo(&life));
		expect_child_exit();
	}
	REQUIRE_EQ(waitpid(child, &status, 0), child);
	REQUIRE(WIFEXITED(status));
	if (WEXITSTATUS(status) == 42)
		return false;
	if (!EXPECT_EQ(WEXITSTATUS(status), 0))
		fprintf(stderr, "  (allocation %u of the discovery)\n", nth);
	return true;
}

static unsigned count_infos(void)
{
	struct whole_life life = {
		.wish = fab_wish_direct(), .error = FI_ENOMEM,
	};
	int fds[2];
	pid_t child;

	REQUIRE_EQ(pipe(fds), 0);
	child = fork();
	REQUIRE(child >= 0);
	if (!child) {
		fi_freeinfo(whole_life_getinfo(&life));
		REQUIRE_EQ(write(fds[1], &life.infos, sizeof(life.infos)),
			   sizeof(life.infos));
		expect_child_exit();
	}
	expect_child(child);
	REQUIRE_EQ(read(fds[0], &life.infos, sizeof(life.infos)),
		   sizeof(life.infos));
	close(fds[0]);
	close(fds[1]);
	return life.infos;
}

static void check_discovery(void)
{
	unsigned infos, nth;

	expect_stage("finding the devices");
	infos = count_infos();
	for (nth = 1; discover_without(nth, infos); nth++)
		REQUIRE(nth < ALLOCATIONS_MOST);
	printf("finding the devices: %u allocations\n", nth - 1);
	EXPECT(nth > 10);
}

static void check_life(const char *what, struct whole_life life)
{
	size_t live;
	unsigned nth;

	/* what is allocated once and kept is there then */
	whole_life_run(&life);
	live = failing_malloc_live();
	EXPECT_EQ(life.failed, 0);
	for (nth = 1;; nth++) {
		failing_malloc_arm(nth, false);
		whole_life_run(&life);
		if (!failing_malloc_disarm())
			break;
		if (!EXPECT_EQ(failing_malloc_live(), live)) {
			fprintf(stderr, "  (allocation %u of %s)\n", nth, what);
			failing_malloc_show_live();
			live = failing_malloc_live();
		}
		REQUIRE(nth < ALLOCATIONS_MOST);
	}
	printf("%s: %u allocations, %u calls failed\n", what, nth - 1,
	       life.failed);
	EXPECT(life.failed > 10);
}

/* Loads the providers, and asks none. */
static void load(void)
{
	struct fi_info *hints = fi_allocinfo(), *info = NULL;

	REQUIRE(hints);
	hints->fabric_attr->prov_name = strdup("none_of_this_name");
	EXPECT_EQ(fi_getinfo(FAB_API_VERSION, NULL, NULL, 0, hints, &info),
		  -FI_ENODATA);
	fi_freeinfo(hints);
}

static void skip_elsewhere(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints = fab_hints(&wish), *info;

	info = fab_getinfo(hints);
	fi_freeinfo(hints);
	if (fab_is_in_tree(info))
		expect_skip("this project's provider");
	fi_freeinfo(info);
}

int main(void)
{
	expect_deadline(600);
	failing_malloc_watch("libefa-fi.so");
	load();
	check_discovery();
	skip_elsewhere();
	check_life("efa-direct", whole_life_direct(FI_ENOMEM));
	check_life("datagrams", whole_life_dgram(FI_ENOMEM));
	return expect_result();
}
