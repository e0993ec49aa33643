/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The EFA devices of this machine: found once, opened once, shared.
 */
#ifndef DEV_DEVICE_LIST_H
#define DEV_DEVICE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "compat/efadv_abi.h"

/* What the device and the rdma-core at hand can do together. */
struct dev_caps {
	bool rdma_read;
	bool rdma_write;
	bool rnr_retry;
	bool cq_with_sgid;
	bool unsolicited_write_recv;
	bool sq_req_id_64;	/* known once a QP exists; false here */
	bool wide_wqe;		/* 128-byte WQEs: inline_size_wide > 0 */
	bool cq_notification;	/* CQs with a channel, and a doorbell to arm */
};

struct dev_device {
	char name[64];		/* ibdev name, "efa_0" */
	struct ibv_context *verbs;	/* open for the life of the list */
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	struct compat_efadv_device_attr efa;
	struct dev_caps caps;
	union ibv_gid gid;	/* of port 1, index 0 */
	uint32_t mtu;		/* port.max_msg_sz, bytes */
	uint32_t max_rdma_size;	/* bytes; 0 without RDMA */
	uint32_t inline_size;	/* bytes in a 64-byte WQE */
	uint32_t inline_size_wide;	/* bytes in a 128-byte WQE, or 0 */
	uint32_t max_send_depth;	/* work requests, 64-byte WQEs */
	uint32_t max_send_depth_wide;	/* the same with 128-byte WQEs, or 0 */
	uint32_t comp_cntr_ops;	/* what a counter of the device can count,
				 * COMPAT_COMP_CNTR_*; 0: it has none */
	uint64_t comp_cntr_max;	/* and as far as it counts */
	uint64_t speed_bps;	/* of the link, 0 if unknown */
	bool has_pci;		/* the four below are valid */
	uint16_t pci_domain;
	uint8_t pci_bus, pci_device, pci_function;
	char driver[64];	/* kernel driver's name, "" if unknown */
};

struct dev_list {
	uint32_t count;
	struct dev_device *device;	/* @count of them, in libibverbs' order */
};

/*
 * The devices, found and opened at the first call (thread safe, once per
 * process) and kept until dev_list_release. FI_EFA_IFACE-like selection is
 * the caller's. A device that cannot be used is left out. Returns 0 with
 * *@list, which has at least one device, or:
 *   -ENODEV   no EFA device, or none that can be used
 *   -EACCES   devices exist, and none could be opened for lack of rights
 *   -ENOSYS   libibverbs or libefa missing or too old
 *   -ENOMEM
 * The first call logs, at warn level, one line for each reason why devices
 * are missing: what is missing and what to do. Failures are remembered, but
 * for -ENOMEM: the next call tries again.
 */
int dev_list_get(const struct dev_list **list);

/* Closes everything and forgets failures; for the provider's cleanup.
 * Nothing may be in use, nobody may be in dev_list_get. */
void dev_list_release(void);

#endif /* DEV_DEVICE_LIST_H */
