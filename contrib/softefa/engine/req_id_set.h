/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which 16-bit request IDs of a queue are in use. An ID is in use from the
 * entry that names it until its completion can be seen.
 */
#ifndef ENGINE_REQ_ID_SET_H
#define ENGINE_REQ_ID_SET_H

#include <stdbool.h>
#include <stdint.h>

struct req_id_set {
	uint64_t *words;		/* NULL: keeps no account */
};

/* An empty set; -ENOMEM. Without it, a zeroed one keeps no account. */
int req_id_set_init(struct req_id_set *set);
void req_id_set_fini(struct req_id_set *set);

/* Adds @req_id; false when it was in use, and stays so. */
bool req_id_set_add(struct req_id_set *set, uint16_t req_id);
void req_id_set_remove(struct req_id_set *set, uint16_t req_id);
void req_id_set_clear(struct req_id_set *set);

#endif /* ENGINE_REQ_ID_SET_H */
