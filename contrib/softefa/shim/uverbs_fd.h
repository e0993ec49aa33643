/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descriptors of device contexts: what open("/dev/infiniband/uverbsN")
 * gives. Each is a connection to the daemon whose own end is bound to an
 * abstract name that holds the device's number: the descriptor itself says
 * what it is, however it was duplicated, inherited or passed on.
 */
#ifndef SHIM_UVERBS_FD_H
#define SHIM_UVERBS_FD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* RDMA_VERBS_IOCTL of rdma_user_ioctl_cmds.h */
#define UVERBS_IOCTL	0xc0181b01ul

/*
 * Opens a context of device number @device with the O_* flags of open().
 * Returns the descriptor or a negative errno: -ENODEV without a daemon.
 */
int uverbs_fd_open(uint32_t device, int open_flags);

/* The number of the device that @fd is a context of; -ENODEV if of none. */
int uverbs_fd_device(int fd);

/*
 * Carries UVERBS_IOCTL out on the context @fd. @header is the caller's, as
 * for the kernel. Returns 0 or a negative errno, -EIO when the daemon is
 * gone (as the kernel when a device was unplugged).
 */
int uverbs_fd_ioctl(int fd, void *header);

/*
 * Carries mmap() out on the context @fd; @addr, @prot and @flags as there,
 * @key is the offset. Returns 0 with the place in *@mapped, or a negative
 * errno.
 */
int uverbs_fd_mmap(int fd, void *addr, size_t len, int prot, int flags,
		   off_t key, void **mapped);

#endif /* SHIM_UVERBS_FD_H */
