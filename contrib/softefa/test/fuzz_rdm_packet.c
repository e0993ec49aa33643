/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any bytes as a packet of the RDM protocol: nothing beyond them is read,
 * and what is told of them fits what they are. See fuzz_inputs.c for
 * running it. The first two bytes say how much more the packet had than was
 * traced.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/rdm_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_rdm_packet: does not hold: %s\n", what);
	abort();
}

static void check(const uint8_t *bytes, uint32_t captured, uint32_t length)
{
	struct rdm_packet packet;
	struct text_line line;

	rdm_packet_decode(bytes, captured, length, &packet);
	require(packet.field_count <= RDM_MAX_FIELDS, "fields are bounded");
	require(packet.header_bytes <= captured &&
		packet.header_bytes <= length, "the header was there");
	require(packet.problem || packet.header_bytes + packet.data_bytes ==
		length, "header and data are the packet");
	require(!packet.gid || (packet.gid >= bytes &&
				packet.gid + 16 <= bytes + captured),
		"the GID is of the packet");
	text_line_clear(&line);
	rdm_text_add(&line, &packet);
	require(line.used < sizeof(line.text) &&
		strlen(line.text) == line.used, "the line is whole");
}

/* Bytes alone seldom are of the right version. */
static void check_as_packet(const uint8_t *bytes, uint32_t size,
			    uint32_t more)
{
	uint8_t *copy = malloc(size);

	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	copy[1] = RDM_VERSION;
	check(copy, size, size + more);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t more;

	if (size < 2)
		return 0;
	more = data[0] & 1 ? data[1] * 37u : 0;
	check(data + 2, (uint32_t)size - 2, (uint32_t)size - 2 + more);
	if (size >= 4)
		check_as_packet(data + 2, (uint32_t)size - 2, more);
	return 0;
}
