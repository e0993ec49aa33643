/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "dev/addr_handle.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compat/log.h"
#include "compat/verbs_symbols.h"
#include "util/hash_table.h"

struct handle {
	struct dev_ah ah;	/* what is given out; must be first */
	struct ibv_ah *verbs;
	unsigned int references;
	struct util_hash_node by_gid;
	struct util_hash_node by_ahn;
};

struct dev_ah_table {
	struct dev_pd *pd;
	pthread_mutex_t lock;	/* of all below and of the handles */
	struct util_hash_table by_gid;
	struct util_hash_table by_ahn;
};

#define HOLDER(node, member)						\
	((struct handle *)((char *)(node) - offsetof(struct handle, member)))

static uint64_t gid_hash(const union ibv_gid *gid)
{
	return util_hash_mix(gid->global.subnet_prefix,
			     gid->global.interface_id);
}

static uint64_t ahn_hash(uint16_t ahn)
{
	return util_hash_mix(ahn, 0);
}

int dev_ah_table_create(struct dev_pd *pd, struct dev_ah_table **table)
{
	struct dev_ah_table *created = calloc(1, sizeof(*created));

	if (!created)
		return -ENOMEM;
	if (util_hash_init(&created->by_gid))
		goto free_table;
	if (util_hash_init(&created->by_ahn))
		goto fini_by_gid;
	created->pd = pd;
	pthread_mutex_init(&created->lock, NULL);
	*table = created;
	return 0;

fini_by_gid:
	util_hash_fini(&created->by_gid);
free_table:
	free(created);
	return -ENOMEM;
}

/* Under the lock. 0, or a negative errno, logged: the handle stays. */
static int handle_destroy(struct dev_ah_table *table, struct handle *handle)
{
	int err = compat_verbs()->destroy_ah(handle->verbs);

	if (err) {
		compat_warn(FI_LOG_AV, "%s: address handle %u stays: %s",
			    table->pd->device->name, handle->ah.ahn,
			    strerror(err));
		return -err;
	}
	util_hash_remove(&table->by_gid, &handle->by_gid);
	util_hash_remove(&table->by_ahn, &handle->by_ahn);
	free(handle);
	return 0;
}

static int destroy_handles(struct dev_ah_table *table)
{
	int ret;

	for (uint32_t i = 0; i <= table->by_gid.mask; i++) {
		while (table->by_gid.bucket[i]) {
			ret = handle_destroy(table,
					     HOLDER(table->by_gid.bucket[i],
						    by_gid));
			if (ret)
				return ret;
		}
	}
	return 0;
}

int dev_ah_table_destroy(struct dev_ah_table *table)
{
	int ret = destroy_handles(table);

	if (ret)
		return ret;
	util_hash_fini(&table->by_gid);
	util_hash_fini(&table->by_ahn);
	pthread_mutex_destroy(&table->lock);
	free(table);
	return 0;
}

static struct handle *find_by_gid(const struct dev_ah_table *table,
				  const union ibv_gid *gid)
{
	struct util_hash_node *node;

	for (node = util_hash_first(&table->by_gid, gid_hash(gid)); node;
	     node = util_hash_next(node)) {
		struct handle *handle = HOLDER(node, by_gid);

		if (!memcmp(&handle->ah.gid, gid, sizeof(*gid)))
			return handle;
	}
	return NULL;
}

static struct handle *find_by_ahn(const struct dev_ah_table *table,
				  uint16_t ahn)
{
	struct util_hash_node *node;

	for (node = util_hash_first(&table->by_ahn, ahn_hash(ahn)); node;
	     node = util_hash_next(node)) {
		struct handle *handle = HOLDER(node, by_ahn);

		if (handle->ah.ahn == ahn)
			return handle;
	}
	return NULL;
}

/* The verbs object and its number. 0 or a negative errno. */
static int handle_open(struct dev_pd *pd, struct handle *handle)
{
	const struct compat_verbs *verbs = compat_verbs();
	struct compat_efadv_ah_attr efa_attr = { 0 };
	struct ibv_ah_attr attr = {
		.grh.dgid = handle->ah.gid,
		.is_global = 1,
		.port_num = 1,
	};
	int err;

	handle->verbs = verbs->create_ah(pd->verbs, &attr);
	if (!handle->verbs)
		return -(errno ? errno : ENOMEM);
	err = verbs->efadv_query_ah(handle->verbs, &efa_attr,
				    sizeof(efa_attr));
	if (err) {
		verbs->destroy_ah(handle->verbs);
		return -err;
	}
	handle->ah.ahn = efa_attr.ahn;
	return 0;
}

static void log_create_failure(const struct dev_pd *pd,
			       const union ibv_gid *gid, int err)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, gid, text, sizeof(text));
	compat_warn(FI_LOG_AV,
		    "%s: no address handle for %s: %s; the device allows %d of them, one for each remote device",
		    pd->device->name, text, strerror(err),
		    pd->device->attr.max_ah);
}

static int handle_create(struct dev_ah_table *table, const union ibv_gid *gid,
			 struct handle **out)
{
	struct handle *handle = calloc(1, sizeof(*handle));
	int ret;

	if (!handle)
		return -ENOMEM;
	handle->ah.gid = *gid;
	ret = handle_open(table->pd, handle);
	if (ret) {
		log_create_failure(table->pd, gid, -ret);
		free(handle);
		return ret;
	}
	util_hash_insert(&table->by_gid, &handle->by_gid, gid_hash(gid));
	util_hash_insert(&table->by_ahn, &handle->by_ahn,
			 ahn_hash(handle->ah.ahn));
	*out = handle;
	return 0;
}

int dev_ah_get(struct dev_ah_table *table, const union ibv_gid *gid,
	       const struct dev_ah **ah)
{
	static const union ibv_gid zero;
	struct handle *handle;
	int ret = 0;

	if (!memcmp(gid, &zero, sizeof(zero)))
		return -EINVAL;
	pthread_mutex_lock(&table->lock);
	handle = find_by_gid(table, gid);
	if (!handle)
		ret = handle_create(table, gid, &handle);
	if (!ret) {
		handle->references++;
		*ah = &handle->ah;
	}
	pthread_mutex_unlock(&table->lock);
	return ret;
}

void dev_ah_put(struct dev_ah_table *table, const struct dev_ah *ah)
{
	struct handle *handle = (struct handle *)ah;

	pthread_mutex_lock(&table->lock);
	assert(handle->references > 0);
	/* one that the device does not let go of is used again, or destroyed
	 * with the table */
	if (--handle->references == 0)
		handle_destroy(table, handle);
	pthread_mutex_unlock(&table->lock);
}

bool dev_ah_gid(struct dev_ah_table *table, uint16_t ahn, union ibv_gid *gid)
{
	const struct handle *handle;

	pthread_mutex_lock(&table->lock);
	handle = find_by_ahn(table, ahn);
	if (handle)
		*gid = handle->ah.gid;
	pthread_mutex_unlock(&table->lock);
	return handle;
}
