/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The table of verbs functions: filled whole, or with the name of what is
 * missing; and the layout of libefa's structures against its header. */
#include "compat/verbs_symbols.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <infiniband/efadv.h>

#define SAME_PLACE(ours, theirs, member)				\
	static_assert(offsetof(struct ours, member) ==			\
		      offsetof(struct theirs, member), #member)

SAME_PLACE(compat_efadv_device_attr, efadv_device_attr, max_rq_sge);
SAME_PLACE(compat_efadv_device_attr, efadv_device_attr, inline_buf_size);
SAME_PLACE(compat_efadv_device_attr, efadv_device_attr, device_caps);
SAME_PLACE(compat_efadv_device_attr, efadv_device_attr, max_rdma_size);
SAME_PLACE(compat_efadv_ah_attr, efadv_ah_attr, ahn);
SAME_PLACE(compat_efadv_qp_init_attr, efadv_qp_init_attr, driver_qp_type);
SAME_PLACE(compat_efadv_qp_init_attr, efadv_qp_init_attr, flags);
SAME_PLACE(compat_efadv_qp_init_attr, efadv_qp_init_attr, sl);
SAME_PLACE(compat_efadv_wq_attr, efadv_wq_attr, buffer);
SAME_PLACE(compat_efadv_wq_attr, efadv_wq_attr, num_entries);
SAME_PLACE(compat_efadv_wq_attr, efadv_wq_attr, doorbell);
SAME_PLACE(compat_efadv_wq_attr, efadv_wq_attr, max_batch);
SAME_PLACE(compat_efadv_cq_init_attr, efadv_cq_init_attr, wc_flags);
SAME_PLACE(compat_efadv_cq_attr, efadv_cq_attr, entry_size);
SAME_PLACE(compat_efadv_cq_attr, efadv_cq_attr, num_entries);
static_assert(COMPAT_EFADV_RDMA_READ == EFADV_DEVICE_ATTR_CAPS_RDMA_READ &&
	      COMPAT_EFADV_RNR_RETRY == EFADV_DEVICE_ATTR_CAPS_RNR_RETRY &&
	      COMPAT_EFADV_CQ_WITH_SGID ==
	      EFADV_DEVICE_ATTR_CAPS_CQ_WITH_SGID &&
	      COMPAT_EFADV_RDMA_WRITE == EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE &&
	      COMPAT_EFADV_UNSOLICITED_WRITE_RECV ==
	      EFADV_DEVICE_ATTR_CAPS_UNSOLICITED_WRITE_RECV, "caps");

static const char *absent;	/* the symbol that is not found */
static bool library_asked[2];

static void *find(enum compat_verbs_library library, const char *symbol)
{
	library_asked[library] = true;
	if (absent && !strcmp(symbol, absent))
		return NULL;
	return (void *)symbol;
}

static void fills_every_member(void **state)
{
	struct compat_verbs verbs;
	enum compat_verbs_library library;
	void *members[sizeof(verbs) / sizeof(void *)];

	absent = NULL;
	assert_null(compat_verbs_fill(&verbs, find, &library));
	assert_true(library_asked[COMPAT_LIBIBVERBS]);
	assert_true(library_asked[COMPAT_LIBEFA]);
	memcpy(members, &verbs, sizeof(verbs));
	for (size_t i = 0; i < sizeof(verbs) / sizeof(void *); i++)
		assert_non_null(members[i]);
	assert_string_equal((char *)verbs.get_device_list,
			    "ibv_get_device_list");
	assert_string_equal((char *)verbs.destroy_ah, "ibv_destroy_ah");
	assert_string_equal((char *)verbs.efadv_query_cq, "efadv_query_cq");
}

static void names_what_is_missing(void **state)
{
	struct compat_verbs verbs;
	enum compat_verbs_library library;

	absent = "ibv_reg_mr_iova2";
	assert_string_equal(compat_verbs_fill(&verbs, find, &library),
			    "ibv_reg_mr_iova2");
	assert_int_equal(library, COMPAT_LIBIBVERBS);
	absent = "efadv_query_qp_wqs";
	assert_string_equal(compat_verbs_fill(&verbs, find, &library),
			    "efadv_query_qp_wqs");
	assert_int_equal(library, COMPAT_LIBEFA);
}

static void optional_may_be_missing(void **state)
{
	struct compat_verbs verbs;
	enum compat_verbs_library library;

	absent = "efadv_get_max_sq_depth";
	assert_null(compat_verbs_fill(&verbs, find, &library));
	assert_null(verbs.efadv_get_max_sq_depth);
	assert_non_null(verbs.efadv_query_cq);
	absent = "_ibv_query_comp_cntr_caps";
	assert_null(compat_verbs_fill(&verbs, find, &library));
	assert_null(verbs.query_comp_cntr_caps);
}

static int port_query(struct ibv_context *context, uint8_t port,
		      struct ibv_port_attr *attr, size_t attr_bytes)
{
	assert_int_equal(port, 1);
	assert_int_equal(attr_bytes, sizeof(*attr));
	assert_int_equal(attr->lid, 0);
	attr->max_msg_sz = 8928;
	return 0;
}

static void port_goes_through_the_context(void **state)
{
	struct verbs_context extended = {
		.query_port = port_query,
		.sz = sizeof(extended),
		.context.abi_compat = __VERBS_ABI_IS_EXTENDED,
	};
	struct ibv_context plain = { 0 };
	struct ibv_port_attr attr = { .lid = 1 };
	struct compat_verbs verbs;
	enum compat_verbs_library library;

	absent = NULL;
	assert_null(compat_verbs_fill(&verbs, find, &library));
	assert_int_equal(verbs.query_port(&extended.context, 1, &attr), 0);
	assert_int_equal(attr.max_msg_sz, 8928);
	assert_int_equal(verbs.query_port(&plain, 1, &attr), EOPNOTSUPP);
}

static void replaced_table_is_used(void **state)
{
	static int (*const dealloc)(struct ibv_pd *) = (void *)0x1234;
	const struct compat_verbs mine = { .dealloc_pd = dealloc };

	compat_verbs_replace(&mine);
	assert_int_equal(compat_verbs_load(), 0);
	assert_ptr_equal(compat_verbs()->dealloc_pd, dealloc);
	compat_verbs_replace(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_every_member),
		cmocka_unit_test(names_what_is_missing),
		cmocka_unit_test(optional_may_be_missing),
		cmocka_unit_test(port_goes_through_the_context),
		cmocka_unit_test(replaced_table_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
