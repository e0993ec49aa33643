/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "daemon/copy_watch.h"
#include "daemon/counter_text.h"
#include "daemon/daemon.h"
#include "daemon/emulated_device.h"
#include "daemon/fault_log.h"
#include "daemon/idle_pace.h"
#include "daemon/link_bridge.h"
#include "daemon/link_show.h"
#include "daemon/poll_loop.h"
#include "daemon/rule_tally.h"
#include "daemon/session.h"
#include "daemon/show_text.h"
#include "daemon/trace_control.h"
#include "daemon/verbs_cq.h"
#include "engine/engine.h"

#define READY_BYTE	"R"
#define NICE_WANTED	(-15)
#define SLICE_NS	100000u		/* the shortest there is */
#define COPY_LIMIT_MS	2000u		/* of one; the rest of us wait */
#define EVENTS_A_PASS	16u	/* so that queues are not starved */

/* A descriptor whose readiness ends the daemon. */
struct end_source {
	struct poll_source source;
	int fd;				/* -1: none */
	bool *ended;
};

struct daemon {
	struct poll_loop loop;
	struct engine *engine;
	struct emulated_devices devices;
	struct link_bridge bridge;
	struct session_list *sessions;
	struct trace_control trace;
	struct end_source life;
	struct end_source signals;
	bool ended;
};

int daemon_listen(const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t len = strlen(name);
	int fd, ret;

	if (len == 0)
		return -EINVAL;
	if (len > sizeof(addr.sun_path) - 1)
		return -ENAMETOOLONG;
	memcpy(addr.sun_path + 1, name, len);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&addr,
		 offsetof(struct sockaddr_un, sun_path) + 1 + len) ||
	    listen(fd, SOMAXCONN)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	return fd;
}

/* ---- what the engine calls ---- */

static void daemon_cq_event(void *owner, void *cq_opaque)
{
	(void)owner;
	verbs_cq_give_event(cq_opaque);
}

static void daemon_rule_broken(void *owner, void *context_opaque,
			       enum engine_rule rule, const char *text)
{
	const struct daemon *daemon = owner;

	uverbs_context_rule_broken(context_opaque, rule,
				   daemon->devices.allowed_rules &
				   (1u << rule), text);
}

static void daemon_trace(void *owner, const struct trace_event *event)
{
	struct daemon *daemon = owner;

	trace_control_event(&daemon->trace, event);
}

static struct engine_host *daemon_host_of(void *owner, const uint8_t gid[16])
{
	struct daemon *daemon = owner;

	return link_bridge_host_of(&daemon->bridge, gid);
}

static int daemon_packet_send(void *owner, void *host_opaque,
			      enum packet_type type, const void *packet,
			      size_t len_bytes)
{
	struct daemon *daemon = owner;

	return link_bridge_packet_send(&daemon->bridge, host_opaque, type,
				       packet, len_bytes);
}

static const struct engine_ops daemon_engine_ops = {
	.host_of = daemon_host_of,
	.packet_send = daemon_packet_send,
	.cq_event = daemon_cq_event,
	.rule_broken = daemon_rule_broken,
	.trace = daemon_trace,
};

/* ---- what whoever controls it asks ---- */

static size_t daemon_show(void *owner, char *text, size_t text_bytes)
{
	struct daemon *daemon = owner;
	size_t used = show_text_write(&daemon->devices, daemon->sessions,
				      text, text_bytes);
	int more = trace_control_describe(&daemon->trace, text + used,
					  text_bytes - used);

	used += (size_t)more < text_bytes - used ? (size_t)more : 0;
	return used + link_show_write(daemon->bridge.link, text + used,
				      text_bytes - used);
}

static size_t daemon_counters(void *owner, uint64_t *cursor, char *text,
			      size_t text_bytes)
{
	struct daemon *daemon = owner;

	return counter_text_write(&daemon->devices, daemon->sessions, cursor,
				  text, text_bytes);
}

static int daemon_trace_start(void *owner, int fd)
{
	struct daemon *daemon = owner;

	return trace_control_start(&daemon->trace, fd);
}

static int daemon_trace_stop(void *owner)
{
	struct daemon *daemon = owner;

	return trace_control_stop(&daemon->trace);
}

static const struct session_ops daemon_session_ops = {
	.show = daemon_show,
	.counters = daemon_counters,
	.trace_start = daemon_trace_start,
	.trace_stop = daemon_trace_stop,
};

