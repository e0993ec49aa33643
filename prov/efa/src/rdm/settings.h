/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * FI_EFA_* variables of RDM endpoints: names, meanings and defaults are those
 * of libfabric's own efa provider. A bad value is told once and the default
 * taken. Read when the first endpoint is opened.
 */
#ifndef RDM_SETTINGS_H
#define RDM_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rdm_settings {
	uint32_t tx_min_credits;	/* packets of a long-CTS window */
	uint32_t recv_window;		/* messages that may come early */
	uint32_t tx_size;		/* 0: the device's */
	uint32_t cq_read_size;		/* completions of one progress call */
	uint32_t max_timeout_us;	/* longest pause for a full peer */
	uint32_t timeout_interval_us;	/* shortest; 0: random */
	size_t max_medium;		/* bytes */
	size_t min_read;		/* bytes from which on receivers read */
	size_t read_segment;		/* bytes of one RDMA read */
	size_t runt;			/* bytes sent ahead of a read */
	size_t max_unexpected;		/* bytes, of an endpoint */
	uint32_t max_unknown;		/* senders outside the vector */
	bool use_device_rdma;
};

struct fi_provider;

/* Makes the variables known to libfabric, in the name of @provider; without
 * it each has its default. */
void rdm_settings_define(struct fi_provider *provider);

/* What the variables say now. */
void rdm_settings_get(struct rdm_settings *settings);

#endif /* RDM_SETTINGS_H */
