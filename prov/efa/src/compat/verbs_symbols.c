/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* dlinfo */
#endif

#include "compat/verbs_symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/log.h"

struct symbol {
	enum compat_verbs_library library;
	bool optional;
	const char *name;
	size_t offset;		/* of the member in struct compat_verbs */
};

#define IBV(member)							\
	{ COMPAT_LIBIBVERBS, false, "ibv_" #member,			\
	  offsetof(struct compat_verbs, member) }
#define EFADV(member)							\
	{ COMPAT_LIBEFA, false, #member,				\
	  offsetof(struct compat_verbs, member) }
#define EFADV_OPTIONAL(member)						\
	{ COMPAT_LIBEFA, true, #member,					\
	  offsetof(struct compat_verbs, member) }

#define IBV_OPTIONAL(member)						\
	{ COMPAT_LIBIBVERBS, true, "ibv_" #member,			\
	  offsetof(struct compat_verbs, member) }

static const struct symbol symbols[] = {
	IBV(get_device_list), IBV(free_device_list), IBV(open_device),
	IBV(close_device), IBV(query_device), IBV(query_gid), IBV(alloc_pd),
	IBV(dealloc_pd), IBV(reg_mr_iova2), IBV(reg_dmabuf_mr), IBV(dereg_mr),
	IBV(create_comp_channel), IBV(destroy_comp_channel), IBV(destroy_cq),
	IBV(get_cq_event), IBV(ack_cq_events), IBV(create_qp), IBV(modify_qp),
	IBV(destroy_qp), IBV(create_ah), IBV(destroy_ah),
	EFADV(efadv_query_device), EFADV(efadv_query_ah),
	EFADV(efadv_create_qp_ex), EFADV(efadv_query_qp_wqs),
	EFADV(efadv_create_cq), EFADV(efadv_query_cq), EFADV(efadv_query_mr),
	EFADV_OPTIONAL(efadv_get_max_sq_depth),
	EFADV_OPTIONAL(efadv_create_comp_cntr),
	IBV_OPTIONAL(destroy_comp_cntr), IBV_OPTIONAL(qp_attach_comp_cntr),
	IBV_OPTIONAL(set_comp_cntr), IBV_OPTIONAL(set_err_comp_cntr),
	IBV_OPTIONAL(inc_comp_cntr), IBV_OPTIONAL(inc_err_comp_cntr),
	/* exported under this name, for an inline function of its own */
	{ COMPAT_LIBIBVERBS, true, "_ibv_query_comp_cntr_caps",
	  offsetof(struct compat_verbs, query_comp_cntr_caps) },
};

#define REMEDY								\
	"install rdma-core " COMPAT_RDMA_CORE_NEEDED " or later, or put "	\
	"the directory of its libraries into LD_LIBRARY_PATH"

enum load_state { LOAD_UNTRIED, LOAD_DONE, LOAD_FAILED };

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static enum load_state load_state;	/* under load_lock */
static struct compat_verbs loaded;	/* constant once loaded */

static const char *const library_names[] = {
	[COMPAT_LIBIBVERBS] = "libibverbs.so.1",
	[COMPAT_LIBEFA] = "libefa.so.1",
};
/* Never closed: libibverbs keeps pointers into libefa. */
static void *library_handles[2];

static int query_port(struct ibv_context *context, uint8_t port,
		      struct ibv_port_attr *attr)
{
	struct verbs_context *ops = verbs_get_ctx_op(context, query_port);

	memset(attr, 0, sizeof(*attr));
	if (!ops)
		return EOPNOTSUPP;
	return ops->query_port(context, port, attr, sizeof(*attr));
}

const char *compat_verbs_fill(struct compat_verbs *verbs,
			      void *(*find)(enum compat_verbs_library library,
					    const char *symbol),
			      enum compat_verbs_library *library)
{
	memset(verbs, 0, sizeof(*verbs));
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		const struct symbol *symbol = &symbols[i];
		void *address = find(symbol->library, symbol->name);

		if (!address && !symbol->optional) {
			*library = symbol->library;
			return symbol->name;
		}
		/* POSIX has functions and data share one representation */
		memcpy((char *)verbs + symbol->offset, &address,
		       sizeof(address));
	}
	verbs->query_port = query_port;
	return NULL;
}

static void *find_in_library(enum compat_verbs_library library,
			     const char *symbol)
{
	return dlsym(library_handles[library], symbol);
}

/*
 * The file behind a library handle, for the log. Its name ends in the
 * version of rdma-core: libefa.so.1.7.65.0.
 */
static void library_file(void *handle, char path[PATH_MAX])
{
	struct link_map *map;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) || !map->l_name[0] ||
	    !realpath(map->l_name, path))
		strcpy(path, "of unknown file");
}

static void log_open_failure(enum compat_verbs_library library)
{
	const char *cause = dlerror();
	char verbs_file[PATH_MAX];

	if (library == COMPAT_LIBIBVERBS) {
		compat_warn(FI_LOG_CORE,
			    "%s cannot be loaded: %s; no EFA device can be used; "
			    REMEDY,
			    library_names[library], cause);
		return;
	}
	library_file(library_handles[COMPAT_LIBIBVERBS], verbs_file);
	compat_warn(FI_LOG_CORE,
		    "%s cannot be loaded beside %s: %s; no EFA device can be used; "
		    REMEDY,
		    library_names[library], verbs_file, cause);
}

static void log_missing(enum compat_verbs_library library, const char *symbol)
{
	char file[PATH_MAX];

	library_file(library_handles[library], file);
	compat_warn(FI_LOG_CORE,
		    "%s (%s) is too old, it has no %s; no EFA device can be used; "
		    REMEDY,
		    library_names[library], file, symbol);
}

/* libibverbs first: libefa then joins the copy that is there. */
static bool open_and_fill(void)
{
	enum compat_verbs_library library;
	const char *missing;

	for (int i = COMPAT_LIBIBVERBS; i <= COMPAT_LIBEFA; i++) {
		library_handles[i] = dlopen(library_names[i],
					    RTLD_NOW | RTLD_LOCAL);
		if (!library_handles[i]) {
			log_open_failure(i);
			return false;
		}
	}
	missing = compat_verbs_fill(&loaded, find_in_library, &library);
	if (missing)
		log_missing(library, missing);
	return !missing;
}

int compat_verbs_load(void)
{
	enum load_state state;

	pthread_mutex_lock(&load_lock);
	if (load_state == LOAD_UNTRIED)
		load_state = open_and_fill() ? LOAD_DONE : LOAD_FAILED;
	state = load_state;
	pthread_mutex_unlock(&load_lock);
	return state == LOAD_DONE ? 0 : -ENOSYS;
}

const struct compat_verbs *compat_verbs(void)
{
	return &loaded;
}

void compat_verbs_replace(const struct compat_verbs *verbs)
{
	load_state = verbs ? LOAD_DONE : LOAD_UNTRIED;
	if (verbs)
		loaded = *verbs;
}
