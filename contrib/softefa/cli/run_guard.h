/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * `softefa run` with devices of its own: four processes, so that whichever
 * is killed, another ends what is left.
 *
 *	front --- guard --+-- daemon
 *	                  +-- COMMAND -- ...
 *
 * front	the process that was started; passes signals on, and the
 *		status back. Killed: the guard ends everything.
 * guard	parent of the other two. Killed: both die with it, and the
 *		front ends what COMMAND had started.
 * daemon	killed: COMMAND's devices fail; the guard tells of it.
 *
 * Front and guard adopt orphans (PR_SET_CHILD_SUBREAPER): when COMMAND has
 * ended, what it left running is ended as well.
 */
#ifndef CLI_RUN_GUARD_H
#define CLI_RUN_GUARD_H

#include "cli/cli_options.h"

/*
 * Runs options->command with a private daemon. Returns the exit status to
 * end with: that of the command, or a CLI_EXIT_*; with everything ended.
 */
int run_guard(const struct cli_options *options);

#endif /* CLI_RUN_GUARD_H */
