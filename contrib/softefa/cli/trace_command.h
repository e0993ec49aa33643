/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* `softefa trace print`, and what goes wrong with the others. */
#ifndef CLI_TRACE_COMMAND_H
#define CLI_TRACE_COMMAND_H

/*
 * Prints a trace on stdout. @argv: the arguments behind "print", with a
 * NULL. Returns the exit status; a complaint has been made unless it is 0.
 */
int trace_command_print(char **argv);

/* Complains of what the daemon answered to start (of @file) or stop (NULL). */
void trace_command_complain(const char *file, int result);

#endif /* CLI_TRACE_COMMAND_H */
