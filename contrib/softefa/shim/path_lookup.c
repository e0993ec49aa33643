/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "shim/path_lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/client_env.h"
#include "shim/device_table.h"
#include "shim/virtual_fd.h"

/* Of @path below @root what follows it, else NULL. */
static const char *below(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (!len || strncmp(path, root, len) || path[len] != '/')
		return NULL;
	return path + len;
}

/*
 * The part of @path to walk, with the root it belongs to. A cheap test:
 * almost every path of a program ends here.
 */
static const char *find_root(const char *path, const char **root,
			     const char **tree)
{
	const char *rest;

	*tree = "sys";
	*root = client_env_sysfs_root();
	rest = below(path, *root);
	if (!rest) {
		*root = "/sys";
		rest = below(path, *root);
	}
	if (!rest && !strncmp(path, "/dev/infiniband", 15)) {
		*tree = "dev";
		*root = "/dev";
		rest = below(path, *root);
	}
	return rest;
}

int path_text(const struct path_place *place, char *text, size_t size)
{
	/* "sys/class" and "dev/infiniband": the root stands for 3 letters. */
	int len = snprintf(text, size, "%s%s", place->root,
			   place->node.path + 3);

	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : len;
}

static bool is_real(const struct path_place *place)
{
	char text[TREE_MAX_PATH * 2];

	return path_text(place, text, sizeof(text)) < 0 ||
	       !syscall(SYS_faccessat, AT_FDCWD, text, F_OK);
}

__attribute__((noinline))
static int walk(const char *tree, const char *rest, bool follow,
		struct path_place *place)
{
	struct softefa_devices storage;
	const struct softefa_devices *devices = device_table_get(&storage);
	char path[TREE_MAX_PATH];
	int len, ret;

	if (!devices)
		return PATH_REAL;
	len = snprintf(path, sizeof(path), "%s%s", tree, rest);
	if (len < 0 || (size_t)len >= sizeof(path))
		return PATH_REAL;
	ret = tree_walk(devices, path, follow, &place->node);
	if (ret)
		return ret;
	if (place->node.kind != TREE_OUTSIDE)
		return PATH_VIRTUAL;
	if (!place->node.is_on_the_way || is_real(place))
		return PATH_ELSEWHERE;
	place->node.kind = TREE_DIR;
	return PATH_VIRTUAL;
}

/* A relative path becomes an absolute one if @dirfd is a virtual directory. */
static const char *absolute_path(int dirfd, const char *path, char *buf,
				 size_t size)
{
	int len;

	if (path[0] == '/' || !path[0] || dirfd == AT_FDCWD)
		return path;
	len = virtual_fd_path(dirfd, buf, size);
	if (len < 0)
		return path;
	if (snprintf(buf + len, size - (size_t)len, "/%s", path) >=
	    (int)(size - (size_t)len))
		return path;
	return buf;
}

int path_lookup(int dirfd, const char *path, bool follow,
		struct path_place *place)
{
	char buf[VIRTUAL_FD_MAX_PATH * 2];
	const char *rest, *tree;

	if (!client_env_is_active() || !path)
		return PATH_REAL;
	path = absolute_path(dirfd, path, buf, sizeof(buf));
	rest = find_root(path, &place->root, &tree);
	return rest ? walk(tree, rest, follow, place) : PATH_REAL;
}
