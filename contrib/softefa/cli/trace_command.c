/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/trace_command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli_options.h"
#include "cli/complaint.h"
#include "trace/trace_print.h"

struct print_options {
	const char *file;
	struct trace_filter filter;
	enum payload_text payload;
	bool wants_help;
};

static int take_payload(const char *value, enum payload_text *payload)
{
	static const char *const name[] = {
		[PAYLOAD_LIKELY_RDM] = "auto",
		[PAYLOAD_RDM] = "rdm",
		[PAYLOAD_RAW] = "raw",
	};
	unsigned i;

	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		if (strcmp(name[i], value))
			continue;
		*payload = (enum payload_text)i;
		return 0;
	}
	return -EINVAL;
}

static int take_condition(struct print_options *options, const char *option,
			  const char *value)
{
	const char *remedy = "auto, rdm or raw";
	int ret;

	if (!strcmp(option, "--payload"))
		ret = take_payload(value, &options->payload);
	else
		ret = trace_filter_set(&options->filter, option, value,
				       &remedy);
	if (ret == -ENOENT)
		complain("--kind, --qp, --req-id, --device, --since, --until "
			 "and --payload are", "trace print: option '%s' is not "
			 "known here", option);
	else if (ret)
		complain(remedy, "trace print: bad value '%s' of %s", value,
			 option);
	return ret;
}

/* "--option value" or "--option=value"; takes what it used off *@argv. */
static int take_option(struct print_options *options, char ***argv)
{
	char option[16], *word = *(*argv)++;
	const char *value = strchr(word, '=');
	size_t length = value ? (size_t)(value - word) : strlen(word);

	if (value)
		value++;
	else if (**argv)
		value = *(*argv)++;
	snprintf(option, sizeof(option), "%.*s",
		 (int)(length < sizeof(option) ? length : 0), word);
	if (!value) {
		complain("softefa --help shows what there is",
			 "trace print: option '%s' wants a value", word);
		return -EINVAL;
	}
	return take_condition(options, option, value);
}

static int parse(char **argv, struct print_options *options)
{
	*options = (struct print_options) { 0 };
	trace_filter_init(&options->filter);
	while (*argv) {
		if (!strcmp(*argv, "--help")) {
			options->wants_help = true;
			return 0;
		}
		if (!strncmp(*argv, "--", 2)) {
			if (take_option(options, &argv))
				return -EINVAL;
		} else if (!options->file) {
			options->file = *argv++;
		} else {
			complain("softefa --help shows what there is",
				 "trace print: superfluous argument '%s'",
				 *argv);
			return -EINVAL;
		}
	}
	if (options->file)
		return 0;
	complain("softefa trace print FILE, - is standard input",
		 "trace print: no FILE given");
	return -EINVAL;
}

static int tell_result(const char *name, enum trace_print_result result,
		       uint64_t offset)
{
	switch (result) {
	case TRACE_PRINT_DONE:
		return 0;
	case TRACE_PRINT_NOT_ENDED:
		warn_of("softefa trace stop completes it, if its daemon runs",
			"%s has no end: its trace is running, or was cut off",
			name);
		return 0;
	case TRACE_PRINT_NO_TRACE:
		complain("softefa trace start writes one",
			 "%s is no trace of softefa", name);
		break;
	case TRACE_PRINT_OTHER_VERSION:
		complain("use the softefa that wrote it",
			 "%s has another version of the format", name);
		break;
	case TRACE_PRINT_BAD_RECORD:
		complain("what precedes it has been printed",
			 "%s is damaged: at byte %" PRIu64 " there is no record",
			 name, offset);
		break;
	case TRACE_PRINT_READ_FAILED:
		complain(NULL, "cannot read %s: %s", name, strerror(errno));
		break;
	}
	return CLI_EXIT_FAILED;
}

int trace_command_print(char **argv)
{
	struct print_options options;
	enum trace_print_result result;
	FILE *file = stdin;
	uint64_t offset;

	if (parse(argv, &options))
		return CLI_EXIT_USAGE;
	if (options.wants_help) {
		cli_options_help();
		return 0;
	}
	if (strcmp(options.file, "-"))
		file = fopen(options.file, "rbe");
	if (!file) {
		complain("name a file that softefa trace start has written",
			 "cannot open %s: %s", options.file, strerror(errno));
		return CLI_EXIT_FAILED;
	}
	result = trace_print(file, stdout, &options.filter, options.payload,
			     &offset);
	if (file != stdin)
		fclose(file);
	return tell_result(options.file, result, offset);
}

void trace_command_complain(const char *file, int result)
{
	if (file && result == -EBUSY)
		complain("softefa trace stop ends it",
			 "the daemon is being traced already");
	else if (!file && result == -ENOENT)
		complain("softefa trace start FILE starts one",
			 "no trace of this daemon is running");
	else if (result == -EPROTO)
		complain("use the softefa that started it",
			 "the daemon knows no trace");
	else
		complain(NULL, "the trace could not be %s: %s",
			 file ? "started" : "written to its end",
			 strerror(-result));
}
