/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Starts the daemon in a process of its own and waits until it serves.
 */
#ifndef CLI_DAEMON_PROCESS_H
#define CLI_DAEMON_PROCESS_H

#include <sys/types.h>

#include "cli/cli_options.h"

struct daemon_process {
	pid_t pid;
	/* Closing it ends the daemon; -1 for one in the background. */
	int life_fd;
};

/*
 * Starts a daemon that listens on @socket as a child of this process, which
 * dies with it, and tells of broken rules on our stderr. Returns 0 when it
 * serves; the caller closes life_fd and reaps pid, whose exit status is
 * CLI_EXIT_RULES_BROKEN when rules of its devices were broken. -EIO when it could not start, which it has told on stderr.
 */
int daemon_process_start(const struct cli_options *options,
			 const char *socket, struct daemon_process *daemon);

/*
 * Starts a daemon in the background: in a session of its own, of which this
 * process is not the parent, with the root as working directory. 0 when it
 * serves, errors as above.
 */
int daemon_process_detach(const struct cli_options *options,
			  const char *socket);

#endif /* CLI_DAEMON_PROCESS_H */
