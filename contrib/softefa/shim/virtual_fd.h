/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descriptors of virtual files and directories. Each is a memfd: a file's
 * holds its text, sealed; a directory's is empty. Its name is the path, so
 * the descriptor itself says what it is, in every process and however it was
 * duplicated, and nothing has to be kept or cleaned up.
 */
#ifndef SHIM_VIRTUAL_FD_H
#define SHIM_VIRTUAL_FD_H

#include <sys/stat.h>

#include "shim/virtual_tree.h"

/* Longest path that the name of a memfd can carry, with the NUL. */
#define VIRTUAL_FD_MAX_PATH	240u

/*
 * Opens the TREE_DIR or TREE_FILE @node, which has the absolute path @path.
 * Returns the descriptor (close-on-exec if O_CLOEXEC is in @open_flags),
 * which the caller owns, or a negative errno.
 */
int virtual_fd_open(const struct tree_node *node, const char *path,
		    int open_flags);

/*
 * Stores the path of @fd in @path if it is a virtual directory or file.
 * Returns its length, -ENOENT for any other descriptor.
 */
int virtual_fd_path(int fd, char *path, size_t size);

/* As virtual_fd_path(), for a caller that has just got *@st of @fd. */
int virtual_fd_path_of(int fd, const struct stat *st, char *path, size_t size);

/* Fills *@st for @node of the device table @devices. */
void virtual_fd_stat(const struct softefa_devices *devices,
		     const struct tree_node *node, struct stat *st);

#endif /* SHIM_VIRTUAL_FD_H */
