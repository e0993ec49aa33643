/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which bytes of a message are there, when it comes in several packets and
 * in any order, of any lengths. Bytes that come a second time are found out:
 * they would make a message look whole that is not.
 *
 * What has come without a gap is a number; what has come beyond gaps is a
 * sorted array of pieces, of which neighbours are one. So a message whose
 * packets come in order needs no memory, and one whose packets come out of
 * order needs what is out of order at a time, which the device's and the
 * protocol's windows bound. The array has a limit, for those who send crumbs.
 */
#ifndef RDM_REASSEMBLY_H
#define RDM_REASSEMBLY_H

#include <stdbool.h>
#include <stdint.h>

#define RDM_REASSEMBLY_MAX_PIECES	4096u

struct rdm_reassembly_piece {
	uint64_t start, end;	/* bytes [start, end) are there */
};

/* All 0: a message of no bytes. */
struct rdm_reassembly {
	uint64_t total;		/* bytes of the message */
	uint64_t received;	/* bytes that are there */
	uint64_t in_order;	/* bytes [0, in_order) are there */
	/* beyond in_order, sorted, none touches another or in_order */
	struct rdm_reassembly_piece *piece;
	uint32_t num_pieces;
	uint32_t room;
	bool has_lost;		/* bytes that could not be noted */
};

/* Nothing of @total bytes is there. Allocates nothing. */
void rdm_reassembly_init(struct rdm_reassembly *reassembly, uint64_t total);
void rdm_reassembly_fini(struct rdm_reassembly *reassembly);

/*
 * Notes that @len_bytes at @offset have come. False, and nothing is noted:
 * there are none, some of them have come before, or do not belong to the
 * message; or there is no memory or there are too many pieces: then it
 * has_lost, and the message will never be whole.
 */
bool rdm_reassembly_add(struct rdm_reassembly *reassembly, uint64_t offset,
			uint64_t len_bytes);

static inline bool
rdm_reassembly_is_whole(const struct rdm_reassembly *reassembly)
{
	return reassembly->received == reassembly->total;
}

#endif /* RDM_REASSEMBLY_H */
