/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Messages of protocol.h on the daemon's side of a connection.
 */
#ifndef DAEMON_PEER_MESSAGE_H
#define DAEMON_PEER_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>

#include "daemon/ioctl_gate.h"
#include "protocol.h"

struct peer_request {
	struct softefa_request msg;
	char text[SOFTEFA_MAX_REQUEST_TEXT];	/* what followed it, if any */
	pid_t pid;		/* who sent it, says the kernel; 0: nobody we see */
	int pidfd;		/* the same, for certain; owned, -1: an old kernel */
	int reply_fd;		/* where the answer goes; owned, -1: none came */
};

/*
 * Lets messages on @fd and on what is accepted from it tell who sent them.
 * -errno.
 */
int peer_message_name_senders(int fd);

/*
 * Takes one request off @fd, which names its senders. Returns 1, 0 when the
 * peer hung up, -EAGAIN when none is there, -EPROTO for a message of a
 * length that none has or a text that does not end, or -errno. After 1 the
 * caller ends it with peer_request_fini().
 */
int peer_request_receive(int fd, struct peer_request *request);
void peer_request_fini(struct peer_request *request);

/*
 * Sends @len_bytes and the @fd_count descriptors @fds, which stay the
 * caller's. Never waits: -EAGAIN when the peer leaves no room. -ENOTSOCK
 * unless @fd is a UNIX socket, which a descriptor of a client need not be.
 */
int peer_answer_send(int fd, const void *answer, size_t len_bytes,
		     const int *fds, unsigned fd_count);

#endif /* DAEMON_PEER_MESSAGE_H */
