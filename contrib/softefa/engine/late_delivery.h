/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The arrival of messages whose QP is gone; see late_message.h. */
#ifndef ENGINE_LATE_DELIVERY_H
#define ENGINE_LATE_DELIVERY_H

struct engine;

/* Delivers those whose time has come; returns how many. */
unsigned late_delivery_wake(struct engine *engine);

#endif /* ENGINE_LATE_DELIVERY_H */