/* ---- start and end ---- */

static void end_source_ready(struct poll_source *source, uint32_t events)
{
	struct end_source *end = (struct end_source *)source;

	(void)events;
	*end->ended = true;
}

/* Takes @fd over. Events 0: a hang-up alone, which epoll always tells. */
static int end_source_open(struct daemon *daemon, struct end_source *end,
			   int fd, uint32_t events)
{
	end->source.ready = end_source_ready;
	end->ended = &daemon->ended;
	end->fd = fd;
	if (fd < 0)
		return 0;
	return poll_loop_add(&daemon->loop, fd, &end->source, events);
}

static void end_source_close(struct daemon *daemon, struct end_source *end)
{
	if (end->fd < 0)
		return;
	poll_loop_remove(&daemon->loop, end->fd);
	close(end->fd);
}

static int daemon_open_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* As the kernel has it; the C library declares it from 2.41 on. */
struct scheduling {
	uint32_t size_bytes;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t slice_ns, deadline_ns, period_ns;
};

/*
 * A short slice: the daemon has little to do at a time, and one that asks
 * for little gets its turn before those that spin (Linux 6.12; ignored by
 * older ones). It needs no privilege, unlike the nice value.
 */
static void daemon_take_short_slices(void)
{
	struct scheduling want = {
		.size_bytes = sizeof(want),
		.policy = SCHED_OTHER,
		.nice = getpriority(PRIO_PROCESS, 0),
		.slice_ns = SLICE_NS,
	};

	syscall(SYS_sched_setattr, 0, &want, 0);
}

/*
 * Sleeps of 50 us need a timer slack below that, and clients that spin on
 * all CPUs leave no room for a daemon of their own priority. What the
 * kernel refuses is done without.
 */
static void daemon_tune_process(void)
{
	struct rlimit files;

	prctl(PR_SET_TIMERSLACK, 1UL);
	setpriority(PRIO_PROCESS, 0, NICE_WANTED);
	daemon_take_short_slices();
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	signal(SIGPIPE, SIG_IGN);
}

static int daemon_set_faults(struct daemon *daemon,
			     const struct daemon_options *options)
{
	char error[FAULT_ERROR_BYTES];
	unsigned i;
	int ret;

	for (i = 0; i < options->fault_count; i++) {
		ret = engine_fault_add(daemon->engine, options->faults[i],
				       error);
		if (ret < 0) {
			fault_log_fatal("%s", error);
			return ret;
		}
	}
	return 0;
}

static int daemon_start_engine(struct daemon *daemon,
			       const struct daemon_options *options)
{
	int ret;

	daemon->engine = engine_create(&daemon_engine_ops, daemon);
	if (!daemon->engine)
		return -ENOMEM;
	ret = emulated_devices_init(&daemon->devices, daemon->engine,
				    options->profile, options->num_devices);
	if (!ret)
		ret = daemon_set_faults(daemon, options);
	if (!ret)
		ret = link_bridge_open(&daemon->bridge, daemon->engine,
				       &daemon->devices, &daemon->loop,
				       options->link, options->host_name);
	if (ret)
		goto err;
	daemon->devices.allowed_rules = options->allowed_rules;
	trace_control_init(&daemon->trace, daemon->engine, &daemon->devices);
	return 0;
err:
	engine_destroy(daemon->engine);
	return ret;
}

/* Owns @fd, -1: no trace. A thread, so the signals must be blocked by now. */
static int daemon_start_trace(struct daemon *daemon, int fd)
{
	int ret = fd < 0 ? 0 : trace_control_start(&daemon->trace, fd);

	if (ret == -EINVAL)
		fault_log_fatal("a trace goes to a regular file alone; name "
				"one");
	return ret;
}

static void daemon_end_engine(struct daemon *daemon)
{
	link_bridge_close(&daemon->bridge);
	engine_destroy(daemon->engine);
}

