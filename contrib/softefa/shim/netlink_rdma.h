/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The RDMA netlink family, as far as libibverbs asks it: the devices, their
 * character devices, and whether memory registered for RDMA survives fork().
 * Message layout: rdma_netlink.h and drivers/infiniband/core/nldev.c.
 *
 * The program gets a socket of the family NETLINK_USERSOCK, which every
 * kernel has, instead of NETLINK_RDMA; what it sends to the kernel there is
 * answered by a datagram to its own port. Only sending is intercepted.
 */
#ifndef SHIM_NETLINK_RDMA_H
#define SHIM_NETLINK_RDMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "protocol.h"

#ifndef NETLINK_RDMA
#define NETLINK_RDMA	20
#endif

/* Longest answer: 16 devices with all their attributes. */
#define NETLINK_RDMA_MAX_ANSWER	4096u

/*
 * Writes the answer to the request @request (@len bytes, any content) into
 * @answer (NETLINK_RDMA_MAX_ANSWER bytes), addressed to the port @port.
 * Pure. Returns its length; 0 when the request wants none: it is not one of
 * the RDMA family or is cut short.
 */
size_t netlink_rdma_answer(const struct softefa_devices *devices,
			   const void *request, size_t len, uint32_t port,
			   void *answer);

/*
 * Takes the message @msg that the program sends on @fd. Returns false when
 * @fd is not a socket as above or the message is none for the RDMA family:
 * it is then to be sent. Otherwise *@sent is the result of the system call:
 * the length sent, or a negative errno.
 */
bool netlink_rdma_take(int fd, const struct msghdr *msg, ssize_t *sent);

#endif /* SHIM_NETLINK_RDMA_H */
