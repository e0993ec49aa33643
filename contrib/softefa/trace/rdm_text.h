/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TRACE_RDM_TEXT_H
#define TRACE_RDM_TEXT_H

#include "trace/rdm_packet.h"
#include "trace/text_line.h"

/*
 * Adds " rdm=NAME flags=... field=value ... data=N", with "unknown_flags="
 * and "problem=" where there is something to complain of.
 */
void rdm_text_add(struct text_line *line, const struct rdm_packet *packet);

#endif /* TRACE_RDM_TEXT_H */
