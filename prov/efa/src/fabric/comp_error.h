/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What an application is told of a failed operation: fi_cq_err_entry's err,
 * prov_errno (the device's status as it is) and err_data (a sentence).
 */
#ifndef FABRIC_COMP_ERROR_H
#define FABRIC_COMP_ERROR_H

#include <stddef.h>

#include "fabric/address.h"

/* Room for every err_data text, with its end. */
#define FABRIC_COMP_ERROR_SIZE	512

/*
 * The positive FI_E* for a device status; the numbers are those of
 * libfabric's own efa provider, since applications act on them. FI_EOTHER
 * for a status unknown here.
 */
int fabric_comp_errno(int prov_errno);

/* What @prov_errno means and what to do. Static, never NULL. */
const char *fabric_comp_strerror(int prov_errno);

/*
 * Writes the err_data of a failure into @buf, cut to @size with its end:
 * what happened, at which endpoint, with whom (NULL: unknown), the remedy.
 */
void fabric_comp_error_text(char *buf, size_t size, int prov_errno,
			    const struct fabric_address *local,
			    const struct fabric_address *peer);

#endif /* FABRIC_COMP_ERROR_H */
