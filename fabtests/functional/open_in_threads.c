/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Several threads find the devices, open everything and close it again, all
 * at once and from the first call of the process on.
 */
#include <pthread.h>
#include <stdlib.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define THREADS		8
#define ROUNDS		5

static pthread_barrier_t together;

static void *open_and_close(void *arg)
{
	struct fab_endpoint *endpoint = calloc(1, sizeof(*endpoint));
	struct fab_wish wish = fab_wish_direct();

	REQUIRE(endpoint);
	wish.buf_len = 65536;
	wish.tx_size = 64;
	wish.rx_size = 64;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&together);
		fab_open(endpoint, &wish);
		fab_close(endpoint);
	}
	free(endpoint);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	expect_deadline(120);
	pthread_barrier_init(&together, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		REQUIRE_EQ(pthread_create(&threads[i], NULL, open_and_close,
					  NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return expect_result();
}
