/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fi_info trees as a core of any release treats them, and the structures of
 * applications of any age. The core that copies and frees here is the one
 * the test is linked with.
 */
#include "compat/fi_abi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rdma/fi_errno.h>

#include "compat/nic_attr.h"

static struct fi_info *full_info(void)
{
	struct fi_info *info = compat_info_create();

	assert_non_null(info);
	info->src_addrlen = 32;
	info->src_addr = calloc(1, 32);
	info->dest_addrlen = 4;
	info->dest_addr = strdup("abc");
	info->ep_attr->auth_key_size = 3;
	info->ep_attr->auth_key = (uint8_t *)strdup("k1");
	info->ep_attr->max_msg_size = 8192;
	info->domain_attr->name = strdup("efa_0-rdm");
	info->domain_attr->auth_key_size = 3;
	info->domain_attr->auth_key = (uint8_t *)strdup("k2");
	info->fabric_attr->name = strdup("efa-direct");
	info->fabric_attr->prov_name = strdup("efa");
	compat_domain_tail(info->domain_attr)->max_xpu_ctx_cnt = 7;
	info->nic = compat_nic_create();
	assert_non_null(info->nic);
	info->nic->device_attr->name = strdup("efa_0");
	info->nic->bus_attr->bus_type = FI_BUS_PCI;
	info->nic->bus_attr->attr.pci.bus_id = 0x1f;
	info->nic->link_attr->speed = 100000000000;
	info->nic->link_attr->state = FI_LINK_UP;
	return info;
}

static void assert_same(const struct fi_info *a, const struct fi_info *b)
{
	assert_ptr_not_equal(a->src_addr, b->src_addr);
	assert_memory_equal(a->src_addr, b->src_addr, 32);
	assert_string_equal(a->dest_addr, b->dest_addr);
	assert_ptr_not_equal(a->ep_attr, b->ep_attr);
	assert_int_equal(a->ep_attr->max_msg_size, b->ep_attr->max_msg_size);
	assert_ptr_not_equal(a->ep_attr->auth_key, b->ep_attr->auth_key);
	assert_string_equal((char *)a->ep_attr->auth_key,
			    (char *)b->ep_attr->auth_key);
	assert_ptr_not_equal(a->domain_attr->name, b->domain_attr->name);
	assert_string_equal(a->domain_attr->name, b->domain_attr->name);
	assert_string_equal((char *)a->domain_attr->auth_key,
			    (char *)b->domain_attr->auth_key);
	assert_string_equal(a->fabric_attr->name, b->fabric_attr->name);
	assert_string_equal(a->fabric_attr->prov_name,
			    b->fabric_attr->prov_name);
	assert_ptr_not_equal(a->nic, b->nic);
	assert_string_equal(a->nic->device_attr->name,
			    b->nic->device_attr->name);
	assert_int_equal(b->nic->bus_attr->attr.pci.bus_id, 0x1f);
	assert_int_equal(b->nic->link_attr->speed, 100000000000);
}

static void dup_copies_all(void **state)
{
	struct fi_info *info = full_info();
	struct fi_info *dup;

	info->next = info;
	dup = compat_info_dup(info);
	info->next = NULL;
	assert_non_null(dup);
	assert_null(dup->next);
	assert_same(info, dup);
	assert_int_equal(compat_domain_tail(dup->domain_attr)->max_xpu_ctx_cnt,
			 7);
	compat_info_destroy(info);
	compat_info_destroy(dup);
}

static void dup_of_bare_info(void **state)
{
	struct fi_info *info = compat_info_create();
	struct fi_info *dup = compat_info_dup(info);

	assert_null(dup->src_addr);
	assert_null(dup->domain_attr->name);
	assert_null(dup->nic);
	compat_info_destroy(dup);
	compat_info_destroy(info);
	compat_info_destroy(NULL);
}

