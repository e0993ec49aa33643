/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/address.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct fabric_address peer = {
	.gid = { 0xfe, 0x80, [14] = 0x12, [15] = 0x34 },
	.qpn = 513,
	.qkey = 4000000000u,
};

static void layout_is_what_peers_expect(void **state)
{
	const uint8_t *raw = (const uint8_t *)&peer;

	assert_int_equal(raw[0], 0xfe);
	assert_int_equal(raw[16], 513 & 0xff);
	assert_int_equal(raw[17], 513 >> 8);
	assert_int_equal(raw[18] | raw[19], 0);
	assert_int_equal(raw[23], 4000000000u >> 24);
}

static void text_names_gid_qpn_and_qkey(void **state)
{
	const char *expected = "fi_addr_efa://[fe80::1234]:513:4000000000";
	char text[FABRIC_ADDRESS_TEXT_SIZE];
	char cut[8];

	assert_int_equal(fabric_address_text(&peer, text, sizeof(text)),
			 strlen(expected) + 1);
	assert_string_equal(text, expected);
	assert_int_equal(fabric_address_text(&peer, cut, sizeof(cut)),
			 strlen(expected) + 1);
	assert_string_equal(cut, "fi_addr");
}

static void longest_text_fits(void **state)
{
	struct fabric_address longest;
	char text[FABRIC_ADDRESS_TEXT_SIZE];

	memset(&longest, 0xff, sizeof(longest));
	assert_true(fabric_address_text(&longest, text, sizeof(text)) <=
		    sizeof(text));
}

static void parses_what_getinfo_is_given(void **state)
{
	struct fabric_address address;

	assert_int_equal(fabric_address_parse("fe80::1234", "513", &address),
			 0);
	assert_memory_equal(address.gid, peer.gid, 16);
	assert_int_equal(address.qpn, 513);
	assert_int_equal(address.qkey, 0);
	assert_int_equal(fabric_address_parse("fe80::1234", NULL, &address),
			 0);
	assert_int_equal(address.qpn, 0);
	assert_int_equal(fabric_address_parse(NULL, "65535", &address), 0);
	assert_false(fabric_address_has_gid(&address));
	assert_int_equal(address.qpn, 65535);
}

static void refuses_what_is_no_address(void **state)
{
	static const char * const bad_service[] = {
		"", "65536", "-1", " 7", "7x", "99999999999999999999", "ftp",
	};
	struct fabric_address address = peer;

	assert_int_equal(fabric_address_parse("10.0.0.1", NULL, &address),
			 -EADDRNOTAVAIL);
	assert_int_equal(fabric_address_parse("", NULL, &address),
			 -EADDRNOTAVAIL);
	for (size_t i = 0; i < sizeof(bad_service) / sizeof(char *); i++)
		assert_int_equal(fabric_address_parse(NULL, bad_service[i],
						      &address), -EINVAL);
	assert_true(fabric_address_equals(&address, &peer));
}

static void equality_takes_all_three(void **state)
{
	struct fabric_address other = peer;

	assert_true(fabric_address_equals(&peer, &other));
	other.qkey++;
	assert_false(fabric_address_equals(&peer, &other));
	other = peer;
	other.qpn++;
	assert_false(fabric_address_equals(&peer, &other));
	other = peer;
	other.gid[15]++;
	assert_false(fabric_address_equals(&peer, &other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_is_what_peers_expect),
		cmocka_unit_test(text_names_gid_qpn_and_qkey),
		cmocka_unit_test(longest_text_fits),
		cmocka_unit_test(parses_what_getinfo_is_given),
		cmocka_unit_test(refuses_what_is_no_address),
		cmocka_unit_test(equality_takes_all_three),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
