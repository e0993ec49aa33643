/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli_options.h"
#include "cli/client_command.h"
#include "cli/complaint.h"
#include "cli/control_client.h"
#include "cli/daemon_process.h"
#include "cli/fault_command.h"
#include "cli/run_guard.h"
#include "cli/trace_command.h"
#include "cli/trace_file.h"
#include "config.h"

static void complain_silent(const char *socket, pid_t daemon)
{
	char remedy[96];

	snprintf(remedy, sizeof(remedy), "kill -CONT %d if it was stopped; "
		 "kill -KILL %d ends it", (int)daemon, (int)daemon);
	complain(daemon ? remedy : NULL, "the daemon on socket @%s, process "
		 "%d, has not answered for %d seconds", socket, (int)daemon,
		 CONTROL_WAIT_S);
}

/* Connects to the daemon that the options name; complains. */
static int connect_named(const struct cli_options *options,
			 char socket[CONTROL_MAX_SOCKET])
{
	const char *name = options->name ? options->name : "default";
	pid_t daemon;
	int fd;

	control_socket_name(options->name, socket);
	fd = control_connect(socket, &daemon);
	if (fd == -ECONNREFUSED)
		complain("softefa start [--name NAME] starts one",
			 "no daemon '%s' of this user runs (socket @%s)", name,
			 socket);
	else if (fd == -EPERM)
		complain("give another --name",
			 "who listens on socket @%s is another user", socket);
	else if (fd == -ETIMEDOUT)
		complain_silent(socket, daemon);
	else if (fd < 0)
		complain(fd == -EPROTO ? "use the softefa that started it" :
			 NULL, "the daemon on socket @%s refuses: %s", socket,
			 strerror(-fd));
	return fd;
}

static int run_on_named(const struct cli_options *options)
{
	char socket[CONTROL_MAX_SOCKET];
	int fd = connect_named(options, socket);

	if (fd < 0)
		return CLI_EXIT_RUN_FAILED;
	close(fd);
	if (client_command_prepare(socket))
		return CLI_EXIT_RUN_FAILED;
	return client_command_exec(options->command);
}

static int run(const struct cli_options *options)
{
	if (client_command_check(options->command[0]))
		return CLI_EXIT_NOT_RUNNABLE;
	return options->name ? run_on_named(options) : run_guard(options);
}

static int start(const struct cli_options *options)
{
	char socket[CONTROL_MAX_SOCKET];

	control_socket_name(options->name ? options->name : "default", socket);
	return daemon_process_detach(options, socket) ? CLI_EXIT_FAILED : 0;
}

static int show_pages(int fd, struct softefa_text *text,
		      int (*get)(int fd, uint64_t cursor,
				 struct softefa_text *text),
		      void (*print)(const struct softefa_text *text))
{
	uint64_t cursor = 0;
	int ret;

	do {
		ret = get(fd, cursor, text);
		if (ret)
			return ret;
		print(text);
		cursor = text->next;
	} while (cursor);
	return 0;
}

static void print_text(const struct softefa_text *text)
{
	fwrite(text->text, 1, text->length, stdout);
}

/* The counters of each queue on a line, without those that are 0. */
static void print_queues(const struct softefa_text *text)
{
	char object[64], name[64], last[64] = "";
	unsigned long long value;
	const char *line = text->text, *end = text->text + text->length, *eol;

	for (; (eol = memchr(line, '\n', (size_t)(end - line)));
	     line = eol + 1) {
		if (sscanf(line, "%63s %63s %llu", object, name, &value) != 3 ||
		    (!strstr(object, "/qp/") && !strstr(object, "/cq/")))
			continue;
		if (strcmp(object, last))
			printf("%s%s:", *last ? "\n" : "", object);
		strcpy(last, object);
		if (value)
			printf(" %s %llu", name, value);
	}
	if (*last)
		putchar('\n');
}

