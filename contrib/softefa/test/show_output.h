/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What `softefa show` says of the devices that a test runs on. */
#ifndef SOFTEFA_TEST_SHOW_OUTPUT_H
#define SOFTEFA_TEST_SHOW_OUTPUT_H

#include <stddef.h>

/*
 * Runs `softefa show OPTION` and takes what it prints, with a NUL. Fails the
 * test when it does not end with 0 or prints more than @size; skips it
 * without SOFTEFA.
 */
void show_output_read(const char *option, char *text, size_t size);

#endif /* SOFTEFA_TEST_SHOW_OUTPUT_H */
