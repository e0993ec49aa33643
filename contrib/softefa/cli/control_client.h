/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The command's own conversations with a daemon. */
#ifndef CLI_CONTROL_CLIENT_H
#define CLI_CONTROL_CLIENT_H

#include <sys/types.h>

#include "protocol.h"

/* Size of an abstract socket name with its NUL. */
#define CONTROL_MAX_SOCKET	108u

/*
 * How long a daemon may take to answer, or to end a trace or itself, which
 * have 8 MiB to be written first. One that takes longer is stopped or hangs;
 * each call below then gives -ETIMEDOUT.
 */
#define CONTROL_WAIT_S		10
#define CONTROL_END_S		60

/*
 * Stores in @socket the abstract name of this user's daemon @name (NULL:
 * the one of SOFTEFA_SOCKET, if that is set, else "default"). @name is at
 * most 64 bytes long.
 */
void control_socket_name(const char *name, char socket[CONTROL_MAX_SOCKET]);

/*
 * Connects and says HELLO. Returns a descriptor that the caller closes, and
 * the daemon's process in @daemon, also when that does not answer (0: it is
 * not known); -ECONNREFUSED when no such daemon runs, -EPERM when it is
 * another user's, -EPROTO when it speaks another protocol, or another
 * negative errno.
 */
int control_connect(const char *socket, pid_t *daemon);

/* The process that listens at the other end of @fd; 0: it is not known. */
pid_t control_daemon(int fd);

/*
 * Asks @request, with its text if that is not empty. The result that the
 * daemon gave, with its text in @answer, or -EIO.
 */
int control_ask_text(int fd, struct softefa_text_request *request,
		     struct softefa_text *answer);

/*
 * Get what the daemon shows and its counters, from @cursor on, 0 at first;
 * text->next is the cursor to go on with, 0 at the end. -EIO when it broke
 * off.
 */
int control_show(int fd, uint64_t cursor, struct softefa_text *text);
int control_counters(int fd, uint64_t cursor, struct softefa_text *text);

/*
 * Asks the daemon to trace its devices into @file, which stays the caller's;
 * or to end that. 0, -EBUSY or -ENOENT: one runs, none runs; -EINVAL: @file
 * is no regular file; -EIO when it broke off, or another errno of writing.
 */
int control_trace_start(int fd, int file);
int control_trace_stop(int fd);

/*
 * Asks the daemon to end and waits until its process is gone. 0, -EIO,
 * or -ETIMEDOUT, after the answer as well.
 * @rule_breaks: how often rules of its devices were broken.
 */
int control_stop(int fd, uint64_t *rule_breaks);

#endif /* CLI_CONTROL_CLIENT_H */
