/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "hw/comp_status.h"

#include <stddef.h>

#include "hw/efa_io_defs.h"

static const char *const hw_status_text[] = {
	[EFA_IO_COMP_STATUS_OK] =
		"success",
	[EFA_IO_COMP_STATUS_FLUSHED] =
		"flushed: the endpoint was closed or failed before",
	[EFA_IO_COMP_STATUS_LOCAL_ERROR_QP_INTERNAL_ERROR] =
		"the device failed on this queue pair; open the endpoint anew",
	[EFA_IO_COMP_STATUS_LOCAL_ERROR_UNSUPPORTED_OP] =
		"the device cannot do this operation; see the capabilities of fi_getinfo",
	[EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_AH] =
		"the device does not know the peer's address; was it removed from the AV?",
	[EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_LKEY] =
		"a local buffer is not registered, or its registration was closed before completion",
	[EFA_IO_COMP_STATUS_LOCAL_ERROR_BAD_LENGTH] =
		"a local length exceeds the registration, the device's limit, or the posted receive",
	[EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_ADDRESS] =
		"the peer's memory is not registered for this access; check address, key and access",
	[EFA_IO_COMP_STATUS_REMOTE_ERROR_ABORT] =
		"the peer's device reset the connection; the peer's endpoint was closed or failed",
	[EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN] =
		"no endpoint has this address any more; the peer was closed or restarted",
	[EFA_IO_COMP_STATUS_REMOTE_ERROR_RNR] =
		"the peer has no receive posted; post more receives there or allow more RNR retries",
	[EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_LENGTH] =
		"the message is longer than the receive that the peer posted",
	[EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_STATUS] =
		"the peer's device answered with a status of no meaning",
	[EFA_IO_COMP_STATUS_LOCAL_ERROR_UNRESP_REMOTE] =
		"the peer does not answer; it died, or a security group lets no traffic through",
	[EFA_IO_COMP_STATUS_REMOTE_ERROR_UNKNOWN_PEER] =
		"the peer does not know this address; insert it into the peer's AV",
	[EFA_IO_COMP_STATUS_LOCAL_ERROR_UNREACH_REMOTE] =
		"no way to the peer; check that both are in one subnet and availability zone",
	[EFA_IO_COMP_STATUS_REMOTE_ERROR_FEATURE_MISMATCH] =
		"the two devices have no common feature for this operation",
};

const char *hw_comp_status_text(uint8_t status)
{
	const char *text = NULL;

	if (status < sizeof(hw_status_text) / sizeof(hw_status_text[0]))
		text = hw_status_text[status];
	return text ? text : "a status unknown to this version of libfabric-efa";
}
