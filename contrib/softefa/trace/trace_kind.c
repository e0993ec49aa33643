/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "trace/trace_kind.h"

#include <string.h>

#include "trace_file_defs.h"

static const char *const names[] = {
	[TRACE_DEVICE] = "device", [TRACE_DOORBELL] = "doorbell",
	[TRACE_WQE] = "wqe", [TRACE_RECV] = "recv",
	[TRACE_PACKET] = "packet", [TRACE_CQE] = "cqe",
	[TRACE_COMMAND] = "command", [TRACE_RULE] = "rule",
	[TRACE_FAULT] = "fault", [TRACE_LOST] = "lost", [TRACE_END] = "end",
};

const char *trace_kind_name(uint16_t kind)
{
	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}

uint16_t trace_kind_find(const char *name, size_t length)
{
	uint16_t kind;

	for (kind = 0; kind < sizeof(names) / sizeof(names[0]); kind++)
		if (names[kind] && strlen(names[kind]) == length &&
		    !memcmp(names[kind], name, length))
			return kind;
	return 0;
}
