/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "daemon/client_quota.h"

struct client_quota {
	const struct client_quotas *quotas;
	pid_t pid;
	unsigned connections;
	unsigned descriptors;
	LIST_ENTRY(client_quota) link;
};

void client_quotas_init(struct client_quotas *quotas, rlim_t descriptors)
{
	rlim_t share = descriptors / CLIENT_QUOTA_SHARE;

	LIST_INIT(&quotas->clients);
	if (share < CLIENT_QUOTA_LEAST)
		share = CLIENT_QUOTA_LEAST;
	quotas->max_descriptors = share < INT_MAX ? share : INT_MAX;
}

/* The quota of @pid, a new one if it has none; NULL without memory. */
static struct client_quota *find(struct client_quotas *quotas, pid_t pid)
{
	struct client_quota *quota;

	LIST_FOREACH(quota, &quotas->clients, link)
		if (quota->pid == pid)
			return quota;
	quota = calloc(1, sizeof(*quota));
	if (!quota)
		return NULL;
	quota->quotas = quotas;
	quota->pid = pid;
	LIST_INSERT_HEAD(&quotas->clients, quota, link);
	return quota;
}

int client_quota_get(struct client_quotas *quotas, pid_t pid,
		     struct client_quota **quota)
{
	struct client_quota *q = find(quotas, pid);

	if (!q)
		return -ENOMEM;
	/* A quota in the list has a connection; a new one has room. */
	if (q->connections == CLIENT_QUOTA_CONNECTIONS ||
	    client_quota_take(q, 1))
		return -EMFILE;
	q->connections++;
	*quota = q;
	return 0;
}

void client_quota_put(struct client_quota *quota)
{
	client_quota_return(quota, 1);
	if (--quota->connections)
		return;
	assert(!quota->descriptors);
	LIST_REMOVE(quota, link);
	free(quota);
}

int client_quota_take(struct client_quota *quota, unsigned count)
{
	if (count > quota->quotas->max_descriptors - quota->descriptors)
		return -EMFILE;
	quota->descriptors += count;
	return 0;
}

void client_quota_return(struct client_quota *quota, unsigned count)
{
	assert(count <= quota->descriptors);
	quota->descriptors -= count;
}
