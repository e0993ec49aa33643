/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>

#include "daemon/mmap_region.h"

static size_t page;

static void test_find_wants_exact(void **state)
{
	struct region_file *file;
	struct mmap_region *a, *b;

	assert_int_equal(region_file_open(&file), 0);
	assert_int_equal(mmap_region_create(file, 1, &a), 0);
	assert_int_equal(mmap_region_create(file, 3 * page - 1, &b), 0);
	assert_int_equal(a->length_bytes, page);
	assert_int_equal(b->length_bytes, 3 * page);
	assert_ptr_equal(mmap_region_find(file, a->key, page), a);
	assert_ptr_equal(mmap_region_find(file, b->key, 3 * page), b);
	/* The kernel rounds the length that a client gives to mmap. */
	assert_ptr_equal(mmap_region_find(file, b->key, 3 * page - 7), b);
	assert_null(mmap_region_find(file, b->key, 2 * page));
	assert_null(mmap_region_find(file, b->key, 4 * page));
	assert_null(mmap_region_find(file, b->key + page, 2 * page));
	assert_null(mmap_region_find(file, b->key, 0));
	assert_null(mmap_region_find(file, b->key, UINT64_MAX));
	assert_null(mmap_region_find(file, UINT64_MAX, page));
	mmap_region_destroy(file, b);
	assert_null(mmap_region_find(file, 1 * page, 3 * page));
	region_file_close(file);
}

static void test_client_cannot_cut_the_file(void **state)
{
	struct region_file *file;

	assert_int_equal(region_file_open(&file), 0);
	assert_int_equal(ftruncate(region_file_fd(file), 0), -1);
	assert_int_equal(ftruncate(region_file_fd(file),
				   2 * REGION_FILE_BYTES), -1);
	assert_int_equal(fcntl(region_file_fd(file), F_ADD_SEALS,
			       F_SEAL_WRITE), -1);
	region_file_close(file);
}

static void test_pages_are_zero_again(void **state)
{
	struct region_file *file;
	struct mmap_region *region;
	uint64_t key;
	char *client;

	assert_int_equal(region_file_open(&file), 0);
	assert_int_equal(mmap_region_create(file, page, &region), 0);
	key = region->key;
	client = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED,
		      region_file_fd(file), key);
	assert_ptr_not_equal(client, MAP_FAILED);
	memset(client, 0x77, page);
	assert_int_equal(((char *)region->base)[page - 1], 0x77);
	mmap_region_destroy(file, region);
	assert_int_equal(client[0], 0);
	/* A late store of the client must not be in the next region. */
	client[0] = 1;
	do {
		assert_int_equal(mmap_region_create(file, REGION_FILE_BYTES /
						    4, &region), 0);
		if (region->key == key)
			break;
		mmap_region_destroy(file, region);
	} while (1);
	assert_int_equal(*(char *)region->base, 0);
	munmap(client, page);
	region_file_close(file);
}

static void test_file_has_an_end(void **state)
{
	struct mmap_region *region[8], *other;
	struct region_file *file;

	assert_int_equal(region_file_open(&file), 0);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(mmap_region_create(file,
						    REGION_FILE_BYTES / 8,
						    &region[i]), 0);
	assert_int_equal(mmap_region_create(file, 1, &other), -ENOMEM);
	assert_int_equal(mmap_region_create(file, SIZE_MAX, &other),
			 -ENOMEM);
	mmap_region_destroy(file, region[3]);
	assert_int_equal(mmap_region_create(file, REGION_FILE_BYTES / 8 + 1,
					    &other), -ENOMEM);
	assert_int_equal(mmap_region_create(file, REGION_FILE_BYTES / 8,
					    &other), 0);
	assert_int_equal(other->key, 3 * (REGION_FILE_BYTES / 8));
	region_file_close(file);
}

/* Regions of random sizes never overlap and stay findable. */
static void test_many_regions(void **state)
{
	struct mmap_region *region[200] = { NULL };
	struct region_file *file;
	unsigned seed = 1;

	assert_int_equal(region_file_open(&file), 0);
	for (unsigned step = 0; step < 3000; step++) {
		unsigned i = rand_r(&seed) % 200;

		if (region[i]) {
			assert_int_equal(*(unsigned *)region[i]->base, i + 1);
			mmap_region_destroy(file, region[i]);
			region[i] = NULL;
			continue;
		}
		assert_int_equal(mmap_region_create(file,
						    1 + rand_r(&seed) %
						    (9 * page), &region[i]),
				 0);
		for (unsigned at = 0; at < region[i]->length_bytes;
		     at += page) {
			unsigned *word = (unsigned *)
				((char *)region[i]->base + at);

			assert_int_equal(*word, 0);
			*word = i + 1;
		}
		assert_ptr_equal(mmap_region_find(file, region[i]->key,
						  region[i]->length_bytes),
				 region[i]);
	}
	region_file_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_wants_exact),
		cmocka_unit_test(test_client_cannot_cut_the_file),
		cmocka_unit_test(test_pages_are_zero_again),
		cmocka_unit_test(test_file_has_an_end),
		cmocka_unit_test(test_many_regions),
	};

	page = sysconf(_SC_PAGESIZE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
