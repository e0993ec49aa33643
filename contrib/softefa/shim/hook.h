/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How the shim's hooks are written. A hook is a function that the program
 * finds under a name of the C library. In C it has a name of its own, so
 * that it needs no agreement with the headers (whose types and aliases
 * differ with large-file and fortify settings):
 *
 *	HOOK(int, access, const char *path, int mode)
 *	{
 *		...
 *	}
 *	HOOK_ALIAS(int, eaccess, access, const char *path, int mode);
 *
 * A hook has the meaning, the result and the errno of its namesake for
 * everything that is not the shim's. On x86-64 and aarch64 the plain names
 * and those with 64 have the same types.
 */
#ifndef SHIM_HOOK_H
#define SHIM_HOOK_H

#include <errno.h>

#define HOOK(type, symbol, ...)						\
	type hook_##symbol(__VA_ARGS__) __asm__(#symbol)		\
		__attribute__((visibility("default")));			\
	type hook_##symbol(__VA_ARGS__)

/* @alias is @symbol, a hook of the same file, by another name. */
#define HOOK_ALIAS(type, alias_name, symbol, ...)			\
	type hook_##alias_name(__VA_ARGS__) __asm__(#alias_name)	\
		__attribute__((alias(#symbol), visibility("default")))

/* The result of a system call from one of the shim: 0 or a negative errno. */
static inline int hook_result(int ret)
{
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

#endif /* SHIM_HOOK_H */
