/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/fault_log.h"

/* Where lines are told, and what it may still take this second. */
struct outlet {
	int fd;			/* -1: nowhere */
	time_t second;
	unsigned told;
	uint64_t untold;
};

/* One thread drives a daemon, so nothing here is locked. */
static struct {
	struct outlet log;
	struct outlet rules;
	uint64_t count;
	char line[FAULT_LOG_KEPT][FAULT_LOG_LINE];
} state;

void fault_log_init(bool to_stderr, int rule_fd)
{
	memset(&state, 0, sizeof(state));
	state.log.fd = to_stderr ? STDERR_FILENO : -1;
	state.rules.fd = rule_fd;
}

/*
 * A reader that does not read is not waited for: all clients would be; but
 * at the end, when nothing else is to be done, for @wait_ms.
 */
static bool has_room(const struct outlet *outlet, int wait_ms)
{
	struct pollfd pfd = { .fd = outlet->fd, .events = POLLOUT };

	return poll(&pfd, 1, wait_ms) == 1 && (pfd.revents & POLLOUT);
}

static void outlet_renew(struct outlet *outlet, time_t second)
{
	if (outlet->untold && has_room(outlet, 0)) {
		dprintf(outlet->fd, "softefa: %llu more faults\n",
			(unsigned long long)outlet->untold);
		outlet->untold = 0;
	}
	outlet->second = second;
	outlet->told = 0;
}

static void outlet_tell(struct outlet *outlet, const char *line)
{
	struct timespec now;

	if (outlet->fd < 0)
		return;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec != outlet->second)
		outlet_renew(outlet, now.tv_sec);
	if (outlet->told == FAULT_LOG_PER_SECOND || !has_room(outlet, 0)) {
		outlet->untold++;
		return;
	}
	outlet->told++;
	dprintf(outlet->fd, "softefa: %s\n", line);
}

static const char *keep_line(const char *format, va_list args)
{
	char *line = state.line[state.count++ % FAULT_LOG_KEPT];

	vsnprintf(line, FAULT_LOG_LINE, format, args);
	return line;
}

void fault_log(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	outlet_tell(&state.log, keep_line(format, args));
	va_end(args);
}

void fault_log_rule(const char *format, ...)
{
	const char *line;
	va_list args;

	va_start(args, format);
	line = keep_line(format, args);
	va_end(args);
	outlet_tell(&state.log, line);
	outlet_tell(&state.rules, line);
}

static void outlet_sum(struct outlet *outlet, const char *line)
{
	if (outlet->fd < 0 || !has_room(outlet, 1000))
		return;
	outlet_renew(outlet, outlet->second);
	dprintf(outlet->fd, "softefa: %s\n", line);
}

void fault_log_sum(const char *format, ...)
{
	const char *line;
	va_list args;

	va_start(args, format);
	line = keep_line(format, args);
	va_end(args);
	outlet_sum(&state.log, line);
	outlet_sum(&state.rules, line);
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
