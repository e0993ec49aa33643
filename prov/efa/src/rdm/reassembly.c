/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/reassembly.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM	8u

void rdm_reassembly_init(struct rdm_reassembly *reassembly, uint64_t total)
{
	*reassembly = (struct rdm_reassembly) { .total = total };
}

void rdm_reassembly_fini(struct rdm_reassembly *reassembly)
{
	free(reassembly->piece);
	reassembly->piece = NULL;
	reassembly->num_pieces = reassembly->room = 0;
}

static bool make_room(struct rdm_reassembly *reassembly)
{
	uint32_t room = reassembly->room ? reassembly->room * 2 : FIRST_ROOM;
	struct rdm_reassembly_piece *piece;

	if (reassembly->num_pieces < reassembly->room)
		return true;
	if (room > RDM_REASSEMBLY_MAX_PIECES)
		return false;
	piece = realloc(reassembly->piece, room * sizeof(*piece));
	if (!piece)
		return false;
	reassembly->piece = piece;
	reassembly->room = room;
	return true;
}

static void remove_piece(struct rdm_reassembly *reassembly, uint32_t at)
{
	struct rdm_reassembly_piece *piece = &reassembly->piece[at];

	memmove(piece, piece + 1,
		(--reassembly->num_pieces - at) * sizeof(*piece));
}

static bool insert_piece(struct rdm_reassembly *reassembly, uint32_t at,
			 uint64_t start, uint64_t end)
{
	struct rdm_reassembly_piece *piece;

	if (!make_room(reassembly)) {
		reassembly->has_lost = true;
		return false;
	}
	piece = &reassembly->piece[at];
	memmove(piece + 1, piece,
		(reassembly->num_pieces++ - at) * sizeof(*piece));
	*piece = (struct rdm_reassembly_piece) { start, end };
	return true;
}

/* The first piece that starts at @offset or behind it. */
static uint32_t piece_from(const struct rdm_reassembly *reassembly,
			   uint64_t offset)
{
	uint32_t low = 0, high = reassembly->num_pieces;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (reassembly->piece[middle].start < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* [start, end) is beyond a gap. */
static bool add_piece(struct rdm_reassembly *reassembly, uint64_t start,
		      uint64_t end)
{
	uint32_t at = piece_from(reassembly, start);
	struct rdm_reassembly_piece *next = NULL, *previous = NULL;

	if (at < reassembly->num_pieces)
		next = &reassembly->piece[at];
	if (at > 0)
		previous = &reassembly->piece[at - 1];
	if ((previous && previous->end > start) || (next && next->start < end))
		return false;
	if (previous && previous->end == start) {
		previous->end = end;
		if (next && next->start == end) {
			previous->end = next->end;
			remove_piece(reassembly, at);
		}
	} else if (next && next->start == end) {
		next->start = start;
	} else {
		return insert_piece(reassembly, at, start, end);
	}
	return true;
}

/* [in_order, end) closes the first gap, or some of it. */
static bool add_in_order(struct rdm_reassembly *reassembly, uint64_t end)
{
	const struct rdm_reassembly_piece *first = reassembly->piece;

	if (reassembly->num_pieces && first->start <= end) {
		if (first->start < end)
			return false;
		end = first->end;
		remove_piece(reassembly, 0);
	}
	reassembly->in_order = end;
	return true;
}

bool rdm_reassembly_add(struct rdm_reassembly *reassembly, uint64_t offset,
			uint64_t len_bytes)
{
	uint64_t end = offset + len_bytes;
	bool added;

	if (!len_bytes || offset < reassembly->in_order ||
	    offset > reassembly->total ||
	    len_bytes > reassembly->total - offset)
		return false;
	if (offset == reassembly->in_order)
		added = add_in_order(reassembly, end);
	else
		added = add_piece(reassembly, offset, end);
	if (added)
		reassembly->received += len_bytes;
	return added;
}
