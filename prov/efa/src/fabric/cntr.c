/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/cntr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "fabric/fabric.h"
#include "fabric/unsupported.h"

/*
 * A waiter polls the device, which tells nobody of a completion on a queue
 * without a channel: at first at once, then after pauses that double. A
 * completion which another thread takes off the queue ends the pause.
 */
#define WAIT_BUSY_POLLS		64
#define WAIT_PAUSE_FIRST_NS	1000ull
#define WAIT_PAUSE_LAST_NS	1000000ull

struct fabric_progress_hook {
	struct fabric_progress_hook *next;
	void (*run)(void *arg);
	void *arg;
	unsigned int times;	/* hooked */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void cntr_progress(struct fabric_cntr *cntr)
{
	pthread_rwlock_rdlock(&cntr->hooks_lock);
	for (struct fabric_progress_hook *hook = cntr->hooks; hook;
	     hook = hook->next)
		hook->run(hook->arg);
	pthread_rwlock_unlock(&cntr->hooks_lock);
}

/* The link that leads to the hook of @run(@arg), or to the end. */
static struct fabric_progress_hook **
cntr_find_hook(struct fabric_cntr *cntr, void (*run)(void *arg), void *arg)
{
	struct fabric_progress_hook **link = &cntr->hooks;

	while (*link && ((*link)->run != run || (*link)->arg != arg))
		link = &(*link)->next;
	return link;
}

int fabric_cntr_hook(struct fabric_cntr *cntr, void (*run)(void *arg),
		     void *arg)
{
	struct fabric_progress_hook **link;
	int ret = 0;

	pthread_rwlock_wrlock(&cntr->hooks_lock);
	link = cntr_find_hook(cntr, run, arg);
	if (!*link)
		*link = calloc(1, sizeof(**link));
	if (*link) {
		(*link)->run = run;
		(*link)->arg = arg;
		(*link)->times++;
	} else {
		ret = -FI_ENOMEM;
	}
	pthread_rwlock_unlock(&cntr->hooks_lock);
	return ret;
}

void fabric_cntr_unhook(struct fabric_cntr *cntr, void (*run)(void *arg),
			void *arg)
{
	struct fabric_progress_hook **link, *hook;

	pthread_rwlock_wrlock(&cntr->hooks_lock);
	link = cntr_find_hook(cntr, run, arg);
	hook = *link;
	assert(hook);
	if (--hook->times == 0) {
		*link = hook->next;
		free(hook);
	}
	pthread_rwlock_unlock(&cntr->hooks_lock);
}

void fabric_cntr_wake(struct fabric_cntr *cntr)
{
	pthread_mutex_lock(&cntr->lock);
	pthread_cond_broadcast(&cntr->changed);
	pthread_mutex_unlock(&cntr->lock);
}

bool fabric_cntr_attach(const struct fabric_cntr *cntr, struct dev_qp *qp,
			uint32_t ops)
{
	int ret;

	if (!cntr->dev.verbs)
		return false;
	ret = dev_counter_attach(&cntr->dev, qp, ops);
	if (ret)
		compat_info(FI_LOG_CNTR, "%s does not count operations %#x of "
			    "QP %u: %s; software does",
			    cntr->domain->device->name, ops, qp->qpn,
			    strerror(-ret));
	return !ret;
}

static uint64_t cntr_value(const struct fabric_cntr *cntr)
{
	return atomic_load(&cntr->value) + dev_counter_good(&cntr->dev);
}

static uint64_t cntr_errors(const struct fabric_cntr *cntr)
{
	return atomic_load(&cntr->errors) + dev_counter_bad(&cntr->dev);
}

static struct fabric_cntr *cntr_of_fid(struct fid *fid)
{
	return (struct fabric_cntr *)
		((char *)fid - offsetof(struct fabric_cntr, fid.fid));
}

static uint64_t cntr_read(struct fid_cntr *fid)
{
	struct fabric_cntr *cntr = fabric_cntr_of(fid);

	cntr_progress(cntr);
	return cntr_value(cntr);
}

static uint64_t cntr_readerr(struct fid_cntr *fid)
{
	struct fabric_cntr *cntr = fabric_cntr_of(fid);

	cntr_progress(cntr);
	return cntr_errors(cntr);
}

/* Changes the value; a counter of the device alone, where that keeps it. */
static int cntr_add(struct fid_cntr *fid, uint64_t value)
{
	struct fabric_cntr *cntr = fabric_cntr_of(fid);

	if (cntr->device_alone)
		return dev_counter_add(&cntr->dev, DEV_COUNT_GOOD, value);
	fabric_cntr_add(cntr, value);
	return 0;
}

static int cntr_adderr(struct fid_cntr *fid, uint64_t value)
{
	struct fabric_cntr *cntr = fabric_cntr_of(fid);

	if (cntr->device_alone)
		return dev_counter_add(&cntr->dev, DEV_COUNT_BAD, value);
	atomic_fetch_add(&cntr->errors, value);
	fabric_cntr_wake(cntr);
	return 0;
}

static int cntr_set(struct fid_cntr *fid, uint64_t value)
{
	struct fabric_cntr *cntr = fabric_cntr_of(fid);

	if (cntr->device_alone)
		return dev_counter_set(&cntr->dev, DEV_COUNT_GOOD, value);
	atomic_store(&cntr->value, value - dev_counter_good(&cntr->dev));
	fabric_cntr_wake(cntr);
	return 0;
}

static int cntr_seterr(struct fid_cntr *fid, uint64_t value)
{
	struct fabric_cntr *cntr = fabric_cntr_of(fid);

	if (cntr->device_alone)
		return dev_counter_set(&cntr->dev, DEV_COUNT_BAD, value);
	atomic_store(&cntr->errors, value - dev_counter_bad(&cntr->dev));
	fabric_cntr_wake(cntr);
	return 0;
}

/* Sleeps until the counter changes from what was seen, at most until
 * @until_ns: the device wakes nobody. */
static void cntr_pause(struct fabric_cntr *cntr, uint64_t seen_value,
		       uint64_t seen_errors, uint64_t until_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / 1000000000),
		.tv_nsec = (long)(until_ns % 1000000000),
	};
	int err = 0;

	pthread_mutex_lock(&cntr->lock);
	atomic_fetch_add(&cntr->waiters, 1);
	while (!err && cntr_value(cntr) == seen_value &&
	       cntr_errors(cntr) == seen_errors)
		err = pthread_cond_timedwait(&cntr->changed, &cntr->lock,
					     &until);
	atomic_fetch_sub(&cntr->waiters, 1);
	pthread_mutex_unlock(&cntr->lock);
}

