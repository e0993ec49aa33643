/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/protocol_table.h"

#include "rdm/eager.h"
#include "rdm/handshake.h"
#include "rdm/long_cts.h"
#include "rdm/medium.h"
#include "rdm/receipt.h"

const struct rdm_protocol *const rdm_protocols[RDM_KINDS] = {
	[RDM_KIND_EAGER] = &rdm_eager,
	[RDM_KIND_MEDIUM] = &rdm_medium,
	[RDM_KIND_LONGCTS] = &rdm_long_cts,
};

rdm_answer_fn *const rdm_answers[RDM_KINDS] = {
	[RDM_KIND_CTS] = rdm_long_cts_granted,
	[RDM_KIND_CTSDATA] = rdm_long_cts_data,
	[RDM_KIND_HANDSHAKE] = rdm_handshake_answer,
	[RDM_KIND_RECEIPT] = rdm_receipt_answer,
};
