/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TRACE_COMMAND_TEXT_H
#define TRACE_COMMAND_TEXT_H

#include "trace/text_line.h"
#include "trace_file_defs.h"

/* Adds " reg_mr key=0x12 pd=1 ...": a command of the driver, by name. */
void command_text_add(struct text_line *line,
		      const struct trace_command *command);

#endif /* TRACE_COMMAND_TEXT_H */