static int cntr_wait(struct fid_cntr *fid, uint64_t threshold, int timeout)
{
	struct fabric_cntr *cntr = fabric_cntr_of(fid);
	uint64_t errors_before = cntr_errors(cntr);
	uint64_t deadline = timeout < 0 ? UINT64_MAX :
			    now_ns() + (uint64_t)timeout * 1000000;
	uint64_t pause = WAIT_PAUSE_FIRST_NS;

	if (cntr->device_alone && !cntr->dev.good)
		return -FI_EOPNOTSUPP;
	for (uint64_t polls = 0;; polls++) {
		uint64_t value, errors, now;

		cntr_progress(cntr);
		value = cntr_value(cntr);
		errors = cntr_errors(cntr);
		if (value >= threshold)
			return 0;
		if (errors != errors_before)
			return -FI_EAVAIL;
		now = now_ns();
		if (now >= deadline)
			return -FI_ETIMEDOUT;
		if (polls < WAIT_BUSY_POLLS)
			continue;
		cntr_pause(cntr, value, errors,
			   deadline - now < pause ? deadline : now + pause);
		if (pause < WAIT_PAUSE_LAST_NS)
			pause *= 2;
	}
}

static int cntr_control(struct fid *fid, int command, void *arg)
{
	if (command != FI_GETWAITOBJ)
		return -FI_ENOSYS;
	*(enum fi_wait_obj *)arg = FI_WAIT_NONE;
	return 0;
}

static int cntr_close(struct fid *fid)
{
	struct fabric_cntr *cntr = cntr_of_fid(fid);
	int ret;

	if (fabric_reference_is_used(&cntr->users))
		return -FI_EBUSY;
	ret = cntr->dev.verbs ? dev_counter_destroy(&cntr->dev) : 0;
	if (ret)
		return ret;
	assert(!cntr->hooks);
	pthread_rwlock_destroy(&cntr->hooks_lock);
	pthread_cond_destroy(&cntr->changed);
	pthread_mutex_destroy(&cntr->lock);
	fabric_reference_put(&cntr->domain->users);
	free(cntr);
	return 0;
}

static struct fi_ops cntr_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = cntr_close,
	.bind = fabric_no_bind,
	.control = cntr_control,
	.ops_open = fabric_no_ops_open,
	.tostr = fabric_no_tostr,
	.ops_set = fabric_no_ops_set,
};

