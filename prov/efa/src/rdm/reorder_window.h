/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The order of a peer's messages. The device delivers in any order; each
 * message has a number, msg_id, one more than the message before, modulo
 * 2^32. A packet's message is the one that is next, an early one, or an old
 * one that was next before; packets of early messages are parked here until
 * their message is next.
 *
 * All packets of one message have its number. It is next with the first of
 * them that comes; the others are then old, and the caller knows whether it
 * waits for them.
 *
 * The nearest early messages lie in a ring by their number, farther ones in a
 * hash; a peer that sends in order needs neither. Memory is for what is
 * parked, at most RDM_REORDER_MAX_PARKED packets, however far ahead a
 * number is. All is O(1). No lock inside.
 */
#ifndef RDM_REORDER_WINDOW_H
#define RDM_REORDER_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "rdm/stored_packet.h"

/* Of one peer. More than can be in flight when one of them got lost. */
#define RDM_REORDER_MAX_PARKED	65536u

struct rdm_reorder_far;

enum rdm_reorder {
	RDM_REORDER_NEXT,
	RDM_REORDER_EARLY,
	RDM_REORDER_OLD,
};

struct rdm_reorder_window {
	uint32_t expected;		/* number of the message that is next */
	uint32_t num_parked;
	uint32_t size;			/* of the ring */
	bool is_begun;			/* some of the expected one is popped */
	struct rdm_stored_queue *ring;	/* NULL until it is needed */
	struct rdm_reorder_far *far;	/* the same */
};

/* The next message is number 0. @size: how many messages are near, a power
 * of two. Allocates nothing. */
void rdm_reorder_window_init(struct rdm_reorder_window *window,
			     uint32_t size);
/* Frees what is parked as well. */
void rdm_reorder_window_fini(struct rdm_reorder_window *window);

static inline enum rdm_reorder
rdm_reorder_window_judge(const struct rdm_reorder_window *window,
			 uint32_t msg_id)
{
	int32_t ahead = (int32_t)(msg_id - window->expected);

	if (__builtin_expect(ahead == 0, 1))
		return RDM_REORDER_NEXT;
	return ahead > 0 ? RDM_REORDER_EARLY : RDM_REORDER_OLD;
}

/* The expected message has come, of which nothing is parked: the one after
 * it is next, and rdm_reorder_window_pop may have packets of that. */
static inline void
rdm_reorder_window_advance(struct rdm_reorder_window *window)
{
	window->expected++;
}

/*
 * Parks @stored, a packet of the early message @msg_id, which is then the
 * window's. 0, -ENOMEM, -ENOBUFS when too many are parked: it stays the
 * caller's. Packets that come twice are not found out here, but told apart
 * from the first by rdm_reorder_window_pop.
 */
int rdm_reorder_window_park(struct rdm_reorder_window *window,
			    uint32_t msg_id,
			    struct rdm_stored_packet *stored);

/* Out of line: called by rdm_reorder_window_pop alone. */
struct rdm_stored_packet *
rdm_reorder_window_pop_parked(struct rdm_reorder_window *window,
			      bool *is_first);

/*
 * The next parked packet of the expected message, the caller's then; NULL:
 * there is none. With its last one the message has come, and the one after it
 * is next: called until it returns NULL, this gives all that need not wait.
 * *@is_first: it is the first of its message; another one continues the
 * message, or is a duplicate, as an old one that comes from the device.
 */
static inline struct rdm_stored_packet *
rdm_reorder_window_pop(struct rdm_reorder_window *window, bool *is_first)
{
	if (__builtin_expect(!window->num_parked, 1))
		return NULL;
	return rdm_reorder_window_pop_parked(window, is_first);
}

#endif /* RDM_REORDER_WINDOW_H */
