/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Rights to completions of a CQ (fabric/done_list.h), taken by the piece, so
 * that most operations get theirs without the list's lock. Under the
 * endpoint's lock.
 */
#ifndef RDM_RIGHTS_H
#define RDM_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/done_list.h"

#define RDM_RIGHTS_PIECE	32u

struct rdm_rights {
	struct fabric_done_list *list;
	uint32_t spare;		/* taken, for operations to come */
	uint32_t out;		/* of operations that have not ended */
};

/* For an operation that starts. False: no memory. */
static inline bool rdm_rights_take(struct rdm_rights *rights)
{
	if (__builtin_expect(!rights->spare, 0)) {
		if (fabric_done_reserve(rights->list, RDM_RIGHTS_PIECE))
			return false;
		rights->spare = RDM_RIGHTS_PIECE;
	}
	rights->spare--;
	rights->out++;
	return true;
}

/* For an operation that ended with nobody told. */
static inline void rdm_rights_return(struct rdm_rights *rights)
{
	rights->spare++;
	rights->out--;
}

static inline void rdm_rights_use(struct rdm_rights *rights,
				  const struct fabric_completion *completion)
{
	rights->out--;
	fabric_done_put(rights->list, completion);
}

/* Gives all back. */
static inline void rdm_rights_release(struct rdm_rights *rights)
{
	if (rights->list)
		fabric_done_release(rights->list,
				    rights->spare + rights->out);
	rights->spare = 0;
	rights->out = 0;
}

#endif /* RDM_RIGHTS_H */
