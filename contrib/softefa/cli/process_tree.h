/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The processes below this one. For a child subreaper (PR_SET_CHILD_SUBREAPER)
 * each of them is a child sooner or later: it moves up when its parent ends.
 * SIGCHLD must be blocked.
 */
#ifndef CLI_PROCESS_TREE_H
#define CLI_PROCESS_TREE_H

#include <sys/types.h>

/*
 * Ends all below this process but @spared (0: none), and reaps them: first
 * they get 0.2 seconds to end by themselves, then SIGTERM and 2 seconds,
 * then SIGKILL. Returns when none is left.
 */
void process_tree_end(pid_t spared);

/* The same at once, with SIGKILL. */
void process_tree_kill(pid_t spared);

/*
 * Waits for the child @pid alone to end and reaps it; the others stay, ended
 * or not. 0 and its wait status, or -ETIMEDOUT after @timeout_ms.
 */
int process_tree_await(pid_t pid, int timeout_ms, int *wait_status);

#endif /* CLI_PROCESS_TREE_H */
