/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The library of an accelerator's vendor, opened when its memory is first
 * registered and never before: a process without an accelerator, or one
 * that only asks what there is, must not load it. An application that has
 * such memory has the library in the process already, and gets the same
 * copy. It is never closed.
 */
#ifndef HMEM_VENDOR_LIBRARY_H
#define HMEM_VENDOR_LIBRARY_H

#include <stddef.h>

/* Room for every text that says why something is not possible. */
#define HMEM_REASON_SIZE	512

struct hmem_symbol {
	const char *name;
	void *place;		/* a pointer to a function, set on opening */
};

struct hmem_library {
	/* constant */
	const char *const *files;	/* tried in turn; NULL ends them */
	const struct hmem_symbol *symbols;
	size_t symbol_count;
	/* under the module's lock until it is opened, then constant */
	void *handle;
};

/*
 * Opens @library unless that was done, and sets every symbol that it has,
 * the others to NULL. Safe in threads. -FI_ENOSYS: it cannot be loaded, and
 * @reason (of HMEM_REASON_SIZE) says what the loader said; the next call
 * tries again.
 */
int hmem_library_open(struct hmem_library *library, char *reason);

/* "libcuda.so.1 (/usr/lib/libcuda.so.535.1) has no cuX", of a library that
 * is open. */
void hmem_library_lacks(const struct hmem_library *library,
			const char *symbol, char *reason);

#endif /* HMEM_VENDOR_LIBRARY_H */
