/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* dlinfo */
#endif

#include "hmem/vendor_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_errno.h>

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

static void *load(const char *const *files, char *reason)
{
	const char *said;
	void *handle;

	for (size_t i = 0; files[i]; i++) {
		handle = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
		if (handle)
			return handle;
		said = dlerror();
		/* of several names the first is the one to install */
		if (!i)
			snprintf(reason, HMEM_REASON_SIZE,
				 "%s cannot be loaded: %s", files[0],
				 said ? said : "unknown error");
	}
	return NULL;
}

int hmem_library_open(struct hmem_library *library, char *reason)
{
	int ret = 0;

	pthread_mutex_lock(&open_lock);
	if (!library->handle) {
		library->handle = load(library->files, reason);
		for (size_t i = 0; library->handle &&
		     i < library->symbol_count; i++) {
			void *address = dlsym(library->handle,
					      library->symbols[i].name);

			/* POSIX has functions and data share one
			 * representation */
			memcpy(library->symbols[i].place, &address,
			       sizeof(address));
		}
		if (!library->handle)
			ret = -FI_ENOSYS;
	}
	pthread_mutex_unlock(&open_lock);
	return ret;
}

void hmem_library_lacks(const struct hmem_library *library,
			const char *symbol, char *reason)
{
	struct link_map *map;
	char file[PATH_MAX];

	if (dlinfo(library->handle, RTLD_DI_LINKMAP, &map) ||
	    !map->l_name[0] || !realpath(map->l_name, file))
		strcpy(file, "of unknown file");
	snprintf(reason, HMEM_REASON_SIZE, "%s (%.300s) has no %s",
		 library->files[0], file, symbol);
}
