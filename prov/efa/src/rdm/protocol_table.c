/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/protocol_table.h"

#include "rdm/eager.h"
#include "rdm/emulated_read.h"
#include "rdm/handshake.h"
#include "rdm/long_cts.h"
#include "rdm/long_read.h"
#include "rdm/medium.h"
#include "rdm/peer_error.h"
#include "rdm/receipt.h"
#include "rdm/runt_read.h"
#include "rdm/target.h"

const struct rdm_protocol *const rdm_protocols[RDM_KINDS] = {
	[RDM_KIND_EAGER] = &rdm_eager,
	[RDM_KIND_MEDIUM] = &rdm_medium,
	[RDM_KIND_LONGCTS] = &rdm_long_cts,
	[RDM_KIND_LONGREAD] = &rdm_long_read,
	[RDM_KIND_RUNTREAD] = &rdm_runt_read,
};

rdm_answer_fn *const rdm_answers[RDM_KINDS] = {
	[RDM_KIND_EAGER_RTW] = rdm_target_write,
	[RDM_KIND_LONGCTS_RTW] = rdm_target_write,
	[RDM_KIND_LONGREAD_RTW] = rdm_target_write,
	[RDM_KIND_SHORT_RTR] = rdm_emulated_read_serve,
	[RDM_KIND_LONGCTS_RTR] = rdm_emulated_read_serve,
	[RDM_KIND_READRSP] = rdm_emulated_read_begun,
	[RDM_KIND_CTS] = rdm_long_cts_granted,
	[RDM_KIND_CTSDATA] = rdm_long_cts_data,
	[RDM_KIND_EOR] = rdm_long_read_answered,
	[RDM_KIND_HANDSHAKE] = rdm_handshake_answer,
	[RDM_KIND_RECEIPT] = rdm_receipt_answer,
	[RDM_KIND_READ_NACK] = rdm_long_read_refused,
	[RDM_KIND_PEER_ERROR] = rdm_peer_error_answer,
};