/* The core's own functions on a list from here, as after fi_getinfo. */
static void core_copies_and_frees(void **state)
{
	struct fi_info *info = full_info();
	struct fi_info *dup = fi_dupinfo(info);

	assert_non_null(dup);
	assert_same(info, dup);
	info->next = full_info();
	fi_freeinfo(info);
	fi_freeinfo(dup);
}

/* A core may read up to the newest size of each part; run with a checker of
 * memory, this fails where a part is too small. */
static void parts_have_room(void **state)
{
	static const unsigned char zero[232];
	struct fi_info *info = compat_info_create();

	assert_memory_equal(info->domain_attr, zero, 232);
	assert_memory_equal(info->ep_attr, zero, 104);
	assert_memory_equal(info->tx_attr, zero, 80);
	assert_memory_equal(info->rx_attr, zero, 64);
	assert_memory_equal(info->fabric_attr, zero, 32);
	compat_info_destroy(info);
}

static void nic_prints_behind_what_is_there(void **state)
{
	struct fi_info *info = full_info();
	struct fid *fid = &info->nic->fid;
	char text[2048] = "before\n";

	assert_int_equal(fid->ops->tostr(fid, text, sizeof(text)), 0);
	assert_ptr_equal(strstr(text, "before\n    nic:\n"), text);
	assert_non_null(strstr(text, "name: efa_0\n"));
	assert_non_null(strstr(text, "firmware: unknown\n"));
	assert_non_null(strstr(text, "bus_id: 31\n"));
	assert_non_null(strstr(text, "state: FI_LINK_UP\n"));

	memset(text, 'x', sizeof(text));
	text[10] = 0;
	assert_int_equal(fid->ops->tostr(fid, text, 20), 0);
	assert_int_equal(strlen(text), 19);
	assert_int_equal(text[20], 'x');
	memset(text, 'x', sizeof(text));
	assert_int_equal(fid->ops->tostr(fid, text, 20), 0);
	assert_int_equal(text[19], 'x');
	compat_info_destroy(info);
}

static void nic_refuses_other_calls(void **state)
{
	struct fid_nic *nic = compat_nic_create();

	assert_int_equal(nic->fid.ops->control(&nic->fid, FI_ENABLE, NULL),
			 -FI_ENOSYS);
	assert_int_equal(nic->fid.ops->bind(&nic->fid, NULL, 0), -FI_ENOSYS);
	assert_int_equal(nic->fid.ops->ops_open(&nic->fid, "", 0, NULL, NULL),
			 -FI_ENOSYS);
	assert_int_equal(fi_close(&nic->fid), 0);
}

/* fi_mr_attr of the newest application, with distinct values. */
struct newest_mr_attr {
	struct fi_mr_attr base;
	char room[64];
};

static struct fi_mr_attr *newest_mr_attr(struct newest_mr_attr *attr,
					 const void *range)
{
	uint64_t *tail = (uint64_t *)((char *)attr + 80);

	memset(attr, 0, sizeof(*attr));
	attr->base.mr_iov = range;
	attr->base.iov_count = 1;
	attr->base.access = FI_SEND;
	attr->base.requested_key = 11;
	attr->base.auth_key_size = 12;
	attr->base.auth_key = (uint8_t *)attr;
	attr->base.iface = FI_HMEM_CUDA;
	attr->base.device.reserved = 13;
	tail[0] = 14;
	tail[1] = 15;
	tail[2] = 16;
	return &attr->base;
}

