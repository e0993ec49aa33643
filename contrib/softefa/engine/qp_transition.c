/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/qp_transition.h"

#include <errno.h>
#include <stddef.h>

#define PKEY	ENGINE_QPA_PKEY_INDEX
#define PORT	ENGINE_QPA_PORT
#define QKEY	ENGINE_QPA_QKEY
#define PSN	ENGINE_QPA_SQ_PSN
#define CUR	ENGINE_QPA_CUR_STATE
#define RNR	ENGINE_QPA_RNR_RETRY
#define SQD	ENGINE_QPA_EN_SQD_ASYNC

static const struct {
	enum engine_qp_state from, to;
	uint32_t required, optional;
	uint32_t optional_srd;		/* beyond what UD takes */
} transitions[] = {
	{ ENGINE_QP_RESET, ENGINE_QP_INIT, PKEY | PORT | QKEY, 0, 0 },
	{ ENGINE_QP_INIT, ENGINE_QP_INIT, 0, PKEY | PORT | QKEY, 0 },
	{ ENGINE_QP_INIT, ENGINE_QP_RTR, 0, PKEY | QKEY, 0 },
	{ ENGINE_QP_RTR, ENGINE_QP_RTS, PSN, CUR | QKEY, RNR },
	{ ENGINE_QP_RTS, ENGINE_QP_RTS, 0, CUR | QKEY, 0 },
	{ ENGINE_QP_RTS, ENGINE_QP_SQD, 0, SQD, 0 },
	{ ENGINE_QP_SQD, ENGINE_QP_RTS, 0, CUR | QKEY, 0 },
	{ ENGINE_QP_SQD, ENGINE_QP_SQD, 0, PKEY | QKEY, 0 },
};

static int check_attributes(uint32_t mask, uint32_t required,
			    uint32_t optional)
{
	if ((mask & required) != required)
		return -EINVAL;
	if (mask & ~(required | optional | ENGINE_QPA_STATE))
		return -EINVAL;
	return 0;
}

int qp_transition_check(enum engine_qp_type type, enum engine_qp_state from,
			enum engine_qp_state to, uint32_t mask)
{
	uint32_t optional;
	size_t i;

	/* The driver may only say that it believes in one of these. */
	if ((mask & CUR) && from != ENGINE_QP_RTR && from != ENGINE_QP_RTS &&
	    from != ENGINE_QP_SQD)
		return -EINVAL;
	if (to == ENGINE_QP_RESET ||
	    (to == ENGINE_QP_ERR && from != ENGINE_QP_RESET))
		return check_attributes(mask, 0, 0);
	for (i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++) {
		if (transitions[i].from != from || transitions[i].to != to)
			continue;
		optional = transitions[i].optional;
		if (type == ENGINE_QP_SRD)
			optional |= transitions[i].optional_srd;
		return check_attributes(mask, transitions[i].required,
					optional);
	}
	return -EINVAL;
}
