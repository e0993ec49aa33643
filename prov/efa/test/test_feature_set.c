/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What may be used with whom. */
#include "rdm/feature_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "rdm/wire_decode.h"

static const struct rdm_device_traits full = {
	.rdma_read = true, .rdma_write = true, .unsolicited_write = true,
	.p2p = true, .device_version = 0xefa2,
};

static struct rdm_feature_set peer_of(uint64_t bits, uint32_t version)
{
	const struct rdm_handshake_view hello = {
		.extra_info = { bits, ~0ull }, .device_version = version,
	};

	return rdm_feature_set_of(&hello);
}

static void test_own_says_what_old_peers_check(void **state)
{
	const struct rdm_device_traits none = { .device_version = 0xefa0 };
	struct rdm_feature_set own = rdm_feature_set_own(&none);

	(void)state;
	assert_int_equal(own.bits, 0x25a);
	assert_true(own.is_known);
	assert_false(own.has_p2p);
	own = rdm_feature_set_own(&full);
	assert_int_equal(own.bits, 0x37b);
	assert_int_equal(own.device_version, 0xefa2);
	assert_true(own.has_p2p);
}

static void test_unknown_peer_speaks_the_baseline(void **state)
{
	struct rdm_feature_set own = rdm_feature_set_own(&full);
	struct rdm_feature_set peer = rdm_feature_set_unknown();

	(void)state;
	/* What is not known counts for nothing, whatever the bits say. */
	for (int pass = 0; pass < 2; pass++) {
		assert_true(rdm_feature_wants_raw_addr(&peer));
		assert_true(rdm_feature_may_deliver_complete(&peer));
		assert_false(rdm_feature_may_read(&own, &peer));
		assert_false(rdm_feature_may_write(&own, &peer));
		assert_false(rdm_feature_may_write_data(&own, &peer));
		assert_false(rdm_feature_may_runt(&own, &peer));
		assert_true(rdm_feature_may_read_nack(&peer));
		assert_false(rdm_feature_may_peer_error(&peer));
		peer.bits = ~0ull;
	}
}

static void test_peer_like_this_one(void **state)
{
	struct rdm_feature_set own = rdm_feature_set_own(&full);
	struct rdm_feature_set assumed = rdm_feature_set_assumed(&own);

	assert_false(rdm_feature_wants_raw_addr(&own));
	/* which it may not know this endpoint from */
	assert_true(rdm_feature_wants_raw_addr(&assumed));
	assert_true(rdm_feature_may_read(&own, &assumed));
	assert_true(rdm_feature_may_deliver_complete(&own));
	assert_true(rdm_feature_may_read(&own, &own));
	assert_true(rdm_feature_may_write(&own, &own));
	assert_true(rdm_feature_may_write_data(&own, &own));
	assert_true(rdm_feature_may_runt(&own, &own));
	assert_true(rdm_feature_may_read_nack(&own));
	assert_true(rdm_feature_may_peer_error(&own));
}

static void test_each_bit_counts(void **state)
{
	struct rdm_feature_set own = rdm_feature_set_own(&full);
	struct rdm_feature_set peer;

	(void)state;
	peer = peer_of(RDM_FEATURE_RDMA_READ, 0xefa1);
	assert_true(rdm_feature_may_read(&own, &peer));
	assert_false(rdm_feature_may_runt(&own, &peer));
	assert_false(rdm_feature_may_write(&own, &peer));
	assert_false(rdm_feature_may_deliver_complete(&peer));
	assert_false(rdm_feature_wants_raw_addr(&peer));
	peer = peer_of(RDM_REQUEST_CONSTANT_HEADER, 0xefa1);
	assert_true(rdm_feature_wants_raw_addr(&peer));
	assert_false(rdm_feature_may_read(&own, &peer));
	peer = peer_of(RDM_FEATURE_RUNT, 0xefa1);
	assert_false(rdm_feature_may_runt(&own, &peer));
	peer = peer_of(RDM_FEATURE_RDMA_WRITE, 0xefa1);
	assert_true(rdm_feature_may_write(&own, &peer));
	assert_false(rdm_feature_may_write_data(&own, &peer));
	own.bits &= ~(uint64_t)RDM_FEATURE_UNSOLICITED_WRITE;
	assert_true(rdm_feature_may_write_data(&own, &peer));
}

static void test_first_device_reads_its_own_kind(void **state)
{
	const uint64_t read = RDM_FEATURE_RDMA_READ;
	struct rdm_feature_set first = peer_of(read, 0xefa0);
	struct rdm_feature_set later = peer_of(read, 0xefa1);
	struct rdm_feature_set untold = peer_of(read, 0);

	(void)state;
	assert_true(rdm_feature_may_read(&first, &first));
	assert_false(rdm_feature_may_read(&first, &later));
	assert_false(rdm_feature_may_read(&later, &first));
	assert_true(rdm_feature_may_read(&later, &untold));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_says_what_old_peers_check),
		cmocka_unit_test(test_unknown_peer_speaks_the_baseline),
		cmocka_unit_test(test_peer_like_this_one),
		cmocka_unit_test(test_each_bit_counts),
		cmocka_unit_test(test_first_device_reads_its_own_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
