/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the environment of a client process tells the shim, read once when
 * the process starts: later changes of the environment are not seen, and no
 * hook calls getenv() beside a setenv() of the program.
 *
 *	SOFTEFA_SOCKET		the daemon; without it the shim does nothing
 *	SYSFS_PATH		where libibverbs looks for sysfs, if not /sys
 *	SOFTEFA_DISCOVERY	"sysfs": netlink is not answered
 */
#ifndef SHIM_CLIENT_ENV_H
#define SHIM_CLIENT_ENV_H

#include <stdbool.h>

/* Takes over what it needs of @envp; called once, before any thread. */
void client_env_read(char *const *envp);

/* Whether there is a daemon to speak to. */
bool client_env_is_active(void);

/* Abstract socket name of the daemon, without the leading NUL. */
const char *client_env_socket(void);

/* SYSFS_PATH without trailing slashes; "" when it is unset or is /sys. */
const char *client_env_sysfs_root(void);

/* Whether sockets of NETLINK_RDMA are answered. */
bool client_env_has_netlink(void);

#endif /* SHIM_CLIENT_ENV_H */
