/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a packet of libfabric's RDM protocol, version 4, says: bytes in, its
 * fields by name out. Pure, and a gate: any bytes may be given, nothing
 * beyond them is read, and what is wrong with them is said.
 *
 * Little endian, natural alignment. Each packet starts with a type, a
 * version (4) and flags; the request types (64 and up) have
 *
 *	fields | rma_iov[] | raw address | CQ data | connid | read_iov[] | data
 *
 * of which the flags tell the optional ones. It is softefa's own decoder: a
 * fault of the provider's cannot hide in a shared one.
 */
#ifndef TRACE_RDM_PACKET_H
#define TRACE_RDM_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define RDM_VERSION		4u
#define RDM_MAX_FIELDS		48u
#define RDM_MAX_IOV		4u	/* entries of each kind that are kept */

struct rdm_field {
	const char *name;
	uint64_t value;
	uint8_t index;		/* of an array, counted from 1; 0: of none */
	bool is_hex;		/* how a person wants it */
};

struct rdm_packet {
	const char *name;	/* of the type, NULL: there is no such type */
	uint8_t type, version;
	uint16_t flags;
	uint16_t unknown_flags;	/* those that mean nothing to this type */
	uint32_t header_bytes;	/* so far as it could be read */
	uint32_t data_bytes;	/* behind it; 0 with a problem */
	const char *problem;	/* NULL: none, all of the header was read */
	const uint8_t *gid;	/* of the raw address, in the bytes; or NULL */
	unsigned field_count;
	struct rdm_field field[RDM_MAX_FIELDS];
};

/*
 * Decodes a packet of @length bytes, of which @bytes are the first
 * @captured. Sets all of @packet, also when there is a problem: then as far
 * as it goes.
 */
void rdm_packet_decode(const void *bytes, uint32_t captured, uint32_t length,
		       struct rdm_packet *packet);

/*
 * Whether the bytes are likely to be such a packet at all: the version is
 * right and the type exists. Other protocols use the same queues.
 */
bool rdm_packet_is_likely(const void *bytes, uint32_t captured);

/* The name of flag @bit of packets of this type; NULL: it has none. */
const char *rdm_flag_name(uint8_t type, unsigned bit);

/* The name of bit @bit of a handshake's extra_info; NULL: it has none. */
const char *rdm_feature_name(unsigned bit);

#endif /* TRACE_RDM_PACKET_H */