static struct fi_ops_cntr cntr_ops = {
	.size = sizeof(struct fi_ops_cntr),
	.read = cntr_read,
	.readerr = cntr_readerr,
	.add = cntr_add,
	.set = cntr_set,
	.wait = cntr_wait,
	.adderr = cntr_adderr,
	.seterr = cntr_seterr,
};

static int cntr_check_attr(const struct fi_cntr_attr *attr)
{
	if (attr->flags)
		return -FI_EINVAL;
	if (attr->events != FI_CNTR_EVENTS_COMP ||
	    (attr->wait_obj != FI_WAIT_NONE &&
	     attr->wait_obj != FI_WAIT_UNSPEC)) {
		compat_warn(FI_LOG_CNTR, "a counter counts completions "
			    "(events %d) with wait object FI_WAIT_NONE or "
			    "FI_WAIT_UNSPEC (not %d)", attr->events,
			    attr->wait_obj);
		return -FI_ENOSYS;
	}
	return 0;
}

static void cntr_init_locks(struct fabric_cntr *cntr)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&cntr->changed, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&cntr->lock, NULL);
	pthread_rwlock_init(&cntr->hooks_lock, NULL);
}

static bool cntr_device_has(const struct fabric_domain *domain)
{
	return domain->device->comp_cntr_ops &&
	       !strcmp(domain->fabric->name, FABRIC_NAME_DIRECT);
}

/* A device has few counters; without one left, software counts. */
static void cntr_try_device(struct fabric_cntr *cntr)
{
	const struct dev_device *device = cntr->domain->device;
	int ret;

	if (!cntr_device_has(cntr->domain))
		return;
	ret = dev_counter_create(device, NULL, NULL, &cntr->dev);
	if (ret)
		compat_info(FI_LOG_CNTR, "%s gives no completion counter: %s; "
			    "software counts", device->name, strerror(-ret));
}

/* Without a count of the device's. */
static struct fabric_cntr *cntr_create(struct fabric_domain *domain,
				       void *context)
{
	struct fabric_cntr *cntr = calloc(1, sizeof(*cntr));

	if (!cntr)
		return NULL;
	cntr_init_locks(cntr);
	fabric_reference_init(&cntr->users);
	cntr->domain = domain;
	fabric_reference_get(&domain->users);
	cntr->fid.fid.fclass = FI_CLASS_CNTR;
	cntr->fid.fid.context = context;
	cntr->fid.fid.ops = &cntr_fid_ops;
	cntr->fid.ops = &cntr_ops;
	return cntr;
}

int fabric_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		     struct fid_cntr **result, void *context)
{
	struct fabric_cntr *cntr;
	int ret;

	ret = attr ? cntr_check_attr(attr) : 0;
	if (ret)
		return ret;
	cntr = cntr_create(fabric_domain_of(domain), context);
	if (!cntr)
		return -FI_ENOMEM;
	cntr_try_device(cntr);
	*result = &cntr->fid;
	return 0;
}

static int cntr_refuse_device(const struct fabric_domain *domain, int ret)
{
	compat_warn(FI_LOG_CNTR, "cntr_open_ext: %s gives no completion "
		    "counter: %s; %s", domain->device->name, fi_strerror(-ret),
		    ret == -FI_EOPNOTSUPP ?
		    "it takes a device that has some, rdma-core 65 and the "
		    "fabric efa-direct; fi_cntr_open works anywhere" :
		    ret == -FI_ENOMEM ? "close others that are not needed" :
		    "the memory must be mapped, or the dma-buf hold 8 bytes "
		    "at the offset");
	return ret;
}

int fabric_cntr_open_device(struct fid_domain *domain_fid,
			    struct fi_cntr_attr *attr,
			    const struct compat_efadv_memory_location *good,
			    const struct compat_efadv_memory_location *bad,
			    struct fid_cntr **result, void *context)
{
	struct fabric_domain *domain = fabric_domain_of(domain_fid);
	struct dev_counter dev;
	struct fabric_cntr *cntr;
	int ret;

	ret = attr ? cntr_check_attr(attr) : 0;
	if (ret)
		return ret;
	ret = cntr_device_has(domain) ?
	      dev_counter_create(domain->device, good, bad, &dev) :
	      -FI_EOPNOTSUPP;
	if (ret)
		return cntr_refuse_device(domain, ret);
	cntr = cntr_create(domain, context);
	if (!cntr) {
		dev_counter_destroy(&dev);
		return -FI_ENOMEM;
	}
	cntr->dev = dev;
	cntr->device_alone = true;
	*result = &cntr->fid;
	return 0;
}
