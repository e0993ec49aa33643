/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "fabtests/oob_pair.h"

int oob_fork(pid_t *child)
{
	int fds[2];

	REQUIRE_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	*child = fork();
	REQUIRE(*child >= 0);
	if (*child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(fds[*child == 0 ? 0 : 1]);
	return fds[*child == 0 ? 1 : 0];
}

void oob_send(int fd, const void *buf, size_t len_bytes)
{
	const uint8_t *p = buf;
	ssize_t n;

	while (len_bytes) {
		n = send(fd, p, len_bytes, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		REQUIRE(n > 0);
		p += n;
		len_bytes -= (size_t)n;
	}
}

void oob_recv(int fd, void *buf, size_t len_bytes)
{
	uint8_t *p = buf;
	ssize_t n;

	while (len_bytes) {
		n = recv(fd, p, len_bytes, 0);
		if (n < 0 && errno == EINTR)
			continue;
		REQUIRE(n > 0);
		p += n;
		len_bytes -= (size_t)n;
	}
}

void oob_sync(int fd)
{
	uint8_t mine = 0x5a, theirs = 0;

	oob_swap(fd, &mine, &theirs, 1);
	REQUIRE_EQ(theirs, 0x5a);
}

void oob_swap(int fd, const void *mine, void *theirs, size_t len_bytes)
{
	oob_send(fd, mine, len_bytes);
	oob_recv(fd, theirs, len_bytes);
}
