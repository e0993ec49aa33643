/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "trace/command_text.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct command_spec {
	const char *name;
	const char *number;	/* of the object, by what it is called */
	/* NULL: unused; with a leading '#': wanted as hex. */
	const char *arg[TRACE_COMMAND_ARGS];
};

static const struct command_spec specs[] = {
	[TRACE_CREATE_PD] = { "alloc_pd", "pd", { NULL } },
	[TRACE_DESTROY_PD] = { "dealloc_pd", "pd", { NULL } },
	[TRACE_CREATE_MR] = { "reg_mr", "#key", { "pd", "#start", "length",
		"#iova", "#access" } },
	[TRACE_DESTROY_MR] = { "dereg_mr", "#key", { NULL } },
	[TRACE_CREATE_AH] = { "create_ah", "ah", { "pd" } },
	[TRACE_DESTROY_AH] = { "destroy_ah", "ah", { NULL } },
	[TRACE_CREATE_CQ] = { "create_cq", "cq", { "depth", "#flags" } },
	[TRACE_DESTROY_CQ] = { "destroy_cq", "cq", { NULL } },
	[TRACE_CREATE_QP] = { "create_qp", "qp", { "type", "pd", "send_cq",
		"recv_cq" } },
	[TRACE_MODIFY_QP] = { "modify_qp", "qp", { "#mask", "state", "#qkey",
		"psn", "rnr_retry" } },
	[TRACE_DESTROY_QP] = { "destroy_qp", "qp", { NULL } },
};

static void add_value(struct text_line *line, const char *name,
		      uint64_t value)
{
	if (*name == '#')
		text_line_add(line, " %s=0x%" PRIx64, name + 1, value);
	else
		text_line_add(line, " %s=%" PRIu64, name, value);
}

/* enum ibv_qp_state */
static const char *state_name(uint64_t state)
{
	static const char *const name[] = {
		"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR",
	};

	return state < sizeof(name) / sizeof(name[0]) ? name[state] : "?";
}

/* What does not fit the table. */
static void add_more(struct text_line *line,
		     const struct trace_command *command)
{
	uint8_t gid[16];

	if (command->command == TRACE_CREATE_AH) {
		memcpy(gid, &command->arg[1], sizeof(gid));
		text_line_add(line, " gid=");
		text_line_add_gid(line, gid);
	}
	if (command->command == TRACE_MODIFY_QP)
		text_line_add(line, " to=%s", state_name(command->arg[1]));
	if (command->command == TRACE_CREATE_QP)
		text_line_add(line, " send_depth=%u recv_depth=%u flags=0x%x",
			      (uint32_t)command->arg[4],
			      (uint32_t)(command->arg[4] >> 32),
			      (uint32_t)command->arg[5]);
}

void command_text_add(struct text_line *line,
		      const struct trace_command *command)
{
	const struct command_spec *spec = NULL;
	unsigned i;

	if (command->command < sizeof(specs) / sizeof(specs[0]))
		spec = &specs[command->command];
	if (!spec || !spec->name) {
		text_line_add(line, " command=%u number=%u",
			      command->command, command->number);
		return;
	}
	text_line_add(line, " %s", spec->name);
	add_value(line, spec->number, command->number);
	for (i = 0; i < TRACE_COMMAND_ARGS && spec->arg[i]; i++)
		add_value(line, spec->arg[i], command->arg[i]);
	add_more(line, command);
}
