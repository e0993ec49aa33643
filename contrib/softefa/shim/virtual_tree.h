/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the kernel would show of the devices in sysfs and in /dev: a tree of
 * names, made from the device table on demand. Pure: no system call, no
 * state, no allocation.
 *
 * Paths begin with "sys/" or "dev/" (whatever the client's root for them is)
 * and have no leading slash. The tree follows the kernel's: class
 * directories hold symlinks into devices/pciDDDD:BB/DDDD:BB:DD.F, which has
 * `infiniband`, `infiniband_verbs`, `driver` and the PCI attributes. Names
 * and formats are those of drivers/infiniband/core/{sysfs,uverbs_main}.c,
 * drivers/pci/pci-sysfs.c and what libibverbs (init.c, sysfs.c), the EFA
 * provider of libfabric and NCCL's network plugin read of them.
 *
 * The directories that belong to the devices are the tree's alone: real
 * entries there are hidden. Other directories on the way (sys/class,
 * sys/bus/pci/devices ...) stay the real ones, with our names added.
 */
#ifndef SHIM_VIRTUAL_TREE_H
#define SHIM_VIRTUAL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

#define TREE_MAX_PATH		256u	/* with the NUL */
#define TREE_MAX_CONTENT	512u
#define TREE_MAX_NAME		64u

enum tree_kind {
	TREE_OUTSIDE,	/* the real file system has it, at node->path */
	TREE_DIR,
	TREE_FILE,	/* content: the text */
	TREE_LINK,	/* content: its target */
	TREE_CHAR,	/* a device node; node->device names it */
	TREE_REAL_FILE,	/* content: absolute path of the file to read */
};

struct tree_node {
	enum tree_kind kind;
	uint32_t device;		/* index in the device table */
	bool is_on_the_way;		/* TREE_OUTSIDE: ours lie below it */
	char path[TREE_MAX_PATH];	/* resolved, no symlink before the end */
	char content[TREE_MAX_CONTENT];
};

/*
 * Walks @path component by component like the kernel, with ".", ".." and
 * symlinks; a symlink at the end is followed if @follow. Returns 0 with
 * *@node filled, or -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG. When the way
 * leaves the tree node->kind is TREE_OUTSIDE and node->path what remains to
 * be asked of the real file system ("sys/..." as well); ".." above the top
 * is left to it too. node->is_on_the_way tells of a directory that leads to
 * ours: it has to be there even where the real file system lacks it.
 */
int tree_walk(const struct softefa_devices *devices, const char *path,
	      bool follow, struct tree_node *node);

/*
 * Stores up to @max names in @names, those of the directory @path as
 * tree_walk() resolved it, without "." and "..". Returns how many; all when
 * @max is 64 or more.
 */
size_t tree_list(const struct softefa_devices *devices, const char *path,
		 char names[][TREE_MAX_NAME], size_t max);

/* A number for @path as inode number: the same for the same path. */
uint64_t tree_inode(const char *path);

#endif /* SHIM_VIRTUAL_TREE_H */
