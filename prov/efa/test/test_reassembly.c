/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reassembly: cases by hand, then random segments against one flag a byte. */
#include "rdm/reassembly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_steps.h"

static struct rdm_reassembly r;

static int tear_down(void **state)
{
	rdm_reassembly_fini(&r);
	return 0;
}

static void in_order_takes_no_memory(void **state)
{
	rdm_reassembly_init(&r, 100);
	for (uint64_t at = 0; at < 100; at += 10) {
		assert_false(rdm_reassembly_is_whole(&r));
		assert_true(rdm_reassembly_add(&r, at, 10));
	}
	assert_true(rdm_reassembly_is_whole(&r));
	assert_null(r.piece);
}

static void message_of_no_bytes(void **state)
{
	rdm_reassembly_init(&r, 0);
	assert_true(rdm_reassembly_is_whole(&r));
	assert_false(rdm_reassembly_add(&r, 0, 0));
	assert_false(rdm_reassembly_add(&r, 0, 1));
}

static void refuses_what_is_not_of_the_message(void **state)
{
	rdm_reassembly_init(&r, 100);
	assert_false(rdm_reassembly_add(&r, 100, 1));
	assert_false(rdm_reassembly_add(&r, 101, 1));
	assert_false(rdm_reassembly_add(&r, 99, 2));
	assert_false(rdm_reassembly_add(&r, 0, 101));
	assert_false(rdm_reassembly_add(&r, 50, 0));
	assert_false(rdm_reassembly_add(&r, UINT64_MAX, 2));
	assert_false(rdm_reassembly_add(&r, 1, UINT64_MAX));
	assert_int_equal(r.received, 0);
	assert_true(rdm_reassembly_add(&r, 0, 100));
	assert_true(rdm_reassembly_is_whole(&r));
}

/* What overlaps, from each side, before and behind a gap. */
static void refuses_what_has_come(void **state)
{
	static const uint64_t refused[][2] = {
		{ 0, 10 }, { 9, 1 }, { 5, 10 }, { 0, 60 }, { 10, 41 },
		{ 45, 6 }, { 50, 1 }, { 59, 2 }, { 50, 10 }, { 55, 20 },
		{ 45, 20 }, { 40, 60 }, { 52, 3 },
	};

	rdm_reassembly_init(&r, 100);
	assert_true(rdm_reassembly_add(&r, 50, 10));
	assert_true(rdm_reassembly_add(&r, 0, 10));
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_false(rdm_reassembly_add(&r, refused[i][0],
						refused[i][1]));
	assert_int_equal(r.received, 20);
	assert_true(rdm_reassembly_add(&r, 10, 40));
	assert_true(rdm_reassembly_add(&r, 60, 40));
	assert_true(rdm_reassembly_is_whole(&r));
}

/* Crumbs are refused when there are too many of them; the rest goes on. */
static void crumbs_have_a_limit(void **state)
{
	uint64_t pieces = 0;

	rdm_reassembly_init(&r, 1 << 20);
	while (rdm_reassembly_add(&r, 1 + 2 * pieces, 1))
		pieces++;
	assert_int_equal(pieces, RDM_REASSEMBLY_MAX_PIECES);
	assert_true(r.has_lost);
	/* what came before is none that was lost */
	r.has_lost = false;
	assert_false(rdm_reassembly_add(&r, 1, 1));
	assert_false(r.has_lost);
	for (uint64_t i = 0; i < pieces; i++)
		assert_true(rdm_reassembly_add(&r, 2 * i, 1));
	assert_int_equal(r.in_order, 2 * pieces);
	assert_true(rdm_reassembly_add(&r, 2 * pieces,
				       (1 << 20) - 2 * pieces));
	assert_true(rdm_reassembly_is_whole(&r));
}

enum { MOST = 400 };

static bool model_add(bool *there, uint64_t total, uint64_t offset,
		      uint64_t len)
{
	if (!len || offset > total || len > total - offset)
		return false;
	for (uint64_t i = offset; i < offset + len; i++)
		if (there[i])
			return false;
	memset(there + offset, true, len);
	return true;
}

static bool model_is_whole(const bool *there, uint64_t total)
{
	return !memchr(there, false, total);
}

/* One message: @longest bytes a segment, any offsets, until it is whole. */
static unsigned int random_message(struct random_source *random,
				   uint64_t total, uint32_t longest)
{
	bool there[MOST] = { false };
	unsigned int added = 0;

	rdm_reassembly_init(&r, total);
	while (!rdm_reassembly_is_whole(&r)) {
		uint64_t offset = random_below(random, total + 2);
		uint64_t len = random_below(random, longest + 1);
		bool is_new = model_add(there, total, offset, len);

		assert_int_equal(rdm_reassembly_add(&r, offset, len), is_new);
		added += is_new;
		if (is_new)
			assert_int_equal(rdm_reassembly_is_whole(&r),
					 model_is_whole(there, total));
	}
	assert_int_equal(r.num_pieces, 0);
	rdm_reassembly_fini(&r);
	return added;
}

static void random_segments(void **state)
{
	struct random_source random = { .state = 3 };
	unsigned long messages = random_steps(2000), added = 0;

	for (unsigned long i = 0; i < messages; i++)
		added += random_message(&random,
					1 + random_below(&random, MOST),
					1 + random_below(&random, 40));
	assert_true(added > 5 * messages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(in_order_takes_no_memory, tear_down),
		cmocka_unit_test_teardown(message_of_no_bytes, tear_down),
		cmocka_unit_test_teardown(refuses_what_is_not_of_the_message,
					  tear_down),
		cmocka_unit_test_teardown(refuses_what_has_come, tear_down),
		cmocka_unit_test_teardown(crumbs_have_a_limit, tear_down),
		cmocka_unit_test_teardown(random_segments, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
