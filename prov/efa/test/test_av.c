/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Address vectors over a device that gives address handles numbers and
 * refuses one GID.
 */
#include "fabric/av.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "compat/verbs_symbols.h"

static struct dev_device device = { .name = "efa_0" };
static struct fabric_domain domain;
static struct fid_av *av;
static unsigned int handles;
static unsigned int lines;

/* A handle's number is the last byte of its GID; 0xff has none. */
static struct ibv_ah *fake_create_ah(struct ibv_pd *pd,
				     struct ibv_ah_attr *attr)
{
	struct ibv_ah *ah;

	if (attr->grh.dgid.raw[15] == 0xff) {
		errno = EINVAL;
		return NULL;
	}
	ah = calloc(1, sizeof(*ah));
	if (ah) {
		ah->handle = attr->grh.dgid.raw[15];
		handles++;
	}
	return ah;
}

static int fake_destroy_ah(struct ibv_ah *ah)
{
	handles--;
	free(ah);
	return 0;
}

static int fake_query_ah(struct ibv_ah *ah, struct compat_efadv_ah_attr *attr,
			 uint32_t attr_bytes)
{
	attr->ahn = (uint16_t)ah->handle;
	return 0;
}

static void count_line(enum fi_log_level level, const char *text)
{
	if (level == FI_LOG_WARN)
		lines++;
}

static int set_up(void **state)
{
	struct compat_verbs verbs = {
		.create_ah = fake_create_ah,
		.destroy_ah = fake_destroy_ah,
		.efadv_query_ah = fake_query_ah,
	};
	struct fi_av_attr attr = { .type = FI_AV_UNSPEC };

	compat_verbs_replace(&verbs);
	compat_log_redirect(count_line);
	lines = 0;
	domain = (struct fabric_domain) { .device = &device };
	domain.pd.device = &device;
	fabric_reference_init(&domain.users);
	if (dev_ah_table_create(&domain.pd, &domain.ahs))
		return -1;
	if (fabric_av_open(&domain.fid, &attr, &av, NULL))
		return -1;
	return attr.type == FI_AV_TABLE ? 0 : -1;
}

static int tear_down(void **state)
{
	int ret = fi_close(&av->fid);

	dev_ah_table_destroy(domain.ahs);
	compat_log_redirect(NULL);
	compat_verbs_replace(NULL);
	if (ret || handles || fabric_reference_is_used(&domain.users))
		return -1;
	return 0;
}

static struct fabric_address address_of(uint8_t host, uint16_t qpn,
					uint32_t qkey)
{
	return (struct fabric_address) {
		.gid = { 0xfe, 0x80, [15] = host }, .qpn = qpn, .qkey = qkey,
	};
}

static fi_addr_t insert(uint8_t host, uint16_t qpn, uint32_t qkey)
{
	struct fabric_address address = address_of(host, qpn, qkey);
	fi_addr_t addr = 12345;

	assert_int_equal(fi_av_insert(av, &address, 1, &addr, 0, NULL), 1);
	return addr;
}

static void assert_leads_to(fi_addr_t addr, uint16_t ahn, uint16_t qpn,
			    uint32_t qkey)
{
	struct hw_dest dest;

	assert_true(fabric_av_resolve(fabric_av_of(av), addr, &dest));
	assert_int_equal(dest.ahn, ahn);
	assert_int_equal(dest.qpn, qpn);
	assert_int_equal(dest.qkey, qkey);
}

static bool leads_nowhere(fi_addr_t addr)
{
	struct hw_dest dest;

	return !fabric_av_resolve(fabric_av_of(av), addr, &dest);
}

static fi_addr_t sender(uint16_t ahn, uint16_t qpn)
{
	return fabric_av_sender(fabric_av_of(av), ahn, qpn);
}

