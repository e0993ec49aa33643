/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "compat/log.h"

/* The value of FI_EFA_@name, of @least to @most; @usual unless it is set. */
static size_t rdm_setting(const char *name, size_t usual, size_t least,
			  size_t most)
{
	const char *text = getenv(name);
	unsigned long long value;
	char *end;

	if (!text)
		return usual;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (end != text && !*end && !errno && text[0] != '-' &&
	    value >= least && value <= most)
		return (size_t)value;
	compat_warn(FI_LOG_CORE,
		    "%s is \"%s\": not a number from %zu to %zu; %zu is taken",
		    name, text, least, most, usual);
	return usual;
}

static bool rdm_setting_switch(const char *name, bool usual)
{
	return rdm_setting(name, usual, 0, 1);
}

static size_t rdm_setting_power(const char *name, size_t usual, size_t most)
{
	size_t value = rdm_setting(name, usual, 1, most);

	if (!(value & (value - 1)))
		return value;
	compat_warn(FI_LOG_CORE, "%s is %zu: not a power of two; %zu is taken",
		    name, value, usual);
	return usual;
}

static void rdm_settings_read(struct rdm_settings *s)
{
	*s = (struct rdm_settings) {
		.tx_min_credits = (uint32_t)
			rdm_setting("FI_EFA_TX_MIN_CREDITS", 32, 1, 32768),
		.recv_window = (uint32_t)
			rdm_setting_power("FI_EFA_RECVWIN_SIZE", 16, 65536),
		.tx_size = (uint32_t)
			rdm_setting("FI_EFA_TX_SIZE", 0, 0, 1u << 20),
		.rx_size = (uint32_t)
			rdm_setting("FI_EFA_RX_SIZE", 0, 0, 32768),
		.cq_read_size = (uint32_t)
			rdm_setting("FI_EFA_EFA_CQ_READ_SIZE", 50, 1, 65536),
		.max_timeout_us = (uint32_t)
			rdm_setting("FI_EFA_MAX_TIMEOUT", 1000000, 1,
				    INT_MAX / 2 - 1),
		.timeout_interval_us = (uint32_t)
			rdm_setting("FI_EFA_TIMEOUT_INTERVAL", 0, 0,
				    INT_MAX / 2 - 1),
		.max_medium =
			rdm_setting("FI_EFA_INTER_MAX_MEDIUM_MESSAGE_SIZE",
				    65536, 0, SIZE_MAX),
		.min_read =
			rdm_setting("FI_EFA_INTER_MIN_READ_MESSAGE_SIZE",
				    1 << 20, 0, SIZE_MAX),
		.read_segment =
			rdm_setting("FI_EFA_INTER_READ_SEGMENT_SIZE",
				    1 << 30, 1, SIZE_MAX),
		.runt = rdm_setting("FI_EFA_RUNT_SIZE", 0, 0, SIZE_MAX),
		.max_memcpy = rdm_setting("FI_EFA_MAX_MEMCPY_SIZE", 4096, 0,
					  SIZE_MAX),
		.max_unexpected = rdm_setting("FI_EFA_MAX_UNEXPECTED_BYTES",
					      (size_t)1 << 30, 1, SIZE_MAX),
		.use_device_rdma =
			rdm_setting_switch("FI_EFA_USE_DEVICE_RDMA", true),
	};
}

void rdm_settings_get(struct rdm_settings *settings)
{
	/* each endpoint reads them: what a program sets for the next counts */
	rdm_settings_read(settings);
}
