/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shim/virtual_tree.h"

static struct softefa_devices devices = {
	.count = 2,
	.entry = {
		{ "efa_0", "uverbs0", "0000:10:1b.0", "0011:2233:4455:6677",
		  "fe80:0000:0000:0000:0000:0000:0000:0001", 0x1d0f, 0xefa2,
		  192, 0 },
		{ "efa_1", "uverbs1", "0000:20:1b.0", "0011:2233:4455:6688",
		  "fe80:0000:0000:0000:0000:0000:0000:0002", 0x1d0f, 0xefa2,
		  193, (uint32_t)-1 },
	},
};

#define DEVICE0 "sys/devices/pci0000:10/0000:10:1b.0"

struct walk_case {
	const char *path;
	bool follow;
	int ret;
	enum tree_kind kind;
	const char *resolved;
	const char *content;	/* NULL: not looked at */
};

static const struct walk_case walk_cases[] = {
	/* files, through one and two symlinks */
	{ "sys/class/infiniband_verbs/abi_version", true, 0, TREE_FILE,
	  "sys/class/infiniband_verbs/abi_version", "6\n" },
	{ "sys/class/infiniband/efa_0/node_guid", true, 0, TREE_FILE,
	  DEVICE0 "/infiniband/efa_0/node_guid", "0011:2233:4455:6677\n" },
	{ "sys/class/infiniband/efa_0/device/modalias", false, 0, TREE_FILE,
	  DEVICE0 "/modalias",
	  "pci:v00001D0Fd0000EFA2sv00001D0Fsd0000EFA2bc02sc00i00\n" },
	{ "sys/class/infiniband_verbs/uverbs1/dev", true, 0, TREE_FILE,
	  "sys/devices/pci0000:20/0000:20:1b.0/infiniband_verbs/uverbs1/dev",
	  "231:193\n" },
	{ "sys/bus/pci/devices/0000:20:1b.0/numa_node", true, 0, TREE_FILE,
	  "sys/devices/pci0000:20/0000:20:1b.0/numa_node", "-1\n" },
	/* the last symlink, followed and not */
	{ "sys/class/infiniband/efa_0", false, 0, TREE_LINK,
	  "sys/class/infiniband/efa_0",
	  "../../devices/pci0000:10/0000:10:1b.0/infiniband/efa_0" },
	{ "sys/class/infiniband/efa_0", true, 0, TREE_DIR,
	  DEVICE0 "/infiniband/efa_0", NULL },
	{ "sys/class/infiniband/efa_0/", false, 0, TREE_DIR,
	  DEVICE0 "/infiniband/efa_0", NULL },
	{ "sys/class/infiniband/efa_0/device", true, 0, TREE_DIR, DEVICE0,
	  NULL },
	{ "sys/class/infiniband/efa_0/device/driver", true, 0, TREE_DIR,
	  "sys/bus/pci/drivers/efa", NULL },
	{ "sys/class/infiniband/efa_0/subsystem/efa_1/device/infiniband",
	  true, 0, TREE_DIR,
	  "sys/devices/pci0000:20/0000:20:1b.0/infiniband", NULL },
	/* dots and slashes */
	{ "sys/class/pci_bus/0000:10/../../0000:10:1b.0", true, 0, TREE_DIR,
	  DEVICE0, NULL },
	{ "sys//class/./infiniband///efa_0/../../vendor", true, 0, TREE_FILE,
	  DEVICE0 "/vendor", "0x1d0f\n" },
	{ "sys/class/infiniband/../infiniband_verbs", true, 0, TREE_DIR,
	  "sys/class/infiniband_verbs", NULL },
	{ "dev/infiniband/uverbs1", true, 0, TREE_CHAR,
	  "dev/infiniband/uverbs1", NULL },
	/* the real file system's, and the ways there */
	{ "sys/class", true, 0, TREE_OUTSIDE, "sys/class", NULL },
	{ "sys/class/net/eth0/mtu", true, 0, TREE_OUTSIDE,
	  "sys/class/net/eth0/mtu", NULL },
	{ "sys/class/infiniband/../net", true, 0, TREE_OUTSIDE,
	  "sys/class/net", NULL },
	{ "sys/class/infiniband/efa_0/device/../../system/node", true, 0,
	  TREE_OUTSIDE, "sys/devices/system/node", NULL },
	{ "sys/class/infiniband/efa_0/device/subsystem/slots/1", true, 0,
	  TREE_OUTSIDE, "sys/bus/pci/slots/1", NULL },
	{ "sys/../etc/passwd", true, 0, TREE_OUTSIDE, "sys/../etc/passwd",
	  NULL },
	{ "dev/infinibands", true, 0, TREE_OUTSIDE, "dev/infinibands", NULL },
	{ DEVICE0 "/local_cpus", true, 0, TREE_REAL_FILE,
	  DEVICE0 "/local_cpus", "/sys/devices/system/node/node0/cpumap" },
	/* what is not there */
	{ "sys/class/infiniband/efa_2", true, -ENOENT, 0, NULL, NULL },
	{ "sys/class/infiniband/efa_0/nothing/x", true, -ENOENT, 0, NULL,
	  NULL },
	{ "sys/class/infiniband/efa_0/node_guid/x", true, -ENOTDIR, 0, NULL,
	  NULL },
	{ "sys/class/infiniband/efa_0/node_guid/", true, -ENOTDIR, 0, NULL,
	  NULL },
	{ "sys/class/infiniband/efa_0/node_guid/..", true, -ENOTDIR, 0, NULL,
	  NULL },
	{ "dev/infiniband/rdma_cm", true, -ENOENT, 0, NULL, NULL },
};

