/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The softefa daemon: one process that is the kernel and the devices of all
 * clients that connect to its socket.
 *
 *	cli --> daemon.h: listen, then run in the daemon process
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/link_spec.h"
#include "engine/profile.h"
#include "engine/rule.h"

struct daemon_options {
	/* From daemon_listen(); daemon_run() owns and closes it. */
	int listen_fd;
	/*
	 * The daemon ends when this fd hangs up (the read end of a pipe whose
	 * write end the owner keeps open); -1: it lives until SOFTEFA_STOP or
	 * SIGTERM. daemon_run() owns and closes it.
	 */
	int life_fd;
	/*
	 * One byte 'R' is written here once clients are served, then it is
	 * closed; closed without a byte when the start failed. -1: none.
	 */
	int ready_fd;
	unsigned num_devices;			/* 1 .. SOFTEFA_MAX_DEVICES */
	const struct device_profile *profile;	/* num_devices of them */
	/* A trace goes here from the start; -1: none. daemon_run() owns it. */
	int trace_fd;
	/* To other hosts; NULL: none. */
	const struct link_spec *link;
	const char *host_name;			/* told to them */
	/* Faults of the devices, as fault_spec.h has them; checked before. */
	const char *const *faults;
	unsigned fault_count;
	/* Client faults and broken device rules are told on stderr. */
	bool log;
	/*
	 * Broken device rules are told here, too; -1: not. daemon_run() uses
	 * it and leaves it open.
	 */
	int rule_fd;
	uint32_t allowed_rules;	/* bits of enum engine_rule: told, forgiven */
};

/* What daemon_run() returns when rules were broken. */
#define DAEMON_RULES_BROKEN	1

/*
 * Binds and listens on the abstract name @name (no leading NUL). Returns the
 * descriptor (close-on-exec), -EADDRINUSE when a daemon of this name runs,
 * -ENAMETOOLONG or -EINVAL for a bad name, or another negative errno. A
 * client may connect from now on; it is served once daemon_run() runs.
 */
int daemon_listen(const char *name);

/*
 * Serves until the life fd hangs up, a client says SOFTEFA_STOP, or SIGTERM
 * or SIGINT arrives; then tells the clients (IBV_EVENT_DEVICE_FATAL), closes
 * everything and returns 0, or DAEMON_RULES_BROKEN when clients broke rules
 * of the devices that options->allowed_rules does not hold. A negative errno means that it could not start;
 * the cause has then been told on stderr. To be called in a process of its
 * own with one thread: it changes signal mask, timer slack, limits and
 * priority of the process. It keeps no descriptor of the caller but those
 * in @options; the caller closes what the daemon must not inherit.
 */
int daemon_run(const struct daemon_options *options);

#endif /* DAEMON_DAEMON_H */
