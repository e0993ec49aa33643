/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "dev/device_list.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/log.h"
#include "compat/verbs_symbols.h"
#include "dev/device_open.h"
#include "dev/pci_location.h"

#define AMAZON_VENDOR_ID	0x1d0f
#define SYSFS_DEVICES		"/sys/class/infiniband"
#define NO_DEVICE_REMEDY						\
	"on an EFA instance load the efa kernel module, elsewhere run the program under \"softefa run\""

/* Devices left out for one errno: one line of the log for them all. */
struct left_out {
	int ret;
	uint32_t count;
	char first[64];
	struct dev_open_failure failure;
};

#define LEFT_OUT_KINDS 8

struct left_out_log {
	struct left_out kind[LEFT_OUT_KINDS];
	uint32_t kinds;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock; constant after the first dev_list_get. */
static bool list_tried;
static int list_result;
static struct dev_list list_found;

static void left_out_add(struct left_out_log *log, const char *name, int ret,
			 const struct dev_open_failure *failure)
{
	struct left_out *kind = log->kind;

	while (kind < log->kind + log->kinds && kind->ret != ret)
		kind++;
	if (kind == log->kind + LEFT_OUT_KINDS)
		kind--;
	if (kind == log->kind + log->kinds) {
		log->kinds++;
		kind->ret = ret;
		kind->count = 0;
		snprintf(kind->first, sizeof(kind->first), "%s", name);
		kind->failure = *failure;
	}
	kind->count++;
}

static void left_out_write(const struct left_out_log *log)
{
	for (uint32_t i = 0; i < log->kinds; i++) {
		const struct left_out *kind = &log->kind[i];

		if (kind->count == 1)
			compat_warn(FI_LOG_FABRIC,
				    "EFA device %s cannot be used: %s",
				    kind->first, kind->failure.reason);
		else
			compat_warn(FI_LOG_FABRIC,
				    "EFA device %s and %u others cannot be used: %s",
				    kind->first, kind->count - 1,
				    kind->failure.reason);
	}
}

static int left_out_result(const struct left_out_log *log)
{
	for (uint32_t i = 0; i < log->kinds; i++) {
		if (log->kind[i].ret == -EACCES)
			return -EACCES;
	}
	return -ENODEV;
}

/* Does the kernel have an EFA device, though libibverbs lists none? */
static bool kernel_has_efa(char name[64])
{
	char path[sizeof(SYSFS_DEVICES) + 256];
	struct dirent *entry;
	bool found = false;
	DIR *dir = opendir(SYSFS_DEVICES);

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), SYSFS_DEVICES "/%s",
			 entry->d_name);
		found = entry->d_name[0] != '.' &&
			dev_pci_vendor(path) == AMAZON_VENDOR_ID;
		if (found)
			snprintf(name, 64, "%.63s", entry->d_name);
	}
	closedir(dir);
	return found;
}

static void log_none(const char *cause)
{
	char name[64];

	if (kernel_has_efa(name))
		compat_warn(FI_LOG_FABRIC,
			    "no EFA device: the kernel has %s, but libibverbs does not see it (%s); "
			    "its node in /dev/infiniband is missing: in a container pass it through",
			    name, cause);
	else
		compat_warn(FI_LOG_FABRIC, "no EFA device: %s; "
			    NO_DEVICE_REMEDY, cause);
}

static void close_all(void)
{
	for (uint32_t i = 0; i < list_found.count; i++)
		dev_device_close(&list_found.device[i]);
	free(list_found.device);
	list_found.device = NULL;
	list_found.count = 0;
}

/* Fills list_found from @ibv, which ends with NULL. Without memory for one
 * of them there is no list: the next call tries again. */
static int open_all(struct ibv_device **ibv, int count)
{
	struct left_out_log log = { 0 };
	struct dev_open_failure failure;
	struct dev_device *device;
	int ret = 0;

	device = calloc(count, sizeof(*device));
	if (!device)
		return -ENOMEM;
	list_found.device = device;
	list_found.count = 0;
	for (int i = 0; i < count; i++) {
		ret = dev_device_open(ibv[i], &device[list_found.count],
				      &failure);
		if (ret == -ENOMEM)
			break;
		if (!ret)
			list_found.count++;
		else if (ret == -EPROTONOSUPPORT)
			compat_debug(FI_LOG_FABRIC, "%s is no EFA device",
				     ibv[i]->name);
		else
			left_out_add(&log, ibv[i]->name, ret, &failure);
		ret = 0;
	}
	if (ret) {
		compat_warn(FI_LOG_FABRIC, "EFA devices cannot be opened now: %s",
			    failure.reason);
		close_all();
		return ret;
	}
	left_out_write(&log);
	if (list_found.count)
		return 0;
	if (!log.kinds)
		log_none("the RDMA devices here are of other kinds");
	close_all();
	return left_out_result(&log);
}

static int list_build(void)
{
	const struct compat_verbs *verbs = compat_verbs();
	struct ibv_device **ibv;
	int ret, count = 0;

	ret = compat_verbs_load();
	if (ret)
		return ret;
	errno = 0;
	ibv = verbs->get_device_list(&count);
	if (!ibv && errno == ENOMEM)
		return -ENOMEM;
	if (!ibv || !count) {
		log_none(ibv ? "libibverbs lists no RDMA device" :
			 errno == ENOSYS ? "the kernel has no RDMA devices" :
			 strerror(errno));
		ret = -ENODEV;
	} else {
		ret = open_all(ibv, count);
	}
	if (ibv)
		verbs->free_device_list(ibv);
	return ret;
}

int dev_list_get(const struct dev_list **list)
{
	int ret;

	pthread_mutex_lock(&list_lock);
	if (!list_tried) {
		list_result = list_build();
		list_tried = list_result != -ENOMEM;
	}
	ret = list_result;
	pthread_mutex_unlock(&list_lock);
	if (!ret)
		*list = &list_found;
	return ret;
}

void dev_list_release(void)
{
	close_all();
	list_tried = false;
}
