/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "shim/client_env.h"

#include <stdio.h>
#include <string.h>

#include "protocol.h"

/* sun_path holds 108 bytes, the first of an abstract name is NUL. */
static char socket_name[108];
static char sysfs_root[128];
static bool netlink_refused;

static const char *value_of(const char *variable, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(variable, name, len) || variable[len] != '=')
		return NULL;
	return variable + len + 1;
}

static void take_sysfs_root(const char *value)
{
	size_t len = strlen(value);

	while (len && value[len - 1] == '/')
		len--;
	/* Not absolute or too long: left to the real file system. */
	if (len >= sizeof(sysfs_root) || value[0] != '/' ||
	    (len == 4 && !strncmp(value, "/sys", 4)))
		return;
	memcpy(sysfs_root, value, len);
	sysfs_root[len] = '\0';
}

void client_env_read(char *const *envp)
{
	const char *value;

	for (; *envp; envp++) {
		value = value_of(*envp, SOFTEFA_ENV_SOCKET);
		if (value && strlen(value) < sizeof(socket_name))
			strcpy(socket_name, value);
		value = value_of(*envp, "SYSFS_PATH");
		if (value)
			take_sysfs_root(value);
		value = value_of(*envp, "SOFTEFA_DISCOVERY");
		if (value)
			netlink_refused = !strcmp(value, "sysfs");
	}
}

bool client_env_is_active(void)
{
	return socket_name[0];
}

const char *client_env_socket(void)
{
	return socket_name;
}

const char *client_env_sysfs_root(void)
{
	return sysfs_root;
}

bool client_env_has_netlink(void)
{
	return socket_name[0] && !netlink_refused;
}
