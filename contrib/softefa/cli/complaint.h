/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the command says to a person when something is wrong. */
#ifndef CLI_COMPLAINT_H
#define CLI_COMPLAINT_H

/* Exit statuses, as env(1) and timeout(1) have them; see softefa(1). */
enum cli_exit {
	CLI_EXIT_FAILED = 1,		/* start, stop, show */
	CLI_EXIT_USAGE = 2,
	CLI_EXIT_RULES_BROKEN = 121,	/* run, stop: the device's */
	CLI_EXIT_RUN_FAILED = 125,	/* run: softefa itself failed */
	CLI_EXIT_NOT_RUNNABLE = 126,
	CLI_EXIT_NOT_FOUND = 127,
	CLI_EXIT_SIGNALLED = 128,	/* plus the signal's number */
};

/*
 * Prints "softefa: error: ..." on stderr, with @remedy (NULL: none) on a
 * line of its own. @format is printf's. One call, one write, so that the
 * texts of several processes do not mix.
 */
__attribute__((format(printf, 2, 3)))
void complain(const char *remedy, const char *format, ...);

/* The same as "softefa: warning: ...". */
__attribute__((format(printf, 2, 3)))
void warn_of(const char *remedy, const char *format, ...);

#endif /* CLI_COMPLAINT_H */
