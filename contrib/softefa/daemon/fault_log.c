/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/fault_log.h"

/* One thread drives a daemon, so nothing here is locked. */
static struct {
	bool to_stderr;
	uint64_t count;
	time_t second;		/* the budget below is of this second */
	unsigned told;
	uint64_t untold;
	char line[FAULT_LOG_KEPT][FAULT_LOG_LINE];
} state;

void fault_log_init(bool to_stderr)
{
	memset(&state, 0, sizeof(state));
	state.to_stderr = to_stderr;
}

/* A reader that does not read is not waited for: all clients would be. */
static bool has_room(void)
{
	struct pollfd pfd = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLOUT);
}

static void fault_log_tell(const char *line)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec != state.second) {
		if (state.untold && has_room()) {
			fprintf(stderr, "softefa: %llu more faults\n",
				(unsigned long long)state.untold);
			state.untold = 0;
		}
		state.second = now.tv_sec;
		state.told = 0;
	}
	if (state.told == FAULT_LOG_PER_SECOND || !has_room()) {
		state.untold++;
		return;
	}
	state.told++;
	fprintf(stderr, "softefa: %s\n", line);
}

void fault_log(const char *format, ...)
{
	char *line = state.line[state.count % FAULT_LOG_KEPT];
	va_list args;

	va_start(args, format);
	vsnprintf(line, FAULT_LOG_LINE, format, args);
	va_end(args);
	state.count++;
	if (state.to_stderr)
		fault_log_tell(line);
}

void fault_log_fatal(const char *format, ...)
{
	char line[FAULT_LOG_LINE];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(stderr, "softefa: %s\n", line);
}

uint64_t fault_log_count(void)
{
	return state.count;
}

const char *fault_log_line(unsigned age)
{
	if (age >= FAULT_LOG_KEPT || age >= state.count)
		return NULL;
	return state.line[(state.count - 1 - age) % FAULT_LOG_KEPT];
}
