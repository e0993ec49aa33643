/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reading a device's PCI function from a directory laid out like sysfs. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* nftw */
#endif

#include "dev/pci_location.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char top[] = "/tmp/pci_location.XXXXXX";
static char ibdev[64];

static void make_dir(const char *name)
{
	assert_int_equal(mkdirat(AT_FDCWD, name, 0700), 0);
}

static void make_link(const char *target, const char *name)
{
	assert_int_equal(symlink(target, name), 0);
}

static void write_vendor(const char *text)
{
	FILE *file = fopen("devices/0001:af:1d.7/vendor", "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* devices/0001:af:1d.7 of driver efa, and class/efa_0 that leads there. */
static int begin(void **state)
{
	strcpy(top, "/tmp/pci_location.XXXXXX");
	assert_non_null(mkdtemp(top));
	assert_int_equal(chdir(top), 0);
	snprintf(ibdev, sizeof(ibdev), "%s/class/efa_0", top);
	make_dir("devices");
	make_dir("devices/0001:af:1d.7");
	make_dir("drivers");
	make_dir("drivers/efa");
	make_dir("class");
	make_dir("class/efa_0");
	make_link("../../devices/0001:af:1d.7", "class/efa_0/device");
	make_link("../../drivers/efa", "devices/0001:af:1d.7/driver");
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	return remove(path);
}

static int end(void **state)
{
	assert_int_equal(chdir("/"), 0);
	return nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void found(void **state)
{
	struct dev_pci_location location;
	char driver[64];

	assert_true(dev_pci_find(ibdev, &location));
	assert_int_equal(location.domain, 1);
	assert_int_equal(location.bus, 0xaf);
	assert_int_equal(location.device, 0x1d);
	assert_int_equal(location.function, 7);
	dev_pci_driver(ibdev, driver, sizeof(driver));
	assert_string_equal(driver, "efa");
	dev_pci_driver(ibdev, driver, 3);
	assert_string_equal(driver, "ef");
}

static void vendor(void **state)
{
	assert_int_equal(dev_pci_vendor(ibdev), 0);
	write_vendor("0x1d0f\n");
	assert_int_equal(dev_pci_vendor(ibdev), 0x1d0f);
	write_vendor("");
	assert_int_equal(dev_pci_vendor(ibdev), 0);
}

static void not_a_pci_function(void **state)
{
	static const char *const names[] = {
		"virtual", "0001:af:1d", "0001:af:1d.7.1", "xaf:1d.7",
	};
	struct dev_pci_location location;
	char target[80];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(target, sizeof(target), "devices/%s", names[i]);
		make_dir(target);
		assert_int_equal(unlink("class/efa_0/device"), 0);
		snprintf(target, sizeof(target), "../../devices/%s",
			 names[i]);
		make_link(target, "class/efa_0/device");
		assert_false(dev_pci_find(ibdev, &location));
	}
}

static void nothing_there(void **state)
{
	struct dev_pci_location location;
	char driver[64] = "old";

	assert_false(dev_pci_find("/nonexistent", &location));
	dev_pci_driver("/nonexistent", driver, sizeof(driver));
	assert_string_equal(driver, "");
	assert_int_equal(dev_pci_vendor("/nonexistent"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(found),
		TEST(vendor),
		TEST(not_a_pci_function),
		TEST(nothing_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
