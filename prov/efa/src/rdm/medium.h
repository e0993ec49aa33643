/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Medium messages: all of a message at once, in a few packets that each tell
 * where in it their data belongs. They may come in any order, and more than
 * once.
 */
#ifndef RDM_MEDIUM_H
#define RDM_MEDIUM_H

#include "rdm/protocol_table.h"

extern const struct rdm_protocol rdm_medium;

#endif /* RDM_MEDIUM_H */