static void indexes_are_dense_and_the_same_for_the_same(void **state)
{
	assert_int_equal(insert(1, 10, 5), 0);
	assert_int_equal(insert(1, 11, 5), 1);
	assert_int_equal(insert(2, 10, 5), 2);
	assert_int_equal(insert(1, 11, 5), 1);
	assert_int_equal(handles, 2);
	assert_leads_to(1, 1, 11, 5);
	assert_leads_to(2, 2, 10, 5);
	assert_int_equal(sender(1, 10), 0);
	assert_int_equal(sender(2, 10), 2);
	assert_int_equal(sender(2, 11), FI_ADDR_NOTAVAIL);
	assert_int_equal(sender(EFA_IO_AH_UNKNOWN, 10), FI_ADDR_NOTAVAIL);
}

static void strange_addresses_lead_nowhere(void **state)
{
	assert_true(leads_nowhere(0));
	insert(1, 1, 1);
	assert_true(leads_nowhere(1));
	assert_true(leads_nowhere(1000000));
	assert_true(leads_nowhere(1ull << 32));
	assert_true(leads_nowhere(FI_ADDR_UNSPEC));
}

static void many_peers_keep_their_place(void **state)
{
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(insert((uint8_t)(1 + i % 3),
					(uint16_t)(i / 3), i), i);
	for (uint32_t i = 0; i < 5000; i++) {
		assert_leads_to(i, (uint16_t)(1 + i % 3), (uint16_t)(i / 3),
				i);
		assert_int_equal(sender((uint16_t)(1 + i % 3),
					(uint16_t)(i / 3)), i);
	}
}

#define GROWN	20000u

static atomic_uint inserted;

static void *insert_many(void *arg)
{
	for (uint32_t i = 0; i < GROWN; i++) {
		struct fabric_address address = address_of(1, (uint16_t)i, i);

		fi_av_insert(av, &address, 1, NULL, 0, NULL);
		atomic_store(&inserted, i + 1);
	}
	return NULL;
}

/* The data path of one thread, while another lets the vector grow. */
static void growing_disturbs_no_reader(void **state)
{
	pthread_t thread;
	uint32_t seen = 0;

	atomic_store(&inserted, 0);
	assert_int_equal(pthread_create(&thread, NULL, insert_many, NULL), 0);
	while (seen < GROWN) {
		uint32_t last = atomic_load(&inserted);
		struct hw_dest dest;

		if (last == seen)
			continue;
		seen = last;
		if (!fabric_av_resolve(fabric_av_of(av), last - 1, &dest) ||
		    dest.qkey != last - 1 ||
		    sender(1, (uint16_t)(last - 1)) != last - 1 ||
		    !fabric_av_resolve(fabric_av_of(av), 0, &dest) ||
		    sender(1, 0) != 0)
			fail_msg("entry %u is not there", last - 1);
	}
	pthread_join(thread, NULL);
}

static void a_removed_index_is_dead_until_given_again(void **state)
{
	fi_addr_t addr = insert(1, 10, 5);

	insert(1, 11, 5);
	assert_int_equal(fi_av_remove(av, &addr, 1, 0), 0);
	assert_true(leads_nowhere(addr));
	assert_int_equal(sender(1, 10), FI_ADDR_NOTAVAIL);
	assert_int_equal(handles, 1);
	assert_int_equal(fi_av_remove(av, &addr, 1, 0), -FI_EINVAL);
	assert_int_equal(insert(3, 12, 5), addr);
	assert_leads_to(addr, 3, 12, 5);
}

/* A QP number that was given again: the newest is who sends now. */
static void a_reused_qpn_belongs_to_the_newest(void **state)
{
	fi_addr_t first = insert(1, 10, 5);
	fi_addr_t second = insert(1, 10, 6);
	fi_addr_t third = insert(1, 10, 7);

	assert_int_not_equal(first, second);
	assert_int_equal(sender(1, 10), third);
	assert_int_equal(insert(1, 10, 5), first);
	assert_int_equal(fi_av_remove(av, &second, 1, 0), 0);
	assert_int_equal(sender(1, 10), third);
	assert_int_equal(fi_av_remove(av, &third, 1, 0), 0);
	assert_int_equal(sender(1, 10), first);
	assert_int_equal(fi_av_remove(av, &first, 1, 0), 0);
	assert_int_equal(sender(1, 10), FI_ADDR_NOTAVAIL);
	assert_int_equal(handles, 0);
}

