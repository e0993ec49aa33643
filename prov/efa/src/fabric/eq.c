/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/eq.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <rdma/fi_errno.h>

#include "compat/fi_abi.h"
#include "compat/log.h"
#include "fabric/unsupported.h"

/* An application that does not read must not let the queue grow. */
#define EQ_LIMIT_MIN	1024

/* An event, owned by the queue from posting until it is read. */
struct fabric_event {
	struct fabric_event *next;
	uint32_t event;		/* kind, of those that are no error */
	bool is_error;
	struct fi_eq_err_entry error;	/* err_data is malloc'ed, or NULL */
	size_t len;
	uint8_t data[];
};

static struct fabric_event *event_create(const void *data, size_t len)
{
	struct fabric_event *event = calloc(1, sizeof(*event) + len);

	if (!event)
		return NULL;
	event->len = len;
	if (len)
		memcpy(event->data, data, len);
	return event;
}

static void event_destroy(struct fabric_event *event)
{
	free(event->error.err_data);
	free(event);
}

/* The descriptor is readable exactly while the queue is not empty; under
 * the lock. A counter of one neither blocks nor runs over. */
static void eq_set_fd(struct fabric_eq *eq, bool readable)
{
	uint64_t one = 1;
	ssize_t done;

	if (eq->wait_fd < 0)
		return;
	if (readable)
		done = write(eq->wait_fd, &one, sizeof(one));
	else
		done = read(eq->wait_fd, &one, sizeof(one));
	(void)done;
}

