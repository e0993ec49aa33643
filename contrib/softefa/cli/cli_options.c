/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/cli_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complaint.h"
#include "cli/fault_command.h"
#include "engine/rule.h"
#include "protocol.h"

enum option_set {
	TAKES_NAME = 1,
	TAKES_DEVICES = 2,
	TAKES_PROFILE = 4,
	TAKES_LOG = 8,
	TAKES_COMMAND = 16,
	TAKES_TRACE = 32,
	TAKES_LINK = 64,
	TAKES_ALLOW = 128,
	TAKES_FAULT = 0x100,
	TAKES_FAULT_FILE = 0x200,
	TAKES_COUNTERS = 0x400,
	MAKES_DAEMON = TAKES_NAME | TAKES_DEVICES | TAKES_PROFILE | TAKES_LOG |
		TAKES_TRACE | TAKES_LINK | TAKES_FAULT | TAKES_FAULT_FILE |
		TAKES_ALLOW,
};

static const struct {
	const char *word;
	enum cli_verb verb;
	unsigned takes;
} verbs[] = {
	{ "run", CLI_RUN, MAKES_DAEMON | TAKES_COMMAND },
	{ "start", CLI_START, MAKES_DAEMON },
	{ "stop", CLI_STOP, TAKES_NAME },
	{ "show", CLI_SHOW, TAKES_NAME | TAKES_COUNTERS },
	{ "fault", CLI_FAULT, TAKES_NAME },
	{ "profiles", CLI_PROFILES, 0 },
	{ "trace", CLI_TRACE_PRINT, 0 },
	{ "help", CLI_HELP, 0 },
	{ "--help", CLI_HELP, 0 },
	{ "-h", CLI_HELP, 0 },
	{ "--version", CLI_VERSION, 0 },
};

/* What follows "trace". */
static const struct {
	const char *word;
	enum cli_verb verb;
} trace_verbs[] = {
	{ "start", CLI_TRACE_START },
	{ "stop", CLI_TRACE_STOP },
	{ "print", CLI_TRACE_PRINT },
};

static const struct {
	const char *word;
	unsigned set;
} option_words[] = {
	{ "--name", TAKES_NAME },
	{ "--devices", TAKES_DEVICES },
	{ "--log", TAKES_LOG },
	{ "--trace", TAKES_TRACE },
	{ "--link", TAKES_LINK },
	{ "--fault", TAKES_FAULT },
	{ "--faults", TAKES_FAULT_FILE },
	{ "--allow", TAKES_ALLOW },
	{ "--counters", TAKES_COUNTERS },
};

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))
#define SEE_HELP "softefa --help shows what there is"

void cli_options_help(void)
{
	printf("%s%s%s",
"Usage: softefa run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
"       softefa run --name NAME [--] COMMAND [ARGUMENT]...\n"
"       softefa start [--name NAME] [OPTION]...\n"
"       softefa show [--name NAME] [--counters]\n"
"       softefa stop [--name NAME]\n"
"       softefa trace start FILE | stop [--name NAME]\n"
"       softefa trace print FILE [CONDITION]...\n"
"       softefa fault [--name NAME] add FAULT | list | log | clear [ID]\n"
"       softefa profiles | --help | --version\n"
"Emulated EFA devices for COMMAND and all it starts; softefa(1) tells more.\n"
"\n"
"  run       COMMAND with devices of its own, which end with it; with\n"
"            --name: with those of a daemon that was started\n"
"  start     a daemon in the background, its devices for several commands\n"
"  show      devices, clients and counters of a daemon\n"
"  stop      ends a daemon\n"
"  trace     writes what the devices of a daemon do to FILE, or prints it\n"
"  fault     what the devices of a daemon do wrong on purpose\n"
"  profiles  lists what the devices can be like\n"
"\n"
"  --devices N     number of devices, 1 to 16 (default 1)\n",
	device_options_help,
"  --name NAME     which daemon (default: default)\n"
"  --link LINK     reach the devices of other hosts, by udp:ADDRESS:PORT or\n"
"                  unix:NAME, then ,peer=ADDRESS for each other host\n"
"  --log FILE      tell of broken device rules and bad requests; - is stderr\n"
"  --trace FILE    write what the devices do to FILE, for softefa trace print\n"
"  --fault FAULT   a fault from the start, like 'reorder delay=0..200us'\n"
"  --faults FILE   several of them, one a line\n"
"  --allow RULE[,RULE]...  forgive breaking these rules of the device\n"
"  --counters      show: lines 'object name value', for programs\n"
"\n"
"run and stop end with 121 when a rule of the device was broken.\n");
}

