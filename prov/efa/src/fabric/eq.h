/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Event queues: what has no operation to complete is told here, and what
 * applications write themselves (fi_eq_write).
 */
#ifndef FABRIC_EQ_H
#define FABRIC_EQ_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <rdma/fabric.h>
#include <rdma/fi_eq.h>

#include "fabric/fabric.h"
#include "fabric/reference.h"

struct fabric_event;

struct fabric_eq {
	struct fid_eq fid;
	struct fabric_fabric *fabric;
	struct fabric_reference users;	/* objects bound to it */
	/* constant after open */
	int wait_fd;		/* readable while events wait; -1: no wait */
	bool writable;		/* FI_WRITE: fi_eq_write allowed */
	size_t limit;		/* events held at most */
	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	struct fabric_event *first, *last;	/* oldest first */
	size_t count;
	void *read_err_data;	/* of the last fi_eq_readerr, until the next */
};

static inline struct fabric_eq *fabric_eq_of(struct fid_eq *fid)
{
	return (struct fabric_eq *)
		((char *)fid - offsetof(struct fabric_eq, fid));
}

/* fi_eq_open. Wait objects NONE, FD, and UNSPEC, which is FD; others
 * -FI_ENOSYS. */
int fabric_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr,
		   struct fid_eq **eq, void *context);

/*
 * Tells the application of a failure of @object that no operation carries:
 * @err is a positive errno, @text (copied, may be NULL) the err_data. 0, or
 * -ENOMEM and -ENOSPC (the application does not read): then the caller has
 * another way to tell, or logs. Thread safe; takes no lock but its own.
 */
int fabric_eq_post_error(struct fabric_eq *eq, struct fid *object, int err,
			 int prov_errno, const char *text);

/* fi_trywait for one queue: 0 when its descriptor may be waited for,
 * -FI_EAGAIN when events are there, -FI_EINVAL without a wait object. */
int fabric_eq_trywait(struct fabric_eq *eq);

#endif /* FABRIC_EQ_H */
