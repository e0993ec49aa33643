/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/peer_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

static int set_up(void **state)
{
	struct fabric_peer_index *index = malloc(sizeof(*index));

	*state = index;
	return index ? fabric_peer_index_init(index) : -1;
}

static int tear_down(void **state)
{
	fabric_peer_index_fini(*state);
	free(*state);
	return 0;
}

static void finds_nothing_when_empty(void **state)
{
	assert_int_equal(fabric_peer_index_find(*state, 0), FABRIC_PEER_NONE);
	assert_int_equal(fabric_peer_index_find(*state, UINT32_MAX),
			 FABRIC_PEER_NONE);
	fabric_peer_index_remove(*state, 7);
}

static void replaces_the_value_of_a_key(void **state)
{
	uint32_t key = fabric_peer_key(3, 900);

	assert_int_equal(fabric_peer_index_set(*state, key, 0), 0);
	assert_int_equal(fabric_peer_index_find(*state, key), 0);
	assert_int_equal(fabric_peer_index_set(*state, key, 41), 0);
	assert_int_equal(fabric_peer_index_find(*state, key), 41);
	fabric_peer_index_remove(*state, key);
	assert_int_equal(fabric_peer_index_find(*state, key),
			 FABRIC_PEER_NONE);
}

#define MODEL_KEYS	4096u

/* Against a plain array, through growth and many removals. */
static void agrees_with_a_model(void **state)
{
	static uint32_t model[MODEL_KEYS];
	unsigned int seed = 20261130;

	memset(model, 0xff, sizeof(model));
	for (uint32_t step = 0; step < 200000; step++) {
		uint32_t i = (uint32_t)rand_r(&seed) % MODEL_KEYS;
		uint32_t key = i << 16 | (i & 7);

		if (rand_r(&seed) & 1) {
			assert_int_equal(fabric_peer_index_set(*state, key,
							       step), 0);
			model[i] = step;
		} else {
			fabric_peer_index_remove(*state, key);
			model[i] = FABRIC_PEER_NONE;
		}
		i = (uint32_t)rand_r(&seed) % MODEL_KEYS;
		assert_int_equal(fabric_peer_index_find(*state, i << 16 |
							(i & 7)), model[i]);
	}
	for (uint32_t i = 0; i < MODEL_KEYS; i++)
		assert_int_equal(fabric_peer_index_find(*state, i << 16 |
							(i & 7)), model[i]);
}

#define LASTING		15u
#define PASSING		16u
#define ROUNDS		400000u

static atomic_bool churn_done;

/* Without order, so that runs of occupied slots form. */
static uint32_t scattered_key(uint32_t i)
{
	uint32_t key = (i + 1) * (i + 7) * 2246822519u;

	return key ^ key >> 13;
}

/* Puts keys among the lasting ones and takes them away again, so that
 * those move about. */
static void *churn(void *index)
{
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t late = i - PASSING / 2;

		fabric_peer_index_set(index, scattered_key(LASTING + i %
							   PASSING), 1);
		if (i >= PASSING / 2)
			fabric_peer_index_remove(index, scattered_key(LASTING +
							late % PASSING));
	}
	atomic_store(&churn_done, true);
	return NULL;
}

/* An entry that stays is found at every moment. */
static void never_misses_what_stays(void **state)
{
	pthread_t thread;

	atomic_store(&churn_done, false);
	for (uint32_t i = 0; i < LASTING; i++)
		assert_int_equal(fabric_peer_index_set(*state,
						       scattered_key(i), i),
				 0);
	assert_int_equal(pthread_create(&thread, NULL, churn, *state), 0);
	while (!atomic_load(&churn_done)) {
		for (uint32_t i = 0; i < LASTING; i++) {
			uint32_t found = fabric_peer_index_find(*state,
							scattered_key(i));

			if (found != i)
				fail_msg("entry %u leads to %u", i, found);
		}
	}
	pthread_join(thread, NULL);
}

struct lookup {
	struct fabric_peer_index *index;
	uint32_t key;
	uint32_t found;
	_Atomic pid_t tid;
	atomic_bool done;
};

static void *look_up(void *arg)
{
	struct lookup *lookup = arg;

	atomic_store(&lookup->tid, (pid_t)syscall(SYS_gettid));
	lookup->found = fabric_peer_index_find(lookup->index, lookup->key);
	atomic_store(&lookup->done, true);
	return NULL;
}

/* Returns when the thread is done or sleeps, which is to wait for a lock. */
static void await_sleep_or_end(const struct lookup *lookup)
{
	char path[64], state = 'R';

	while (!atomic_load(&lookup->done) && state != 'S') {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
			 atomic_load(&lookup->tid));
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fscanf(file, "%*d %*s %c", &state) != 1)
			state = 'R';
		fclose(file);
	}
}

/* In the middle of a move, seen from a reader: the entry is in neither
 * place. Whoever comes now waits for the end of it. */
static void a_miss_during_a_move_is_no_miss(void **state)
{
	struct fabric_peer_index *index = *state;
	struct fabric_peer_table *table = atomic_load(&index->table);
	struct lookup lookup = { .index = index, .key = 5 };
	pthread_t thread;
	uint32_t at = 0;
	uint64_t word;

	assert_int_equal(fabric_peer_index_set(index, 5, 42), 0);
	while (atomic_load(&table->slot[at]) == UINT64_MAX)
		at++;
	pthread_mutex_lock(&index->lock);
	atomic_fetch_add(&index->changes, 1);
	word = atomic_exchange(&table->slot[at], UINT64_MAX);
	assert_int_equal(pthread_create(&thread, NULL, look_up, &lookup), 0);
	await_sleep_or_end(&lookup);
	atomic_store(&table->slot[at], word);
	atomic_fetch_add(&index->changes, 1);
	pthread_mutex_unlock(&index->lock);
	pthread_join(thread, NULL);
	assert_int_equal(lookup.found, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_nothing_when_empty,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(replaces_the_value_of_a_key,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(agrees_with_a_model,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(never_misses_what_stays,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_miss_during_a_move_is_no_miss, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
