/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counters for programs: lines "OBJECT NAME VALUE", of the devices (efa_0),
 * their rules (efa_0/rules), and the QPs and CQs there are (efa_0/qp/3,
 * efa_0/cq/1).
 */
#ifndef DAEMON_COUNTER_TEXT_H
#define DAEMON_COUNTER_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/emulated_device.h"
#include "daemon/session.h"

/* Lines of one object take less. */
#define COUNTER_TEXT_OBJECT	2048u

/*
 * Writes the lines of objects from number *@cursor on to @text, without a
 * NUL, as many as fit; returns their length. *@cursor becomes the number to
 * go on with, 0 when these were the last. Between two calls objects may come
 * and go: those that stay, but for the last made, keep their place as long
 * as no client ends.
 */
size_t counter_text_write(const struct emulated_devices *devices,
			  const struct session_list *sessions,
			  uint64_t *cursor, char *text, size_t text_bytes);

#endif /* DAEMON_COUNTER_TEXT_H */
