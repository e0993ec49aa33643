/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which paths of a program are the virtual tree's: those below /sys, below
 * SYSFS_PATH and below /dev/infiniband, and relative ones from a descriptor
 * of a virtual directory. Relative paths from the working directory are
 * not: it cannot be inside the tree.
 */
#ifndef SHIM_PATH_LOOKUP_H
#define SHIM_PATH_LOOKUP_H

#include <stdbool.h>

#include "shim/virtual_tree.h"

struct path_place {
	struct tree_node node;
	/* What "sys" or "dev" at the front of node.path stands for. */
	const char *root;
};

enum path_owner {
	PATH_REAL,	/* ask the real file system, for the path given */
	PATH_ELSEWHERE,	/* ask it for path_text() of the place */
	PATH_VIRTUAL,	/* place->node has it */
};

/*
 * Looks @path up as seen from @dirfd (AT_FDCWD, or any descriptor); a
 * symlink at its end is followed if @follow. Returns an enum path_owner, or
 * the negative errno that the system call has to fail with.
 */
int path_lookup(int dirfd, const char *path, bool follow,
		struct path_place *place);

/*
 * Stores the absolute path of @place in @text (@size bytes). Returns its
 * length or -ENAMETOOLONG.
 */
int path_text(const struct path_place *place, char *text, size_t size);

#endif /* SHIM_PATH_LOOKUP_H */
