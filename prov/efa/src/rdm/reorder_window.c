/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/reorder_window.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "util/hash_table.h"
#include "util/list.h"

struct rdm_reorder_far {
	struct util_hash_table by_msg_id;
};

/* The packets of one message that was far ahead when they came. */
struct far_message {
	struct util_hash_node node;
	uint32_t msg_id;
	struct rdm_stored_queue packets;
};

void rdm_reorder_window_init(struct rdm_reorder_window *window, uint32_t size)
{
	assert(size && !(size & (size - 1)));
	*window = (struct rdm_reorder_window) { .size = size };
}

/* ---- far messages ---- */

static uint64_t far_hash(uint32_t msg_id)
{
	return util_hash_mix(msg_id, 0);
}

static struct far_message *far_find(const struct rdm_reorder_far *far,
				    uint32_t msg_id)
{
	struct util_hash_node *node;

	if (!far)
		return NULL;
	for (node = util_hash_first(&far->by_msg_id, far_hash(msg_id)); node;
	     node = util_hash_next(node)) {
		struct far_message *message =
			util_list_entry(node, struct far_message, node);

		if (message->msg_id == msg_id)
			return message;
	}
	return NULL;
}

static struct rdm_reorder_far *far_create(void)
{
	struct rdm_reorder_far *far = malloc(sizeof(*far));

	if (far && util_hash_init(&far->by_msg_id)) {
		free(far);
		far = NULL;
	}
	return far;
}

static int far_park(struct rdm_reorder_window *window, uint32_t msg_id,
		    struct rdm_stored_packet *stored)
{
	struct far_message *message;

	if (!window->far)
		window->far = far_create();
	if (!window->far)
		return -ENOMEM;
	message = far_find(window->far, msg_id);
	if (!message) {
		message = calloc(1, sizeof(*message));
		if (!message)
			return -ENOMEM;
		message->msg_id = msg_id;
		util_hash_insert(&window->far->by_msg_id, &message->node,
				 far_hash(msg_id));
	}
	rdm_stored_queue_append(&message->packets, stored);
	return 0;
}

static void far_remove(struct rdm_reorder_far *far,
		       struct far_message *message)
{
	util_hash_remove(&far->by_msg_id, &message->node);
	free(message);
}

/* ---- near ones ---- */

static struct rdm_stored_queue *
near_queue(const struct rdm_reorder_window *window, uint32_t msg_id)
{
	return &window->ring[msg_id & (window->size - 1)];
}

static int near_park(struct rdm_reorder_window *window, uint32_t msg_id,
		     struct rdm_stored_packet *stored)
{
	if (__builtin_expect(!window->ring, 0)) {
		window->ring = calloc(window->size, sizeof(*window->ring));
		if (!window->ring)
			return -ENOMEM;
	}
	rdm_stored_queue_append(near_queue(window, msg_id), stored);
	return 0;
}

/* ---- both ---- */

int rdm_reorder_window_park(struct rdm_reorder_window *window,
			    uint32_t msg_id,
			    struct rdm_stored_packet *stored)
{
	uint32_t ahead = msg_id - window->expected;
	int err;

	assert(ahead && ahead <= INT32_MAX);
	if (window->num_parked == RDM_REORDER_MAX_PARKED)
		return -ENOBUFS;
	if (__builtin_expect(ahead < window->size, 1))
		err = near_park(window, msg_id, stored);
	else
		err = far_park(window, msg_id, stored);
	if (!err)
		window->num_parked++;
	return err;
}

/* A packet of the expected message; *@more: there are others. */
static struct rdm_stored_packet *
take_expected(struct rdm_reorder_window *window, bool *more)
{
	struct far_message *message = far_find(window->far, window->expected);
	struct rdm_stored_queue *near = NULL;
	struct rdm_stored_packet *stored = NULL;

	if (window->ring)
		near = near_queue(window, window->expected);
	if (message) {
		stored = rdm_stored_queue_pop(&message->packets);
		if (!message->packets.first) {
			far_remove(window->far, message);
			message = NULL;
		}
	} else if (near) {
		stored = rdm_stored_queue_pop(near);
	}
	*more = message || (near && near->first);
	return stored;
}

struct rdm_stored_packet *
rdm_reorder_window_pop_parked(struct rdm_reorder_window *window,
			      bool *is_first)
{
	struct rdm_stored_packet *stored;
	bool more;

	stored = take_expected(window, &more);
	if (!stored)
		return NULL;
	window->num_parked--;
	*is_first = !window->is_begun;
	window->is_begun = more;
	if (!more)
		window->expected++;
	return stored;
}

static void free_packets(struct rdm_stored_queue *queue)
{
	struct rdm_stored_packet *stored;

	while ((stored = rdm_stored_queue_pop(queue)))
		free(stored);
}

static void far_destroy(struct rdm_reorder_far *far)
{
	struct util_hash_table *table = &far->by_msg_id;

	for (uint32_t i = 0; i <= table->mask; i++) {
		while (table->bucket[i]) {
			struct far_message *message =
				util_list_entry(table->bucket[i],
						struct far_message, node);

			free_packets(&message->packets);
			far_remove(far, message);
		}
	}
	util_hash_fini(table);
	free(far);
}

void rdm_reorder_window_fini(struct rdm_reorder_window *window)
{
	for (uint32_t i = 0; window->ring && i < window->size; i++)
		free_packets(&window->ring[i]);
	free(window->ring);
	if (window->far)
		far_destroy(window->far);
	rdm_reorder_window_init(window, window->size);
}
