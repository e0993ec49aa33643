/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the receiving side of an operation is told of it: the same whether
 * the sender is a QP of this engine or the operation came in a packet of
 * another host. The receiving side knows nothing else of the sender.
 */
#ifndef ENGINE_MESSAGE_H
#define ENGINE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/send_wqe_decode.h"

struct send_op;

struct message {
	enum efa_io_send_op_type op;
	enum engine_qp_type qp_type;
	const uint8_t *src_gid, *dst_gid;	/* 16 bytes */
	uint32_t src_qpn, dst_qpn;
	uint32_t qkey;
	uint32_t imm;
	uint32_t length;		/* bytes of payload */
	bool has_imm;
	bool is_unsolicited;		/* a write that takes no receive */
	struct send_sge remote;		/* RDMA: all of it */

	/* for traces; of another host's operations they are not known */
	uint64_t req_id;		/* else 0 */
	const uint8_t *inline_data;	/* else NULL */
};

/* Fills @message, whose GIDs point into @op and its device. */
void message_of_op(const struct send_op *op, struct message *message);

#endif /* ENGINE_MESSAGE_H */