/* Takes over @event, on success. */
static int eq_post(struct fabric_eq *eq, struct fabric_event *event)
{
	int ret = 0;

	pthread_mutex_lock(&eq->lock);
	if (eq->count == eq->limit) {
		ret = -FI_ENOSPC;
		goto unlock;
	}
	if (eq->last)
		eq->last->next = event;
	else
		eq->first = event;
	eq->last = event;
	if (eq->count++ == 0)
		eq_set_fd(eq, true);
	pthread_cond_broadcast(&eq->arrived);
unlock:
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

/* The oldest event leaves the queue and is the caller's; under the lock. */
static struct fabric_event *eq_take(struct fabric_eq *eq)
{
	struct fabric_event *event = eq->first;

	eq->first = event->next;
	if (!eq->first)
		eq->last = NULL;
	if (--eq->count == 0)
		eq_set_fd(eq, false);
	return event;
}

int fabric_eq_post_error(struct fabric_eq *eq, struct fid *object, int err,
			 int prov_errno, const char *text)
{
	struct fabric_event *event = event_create(NULL, 0);
	int ret;

	if (!event)
		return -FI_ENOMEM;
	event->is_error = true;
	event->error.fid = object;
	event->error.context = object->context;
	event->error.err = err;
	event->error.prov_errno = prov_errno;
	if (text) {
		event->error.err_data = strdup(text);
		if (event->error.err_data)
			event->error.err_data_size = strlen(text) + 1;
	}
	ret = eq_post(eq, event);
	if (ret)
		event_destroy(event);
	return ret;
}

/* fi_eq_read under the lock. */
static ssize_t eq_read_locked(struct fabric_eq *eq, uint32_t *event,
			      void *buf, size_t len, uint64_t flags)
{
	struct fabric_event *first = eq->first;
	ssize_t ret;

	if (!first)
		return -FI_EAGAIN;
	if (first->is_error)
		return -FI_EAVAIL;
	if (len < first->len)
		return -FI_ETOOSMALL;
	*event = first->event;
	if (first->len)
		memcpy(buf, first->data, first->len);
	ret = (ssize_t)first->len;
	if (!(flags & FI_PEEK))
		event_destroy(eq_take(eq));
	return ret;
}

static ssize_t eq_read(struct fid_eq *fid, uint32_t *event, void *buf,
		       size_t len, uint64_t flags)
{
	struct fabric_eq *eq = fabric_eq_of(fid);
	ssize_t ret;

	pthread_mutex_lock(&eq->lock);
	ret = eq_read_locked(eq, event, buf, len, flags);
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

/*
 * err_data: an application of API 1.5 with a buffer gets a copy, cut to its
 * size; others the pointer, valid until the next call. Before 1.5 the
 * structure ended with err_data.
 */
static size_t eq_hand_over_error(struct fabric_eq *eq,
				 struct fabric_event *event,
				 struct fi_eq_err_entry *entry)
{
	bool has_size = compat_api_has(eq->fabric->fid.api_version, 1, 5);
	size_t entry_bytes = has_size ? sizeof(*entry) :
			     offsetof(struct fi_eq_err_entry, err_data_size);
	size_t size = has_size ? entry->err_data_size : 0;
	void *buf = entry->err_data;

	memcpy(entry, &event->error, entry_bytes);
	if (buf && size) {
		if (entry->err_data_size > size)
			entry->err_data_size = size;
		if (entry->err_data_size)
			memcpy(buf, event->error.err_data,
			       entry->err_data_size);
		entry->err_data = buf;
		return entry_bytes;
	}
	free(eq->read_err_data);
	eq->read_err_data = event->error.err_data;
	event->error.err_data = NULL;
	return entry_bytes;
}

static ssize_t eq_readerr(struct fid_eq *fid, struct fi_eq_err_entry *entry,
			  uint64_t flags)
{
	struct fabric_eq *eq = fabric_eq_of(fid);
	struct fabric_event *event;
	ssize_t ret = -FI_EAGAIN;

	pthread_mutex_lock(&eq->lock);
	if (eq->first && eq->first->is_error) {
		event = eq_take(eq);
		ret = (ssize_t)eq_hand_over_error(eq, event, entry);
		event_destroy(event);
	}
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static ssize_t eq_write(struct fid_eq *fid, uint32_t kind, const void *buf,
			size_t len, uint64_t flags)
{
	struct fabric_eq *eq = fabric_eq_of(fid);
	struct fabric_event *event;
	int ret;

	if (!eq->writable || flags)
		return -FI_EINVAL;
	event = event_create(buf, len);
	if (!event)
		return -FI_ENOMEM;
	event->event = kind;
	ret = eq_post(eq, event);
	if (ret) {
		event_destroy(event);
		return -FI_EAGAIN;
	}
	return (ssize_t)len;
}

static void deadline_after(struct timespec *deadline, int timeout_ms)
{
	clock_gettime(CLOCK_MONOTONIC, deadline);
	deadline->tv_sec += timeout_ms / 1000;
	deadline->tv_nsec += timeout_ms % 1000 * 1000000l;
	if (deadline->tv_nsec >= 1000000000l) {
		deadline->tv_sec++;
		deadline->tv_nsec -= 1000000000l;
	}
}

static ssize_t eq_sread(struct fid_eq *fid, uint32_t *event, void *buf,
			size_t len, int timeout, uint64_t flags)
{
	struct fabric_eq *eq = fabric_eq_of(fid);
	struct timespec deadline;
	ssize_t ret;
	int err = 0;

	if (eq->wait_fd < 0)
		return -FI_EINVAL;
	deadline_after(&deadline, timeout < 0 ? 0 : timeout);
	pthread_mutex_lock(&eq->lock);
	while (!eq->first && !err) {
		if (timeout < 0)
			err = pthread_cond_wait(&eq->arrived, &eq->lock);
		else
			err = pthread_cond_timedwait(&eq->arrived, &eq->lock,
						     &deadline);
	}
	ret = eq_read_locked(eq, event, buf, len, flags);
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static const char *eq_strerror(struct fid_eq *fid, int prov_errno,
			       const void *err_data, char *buf, size_t len)
{
	const char *text = err_data ? err_data : fi_strerror(prov_errno);

	if (!buf || !len)
		return text;
	snprintf(buf, len, "%s", text);
	return buf;
}

int fabric_eq_trywait(struct fabric_eq *eq)
{
	int ret;

	if (eq->wait_fd < 0)
		return -FI_EINVAL;
	pthread_mutex_lock(&eq->lock);
	ret = eq->first ? -FI_EAGAIN : 0;
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static int eq_control(struct fid *fid, int command, void *arg)
{
	struct fabric_eq *eq = (struct fabric_eq *)
		((char *)fid - offsetof(struct fabric_eq, fid.fid));

	switch (command) {
	case FI_GETWAIT:
		if (eq->wait_fd < 0)
			return -FI_ENOSYS;
		*(int *)arg = eq->wait_fd;
		return 0;
	case FI_GETWAITOBJ:
		*(enum fi_wait_obj *)arg = eq->wait_fd < 0 ? FI_WAIT_NONE :
							     FI_WAIT_FD;
		return 0;
	default:
		return -FI_ENOSYS;
	}
}

static int eq_close(struct fid *fid)
{
	struct fabric_eq *eq = (struct fabric_eq *)
		((char *)fid - offsetof(struct fabric_eq, fid.fid));

	if (fabric_reference_is_used(&eq->users))
		return -FI_EBUSY;
	while (eq->first)
		event_destroy(eq_take(eq));
	free(eq->read_err_data);
	if (eq->wait_fd >= 0)
		close(eq->wait_fd);
	pthread_cond_destroy(&eq->arrived);
	pthread_mutex_destroy(&eq->lock);
	fabric_reference_put(&eq->fabric->users);
	free(eq);
	return 0;
}

static struct fi_ops eq_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = eq_close,
	.bind = fabric_no_bind,
	.control = eq_control,
	.ops_open = fabric_no_ops_open,
	.tostr = fabric_no_tostr,
	.ops_set = fabric_no_ops_set,
};

static struct fi_ops_eq eq_ops = {
	.size = sizeof(struct fi_ops_eq),
	.read = eq_read,
	.readerr = eq_readerr,
	.write = eq_write,
	.sread = eq_sread,
	.strerror = eq_strerror,
};

static void eq_init_wait(struct fabric_eq *eq)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&eq->arrived, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&eq->lock, NULL);
}

/* Opens the descriptor @wait_obj asks for; -1 for none. */
static int eq_open_fd(enum fi_wait_obj wait_obj, int *fd)
{
	*fd = -1;
	switch (wait_obj) {
	case FI_WAIT_NONE:
		return 0;
	case FI_WAIT_UNSPEC:
	case FI_WAIT_FD:
		*fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		return *fd < 0 ? -errno : 0;
	default:
		compat_warn(FI_LOG_EQ, "an event queue waits on FI_WAIT_FD or "
			    "not at all; wait object %d is not supported",
			    wait_obj);
		return -FI_ENOSYS;
	}
}

int fabric_eq_open(struct fid_fabric *fid, struct fi_eq_attr *attr,
		   struct fid_eq **result, void *context)
{
	struct fabric_eq *eq;
	int ret;

	if (attr->flags & ~FI_WRITE)
		return -FI_EINVAL;
	eq = calloc(1, sizeof(*eq));
	if (!eq)
		return -FI_ENOMEM;
	ret = eq_open_fd(attr->wait_obj, &eq->wait_fd);
	if (ret) {
		free(eq);
		return ret;
	}
	eq_init_wait(eq);
	eq->writable = attr->flags & FI_WRITE;
	eq->limit = attr->size > EQ_LIMIT_MIN ? attr->size : EQ_LIMIT_MIN;
	fabric_reference_init(&eq->users);
	eq->fabric = (struct fabric_fabric *)
		((char *)fid - offsetof(struct fabric_fabric, fid));
	fabric_reference_get(&eq->fabric->users);
	eq->fid.fid.fclass = FI_CLASS_EQ;
	eq->fid.fid.context = context;
	eq->fid.fid.ops = &eq_fid_ops;
	eq->fid.ops = &eq_ops;
	*result = &eq->fid;
	return 0;
}
