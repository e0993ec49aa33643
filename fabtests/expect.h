/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks of a test program that runs as one or several processes.
 *
 * Each check that fails prints one line: where, what, what was expected and
 * what was found. A program ends with expect_result(): 0 when every check
 * held, 1 otherwise; 77 says that something it needs is missing.
 *
 * Safe in threads. A forked child counts for itself: it ends with
 * expect_child_exit(), and its parent collects it with expect_child().
 */
#ifndef FABTESTS_EXPECT_H
#define FABTESTS_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define EXPECT_SKIPPED	77

/* @cond must be true; returns whether it was. */
#define EXPECT(cond) \
	expect_true(!!(cond), #cond, __FILE__, __LINE__)
/* Both are integers, compared as 64 bits. */
#define EXPECT_EQ(found, expected) \
	expect_equal((long long)(found), (long long)(expected), #found, \
		     __FILE__, __LINE__)
#define EXPECT_STR(found, expected) \
	expect_string(found, expected, #found, __FILE__, __LINE__)
#define EXPECT_BYTES(found, expected, len_bytes) \
	expect_bytes(found, expected, len_bytes, #found, __FILE__, __LINE__)

/* Like the above, for what the rest of the program cannot do without. */
#define REQUIRE(cond) \
	do { if (!EXPECT(cond)) expect_give_up(); } while (0)
#define REQUIRE_EQ(found, expected) \
	do { if (!EXPECT_EQ(found, expected)) expect_give_up(); } while (0)

bool expect_true(bool held, const char *what, const char *file, int line);
bool expect_equal(long long found, long long expected, const char *what,
		  const char *file, int line);
bool expect_string(const char *found, const char *expected, const char *what,
		   const char *file, int line);
bool expect_bytes(const void *found, const void *expected, size_t len_bytes,
		  const char *what, const char *file, int line);

/* Ends the process with 1; the line that says why is printed already. */
void expect_give_up(void) __attribute__((noreturn));

/* Ends the process with 77; the text names what is missing. */
void expect_skip(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

/*
 * Arms a watchdog for this process: after @seconds it prints what the
 * process was doing (the last expect_stage) and ends with 1.
 */
void expect_deadline(unsigned seconds);

/*
 * Names what comes next, for the watchdog; printed when EXPECT_VERBOSE is in
 * the environment. @stage must stay valid.
 */
void expect_stage(const char *stage);

/* Prints how many checks there were; 0 or 1 for the exit status. */
int expect_result(void);

/* Ends a forked child with its own result. */
void expect_child_exit(void) __attribute__((noreturn));

/* Waits for @child; that it ended with 0 is a check. */
void expect_child(pid_t child);

/* Fills and checks bytes that depend on @seed and on their offset. */
void expect_fill(void *buf, size_t len_bytes, unsigned seed);
bool expect_filled(const void *buf, size_t len_bytes, unsigned seed,
		   const char *file, int line);
#define EXPECT_FILLED(buf, len_bytes, seed) \
	expect_filled(buf, len_bytes, seed, __FILE__, __LINE__)

#endif /* FABTESTS_EXPECT_H */
