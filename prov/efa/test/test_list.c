/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "util/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct object {
	int number;
	struct util_list node;
};

static struct util_list list;
static struct object objects[6];

static int set_up(void **state)
{
	util_list_init(&list);
	for (int i = 0; i < 6; i++)
		objects[i].number = i;
	return 0;
}

/* The numbers in @from, in both directions, are the digits of @digits. */
static void expect(const struct util_list *from, const char *digits)
{
	const struct util_list *node = from;
	const char *digit;

	for (digit = digits; *digit; digit++) {
		node = node->next;
		assert_int_equal(util_list_entry(node, struct object,
						 node)->number, *digit - '0');
	}
	assert_ptr_equal(node->next, from);
	for (; digit > digits; node = node->prev)
		assert_int_equal(util_list_entry(node, struct object,
						 node)->number,
				 *--digit - '0');
	assert_ptr_equal(node, from);
	assert_int_equal(util_list_is_empty(from), !*digits);
}

static void adds_at_both_ends(void **state)
{
	expect(&list, "");
	util_list_append(&list, &objects[1].node);
	util_list_append(&list, &objects[2].node);
	util_list_push(&list, &objects[0].node);
	expect(&list, "012");
	util_list_append(&objects[2].node, &objects[5].node);
	expect(&list, "0152");
	assert_ptr_equal(util_list_first(&list), &objects[0].node);
}

static void takes_out_anywhere(void **state)
{
	for (int i = 0; i < 5; i++)
		util_list_append(&list, &objects[i].node);
	util_list_remove(&objects[2].node);
	expect(&list, "0134");
	util_list_remove(&objects[4].node);
	expect(&list, "013");
	assert_ptr_equal(util_list_pop(&list), &objects[0].node);
	expect(&list, "13");
	util_list_init(&objects[5].node);
	util_list_remove(&objects[5].node);
	util_list_pop(&list);
	util_list_pop(&list);
	expect(&list, "");
}

static void moves_all(void **state)
{
	struct util_list from;

	util_list_init(&from);
	util_list_append_all(&list, &from);
	expect(&list, "");
	for (int i = 0; i < 6; i++)
		util_list_append(i < 3 ? &list : &from, &objects[i].node);
	util_list_append_all(&list, &from);
	expect(&list, "012345");
	expect(&from, "");
	util_list_append_all(&from, &list);
	expect(&from, "012345");
	expect(&list, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(adds_at_both_ends, set_up),
		cmocka_unit_test_setup(takes_out_anywhere, set_up),
		cmocka_unit_test_setup(moves_all, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