static void walks_like_the_kernel(void **state)
{
	struct tree_node node;
	const struct walk_case *c;
	size_t i;
	int ret;

	(void)state;
	for (i = 0; i < sizeof(walk_cases) / sizeof(walk_cases[0]); i++) {
		c = &walk_cases[i];
		print_message("  %s\n", c->path);
		ret = tree_walk(&devices, c->path, c->follow, &node);
		assert_int_equal(ret, c->ret);
		if (ret)
			continue;
		assert_int_equal(node.kind, c->kind);
		assert_string_equal(node.path, c->resolved);
		if (c->content)
			assert_string_equal(node.content, c->content);
	}
}

static void says_what_leads_to_the_devices(void **state)
{
	struct tree_node node;

	(void)state;
	assert_int_equal(tree_walk(&devices, "sys/devices/pci0000:10", true,
				   &node), 0);
	assert_true(node.is_on_the_way);
	assert_int_equal(tree_walk(&devices, "sys/devices/system", true,
				   &node), 0);
	assert_false(node.is_on_the_way);
}

static void refuses_what_is_too_long(void **state)
{
	char path[1200] = "sys/class/infiniband/";
	struct tree_node node;
	size_t i;

	(void)state;
	memset(path + strlen(path), 'x', 300);
	assert_int_equal(tree_walk(&devices, path, true, &node),
			 -ENAMETOOLONG);
	/* longer than the walk's own buffer, by detours */
	strcpy(path, "sys");
	for (i = 0; i < 80; i++)
		strcat(path, "/class/..");
	assert_int_equal(tree_walk(&devices, path, true, &node),
			 -ENAMETOOLONG);
}

/* Each name that a directory lists can be walked to, all the way down. */
static unsigned visit(const char *dir, unsigned depth)
{
	char names[64][TREE_MAX_NAME], path[TREE_MAX_PATH + TREE_MAX_NAME + 1];
	size_t i, num = tree_list(&devices, dir, names, 64);
	struct tree_node node;
	unsigned seen = 0;
	int len;

	assert_true(num > 0 && num < 64 && depth < 12);
	for (i = 0; i < num; i++) {
		len = snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		assert_true(len > 0 && (size_t)len < sizeof(path));
		assert_int_equal(tree_walk(&devices, path, false, &node), 0);
		assert_string_equal(node.path, path);
		if (node.kind == TREE_DIR || node.kind == TREE_OUTSIDE)
			seen += visit(path, depth + 1);
		else
			seen++;
		/* A symlink leads somewhere. */
		assert_int_equal(tree_walk(&devices, path, true, &node), 0);
	}
	return seen;
}

static void lists_what_it_has(void **state)
{
	char names[64][TREE_MAX_NAME];

	(void)state;
	assert_int_equal(tree_list(&devices, "sys/class/infiniband", names,
				   64), 2);
	assert_string_equal(names[0], "efa_0");
	assert_string_equal(names[1], "efa_1");
	assert_int_equal(tree_list(&devices, "sys/class/infiniband", names,
				   1), 1);
	assert_int_equal(visit("dev", 0), 2);
	assert_true(visit("sys", 0) > 80);
}

/* Random paths of the tree's own words: no result is out of bounds. */
static void bears_any_path(void **state)
{
	static const char *const words[] = {
		"sys", "dev", "class", "infiniband", "efa_0", "device", "..",
		"..", ".", "", "driver", "subsystem", "ports", "1", "x",
		"infiniband_verbs", "uverbs1", "devices", "pci0000:10",
		"0000:10:1b.0", "bus", "pci", "drivers", "efa", "pci_bus",
	};
	const size_t num_words = sizeof(words) / sizeof(words[0]);
	char path[TREE_MAX_PATH * 3];
	struct tree_node node;
	unsigned turn, len, i;
	int ret;

	(void)state;
	srand(1);
	for (turn = 0; turn < 20000; turn++) {
		strcpy(path, rand() % 4 ? "sys" : "dev");
		len = (unsigned)rand() % 30;
		for (i = 0; i < len; i++) {
			strcat(path, "/");
			strcat(path, words[(size_t)rand() % num_words]);
		}
		ret = tree_walk(&devices, path, rand() % 2, &node);
		if (ret) {
			assert_true(ret == -ENOENT || ret == -ENOTDIR ||
				    ret == -ENAMETOOLONG || ret == -ELOOP);
			continue;
		}
		assert_true(strlen(node.path) < TREE_MAX_PATH);
		assert_true(node.kind == TREE_OUTSIDE ||
			    !strstr(node.path, ".."));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_like_the_kernel),
		cmocka_unit_test(says_what_leads_to_the_devices),
		cmocka_unit_test(refuses_what_is_too_long),
		cmocka_unit_test(lists_what_it_has),
		cmocka_unit_test(bears_any_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
