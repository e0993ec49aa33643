/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What one client process may take of the daemon's connections and
 * descriptors, so that a process which leaks or hoards them meets a limit
 * before the daemon does, and others go on.
 *
 * A process is the number that the kernel names at the other end of a
 * connection. A fork has a quota of its own.
 */
#ifndef DAEMON_CLIENT_QUOTA_H
#define DAEMON_CLIENT_QUOTA_H

#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Connections of one process at a time. */
#define CLIENT_QUOTA_CONNECTIONS	256u
/* Of the daemon's descriptors one process gets at most one in so many, */
#define CLIENT_QUOTA_SHARE		4u
/* but not fewer than these. */
#define CLIENT_QUOTA_LEAST		64u

struct client_quota;

struct client_quotas {
	LIST_HEAD(, client_quota) clients;	/* those with a connection */
	unsigned max_descriptors;		/* of each */
};

/* @descriptors: how many the daemon may have open. */
void client_quotas_init(struct client_quotas *quotas, rlim_t descriptors);

/*
 * Counts a connection of process @pid, with its descriptor, to its quota.
 * -EMFILE when it has as many as it may, -ENOMEM. client_quota_put() ends it.
 */
int client_quota_get(struct client_quotas *quotas, pid_t pid,
		     struct client_quota **quota);

/* The connection has gone; what was taken through it has been returned. */
void client_quota_put(struct client_quota *quota);

/* @count descriptors more, or -EMFILE. */
int client_quota_take(struct client_quota *quota, unsigned count);
void client_quota_return(struct client_quota *quota, unsigned count);

#endif /* DAEMON_CLIENT_QUOTA_H */
