/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/client_quota.h"

#define PLENTY	1000000u

static void test_connections(void **state)
{
	struct client_quota *quota[CLIENT_QUOTA_CONNECTIONS], *other;
	struct client_quotas quotas;

	(void)state;
	client_quotas_init(&quotas, PLENTY);
	for (unsigned i = 0; i < CLIENT_QUOTA_CONNECTIONS; i++)
		assert_int_equal(client_quota_get(&quotas, 7, &quota[i]), 0);
	assert_int_equal(client_quota_get(&quotas, 7, &other), -EMFILE);
	assert_int_equal(client_quota_get(&quotas, 8, &other), 0);
	assert_ptr_not_equal(other, quota[0]);
	client_quota_put(other);
	client_quota_put(quota[0]);
	assert_int_equal(client_quota_get(&quotas, 7, &quota[0]), 0);
	for (unsigned i = 0; i < CLIENT_QUOTA_CONNECTIONS; i++)
		client_quota_put(quota[i]);
	assert_true(LIST_EMPTY(&quotas.clients));
}

/* All connections of a process draw on one account. */
static void test_descriptors(void **state)
{
	const unsigned most = PLENTY / CLIENT_QUOTA_SHARE;
	struct client_quota *a, *b, *other;
	struct client_quotas quotas;

	(void)state;
	client_quotas_init(&quotas, PLENTY);
	assert_int_equal(client_quota_get(&quotas, 7, &a), 0);
	assert_int_equal(client_quota_get(&quotas, 7, &b), 0);
	assert_int_equal(client_quota_take(a, most - 5), 0);
	assert_int_equal(client_quota_take(b, 4), -EMFILE);
	assert_int_equal(client_quota_take(b, UINT32_MAX), -EMFILE);
	assert_int_equal(client_quota_take(b, 3), 0);
	assert_int_equal(client_quota_get(&quotas, 7, &other), -EMFILE);
	assert_int_equal(client_quota_get(&quotas, 8, &other), 0);
	assert_int_equal(client_quota_take(other, most - 1), 0);
	client_quota_return(other, most - 1);
	client_quota_put(other);
	client_quota_return(b, 3);
	client_quota_put(b);
	assert_int_equal(client_quota_take(a, 4), 0);
	client_quota_return(a, most - 1);
	client_quota_put(a);
	assert_true(LIST_EMPTY(&quotas.clients));
}

static void test_least_and_most(void **state)
{
	struct client_quotas quotas;

	(void)state;
	client_quotas_init(&quotas, 0);
	assert_int_equal(quotas.max_descriptors, CLIENT_QUOTA_LEAST);
	client_quotas_init(&quotas, RLIM_INFINITY);
	assert_int_equal(quotas.max_descriptors, INT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_connections),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_least_and_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
