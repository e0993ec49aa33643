/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The gate for send queue entries: bytes of a ring in, a request that the
 * rest of the engine trusts out. Pure; bytes and limits decide alone.
 *
 * What each refusal means:
 *	QP_INTERNAL_ERROR	the entry is not one: wrong phase, meta,
 *				first or last bit, reserved bits, more SGEs
 *				than fit. The driver is broken: the finding
 *				says how, and the QP has to stop.
 *	UNSUPPORTED_OP		an operation this QP or device does not have
 *	BAD_LENGTH		longer than the MTU, the RDMA or inline limit;
 *				RDMA: lengths that differ, no or two SGEs
 */
#ifndef ENGINE_SEND_WQE_DECODE_H
#define ENGINE_SEND_WQE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/rule.h"
#include "hw/efa_io_defs.h"

struct send_wqe_limits {
	uint32_t wqe_size;	/* 64 or 128 */
	uint32_t max_sge;	/* of a send, at most EFA_IO_TX_MAX_SGE */
	uint32_t max_inline;	/* of a send, fits wqe_size */
	uint32_t mtu;
	uint32_t max_rdma_size;
	bool has_rdma_read, has_rdma_write;
	bool req_id_is_64_bit;
};

struct send_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t key;
};

struct send_request {
	uint64_t req_id;	/* as the driver gave it, to be given back */
	enum efa_io_send_op_type op;
	bool has_imm, is_inline, comp_requested;
	uint16_t dest_qpn;
	uint16_t ah;
	uint32_t qkey;
	uint32_t imm;
	uint32_t length;	/* bytes to move */
	uint32_t sge_count;	/* 0 when inline */
	struct send_sge sge[EFA_IO_TX_MAX_SGE];
	struct send_sge remote;	/* RDMA */
	uint8_t inline_data[EFA_IO_TX_INLINE_MAX_WIDE];

	/* not the gate's: payload_stage.h; zero when the request is made */
	const uint8_t *staged;
	uint64_t stage_turn;
};

/* The rule that an entry breaks, and how. */
struct send_wqe_finding {
	const char *text;		/* static; NULL: none */
	enum engine_rule rule;
};

/*
 * Decodes @wqe, a private copy of the entry (the second half is not looked
 * at for 64-byte entries), where @phase is what the ring position demands.
 *
 * Always fills req_id and op as far as they can be read, so that a refused
 * entry can be completed, and comp_requested. All else of @request only
 * with EFA_IO_COMP_STATUS_OK. @finding is set with QP_INTERNAL_ERROR; its
 * text is NULL else.
 */
enum efa_io_comp_status send_wqe_decode(const struct efa_io_tx_wqe *wqe,
					uint8_t phase,
					const struct send_wqe_limits *limits,
					struct send_request *request,
					struct send_wqe_finding *finding);

#endif /* ENGINE_SEND_WQE_DECODE_H */
