/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The datagram socket of a link. Nothing here waits. */
#ifndef DAEMON_LINK_SOCKET_H
#define DAEMON_LINK_SOCKET_H

#include <stddef.h>

#include "daemon/link_spec.h"

/*
 * A socket bound to @local, or -errno. A path that no socket listens on any
 * longer is taken over.
 */
int link_socket_open(const struct link_address *local);
/* Closes it and removes its path, if it has one. */
void link_socket_close(int fd, const struct link_address *local);

/* 0; -EAGAIN: no room now; or another -errno: it is lost. */
int link_socket_send(int fd, const struct link_address *to,
		     const void *bytes, size_t len_bytes);

/*
 * The next datagram and whose it is: its length; -EAGAIN when there is none;
 * -EACCES when it came from a process that is neither this user's nor
 * root's (UNIX sockets; of UDP nobody knows); -EMSGSIZE when it is longer.
 */
int link_socket_receive(int fd, struct link_address *from, void *bytes,
			size_t max_bytes);

#endif /* DAEMON_LINK_SOCKET_H */