static int check_name(const char *name)
{
	size_t len = strlen(name);

	if (len && len <= 64 && !strpbrk(name, "/ \t\n"))
		return 0;
	complain("1 to 64 characters without '/' and blanks",
		 "bad name '%s'", name);
	return -EINVAL;
}

static int take_devices(const char *value, struct cli_options *options)
{
	char *end;
	unsigned long number = strtoul(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || !number ||
	    number > SOFTEFA_MAX_DEVICES) {
		complain("a number from 1 to 16",
			 "bad number of devices '%s'", value);
		return -EINVAL;
	}
	options->num_devices = (unsigned)number;
	return 0;
}

static int take_link(const char *value, struct cli_options *options)
{
	char error[LINK_ERROR_BYTES];

	options->has_link = true;
	if (!link_spec_parse(value, &options->link, error))
		return 0;
	complain("--link udp:ADDRESS:PORT,peer=ADDRESS:PORT; softefa(1) tells more",
		 "--link: %s", error);
	return -EINVAL;
}

static void complain_of_rule(const char *name, size_t len)
{
	char names[ENGINE_RULES * 16 + 16] = "one of";
	size_t used = strlen(names);
	int rule;

	for (rule = 0; rule < ENGINE_RULES; rule++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 " %s", engine_rule_name(rule));
	complain(names, "no rule '%.*s' of the device", (int)len, name);
}

static int take_rules(const char *value, struct cli_options *options)
{
	size_t len;
	int rule;

	for (;; value += len + 1) {
		len = strcspn(value, ",");
		rule = engine_rule_find(value, len);
		if (rule < 0) {
			complain_of_rule(value, len);
			return -EINVAL;
		}
		options->allowed_rules |= 1u << rule;
		if (!value[len])
			return 0;
	}
}

static int take_value(unsigned set, const char *word, const char *value,
		      struct cli_options *options)
{
	switch (set) {
	case TAKES_NAME:
		options->name = value;
		return check_name(value);
	case TAKES_DEVICES:
		return take_devices(value, options);
	case TAKES_LINK:
		return take_link(value, options);
	case TAKES_LOG:
		options->log = value;
		return 0;
	case TAKES_TRACE:
		options->trace = value;
		return 0;
	case TAKES_FAULT:
		return fault_options_add(&options->faults, value);
	case TAKES_FAULT_FILE:
		return fault_options_add_file(&options->faults, value);
	case TAKES_ALLOW:
		return take_rules(value, options);
	case TAKES_COUNTERS:
		complain(SEE_HELP, "option '%s' has no value", word);
		return -EINVAL;
	}
	return device_options_take(&options->devices, word,
				   strcspn(word, "="), value);
}

/* What @word ("--name", "--name=X") is; its value, if it holds it. */
static unsigned find_option(const char *word, const char **value)
{
	size_t i, len = strcspn(word, "=");

	*value = word[len] ? word + len + 1 : NULL;
	for (i = 0; i < ARRAY_LEN(option_words); i++) {
		if (strlen(option_words[i].word) == len &&
		    !memcmp(option_words[i].word, word, len))
			return option_words[i].set;
	}
	return device_options_know(word, len) ? TAKES_PROFILE : 0;
}

/* Says which there are instead. */
static int refuse_option(const char *word, unsigned takes)
{
	char known[160] = "";
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_LEN(option_words); i++) {
		if (option_words[i].set & takes)
			used += (size_t)snprintf(known + used,
						 sizeof(known) - used, " %s",
						 option_words[i].word);
	}
	if (takes & TAKES_PROFILE)
		snprintf(known + used, sizeof(known) - used,
			 " and those of devices");
	complain(SEE_HELP, "there is no option '%s' %s%s%s", word,
		 *known ? "among" : "here, nor any other", known,
		 find_option(word, &(const char *){ NULL }) ?
		 "; it belongs to another command" : "");
	return -EINVAL;
}

/* Takes the options at *@argv off it, those of @takes; *@given says which. */
static int parse_options(char ***argv, unsigned takes, unsigned *given,
			 struct cli_options *options)
{
	const char *word, *value;
	unsigned set;

