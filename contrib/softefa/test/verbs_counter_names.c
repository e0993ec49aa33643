/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Each counter has one name: those of a device are the same, in the same
 * order and with the same values, in both forms of `softefa show`, and the
 * manual lists whatever --counters prints of devices, rules and queues.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/show_output.h"
#include "test/two_qps.h"

#define MOST_COUNTERS	64

struct counter {
	char object[64], name[64];
	unsigned long long value;
};

static char text[1 << 16];
static char manual[1 << 20];

static void read_manual(void)
{
	const char *top = getenv("TOP_SRCDIR");
	char path[4096];
	FILE *file;
	size_t len;

	if (!top)
		expect_skip("TOP_SRCDIR names no source tree (make check)");
	snprintf(path, sizeof(path), "%s/man/softefa.1", top);
	file = fopen(path, "r");
	REQUIRE(file);
	len = fread(manual, 1, sizeof(manual) - 1, file);
	REQUIRE(len && len < sizeof(manual) - 1);
	fclose(file);
}

/* An item of a list of the manual that has @name among its words. */
static bool is_documented(const char *name)
{
	static char copy[sizeof(manual)];
	char *line, *word, *next_line, *next_word;

	memcpy(copy, manual, sizeof(copy));
	for (line = strtok_r(copy, "\n", &next_line); line;
	     line = strtok_r(NULL, "\n", &next_line)) {
		if (strncmp(line, ".It Li ", 7))
			continue;
		for (word = strtok_r(line + 7, " ,", &next_word); word;
		     word = strtok_r(NULL, " ,", &next_word))
			if (!strcmp(word, name))
				return true;
	}
	return false;
}

/* "    name value" below "device NAME", numbers only. */
static unsigned read_for_people(const char *device,
				struct counter counter[MOST_COUNTERS])
{
	char start[128], *line, *next, rest;
	unsigned count = 0;

	show_output_read("", text, sizeof(text));
	snprintf(start, sizeof(start), "device %s\n", device);
	line = strstr(text, start);
	REQUIRE(line);
	strtok_r(line, "\n", &next);
	while ((line = strtok_r(NULL, "\n", &next)) && *line == ' ') {
		REQUIRE(count < MOST_COUNTERS);
		if (sscanf(line, " %63s %llu%c", counter[count].name,
			   &counter[count].value, &rest) == 2)
			count++;
	}
	return count;
}

/* "object name value" of @device itself; each name must be documented. */
static unsigned read_for_programs(const char *device,
				  struct counter counter[MOST_COUNTERS])
{
	struct counter c;
	unsigned count = 0;
	char *line, *next;

	show_output_read("--counters", text, sizeof(text));
	for (line = strtok_r(text, "\n", &next); line;
	     line = strtok_r(NULL, "\n", &next)) {
		REQUIRE_EQ(sscanf(line, "%63s %63s %llu", c.object, c.name,
				  &c.value), 3);
		if (!is_documented(c.name))
			expect_true(false, line, __FILE__, __LINE__);
		REQUIRE(count < MOST_COUNTERS);
		if (!strcmp(c.object, device))
			counter[count++] = c;
	}
	return count;
}

int main(void)
{
	struct counter people[MOST_COUNTERS], programs[MOST_COUNTERS];
	struct endpoint_wish wish = endpoint_wish_default();
	unsigned count, i;
	struct two_qps pair;
	const char *device;

	expect_deadline(60);
	read_manual();
	EXPECT(!is_documented("no_such_counter"));
	two_qps_open(&pair, &wish);
	device = ibv_get_device_name(pair.ctx->device);
	count = read_for_people(device, people);
	EXPECT(count > 10);
	REQUIRE_EQ(read_for_programs(device, programs), count);
	for (i = 0; i < count; i++) {
		if (strcmp(people[i].name, programs[i].name))
			expect_true(false, people[i].name, __FILE__, __LINE__);
		EXPECT_EQ(people[i].value, programs[i].value);
	}
	two_qps_close(&pair);
	return expect_result();
}
