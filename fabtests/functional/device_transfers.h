/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Device memory of a stand-in library (fabtests/fake_hmem) in use: messages,
 * reads and writes of every kind between it and the system's, with the data
 * checked, while the CPU may not touch it.
 */
#ifndef FABTESTS_DEVICE_TRANSFERS_H
#define FABTESTS_DEVICE_TRANSFERS_H

#include "fabtests/fake_hmem/device_stand_in.h"
#include "fabtests/functional/fabric_endpoint.h"

/* Registered memory of the device. */
struct device_buffer {
	uint8_t *at;		/* what was registered, within base */
	size_t len;
	struct fid_mr *mr;
	void *desc;
	void *base;
};

/* The hints of all: efa-direct with FI_RMA and FI_HMEM, or skips. */
struct fab_wish device_wish(void);

/* fi_mr_regattr of @len bytes at @addr of @iface, for everything. */
int device_reg(struct fab_endpoint *e, enum fi_hmem_iface iface, void *addr,
	       size_t len, struct fid_mr **mr);

/* @len bytes of the device's, @offset behind the start of an allocation,
 * registered; must succeed. */
void device_buffer_open(struct device_buffer *buffer, struct fab_endpoint *e,
			struct fake_hmem *device, enum fi_hmem_iface iface,
			size_t offset, size_t len);
void device_buffer_close(struct device_buffer *buffer,
			 struct fake_hmem *device);

/*
 * Everything, between two endpoints of @wish; buffers begin @offset behind
 * the start of their allocations.
 */
void device_check_transfers(const struct fab_wish *wish,
			    struct fake_hmem *device,
			    enum fi_hmem_iface iface, size_t offset);

#endif /* FABTESTS_DEVICE_TRANSFERS_H */
