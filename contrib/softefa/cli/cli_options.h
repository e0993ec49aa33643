/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The command line of softefa, checked. */
#ifndef CLI_CLI_OPTIONS_H
#define CLI_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/device_options.h"
#include "cli/fault_options.h"
#include "daemon/link_spec.h"
#include "protocol.h"

enum cli_verb {
	CLI_RUN,
	CLI_START,
	CLI_STOP,
	CLI_SHOW,
	CLI_FAULT,
	CLI_PROFILES,
	CLI_TRACE_START,
	CLI_TRACE_STOP,
	CLI_TRACE_PRINT,
	CLI_HELP,
	CLI_VERSION,
};

struct cli_options {
	enum cli_verb verb;
	const char *name;			/* NULL: not given */
	unsigned num_devices;
	struct device_options devices;
	struct device_profile profile[SOFTEFA_MAX_DEVICES];
	bool counters;		/* show: for programs */
	uint32_t allowed_rules;	/* bits of enum engine_rule */
	const char *log;	/* file, "-": stderr, NULL: no log */
	const char *trace;	/* file; NULL: no trace */
	bool has_link;
	struct link_spec link;
	struct fault_options faults;
	char **command;	/* run, fault, trace print: from argv, with a NULL */
};

/*
 * Reads @argv (from main) into @options; texts stay in @argv or the
 * environment. Returns 0, or -EINVAL when it is wrong: then one complaint
 * has been made.
 */
int cli_options_parse(char **argv, struct cli_options *options);

/* Prints what `softefa --help` says on stdout. */
void cli_options_help(void);

#endif /* CLI_CLI_OPTIONS_H */
