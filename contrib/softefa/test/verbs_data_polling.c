/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A reader that polls the last word of each 128-byte block, as protocols
 * with a flag per block do, finds the rest of the block there once the flag
 * is. On devices with data-polling-128; run by verbs_settings.sh.
 */
#include <pthread.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define BLOCK_WORDS	16u		/* of 8 bytes */
#define BLOCKS		256u
#define ROUNDS		300u
#define LENGTH		(BLOCKS * BLOCK_WORDS * 8)

static struct two_qps pair;

/* Follows the flags from block to block, in the order of arrival. */
static void *follow(void *arg)
{
	const uint64_t *words = (const uint64_t *)pair.b.buf;
	const uint64_t *block;
	unsigned round, i, word;

	(void)arg;
	for (round = 1; round <= ROUNDS; round++) {
		for (i = 0; i < BLOCKS; i++) {
			block = words + i * BLOCK_WORDS;
			while (__atomic_load_n(&block[BLOCK_WORDS - 1],
					       __ATOMIC_ACQUIRE) < round)
				;
			for (word = 0; word < BLOCK_WORDS - 1; word++)
				if (block[word] < round)
					EXPECT_EQ(block[word], round);
		}
	}
	return NULL;
}

int main(void)
{
	const int caps = IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS;
	const int order = IBV_QUERY_QP_DATA_IN_ORDER_ALIGNED_128_BYTES;
	struct endpoint_wish wish = endpoint_wish_default();
	uint64_t *source;
	struct request r;
	pthread_t reader;
	uint64_t round;
	unsigned i;

	expect_deadline(120);
	wish.buf_len = LENGTH;
	two_qps_open(&pair, &wish);
	if (!(ibv_query_qp_data_in_order(pair.b.qp, IBV_WR_RDMA_WRITE, caps) &
	      order))
		expect_skip("a device with data-polling-128");
	source = (uint64_t *)pair.a.buf;
	REQUIRE_EQ(pthread_create(&reader, NULL, follow, NULL), 0);
	for (round = 1; round <= ROUNDS; round++) {
		for (i = 0; i < BLOCKS * BLOCK_WORDS; i++)
			source[i] = round;
		r = request_rdma(&pair.a, IBV_WR_RDMA_WRITE, round, 0, LENGTH);
		REQUIRE_EQ(request_post(&pair.a, &r), 0);
		COMPLETION_EXPECT(&pair.a, round, IBV_WC_SUCCESS);
	}
	REQUIRE_EQ(pthread_join(reader, NULL), 0);
	two_qps_close(&pair);
	return expect_result();
}
