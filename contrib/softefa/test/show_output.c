/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>

#include "fabtests/expect.h"
#include "test/show_output.h"

void show_output_read(const char *option, char *text, size_t size)
{
	const char *softefa = getenv("SOFTEFA");
	char command[4096];
	FILE *pipe;
	size_t len;

	if (!softefa)
		expect_skip("SOFTEFA names no softefa command");
	snprintf(command, sizeof(command), "'%s' show %s", softefa, option);
	pipe = popen(command, "r");
	REQUIRE(pipe);
	len = fread(text, 1, size - 1, pipe);
	text[len] = '\0';
	EXPECT_EQ(pclose(pipe), 0);
	EXPECT(len > 0 && len < size - 1);
}
