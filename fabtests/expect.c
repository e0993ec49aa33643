/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabtests/expect.h"

#define PRINTED_FAILURES	40u

static atomic_uint checks;
static atomic_uint failures;
static const char *volatile current_stage = "start";

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Counts a check; true when it failed and a line is due. */
static bool count(bool held)
{
	atomic_fetch_add(&checks, 1);
	if (held)
		return false;
	return atomic_fetch_add(&failures, 1) < PRINTED_FAILURES;
}

bool expect_true(bool held, const char *what, const char *file, int line)
{
	if (count(held))
		fprintf(stderr, "%s:%d: expected %s, found it false\n",
			base_name(file), line, what);
	return held;
}

bool expect_equal(long long found, long long expected, const char *what,
		  const char *file, int line)
{
	if (count(found == expected))
		fprintf(stderr,
			"%s:%d: %s: expected %lld (%#llx), found %lld (%#llx)\n",
			base_name(file), line, what, expected, expected, found,
			found);
	return found == expected;
}

bool expect_string(const char *found, const char *expected, const char *what,
		   const char *file, int line)
{
	bool held = found && !strcmp(found, expected);

	if (count(held))
		fprintf(stderr, "%s:%d: %s: expected \"%s\", found \"%s\"\n",
			base_name(file), line, what, expected,
			found ? found : "(null)");
	return held;
}

bool expect_bytes(const void *found, const void *expected, size_t len_bytes,
		  const char *what, const char *file, int line)
{
	const uint8_t *f = found, *e = expected;
	size_t i;

	for (i = 0; i < len_bytes && f[i] == e[i]; i++)
		;
	if (count(i == len_bytes))
		fprintf(stderr,
			"%s:%d: %s, byte %zu of %zu: expected %#x, found %#x\n",
			base_name(file), line, what, i, len_bytes, e[i], f[i]);
	return i == len_bytes;
}

void expect_give_up(void)
{
	fprintf(stderr, "giving up: the rest needs this\n");
	exit(1);
}

void expect_skip(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "skipped: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(EXPECT_SKIPPED);
}

static void write_text(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

static void on_alarm(int sig)
{
	(void)sig;
	write_text("deadline passed during: ");
	write_text(current_stage);
	write_text("\n");
	_exit(1);
}

void expect_deadline(unsigned seconds)
{
	signal(SIGALRM, on_alarm);
	alarm(seconds);
}

void expect_stage(const char *stage)
{
	current_stage = stage;
	if (getenv("EXPECT_VERBOSE"))
		fprintf(stderr, "[%d] %s\n", (int)getpid(), stage);
}

int expect_result(void)
{
	unsigned failed = atomic_load(&failures);

	printf("%u checks, %u failed\n", atomic_load(&checks), failed);
	fflush(stdout);
	return failed ? 1 : 0;
}

void expect_child_exit(void)
{
	_exit(atomic_load(&failures) ? 1 : 0);
}

void expect_child(pid_t child)
{
	int status = -1;
	pid_t pid;

	do {
		pid = waitpid(child, &status, 0);
	} while (pid < 0 && errno == EINTR);
	EXPECT_EQ(pid, child);
	EXPECT_EQ(status, 0);
}

static uint8_t pattern(size_t offset, unsigned seed)
{
	uint32_t x = (uint32_t)offset * 2654435761u + seed * 40503u;

	return (uint8_t)(x >> 24) ^ (uint8_t)(x >> 11) ^ (uint8_t)seed;
}

void expect_fill(void *buf, size_t len_bytes, unsigned seed)
{
	uint8_t *p = buf;
	size_t i;

	for (i = 0; i < len_bytes; i++)
		p[i] = pattern(i, seed);
}

bool expect_filled(const void *buf, size_t len_bytes, unsigned seed,
		   const char *file, int line)
{
	const uint8_t *p = buf;
	size_t i;

	for (i = 0; i < len_bytes && p[i] == pattern(i, seed); i++)
		;
	if (count(i == len_bytes))
		fprintf(stderr,
			"%s:%d: data of seed %u, byte %zu of %zu: expected %#x, found %#x\n",
			base_name(file), line, seed, i, len_bytes,
			pattern(i, seed), p[i]);
	return i == len_bytes;
}
