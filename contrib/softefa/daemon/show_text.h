/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The text of `softefa show`: devices, their counters, clients, faults.
 */
#ifndef DAEMON_SHOW_TEXT_H
#define DAEMON_SHOW_TEXT_H

#include <stddef.h>

#include "daemon/emulated_device.h"
#include "daemon/session.h"

/*
 * Writes the text to @text, without a NUL, cut at @text_bytes; returns its
 * length.
 */
size_t show_text_write(const struct emulated_devices *devices,
		       const struct session_list *sessions, char *text,
		       size_t text_bytes);

#endif /* DAEMON_SHOW_TEXT_H */
