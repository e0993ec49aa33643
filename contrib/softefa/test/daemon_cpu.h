/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The CPU time that the daemon of `softefa run` uses, as the kernel charges
 * it: for programs that are its COMMAND.
 */
#ifndef TEST_DAEMON_CPU_H
#define TEST_DAEMON_CPU_H

/*
 * The process ID of the daemon, a child of this process's parent. Skips the
 * program when there is none.
 */
long daemon_cpu_find(void);

/* CPU time that @pid has used, user and system. */
double daemon_cpu_seconds(long pid);

/* Percent of a CPU that @pid uses from now on for @window_ms. Sleeps. */
double daemon_cpu_percent(long pid, int window_ms);

#endif /* TEST_DAEMON_CPU_H */
