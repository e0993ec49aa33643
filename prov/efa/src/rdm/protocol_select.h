/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which protocol carries a message: a pure table. */
#ifndef RDM_PROTOCOL_SELECT_H
#define RDM_PROTOCOL_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rdm/wire_decode.h"

struct rdm_protocol_choice {
	uint64_t length;	/* bytes of the message */
	size_t eager_max;	/* payload of one packet with its header */
	size_t medium_max;	/* as FI_EFA_INTER_MAX_MEDIUM_MESSAGE_SIZE */
	size_t read_min;	/* as FI_EFA_INTER_MIN_READ_MESSAGE_SIZE */
	size_t runt;		/* bytes to be sent ahead of a read, or 0 */
	bool may_read;		/* both sides, and the memory is registered */
	bool may_runt;		/* both sides, and no other read is on */
	bool is_delivery_complete;
};

enum rdm_wire_kind
rdm_protocol_select(const struct rdm_protocol_choice *choice);

#endif /* RDM_PROTOCOL_SELECT_H */
