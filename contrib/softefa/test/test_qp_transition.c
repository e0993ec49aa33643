/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/qp_transition.h"

#define S	ENGINE_QPA_STATE
#define PKEY	ENGINE_QPA_PKEY_INDEX
#define PORT	ENGINE_QPA_PORT
#define QKEY	ENGINE_QPA_QKEY
#define PSN	ENGINE_QPA_SQ_PSN
#define CUR	ENGINE_QPA_CUR_STATE
#define RNR	ENGINE_QPA_RNR_RETRY
#define SQD	ENGINE_QPA_EN_SQD_ASYNC
#define NO	UINT32_MAX	/* a change that does not exist */

static const enum engine_qp_state states[] = {
	ENGINE_QP_RESET, ENGINE_QP_INIT, ENGINE_QP_RTR, ENGINE_QP_RTS,
	ENGINE_QP_SQD, ENGINE_QP_ERR,
};
#define STATES	(sizeof(states) / sizeof(states[0]))

/* Attributes needed, from the row's state to the column's; NO: impossible. */
static const uint32_t required[STATES][STATES] = {
	/* RESET  INIT                RTR  RTS  SQD  ERR */
	{ 0,      PKEY | PORT | QKEY, NO,  NO,  NO,  NO },
	{ 0,      0,                  0,   NO,  NO,  0 },
	{ 0,      NO,                 NO,  PSN, NO,  0 },
	{ 0,      NO,                 NO,  0,   0,   0 },
	{ 0,      NO,                 NO,  0,   0,   0 },
	{ 0,      NO,                 NO,  NO,  NO,  0 },
};

static const uint32_t optional[STATES][STATES] = {
	{ 0, 0,                  0,           0,                0,    0 },
	{ 0, PKEY | PORT | QKEY, PKEY | QKEY, 0,                0,    0 },
	{ 0, 0,                  0,           CUR | QKEY | RNR, 0,    0 },
	{ 0, 0,                  0,           CUR | QKEY,       SQD,  0 },
	{ 0, 0,                  0,           CUR | QKEY, PKEY | QKEY, 0 },
	{ 0, 0,                  0,           0,                0,    0 },
};

static void check(enum engine_qp_type type, size_t from, size_t to,
		  uint32_t mask, int expected)
{
	int err = qp_transition_check(type, states[from], states[to], mask);

	if (err != expected)
		fail_msg("type %d, %d to %d, mask %#x: %d, expected %d", type,
			 states[from], states[to], mask, err, expected);
}

/* Every set of attributes, for every change, against the two tables. */
static void check_all(enum engine_qp_type type)
{
	static const uint32_t bits[] = { PKEY, PORT, QKEY, PSN, CUR, RNR, SQD };
	uint32_t mask, need, may, choice;
	size_t from, to, bit;
	bool is_right;

	for (from = 0; from < STATES; from++)
	for (to = 0; to < STATES; to++)
	for (choice = 0; choice < 128; choice++) {
		mask = S;
		for (bit = 0; bit < 7; bit++)
			if (choice & 1u << bit)
				mask |= bits[bit];
		need = required[from][to];
		may = optional[from][to];
		if (type == ENGINE_QP_UD)
			may &= ~RNR;
		is_right = need != NO && (mask & need) == need &&
			!(mask & ~(need | may | S));
		check(type, from, to, mask, is_right ? 0 : -EINVAL);
	}
}

static void test_srd(void **state)
{
	check_all(ENGINE_QP_SRD);
}

static void test_ud(void **state)
{
	check_all(ENGINE_QP_UD);
}

static void test_unknown_states(void **state)
{
	assert_int_equal(qp_transition_check(ENGINE_QP_SRD, ENGINE_QP_RTS,
					     5, S), -EINVAL);
	assert_int_equal(qp_transition_check(ENGINE_QP_SRD, ENGINE_QP_RTS,
					     255, S), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_srd),
		cmocka_unit_test(test_ud),
		cmocka_unit_test(test_unknown_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
