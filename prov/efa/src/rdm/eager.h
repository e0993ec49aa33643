/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Messages of one packet, and receipts for those that want one. */
#ifndef RDM_EAGER_H
#define RDM_EAGER_H

#include "rdm/protocol_table.h"

extern const struct rdm_protocol rdm_eager;

#endif /* RDM_EAGER_H */
