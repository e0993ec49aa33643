/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include <rdma/providers/fi_prov.h>

#include "compat/log.h"

static struct fi_provider *rdm_settings_provider;

/* The variables that exist; names and meanings are libfabric's own efa
 * provider's, but for the last. */
static const char *const rdm_settings_texts[][2] = {
	{ "tx_min_credits", "Packets that a receiver of a long message grants at a time (32)" },
	{ "recvwin_size", "Messages that may come early from one peer at little cost, a power of two (16)" },
	{ "tx_size", "Sends that an endpoint has in flight at most (the send queue's size)" },
	{ "efa_cq_read_size", "Completions of the device that one read of a CQ takes at most (50)" },
	{ "max_timeout", "Longest pause for a peer without receive buffers, in microseconds (1000000)" },
	{ "timeout_interval", "Shortest pause for a peer without receive buffers, in microseconds (0: random)" },
	{ "inter_max_medium_message_size", "Longest message that is sent without asking its receiver, in bytes (65536)" },
	{ "inter_min_read_message_size", "Shortest message that its receiver reads, in bytes (1048576)" },
	{ "inter_read_segment_size", "Bytes of one RDMA read at most (1073741824)" },
	{ "runt_size", "Bytes that are sent ahead of a message that is read (0)" },
	{ "use_device_rdma", "Whether messages may be read by RDMA, 0 or 1 (1)" },
	{ "implicit_av_size", "Senders outside the address vector that an endpoint listens to at most, 0 for any number (4096)" },
	{ "max_unexpected_bytes", "Memory that messages without a receive may take of an endpoint (1073741824)" },
};

void rdm_settings_define(struct fi_provider *provider)
{
	const size_t count = sizeof(rdm_settings_texts) /
			     sizeof(rdm_settings_texts[0]);

	for (size_t i = 0; i < count; i++)
		fi_param_define(provider, rdm_settings_texts[i][0],
				FI_PARAM_STRING, "%s",
				rdm_settings_texts[i][1]);
	rdm_settings_provider = provider;
}

/* The value of the variable @name, of @least to @most; @usual unless it is
 * set. */
static size_t rdm_setting(const char *name, size_t usual, size_t least,
			  size_t most)
{
	unsigned long long value;
	char *text = NULL, *end;

	if (!rdm_settings_provider ||
	    fi_param_get_str(rdm_settings_provider, name, &text) || !text)
		return usual;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (end != text && !*end && !errno && text[0] != '-' &&
	    value >= least && value <= most)
		return (size_t)value;
	compat_warn(FI_LOG_CORE,
		    "variable %s of the efa provider is \"%s\": not a number from %zu to %zu; %zu is taken",
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
	compat_warn(FI_LOG_CORE, "variable %s of the efa provider is %zu: not a power of two; %zu is taken",
		    name, value, usual);
	return usual;
}

static uint32_t rdm_setting_max_unknown(void)
{
	size_t value = rdm_setting("implicit_av_size", 4096, 0, UINT32_MAX);

	return value ? (uint32_t)value : UINT32_MAX;
}

static void rdm_settings_read(struct rdm_settings *s)
{
	*s = (struct rdm_settings) {
		.tx_min_credits = (uint32_t)
			rdm_setting("tx_min_credits", 32, 1, 32768),
		.recv_window = (uint32_t)
			rdm_setting_power("recvwin_size", 16, 65536),
		.tx_size = (uint32_t)
			rdm_setting("tx_size", 0, 0, 1u << 20),
		.cq_read_size = (uint32_t)
			rdm_setting("efa_cq_read_size", 50, 1, 65536),
		.max_timeout_us = (uint32_t)
			rdm_setting("max_timeout", 1000000, 1,
				    INT_MAX / 2 - 1),
		.timeout_interval_us = (uint32_t)
			rdm_setting("timeout_interval", 0, 0,
				    INT_MAX / 2 - 1),
		.max_medium =
			rdm_setting("inter_max_medium_message_size",
				    65536, 0, SIZE_MAX),
		.min_read =
			rdm_setting("inter_min_read_message_size",
				    1 << 20, 0, SIZE_MAX),
		.read_segment =
			rdm_setting("inter_read_segment_size",
				    1 << 30, 1, SIZE_MAX),
		.runt = rdm_setting("runt_size", 0, 0, SIZE_MAX),
		.max_unexpected = rdm_setting("max_unexpected_bytes",
					      (size_t)1 << 30, 1, SIZE_MAX),
		.max_unknown = rdm_setting_max_unknown(),
		.use_device_rdma =
			rdm_setting_switch("use_device_rdma", true),
	};
}

void rdm_settings_get(struct rdm_settings *settings)
{
	/* each endpoint reads them: what a program sets for the next counts */
	rdm_settings_read(settings);
}
