/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/guest_copy.h"
#include "test/engine_rig.h"

#define LENGTH	(2 * GUEST_COPY_BOUNCE_BYTES + 1234)

static struct rig rig;
static struct rig_guest from, to;
static uint8_t bounce[GUEST_COPY_BOUNCE_BYTES];

static int set_up(void **state)
{
	rig_init(&rig, NULL, NULL);
	rig_guest_init(&rig, &from, 0);
	rig_guest_init(&rig, &to, 1);
	return 0;
}

static int tear_down(void **state)
{
	rig_guest_fini(&from);
	rig_guest_fini(&to);
	rig_fini(&rig);
	return 0;
}

static enum guest_copy_side copy(uint64_t len_bytes, int *error)
{
	return guest_copy(&from.mem, rig_addr(&from, 1), &to.mem,
			  rig_addr(&to, 77), len_bytes, bounce, error);
}

static void test_every_byte(void **state)
{
	int error = 1;

	rig_fill(&from, 1, LENGTH, 3);
	assert_int_equal(copy(LENGTH, &error), GUEST_COPY_OK);
	assert_int_equal(error, 0);
	rig_assert_filled(&to, 77, LENGTH, 3);
	assert_int_equal(to.memory[76], 0);
	assert_int_equal(to.memory[77 + LENGTH], 0);
	assert_int_equal(copy(0, &error), GUEST_COPY_OK);
}

static void test_whose_fault(void **state)
{
	int error;

	from.hole_start = LENGTH - 1;
	from.hole_bytes = 1;
	assert_int_equal(copy(LENGTH, &error), GUEST_COPY_SOURCE);
	assert_int_equal(error, -EFAULT);
	from.hole_bytes = 0;
	to.hole_start = LENGTH;
	to.hole_bytes = 1;
	assert_int_equal(copy(LENGTH, &error), GUEST_COPY_TARGET);
	assert_int_equal(error, -EFAULT);
	to.is_gone = true;
	assert_int_equal(copy(LENGTH, &error), GUEST_COPY_TARGET);
	assert_int_equal(error, -ESRCH);
	from.is_gone = true;
	assert_int_equal(copy(LENGTH, &error), GUEST_COPY_SOURCE);
	assert_int_equal(error, -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_every_byte, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_whose_fault, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
