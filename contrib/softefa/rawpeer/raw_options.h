/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The command line of softefa-rawpeer, checked. */
#ifndef RAWPEER_RAW_OPTIONS_H
#define RAWPEER_RAW_OPTIONS_H

#include <stdbool.h>

#include "engine/packet.h"
#include "trace/record_text.h"

enum raw_kind {
	RAW_SEND,		/* an SRD message, which is answered */
	RAW_DATAGRAM,
	RAW_BYTES,		/* in place of a packet */
};

#define RAW_NO_ANSWER	(-1)

struct raw_options {
	bool wants_help;
	const char *link;
	uint8_t gid[16], to_gid[16];
	uint32_t qpn, to_qpn, qkey, imm;
	bool has_gid, has_to, has_imm;
	enum raw_kind kind;
	unsigned receive;	/* packets to wait for */
	int answer;		/* enum efa_io_comp_status or RAW_NO_ANSWER */
	unsigned timeout_ms;	/* of all of it */
	enum payload_text payload;
	char **hex;		/* packets, from argv, with a NULL */
};

/* 0, or -EINVAL: then one complaint has been made. */
int raw_options_parse(char **argv, struct raw_options *options);

void raw_options_help(void);

/*
 * Reads hexadecimal digits, which blanks may separate: a packet of @kind.
 * 0 and their number in @len_bytes, or -EINVAL after a complaint.
 */
int raw_options_hex(const char *text, enum raw_kind kind,
		    uint8_t bytes[PACKET_MAX_BYTES], size_t *len_bytes);

/* "softefa-rawpeer: error: ..." on stderr, and @remedy, unless it is NULL. */
__attribute__((format(printf, 2, 3)))
void raw_complain(const char *remedy, const char *format, ...);

#endif /* RAWPEER_RAW_OPTIONS_H */
