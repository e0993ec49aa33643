/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The main of a test in which two processes talk to each other. */
#ifndef FABTESTS_TWO_PROCESSES_H
#define FABTESTS_TWO_PROCESSES_H

#include <stdbool.h>

#include "fabtests/functional/fabric_endpoint.h"

/*
 * Forks, and calls @run in both: @oob is the socket to the other process,
 * @first true in one of them. Both are bound to @deadline_s seconds.
 * FABTESTS_CHILD_PROVIDER_PATH is where the second finds providers. Skips
 * before @run when there is no endpoint like @wish. Returns what main is to
 * return, for both.
 */
int two_processes(void (*run)(int oob, bool first),
		  const struct fab_wish *wish, unsigned deadline_s);

#endif /* FABTESTS_TWO_PROCESSES_H */
