/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * FI_EFA_IFACE: which of the machine's devices applications get to see.
 *
 *	FI_EFA_IFACE=efa_0,efa_2	these, in the machine's order
 *	FI_EFA_IFACE=all, or unset	every one
 */
#ifndef FABRIC_IFACE_SELECT_H
#define FABRIC_IFACE_SELECT_H

#include <stdbool.h>

#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>

#include "dev/device_list.h"

/* Makes the variable known to libfabric (fi_info -e shows it); @provider
 * lives as long as the plugin. */
void fabric_iface_define(struct fi_provider *provider);

/* The variable's value, or NULL for every device. */
const char *fabric_iface_value(void);

/* Does @value select the device @name? NULL and "all" select every one. */
bool fabric_iface_selects(const char *value, const char *name);

/*
 * Checks each name in @value against @list. False, and logged once in a
 * process with the names there are, when the value is empty or a name
 * belongs to no device: then none is offered, since what was meant is not
 * known.
 */
bool fabric_iface_check(const char *value, const struct dev_list *list);

#endif /* FABRIC_IFACE_SELECT_H */
