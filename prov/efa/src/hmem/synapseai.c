/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Habana's SynapseAI. Its library looks a descriptor up that it keeps for
 * each allocation, by the first byte of it.
 */
#include "hmem/accelerator.h"

#include <stdio.h>

#include <rdma/fi_errno.h>

static struct {
	int (*look_up)(uint64_t addr, uint64_t size, int *fd);
} synapse;

static const struct hmem_symbol synapse_symbols[] = {
	{ "hcclLookupDMABuff", &synapse.look_up },
};

static const char *const synapse_files[] = { "libSynapse.so", NULL };

static struct hmem_library synapse_library = {
	.files = synapse_files,
	.symbols = synapse_symbols,
	.symbol_count = sizeof(synapse_symbols) / sizeof(synapse_symbols[0]),
};

static int synapseai_export(const struct hmem_range *range, int *fd,
			    uint64_t *offset, char *reason)
{
	int status;

	if (!synapse.look_up) {
		hmem_library_lacks(&synapse_library, "hcclLookupDMABuff",
				   reason);
		return -FI_EOPNOTSUPP;
	}
	*fd = -1;
	*offset = 0;
	status = synapse.look_up((uintptr_t)range->addr, range->len, fd);
	if (*fd >= 0)
		return 0;
	snprintf(reason, HMEM_REASON_SIZE, "hcclLookupDMABuff gave %d",
		 status);
	return -FI_EIO;
}

const struct hmem_accelerator hmem_synapseai = {
	.name = "SynapseAI",
	.variable = "FI_HMEM_SYNAPSEAI_USE_DMABUF",
	.library = &synapse_library,
	.export_dmabuf = synapseai_export,
};
