/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef RAWPEER_RAW_TEXT_H
#define RAWPEER_RAW_TEXT_H

#include "engine/packet.h"
#include "trace/record_text.h"

/*
 * Sets @line to "KIND from=GID/QPN to=GID/QPN name=value ...": a packet as it
 * came, without a newline. A status also has "op_id=", of the request.
 */
void raw_text(struct text_line *line, const struct packet *packet,
	      enum payload_text payload);

#endif /* RAWPEER_RAW_TEXT_H */
