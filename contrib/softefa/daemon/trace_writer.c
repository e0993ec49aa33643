/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/trace_writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/trace_ring.h"

struct trace_writer {
	/* the engine's thread, until it sets is_ending */
	uint64_t records, lost;
	uint64_t lost_untold;	/* no TRACE_LOST says so yet */
	bool has_put;		/* since the last flush */

	/* both threads; atomic */
	struct trace_ring ring;
	bool is_asleep;		/* the thread waits for wake_fd */
	bool is_ending;
	int error;

	/* set up once */
	pthread_t thread;
	int fd;
	int wake_fd;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* ---- the thread ---- */

static void write_all(struct trace_writer *writer, const void *bytes,
		      size_t length)
{
	const uint8_t *at = bytes;
	ssize_t done;

	while (length && !__atomic_load_n(&writer->error, __ATOMIC_RELAXED)) {
		done = write(writer->fd, at, length);
		if (done > 0) {
			at += done;
			length -= (size_t)done;
		} else if (done == 0 || errno != EINTR) {
			__atomic_store_n(&writer->error,
					 done ? errno : EIO,
					 __ATOMIC_RELAXED);
		}
	}
}

static bool has_bytes(const struct trace_writer *writer)
{
	const uint8_t *bytes;

	return trace_ring_peek(&writer->ring, &bytes);
}

/*
 * Sets is_asleep. All changes of it are exchanges: of two threads the later
 * one sees what the earlier one did before, so that either the sleeper sees
 * the bytes or the other sees the sleeper.
 */
static bool exchange_asleep(struct trace_writer *writer, bool is_asleep)
{
	return __atomic_exchange_n(&writer->is_asleep, is_asleep,
				   __ATOMIC_ACQ_REL);
}

/* Returns when there may be something to do. */
static void sleep_until_woken(struct trace_writer *writer)
{
	uint64_t count;
	ssize_t ignored;

	exchange_asleep(writer, true);
	if (!has_bytes(writer) &&
	    !__atomic_load_n(&writer->is_ending, __ATOMIC_ACQUIRE)) {
		ignored = read(writer->wake_fd, &count, sizeof(count));
		(void)ignored;
	}
	exchange_asleep(writer, false);
}

/* Here, where no signal arrives, rather than in the engine's thread. */
static void write_end(struct trace_writer *writer)
{
	const struct {
		struct trace_record record;
		struct trace_end end;
	} last = {
		{ clock_ns(CLOCK_MONOTONIC), TRACE_END, TRACE_NO_DEVICE,
		  sizeof(struct trace_end) },
		{ writer->records, writer->lost },
	};

	write_all(writer, &last, sizeof(last));
}

static void *run(void *arg)
{
	struct trace_writer *writer = arg;
	const uint8_t *bytes;
	size_t length;
	bool is_last;

	for (;;) {
		is_last = __atomic_load_n(&writer->is_ending,
					  __ATOMIC_ACQUIRE);
		while ((length = trace_ring_peek(&writer->ring, &bytes))) {
			write_all(writer, bytes, length);
			trace_ring_take(&writer->ring, length);
		}
		if (is_last)
			break;
		sleep_until_woken(writer);
	}
	write_end(writer);
	return NULL;
}

static int start_thread(struct trace_writer *writer)
{
	sigset_t all, before;
	int err;

	/* Signals are the daemon's; SIGXFSZ becomes an errno. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&writer->thread, NULL, run, writer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

/* ---- open and close ---- */

static int empty_file(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || (flags & O_PATH) ||
	    (flags & O_ACCMODE) == O_RDONLY)
		return -EINVAL;
	return ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) ? -errno : 0;
}

static void put_header(struct trace_writer *writer)
{
	struct trace_file_header header = {
		.major = TRACE_MAJOR,
		.minor = TRACE_MINOR,
		.header_bytes = sizeof(header),
		.start_ns = clock_ns(CLOCK_MONOTONIC),
		.start_realtime_ns = clock_ns(CLOCK_REALTIME),
	};
	const struct trace_piece piece = { &header, sizeof(header) };

	memcpy(header.magic, TRACE_MAGIC, sizeof(header.magic));
	trace_ring_put(&writer->ring, &piece, 1);
}

