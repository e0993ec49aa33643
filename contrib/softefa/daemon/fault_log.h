/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What clients did wrong, told to a person: faults in the log, when one is
 * asked for; broken rules of the device there and where fault_log_init says;
 * the last lines of both in `softefa show`. No client can flood it: at most
 * FAULT_LOG_PER_SECOND lines a second reach each place, and none that it has
 * no room for (a pipe nobody reads); the rest is counted.
 */
#ifndef DAEMON_FAULT_LOG_H
#define DAEMON_FAULT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define FAULT_LOG_PER_SECOND	20u
#define FAULT_LOG_KEPT		16u	/* lines kept for show */
#define FAULT_LOG_LINE		400u	/* longest line, with its NUL */

/*
 * @to_stderr: write all lines to stderr as well as keep them. @rule_fd:
 * write those of broken rules there, too; it stays the caller's. -1: none.
 */
void fault_log_init(bool to_stderr, int rule_fd);

/* One fault: who, what was found, what the rule is. No newline. */
void fault_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same of a broken rule of the device. */
void fault_log_rule(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* The same at the end of it all, which no budget holds back. */
void fault_log_sum(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* A failure of the daemon itself: always on stderr. */
void fault_log_fatal(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Lines so far. */
uint64_t fault_log_count(void);

/* Kept line @age steps back (0 = the newest), NULL past the oldest. */
const char *fault_log_line(unsigned age);

#endif /* DAEMON_FAULT_LOG_H */
