/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Variables of the environment that are libfabric's own, and mean the same
 * to every provider (fabric(7)). The core's parameter functions know them
 * only where the core was built with what they concern.
 */
#ifndef COMPAT_CORE_VARIABLE_H
#define COMPAT_CORE_VARIABLE_H

#include <stdbool.h>

/*
 * Is the variable @name true or false: "1", "yes", "true", "on" and their
 * opposites, in any case, as the core reads them. @otherwise when it is not
 * set, or says something else.
 */
bool compat_core_variable(const char *name, bool otherwise);

#endif /* COMPAT_CORE_VARIABLE_H */