int trace_writer_open(struct trace_writer **out, int fd, uint32_t ring_bytes)
{
	struct trace_writer *writer = NULL;
	int err = empty_file(fd);

	if (err)
		goto err_fd;
	err = -ENOMEM;
	/* Its ring is aligned to cache lines. */
	writer = aligned_alloc(_Alignof(struct trace_writer), sizeof(*writer));
	if (!writer)
		goto err_fd;
	memset(writer, 0, sizeof(*writer));
	if (trace_ring_init(&writer->ring, ring_bytes))
		goto err_writer;
	writer->fd = fd;
	writer->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (writer->wake_fd < 0) {
		err = -errno;
		goto err_ring;
	}
	put_header(writer);
	err = start_thread(writer);
	if (err)
		goto err_wake_fd;
	*out = writer;
	return 0;

err_wake_fd:
	close(writer->wake_fd);
err_ring:
	trace_ring_fini(&writer->ring);
err_writer:
	free(writer);
err_fd:
	close(fd);
	return err;
}

static void wake(struct trace_writer *writer)
{
	const uint64_t one = 1;
	ssize_t ignored;

	if (!exchange_asleep(writer, false))
		return;
	ignored = write(writer->wake_fd, &one, sizeof(one));
	(void)ignored;
}

void trace_writer_close(struct trace_writer *writer,
			struct trace_writer_counts *counts)
{
	__atomic_store_n(&writer->is_ending, true, __ATOMIC_RELEASE);
	wake(writer);
	pthread_join(writer->thread, NULL);
	/* Some file systems tell only now that there was no room. */
	if (close(writer->fd) && !writer->error)
		writer->error = errno;
	trace_writer_read_counts(writer, counts);
	close(writer->wake_fd);
	trace_ring_fini(&writer->ring);
	free(writer);
}

/* ---- records ---- */

static bool put_record(struct trace_writer *writer,
		       const struct trace_record *record,
		       const struct trace_event *event)
{
	const struct trace_record lost_record = {
		record->time_ns, TRACE_LOST, TRACE_NO_DEVICE,
		sizeof(struct trace_lost),
	};
	const struct trace_lost lost = { writer->lost_untold };
	const struct trace_piece piece[] = {
		{ record, sizeof(*record) },
		{ event->body, event->body_bytes },
		{ event->tail, event->tail_bytes },
	};
	const struct trace_piece after_loss[] = {
		{ &lost_record, sizeof(lost_record) },
		{ &lost, sizeof(lost) },
		piece[0], piece[1], piece[2],
	};

	if (!writer->lost_untold)
		return trace_ring_put(&writer->ring, piece, 3);
	if (!trace_ring_put(&writer->ring, after_loss, 5))
		return false;
	writer->lost_untold = 0;
	return true;
}

void trace_writer_put(struct trace_writer *writer, uint64_t time_ns,
		      const struct trace_event *event)
{
	const struct trace_record record = {
		.time_ns = time_ns,
		.kind = event->kind,
		.device = event->device,
		.length_bytes = event->body_bytes + event->tail_bytes,
	};

	assert(record.length_bytes <= TRACE_MAX_BODY);
	if (!__atomic_load_n(&writer->error, __ATOMIC_RELAXED) &&
	    put_record(writer, &record, event)) {
		writer->records++;
		writer->has_put = true;
		return;
	}
	writer->lost++;
	writer->lost_untold++;
}

void trace_writer_flush(struct trace_writer *writer)
{
	if (!writer->has_put)
		return;
	writer->has_put = false;
	wake(writer);
}

void trace_writer_read_counts(struct trace_writer *writer,
			      struct trace_writer_counts *counts)
{
	*counts = (struct trace_writer_counts) {
		.records = writer->records,
		.lost = writer->lost,
		.error = __atomic_load_n(&writer->error, __ATOMIC_RELAXED),
	};
}