static void bad_addresses_are_left_out_and_named(void **state)
{
	struct fabric_address addresses[4] = {
		address_of(1, 1, 1), { .qpn = 5 }, address_of(0xff, 1, 1),
		address_of(2, 1, 1),
	};
	fi_addr_t addrs[4];
	int errors[4];

	assert_int_equal(fi_av_insert(av, addresses, 4, addrs, FI_SYNC_ERR,
				      errors), 2);
	assert_int_equal(addrs[0], 0);
	assert_int_equal(addrs[1], FI_ADDR_NOTAVAIL);
	assert_int_equal(addrs[2], FI_ADDR_NOTAVAIL);
	assert_int_equal(addrs[3], 1);
	assert_int_equal(errors[0], 0);
	assert_int_equal(errors[1], EINVAL);
	assert_int_equal(errors[2], EINVAL);
	assert_int_equal(errors[3], 0);
	assert_true(lines > 0);
}

static void insert_refuses_what_it_cannot_do(void **state)
{
	struct fabric_address address = address_of(1, 1, 1);

	assert_int_equal(fi_av_insert(av, &address, 1, NULL, FI_EVENT, NULL),
			 -FI_ENOSYS);
	assert_int_equal(fi_av_insert(av, &address, 1, NULL, FI_SYNC_ERR,
				      NULL), -FI_EINVAL);
	assert_int_equal(fi_av_insert(av, NULL, 1, NULL, 0, NULL),
			 -FI_EINVAL);
	assert_int_equal(fi_av_insert(av, NULL, 0, NULL, 0, NULL), 0);
	assert_int_equal(fi_av_insert(av, &address, 1, NULL, FI_MORE, NULL),
			 1);
	assert_int_equal(fi_av_insertsvc(av, "a", "b", NULL, 0, NULL),
			 -FI_ENOSYS);
}

static void lookup_tells_the_size_it_needs(void **state)
{
	struct fabric_address found = { 0 };
	fi_addr_t addr = insert(9, 8, 7);
	size_t len = 0;
	char text[FABRIC_ADDRESS_TEXT_SIZE];

	assert_int_equal(fi_av_lookup(av, addr, NULL, &len), 0);
	assert_int_equal(len, sizeof(found));
	assert_int_equal(fi_av_lookup(av, addr, &found, &len), 0);
	assert_int_equal(found.gid[15], 9);
	assert_int_equal(found.qpn, 8);
	assert_int_equal(found.qkey, 7);
	assert_int_equal(fi_av_lookup(av, addr + 1, &found, &len),
			 -FI_EINVAL);
	len = sizeof(text);
	assert_string_equal(fi_av_straddr(av, &found, text, &len),
			    "fi_addr_efa://[fe80::9]:8:7");
	assert_int_equal(len, strlen(text) + 1);
}

static void open_refuses_what_is_not_there(void **state)
{
	struct fi_av_attr named = { .name = "shared" };
	struct fi_av_attr events = { .flags = FI_EVENT };
	struct fid_av *other;

	assert_int_equal(fabric_av_open(&domain.fid, &named, &other, NULL),
			 -FI_ENOSYS);
	assert_int_equal(fabric_av_open(&domain.fid, &events, &other, NULL),
			 -FI_ENOSYS);
	assert_int_equal(fabric_av_open(&domain.fid, NULL, &other, NULL),
			 -FI_EINVAL);
}

static void close_waits_for_the_endpoints(void **state)
{
	fabric_reference_get(&fabric_av_of(av)->users);
	assert_int_equal(fi_close(&av->fid), -FI_EBUSY);
	fabric_reference_put(&fabric_av_of(av)->users);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(indexes_are_dense_and_the_same_for_the_same),
		TEST(strange_addresses_lead_nowhere),
		TEST(many_peers_keep_their_place),
		TEST(growing_disturbs_no_reader),
		TEST(a_removed_index_is_dead_until_given_again),
		TEST(a_reused_qpn_belongs_to_the_newest),
		TEST(bad_addresses_are_left_out_and_named),
		TEST(insert_refuses_what_it_cannot_do),
		TEST(lookup_tells_the_size_it_needs),
		TEST(open_refuses_what_is_not_there),
		TEST(close_waits_for_the_endpoints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