static int show(const struct cli_options *options)
{
	static struct softefa_text text;
	char socket[CONTROL_MAX_SOCKET];
	int fd = connect_named(options, socket);
	int ret = 0;

	if (fd < 0)
		return CLI_EXIT_FAILED;
	if (!options->counters)
		ret = show_pages(fd, &text, control_show, print_text);
	if (!ret)
		ret = show_pages(fd, &text, control_counters,
				 options->counters ? print_text : print_queues);
	close(fd);
	if (ret) {
		complain(NULL, "the daemon did not answer: %s",
			 strerror(-ret));
		return CLI_EXIT_FAILED;
	}
	return 0;
}

static int fault(const struct cli_options *options)
{
	char socket[CONTROL_MAX_SOCKET];
	int fd = connect_named(options, socket);
	int status;

	if (fd < 0)
		return CLI_EXIT_FAILED;
	status = fault_command_run(fd, options->command);
	close(fd);
	return status;
}

static int stop(const struct cli_options *options)
{
	char socket[CONTROL_MAX_SOCKET], remedy[48];
	uint64_t rule_breaks = 0;
	int fd = connect_named(options, socket);
	pid_t daemon;
	int ret;

	if (fd < 0)
		return CLI_EXIT_FAILED;
	daemon = control_daemon(fd);
	ret = control_stop(fd, &rule_breaks);
	close(fd);
	if (!ret && rule_breaks) {
		complain("softefa show and --log tell which, before stop",
			 "rules of the device were broken %llu times",
			 (unsigned long long)rule_breaks);
		return CLI_EXIT_RULES_BROKEN;
	}
	if (!ret)
		return 0;
	snprintf(remedy, sizeof(remedy), "kill -KILL %d ends it", (int)daemon);
	complain(remedy, "the daemon, process %d, did not end: %s",
		 (int)daemon, strerror(-ret));
	return CLI_EXIT_FAILED;
}

static int trace_start(const struct cli_options *options)
{
	char socket[CONTROL_MAX_SOCKET];
	int fd = connect_named(options, socket);
	int file, ret;

	if (fd < 0)
		return CLI_EXIT_FAILED;
	ret = trace_file_open(options->trace, &file);
	if (!ret) {
		ret = control_trace_start(fd, file);
		close(file);
		if (ret)
			trace_command_complain(options->trace, ret);
	}
	close(fd);
	return ret ? CLI_EXIT_FAILED : 0;
}

static int trace_stop(const struct cli_options *options)
{
	char socket[CONTROL_MAX_SOCKET];
	int fd = connect_named(options, socket);
	int ret;

	if (fd < 0)
		return CLI_EXIT_FAILED;
	ret = control_trace_stop(fd);
	close(fd);
	if (ret)
		trace_command_complain(NULL, ret);
	return ret ? CLI_EXIT_FAILED : 0;
}

static int list_profiles(void)
{
	const struct device_profile *profile;
	unsigned i;

	for (i = 0; (profile = profile_at(i)); i++)
		printf("%-12s %s\n", profile->name, profile->description);
	return 0;
}

static int do_verb(const struct cli_options *options)
{
	switch (options->verb) {
	case CLI_RUN: return run(options);
	case CLI_START: return start(options);
	case CLI_STOP: return stop(options);
	case CLI_SHOW: return show(options);
	case CLI_FAULT: return fault(options);
	case CLI_PROFILES: return list_profiles();
	case CLI_TRACE_START: return trace_start(options);
	case CLI_TRACE_STOP: return trace_stop(options);
	case CLI_TRACE_PRINT: return trace_command_print(options->command);
	case CLI_VERSION:
		puts("softefa (" PACKAGE_NAME ") " PACKAGE_VERSION);
		return 0;
	case CLI_HELP:
		cli_options_help();
		return 0;
	}
	return CLI_EXIT_USAGE;
}

/*
 * A descriptor opened later must not become a standard one, which others
 * take for theirs. COMMAND gets those that were closed closed.
 */
static void occupy_standard_fds(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", O_RDWR | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	/* Holds what was read of --fault to the end. */
	static struct cli_options options;
	int status;

	occupy_standard_fds();
	if (argc < 1 || cli_options_parse(argv, &options))
		return CLI_EXIT_USAGE;
	status = do_verb(&options);
	if (fflush(stdout) == EOF) {
		complain(NULL, "cannot write: %s", strerror(errno));
		return CLI_EXIT_FAILED;
	}
	return status;
}
