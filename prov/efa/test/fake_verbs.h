/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A table of verbs functions without a device behind it, for tests of dev/:
 * it counts what is alive, fails where it is told to, and keeps the last
 * attributes it was given.
 */
#ifndef TEST_FAKE_VERBS_H
#define TEST_FAKE_VERBS_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/verbs_symbols.h"

enum { FAKE_DEVICES = 4 };

struct fake_verbs {
	/* set by the test */
	int devices;			/* -1: no list at all */
	int list_errno;			/* of a list that is not there */
	int open_errno[FAKE_DEVICES];	/* 0: opens */
	bool is_other[FAKE_DEVICES];	/* no EFA device */
	const char *failing;		/* function that fails, or NULL */
	const char *failing_too;	/* another one */
	int failing_errno;
	bool no_notification;		/* CQs with a channel: EOPNOTSUPP */
	bool no_doorbell;		/* of CQs: rdma-core 59 */
	uint32_t cq_entry_size;		/* 32 */
	uint32_t sl_refused;		/* service level create_qp_ex refuses */
	uint32_t wq_caps;
	bool short_entries;		/* of send queues, whatever is asked */
	uint32_t inline_given;		/* 0: as much as is asked */
	struct compat_efadv_device_attr efa;
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	int events;			/* waiting in the channel */
	struct compat_efadv_mr_attr mr_efa;	/* of each region */
	struct compat_comp_cntr_caps cntr_caps;
	/* alive */
	int contexts, pds, mrs, channels, cqs, qps, ahs, cntrs;
	int lists;
	int acknowledged;
	/* last seen */
	struct ibv_qp_cap qp_cap;
	enum ibv_qp_type qp_type;
	struct compat_efadv_qp_init_attr qp_efa;
	struct compat_efadv_cq_init_attr cq_efa;
	uint32_t cq_vector;
	union ibv_gid ah_gid;
	void *mr_addr;
	uint64_t mr_iova, mr_length, mr_offset;
	unsigned int mr_access;
	int mr_fd;			/* of the last dma-buf */
	int modify_masks[4];
	struct ibv_qp_attr modify_attrs[4];
	int modifies;
	struct compat_efadv_comp_cntr_init_attr cntr_attr;
	uint64_t *cntr_count, *cntr_errors;	/* where it is to write */
	uint32_t cntr_ops;
	/* the log */
	int warnings;
	char last_warning[1024];
};

extern struct fake_verbs fake;

/* A healthy table with one device, installed; everything counted from 0. */
void fake_verbs_install(void);

/* Asserts that nothing is alive. */
void fake_verbs_assert_clean(void);

#endif /* TEST_FAKE_VERBS_H */
