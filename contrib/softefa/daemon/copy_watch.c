/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include "daemon/copy_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "daemon/fault_log.h"

/*
 * The driving thread writes `client` and `copies` without a lock. The lock is
 * held while a client that was found there is looked at, and is taken before
 * one is closed.
 */
static struct {
	_Atomic(struct client_process *) client;	/* NULL: no copy */
	_Atomic uint64_t copies;	/* begun so far */
	/* The one that was ended last, until the driving thread has told. */
	atomic_bool has_ended;
	pid_t ended_pid;
	char ended_name[sizeof(((struct client_process *)0)->name)];
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	unsigned limit_ms;
	bool is_running, is_stopping;	/* under the lock */
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A copy as it was seen at one look. */
struct seen_copy {
	struct client_process *client;
	uint64_t number;
	bool ended;		/* its client was */
};

static void watch_end_client(const struct client_process *client)
{
	syscall(SYS_pidfd_send_signal, client->pidfd, SIGKILL, NULL, 0);
	if (atomic_load_explicit(&watch.has_ended, memory_order_acquire))
		return;
	watch.ended_pid = client->pid;
	memcpy(watch.ended_name, client->name, sizeof(watch.ended_name));
	atomic_store_explicit(&watch.has_ended, true, memory_order_release);
}

/* The same copy as at the last look, by when it had begun. */
static void watch_stalled(struct seen_copy *copy)
{
	const struct client_process *client = copy->client;

	if (!copy->ended) {
		watch_end_client(client);
		copy->ended = true;
		return;
	}
	fault_log_fatal("all clients wait: the memory of %s (process %d) does "
			"not answer though the process was killed; another "
			"one serves its userfaultfd or its file system: end "
			"that one", client->name, (int)client->pid);
}

static void watch_look(struct seen_copy *last)
{
	struct seen_copy now = {
		.number = atomic_load(&watch.copies),
		.client = atomic_load(&watch.client),
	};

	if (now.client && now.client == last->client &&
	    now.number == last->number)
		watch_stalled(last);
	else
		*last = now;
}

static void watch_sleep(void)
{
	struct timespec until;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &until);
	ns = (uint64_t)until.tv_nsec + watch.limit_ms * UINT64_C(1000000);
	until.tv_sec += (time_t)(ns / 1000000000u);
	until.tv_nsec = (long)(ns % 1000000000u);
	while (!watch.is_stopping &&
	       !pthread_cond_timedwait(&watch.wake, &watch.lock, &until))
		;
}

static void *watch_run(void *arg)
{
	struct seen_copy last = { 0 };

	(void)arg;
	pthread_mutex_lock(&watch.lock);
	while (!watch.is_stopping) {
		watch_sleep();
		watch_look(&last);
	}
	pthread_mutex_unlock(&watch.lock);
	return NULL;
}

int copy_watch_start(unsigned limit_ms)
{
	pthread_condattr_t attr;
	sigset_t all, before;
	int err;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&watch.wake, &attr);
	pthread_condattr_destroy(&attr);
	watch.limit_ms = limit_ms;
	watch.is_stopping = false;
	/* Signals are the driving thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&watch.thread, NULL, watch_run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	watch.is_running = !err;
	if (err)
		pthread_cond_destroy(&watch.wake);
	return -err;
}

void copy_watch_stop(void)
{
	if (!watch.is_running)
		return;
	pthread_mutex_lock(&watch.lock);
	watch.is_stopping = true;
	pthread_cond_signal(&watch.wake);
	pthread_mutex_unlock(&watch.lock);
	pthread_join(watch.thread, NULL);
	pthread_cond_destroy(&watch.wake);
	watch.is_running = false;
}

void copy_watch_begin(struct client_process *client)
{
	uint64_t number = atomic_load_explicit(&watch.copies,
					       memory_order_relaxed);

	/* no other thread counts, so that a locked addition is not needed */
	atomic_store_explicit(&watch.copies, number + 1,
			      memory_order_relaxed);
	atomic_store_explicit(&watch.client, client, memory_order_release);
}

static void tell_of_ended(void)
{
	fault_log("%s (process %d) was ended: its memory, behind userfaultfd "
		  "or a file system that does not answer, kept all clients "
		  "waiting for %u ms; register memory that answers",
		  watch.ended_name, (int)watch.ended_pid, watch.limit_ms);
	atomic_store_explicit(&watch.has_ended, false, memory_order_release);
}

void copy_watch_end(void)
{
	atomic_store_explicit(&watch.client, NULL, memory_order_release);
	if (__builtin_expect(atomic_load_explicit(&watch.has_ended,
						  memory_order_acquire), 0))
		tell_of_ended();
}

void copy_watch_wait(void)
{
	pthread_mutex_lock(&watch.lock);
	pthread_mutex_unlock(&watch.lock);
}
