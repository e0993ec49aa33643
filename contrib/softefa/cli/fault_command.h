/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* `softefa fault`: the faults of a daemon that runs. */
#ifndef CLI_FAULT_COMMAND_H
#define CLI_FAULT_COMMAND_H

/* What there is to say, for a complaint. */
#define FAULT_COMMAND_USAGE	"softefa fault [--name NAME] " \
	"add FAULT... | list | log | clear [ID]"

/* Looks whether @words is one of those. -EINVAL after a complaint. */
int fault_command_check(char **words);

/*
 * Does it, over the control connection @fd. Returns the exit status; what
 * was asked for is then on stdout, what is wrong on stderr.
 */
int fault_command_run(int fd, char **words);

#endif /* CLI_FAULT_COMMAND_H */
