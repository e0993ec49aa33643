/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Faults of the daemon that this program's devices are of (SOFTEFA_SOCKET),
 * set by the program itself, which knows its queue pairs' numbers. What
 * cannot be set ends the program with a failed check.
 */
#ifndef TEST_FAULT_SETTING_H
#define TEST_FAULT_SETTING_H

#include <stddef.h>

/* Sets a fault; @format is printf's. Its ID. */
int fault_set(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Takes all faults back. */
void fault_clear(void);

/*
 * Decisions after the @mark of an earlier call (0: all) as lines without the
 * fault's ID, which tells runs apart; @mark is moved on.
 */
void fault_log_read(unsigned long long *mark, char *text, size_t text_bytes);

#endif /* TEST_FAULT_SETTING_H */
