/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads and writes by the device: as many requests as its longest one, the
 * buffers of this side and the data of a write make necessary. What is not
 * registered here goes through packets' buffers. A write's data go with the
 * last request, which waits for the others: the device keeps no order.
 */
#ifndef RDM_RMA_DEVICE_H
#define RDM_RMA_DEVICE_H

#include "rdm/protocol_table.h"

extern const struct rdm_protocol rdm_rma_device;

#endif /* RDM_RMA_DEVICE_H */