static void mr_attr_by_age(void **state)
{
	struct compat_mr_dmabuf dmabuf = { .fd = 3 };
	struct newest_mr_attr storage;
	struct fi_mr_attr *attr = newest_mr_attr(&storage, &dmabuf);
	struct compat_mr_attr out;

	compat_mr_attr_read(attr, COMPAT_MR_DMABUF, true, FI_VERSION(1, 4),
			    &out);
	assert_null(out.dmabuf);
	assert_ptr_equal(out.iov, &dmabuf);
	assert_int_equal(out.requested_key, 11);
	assert_int_equal(out.auth_key_size, 0);
	assert_int_equal(out.page_size, 0);
	assert_null(out.base_mr);

	compat_mr_attr_read(attr, COMPAT_MR_DMABUF, true, FI_VERSION(1, 20),
			    &out);
	assert_ptr_equal(out.dmabuf, &dmabuf);
	assert_null(out.iov);
	assert_int_equal(out.auth_key_size, 12);
	assert_int_equal(out.iface, FI_HMEM_CUDA);
	assert_int_equal(out.device, 13);
	assert_int_equal(out.page_size, 0);

	compat_mr_attr_read(attr, 0, false, FI_VERSION(2, 0), &out);
	assert_ptr_equal(out.iov, &dmabuf);
	assert_int_equal(out.iface, FI_HMEM_SYSTEM);
	assert_int_equal(out.device, 0);
	assert_int_equal(out.page_size, 15);
	assert_int_equal((uintptr_t)out.base_mr, 16);
}

/* An application's error entry between guards, as its headers cut it. */
struct app_entry {
	struct fi_cq_err_entry entry;
	char room[32];
};

static const struct fi_cq_err_entry device_error = {
	.op_context = (void *)0x10, .flags = FI_SEND, .len = 20, .olen = 2,
	.err = FI_EHOSTUNREACH, .prov_errno = 15,
	.err_data = (void *)"text", .err_data_size = 5,
};

static void write_error(struct app_entry *app, uint32_t api_version)
{
	compat_cq_err_write(&app->entry, &device_error, 77, api_version);
	assert_int_equal(app->entry.prov_errno, 15);
	assert_int_equal(app->entry.olen, 2);
}

static void cq_error_by_age(void **state)
{
	struct app_entry app;
	const char *bytes = (const char *)&app;
	uint64_t source;

	memset(&app, 0xee, sizeof(app));
	write_error(&app, FI_VERSION(1, 4));
	assert_string_equal(app.entry.err_data, "text");
	assert_int_equal(bytes[72], (char)0xee);

	memset(&app, 0xee, sizeof(app));
	app.entry.err_data_size = 0;
	write_error(&app, FI_VERSION(1, 19));
	assert_string_equal(app.entry.err_data, "text");
	assert_int_equal(app.entry.err_data_size, 5);
	assert_int_equal(bytes[80], (char)0xee);

	app.entry.err_data_size = 0;
	write_error(&app, FI_VERSION(1, 20));
	memcpy(&source, bytes + 80, sizeof(source));
	assert_int_equal(source, 77);
	assert_int_equal(bytes[88], (char)0xee);
}

static void cq_error_into_a_buffer(void **state)
{
	struct app_entry app = { 0 };
	char buffer[8];

	memset(buffer, 'x', sizeof(buffer));
	app.entry.err_data = buffer;
	app.entry.err_data_size = sizeof(buffer);
	write_error(&app, FI_VERSION(1, 20));
	assert_ptr_equal(app.entry.err_data, buffer);
	assert_int_equal(app.entry.err_data_size, 5);
	assert_memory_equal(buffer, "text\0xxx", 8);

	memset(buffer, 'x', sizeof(buffer));
	app.entry.err_data_size = 2;
	write_error(&app, FI_VERSION(1, 20));
	assert_int_equal(app.entry.err_data_size, 2);
	assert_memory_equal(buffer, "t\0xxxxxx", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dup_copies_all),
		cmocka_unit_test(dup_of_bare_info),
		cmocka_unit_test(core_copies_and_frees),
		cmocka_unit_test(parts_have_room),
		cmocka_unit_test(nic_prints_behind_what_is_there),
		cmocka_unit_test(nic_refuses_other_calls),
		cmocka_unit_test(mr_attr_by_age),
		cmocka_unit_test(cq_error_by_age),
		cmocka_unit_test(cq_error_into_a_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
