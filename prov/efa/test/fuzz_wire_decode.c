/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any bytes as a packet: nothing beyond them is read, and what the gate lets
 * through holds what it promises. See fuzz_inputs.c for running it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdm/wire_type.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_wire_decode: does not hold: %s\n", what);
	abort();
}

static void check_iovs(const struct rdm_wire_iov *iov, unsigned int count,
		       uint64_t expected)
{
	uint64_t total = 0;

	require(count <= RDM_WIRE_IOV_MAX, "iovs are bounded");
	for (unsigned int i = 0; i < count; i++) {
		require(iov[i].addr + iov[i].len >= iov[i].addr,
			"an iov does not wrap");
		require(total + iov[i].len >= total, "nor do all of them");
		total += iov[i].len;
	}
	require(total == expected, "iovs add up");
}

static bool is_atomic(const struct rdm_wire_view *view)
{
	return view->kind >= RDM_KIND_WRITE_RTA &&
		view->kind <= RDM_KIND_COMPARE_RTA;
}

static bool has_segment(const struct rdm_wire_view *view)
{
	return view->kind == RDM_KIND_EAGER || view->kind == RDM_KIND_MEDIUM ||
		view->kind == RDM_KIND_LONGCTS ||
		view->kind == RDM_KIND_RUNTREAD ||
		view->kind == RDM_KIND_EAGER_RTW ||
		view->kind == RDM_KIND_LONGCTS_RTW;
}

static void check_message(const struct rdm_wire_view *view)
{
	bool is_write = view->kind >= RDM_KIND_EAGER_RTW &&
		view->kind <= RDM_KIND_LONGCTS_RTR;

	if (has_segment(view))
		require(view->seg_offset <= view->msg_length &&
			view->payload_len <=
			view->msg_length - view->seg_offset,
			"a segment lies in its message");
	if (is_write)
		check_iovs(view->rma_iov, view->rma_iov_count,
			   view->msg_length);
	if (view->kind == RDM_KIND_LONGREAD ||
	    view->kind == RDM_KIND_RUNTREAD ||
	    view->kind == RDM_KIND_LONGREAD_RTW)
		check_iovs(view->read_iov, view->read_iov_count,
			   view->msg_length);
	if (view->kind == RDM_KIND_RUNTREAD)
		require(view->runt_length <= view->msg_length &&
			view->seg_offset + view->payload_len <=
			view->runt_length, "a runt lies in its part");
}

static void check(const uint8_t *bytes, size_t size)
{
	struct rdm_wire_view view;
	enum rdm_wire_fault fault;

	memset(&view, 0xa5, sizeof(view));
	fault = rdm_wire_decode(bytes, size, &view);
	require(rdm_wire_fault_text(fault), "a fault has a name");
	if (fault)
		return;
	require(view.kind != RDM_KIND_NONE && view.kind < RDM_KINDS &&
		view.kind == rdm_wire_kind_of(view.type), "it is of a kind");
	require(view.payload >= bytes &&
		view.payload + view.payload_len == bytes + size,
		"the payload ends the packet");
	require(!view.raw_addr ||
		(view.raw_addr >= bytes &&
		 view.raw_addr + RDM_WIRE_RAW_ADDR_MIN <= view.payload),
		"the address lies in the header");
	require(view.rma_iov_count <= RDM_WIRE_IOV_MAX &&
		view.read_iov_count <= RDM_WIRE_IOV_MAX, "counts hold");
	if (view.type >= RDM_WIRE_FIRST_REQUEST && !is_atomic(&view))
		check_message(&view);
}

/* Bytes alone seldom are of the right version or of a type, so random ones
 * are checked again with these set right. */
static void check_as_packet(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size);

	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	copy[1] = RDM_WIRE_VERSION;
	check(copy, size);
	copy[0] = copy[0] & 128 ? 128 + copy[0] % 20 :
		copy[0] & 64 ? 64 + copy[0] % 13 : copy[0] % 13;
	check(copy, size);
	/* Small counts and lengths, where most headers have theirs. */
	for (size_t i = 5; i < size && i < 24; i++)
		copy[i] = i % 4 ? 0 : copy[i];
	check(copy, size);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check(data, size);
	if (size >= sizeof(struct rdm_wire_base))
		check_as_packet(data, size);
	return 0;
}