/* Takes the descriptors of @options over, also when it fails. */
static int daemon_start(struct daemon *daemon,
			const struct daemon_options *options)
{
	int ret;

	memset(daemon, 0, sizeof(*daemon));
	ret = poll_loop_init(&daemon->loop);
	if (ret)
		goto err_fds;
	ret = daemon_start_engine(daemon, options);
	if (ret)
		goto err_loop;
	ret = end_source_open(daemon, &daemon->life, options->life_fd, 0);
	if (ret)
		goto err_life;
	ret = daemon_open_signals();
	if (ret < 0)
		goto err_life;
	ret = end_source_open(daemon, &daemon->signals, ret, EPOLLIN);
	if (ret)
		goto err_signals;
	ret = session_list_create(&daemon->sessions, &daemon->loop,
				  &daemon->devices, options->listen_fd,
				  &daemon_session_ops, daemon);
	if (ret)
		goto err_signals_closed;
	ret = daemon_start_trace(daemon, options->trace_fd);
	if (ret)
		goto err_sessions;
	ret = copy_watch_start(COPY_LIMIT_MS);
	if (ret)
		goto err_trace;
	return 0;

err_trace:
	trace_control_stop(&daemon->trace);
err_sessions:
	session_list_destroy(daemon->sessions);
	goto err_signals_closed;
err_signals:
	close(options->listen_fd);
err_signals_closed:
	end_source_close(daemon, &daemon->signals);
	end_source_close(daemon, &daemon->life);
	daemon_end_engine(daemon);
	poll_loop_fini(&daemon->loop);
	return ret;
err_life:
	daemon_end_engine(daemon);
err_loop:
	poll_loop_fini(&daemon->loop);
err_fds:
	close(options->listen_fd);
	if (options->life_fd >= 0)
		close(options->life_fd);
	return ret;
}

/* The sum of what was told, and its meaning for the exit status. */
static int daemon_judge(const struct daemon *daemon)
{
	char text[ENGINE_RULE_TEXT];

	rule_tally_text(&daemon->devices, text, sizeof(text));
	if (*text)
		fault_log_sum("rules of the device broken: %s", text);
	return rule_tally_forbidden(&daemon->devices) ?
		DAEMON_RULES_BROKEN : 0;
}

static int daemon_end(struct daemon *daemon)
{
	int ret;

	/* Contexts use the engine and, for channels, the loop. */
	session_list_destroy(daemon->sessions);
	copy_watch_stop();
	ret = daemon_judge(daemon);
	end_source_close(daemon, &daemon->signals);
	end_source_close(daemon, &daemon->life);
	link_bridge_close(&daemon->bridge);
	/* Told of the end of what clients left behind, but not of this one. */
	trace_control_stop(&daemon->trace);
	engine_destroy(daemon->engine);
	poll_loop_fini(&daemon->loop);
	return ret;
}

/* ---- running ---- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static uint64_t daemon_next_timer_ns(const struct daemon *daemon,
				     uint64_t now)
{
	uint64_t engine_ns = engine_next_timer_ns(daemon->engine, now);
	uint64_t link_ns = link_bridge_next_ns(&daemon->bridge, now);

	return engine_ns < link_ns ? engine_ns : link_ns;
}

static void daemon_serve(struct daemon *daemon)
{
	uint64_t worked_ns = now_ns();

	while (!daemon->ended &&
	       !session_list_is_stopping(daemon->sessions)) {
		uint64_t now = now_ns(), sleep_ns = 0;

		if (engine_poll(daemon->engine, now) +
		    link_bridge_poll(&daemon->bridge, now))
			worked_ns = now;
		else
			sleep_ns = idle_pace_sleep_ns(now - worked_ns,
				engine_has_queues(daemon->engine),
				daemon_next_timer_ns(daemon, now));
		trace_control_flush(&daemon->trace);
		if (poll_loop_run(&daemon->loop, sleep_ns, EVENTS_A_PASS))
			worked_ns = now;
	}
}

static void daemon_tell_ready(int ready_fd, bool ready)
{
	if (ready_fd < 0)
		return;
	if (ready && write(ready_fd, READY_BYTE, 1) != 1)
		fault_log("the one who started the daemon is gone");
	close(ready_fd);
}

int daemon_run(const struct daemon_options *options)
{
	/* Too large for a stack: its devices and lists are fixed arrays. */
	struct daemon *daemon = malloc(sizeof(*daemon));
	int ret = -ENOMEM;

	fault_log_init(options->log, options->rule_fd);
	daemon_tune_process();
	if (daemon)
		ret = daemon_start(daemon, options);
	daemon_tell_ready(options->ready_fd, !ret);
	if (ret) {
		fault_log_fatal("the daemon cannot start: %s",
				strerror(-ret));
		free(daemon);
		return ret;
	}
	daemon_serve(daemon);
	ret = daemon_end(daemon);
	free(daemon);
	return ret;
}
