/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/protocol_select.h"

enum rdm_wire_kind
rdm_protocol_select(const struct rdm_protocol_choice *choice)
{
	if (choice->may_read && choice->length >= choice->read_min)
		return choice->may_runt && choice->runt &&
		       !choice->is_delivery_complete ? RDM_KIND_RUNTREAD
						     : RDM_KIND_LONGREAD;
	if (choice->length <= choice->eager_max)
		return RDM_KIND_EAGER;
	return choice->length <= choice->medium_max ? RDM_KIND_MEDIUM
						    : RDM_KIND_LONGCTS;
}
