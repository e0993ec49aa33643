/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Memory that runs out at a chosen moment, and an account of what was not
 * given back, for all that one shared object asks for: the provider. A
 * program that links this has its malloc and friends replaced.
 *
 * An allocation is the object's when one of its functions is among those
 * that led to it. "Its own" are those without a function of another library
 * in between, but for libc.
 */
#ifndef FABTESTS_FAILING_MALLOC_H
#define FABTESTS_FAILING_MALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* Whose allocations they are: a part of the file's name. It need not be
 * loaded yet. */
void failing_malloc_watch(const char *object);

/* The @nth (from 1) allocation from now on fails, once; 0: none does. With
 * @own_only, of its own ones. */
void failing_malloc_arm(unsigned nth, bool own_only);

/* Ends that; did an allocation fail? */
bool failing_malloc_disarm(void);

/* Blocks of the object's that were not freed, allocated since it is watched;
 * and, to find out whose one is, where the last of them came from, on
 * stderr. */
size_t failing_malloc_live(void);
void failing_malloc_show_live(void);

#endif /* FABTESTS_FAILING_MALLOC_H */