	*given = 0;
	while ((word = **argv) && word[0] == '-' && strcmp(word, "--")) {
		if (!strcmp(word, "--help")) {
			options->verb = CLI_HELP;
			return 0;
		}
		set = find_option(word, &value);
		if (!(set & takes))
			return refuse_option(word, takes);
		++*argv;
		*given |= set;
		if (set == TAKES_COUNTERS && !value) {
			options->counters = true;
			continue;
		}
		if (!value)
			value = *(*argv) ? *(*argv)++ : NULL;
		if (!value) {
			complain(SEE_HELP, "option '%s' wants a value", word);
			return -EINVAL;
		}
		if (take_value(set, word, value, options))
			return -EINVAL;
	}
	if (**argv && !strcmp(**argv, "--"))
		++*argv;
	return 0;
}

static int parse_command(char **argv, unsigned given,
			 struct cli_options *options)
{
	options->command = argv;
	if (!*argv) {
		complain("softefa run [OPTION]... -- COMMAND [ARGUMENT]...",
			 "run: no COMMAND given");
		return -EINVAL;
	}
	if (options->name && given & ~TAKES_NAME) {
		complain("give those to softefa start, or leave out --name",
			 "--devices, what they are like, their faults, --log, "
			 "--trace, --link and --allow are of a daemon that "
			 "runs already");
		return -EINVAL;
	}
	return 0;
}

/* "trace start FILE" and "trace stop"; the name may stand on either side. */
static int parse_trace_control(char **argv, struct cli_options *options)
{
	bool wants_file = options->verb == CLI_TRACE_START;
	unsigned given;

	if (parse_options(&argv, TAKES_NAME, &given, options))
		return -EINVAL;
	if (wants_file)
		options->trace = *argv ? *argv++ : NULL;
	if (options->verb == CLI_HELP)
		return 0;
	if (wants_file && !options->trace) {
		complain(SEE_HELP, "trace start: no FILE given");
		return -EINVAL;
	}
	if (parse_options(&argv, TAKES_NAME, &given, options))
		return -EINVAL;
	if (!*argv)
		return 0;
	complain(SEE_HELP, "trace: superfluous argument '%s'", *argv);
	return -EINVAL;
}

static int parse_trace(char **argv, struct cli_options *options)
{
	size_t i;

	for (i = 0; *argv && i < ARRAY_LEN(trace_verbs); i++) {
		if (strcmp(trace_verbs[i].word, *argv))
			continue;
		options->verb = trace_verbs[i].verb;
		options->command = argv + 1;
		if (options->verb == CLI_TRACE_PRINT)
			return 0;
		return parse_trace_control(argv + 1, options);
	}
	if (*argv && !strcmp(*argv, "--help")) {
		options->verb = CLI_HELP;
		return 0;
	}
	complain("softefa trace start FILE, stop, or print FILE",
		 *argv ? "trace: '%s' is none of start, stop and print" :
		 "trace: what to do? nothing given", *argv);
	return -EINVAL;
}

int cli_options_parse(char **argv, struct cli_options *options)
{
	const char *word = argv[1];
	unsigned takes, given;
	size_t i;

	*options = (struct cli_options){
		.num_devices = 1,
		.log = getenv("SOFTEFA_LOG"),
	};
	if (options->log && !*options->log)
		options->log = NULL;
	for (i = 0; i < ARRAY_LEN(verbs); i++) {
		if (word && !strcmp(verbs[i].word, word))
			break;
	}
	if (i == ARRAY_LEN(verbs)) {
		complain(SEE_HELP, word ? "'%s' is not a command of softefa" :
			 "what to do? no command given", word);
		return -EINVAL;
	}
	options->verb = verbs[i].verb;
	takes = verbs[i].takes;
	argv += 2;
	if (options->verb == CLI_TRACE_PRINT)
		return parse_trace(argv, options);
	if (parse_options(&argv, takes, &given, options) ||
	    device_options_apply(&options->devices, options->profile,
				 options->num_devices))
		return -EINVAL;
	if (options->verb == CLI_RUN)
		return parse_command(argv, given, options);
	if (options->verb == CLI_FAULT) {
		options->command = argv;
		return fault_command_check(argv);
	}
	if (*argv && options->verb != CLI_HELP) {
		complain(SEE_HELP, "%s: superfluous argument '%s'", word,
			 *argv);
		return -EINVAL;
	}
	return 0;
}
