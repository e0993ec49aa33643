/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/comp_error.h"

#include <stdio.h>

#include <rdma/fi_errno.h>

#include "hw/comp_status.h"
#include "hw/efa_io_defs.h"

int fabric_comp_errno(int prov_errno)
{
	switch (prov_errno) {
	case EFA_IO_COMP_STATUS_OK:
		return FI_SUCCESS;
	case EFA_IO_COMP_STATUS_FLUSHED:
		return FI_ECANCELED;
	case EFA_IO_COMP_STATUS_LOCAL_ERROR_QP_INTERNAL_ERROR:
	case EFA_IO_COMP_STATUS_LOCAL_ERROR_UNSUPPORTED_OP:
	case EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_AH:
	case EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_LKEY:
	case EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_ADDRESS:
	case EFA_IO_COMP_STATUS_REMOTE_ERROR_FEATURE_MISMATCH:
		return FI_EINVAL;
	case EFA_IO_COMP_STATUS_LOCAL_ERROR_BAD_LENGTH:
	case EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_LENGTH:
		return FI_EMSGSIZE;
	case EFA_IO_COMP_STATUS_REMOTE_ERROR_ABORT:
	case EFA_IO_COMP_STATUS_LOCAL_ERROR_UNRESP_REMOTE:
		return FI_ECONNABORTED;
	case EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN:
	case EFA_IO_COMP_STATUS_REMOTE_ERROR_UNKNOWN_PEER:
		return FI_ENOTCONN;
	case EFA_IO_COMP_STATUS_REMOTE_ERROR_RNR:
		return FI_ENORX;
	case EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_STATUS:
		return FI_EREMOTEIO;
	case EFA_IO_COMP_STATUS_LOCAL_ERROR_UNREACH_REMOTE:
		return FI_EHOSTUNREACH;
	default:
		return FI_EOTHER;
	}
}

const char *fabric_comp_strerror(int prov_errno)
{
	if (prov_errno < 0 || prov_errno > UINT8_MAX)
		return "an error number that libfabric-efa does not give";
	return hw_comp_status_text((uint8_t)prov_errno);
}

void fabric_comp_error_text(char *buf, size_t size, int prov_errno,
			    const struct fabric_address *local,
			    const struct fabric_address *peer)
{
	char local_text[FABRIC_ADDRESS_TEXT_SIZE];
	char peer_text[FABRIC_ADDRESS_TEXT_SIZE] = "unknown";

	fabric_address_text(local, local_text, sizeof(local_text));
	if (peer)
		fabric_address_text(peer, peer_text, sizeof(peer_text));
	snprintf(buf, size, "%s (device status %d; endpoint %s, peer %s)",
		 fabric_comp_strerror(prov_errno), prov_errno, local_text,
		 peer_text);
}
