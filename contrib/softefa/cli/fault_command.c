/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/fault_command.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complaint.h"
#include "cli/control_client.h"
#include "engine/fault_spec.h"

/* "add" may come as one argument or as one for each word. */
static int join(char **words, char text[SOFTEFA_MAX_REQUEST_TEXT])
{
	size_t used = 0;

	text[0] = '\0';
	for (; *words; words++) {
		used += (size_t)snprintf(text + used,
					 SOFTEFA_MAX_REQUEST_TEXT - used,
					 "%s%s", used ? " " : "", *words);
		if (used >= SOFTEFA_MAX_REQUEST_TEXT) {
			complain(NULL, "a fault has at most %u characters",
				 SOFTEFA_MAX_REQUEST_TEXT - 1);
			return -EINVAL;
		}
	}
	return 0;
}

/* 0 for none; -1 for what is no ID. */
static long read_id(const char *word)
{
	char *end;
	long id;

	if (!word)
		return 0;
	id = strtol(word, &end, 10);
	return *word < '0' || *word > '9' || *end || id < 1 || id > INT32_MAX ?
		-1 : id;
}

static int check_add(char **words)
{
	char text[SOFTEFA_MAX_REQUEST_TEXT], error[FAULT_ERROR_BYTES];
	struct fault_spec spec;

	if (join(words, text))
		return -EINVAL;
	if (!fault_spec_parse(text, &spec, error))
		return 0;
	complain("softefa(1), FAULTS, has them all", "fault: %s", error);
	return -EINVAL;
}

int fault_command_check(char **words)
{
	const char *verb = words[0];
	bool is_alone = verb && !words[1];

	if (verb && !strcmp(verb, "add"))
		return check_add(words + 1);
	if (is_alone && (!strcmp(verb, "list") || !strcmp(verb, "log")))
		return 0;
	if (verb && !strcmp(verb, "clear") && (is_alone || !words[2]) &&
	    read_id(words[1]) >= 0)
		return 0;
	complain(FAULT_COMMAND_USAGE, verb ? "fault: '%s%s%s' is none of add, list, log, clear" :
		 "fault: what to do?", verb, words[0] && words[1] ? " " : "",
		 words[0] && words[1] ? words[1] : "");
	return -EINVAL;
}

static int fail(const struct softefa_text *answer, int ret)
{
	if (ret == -EIO || ret == -ETIMEDOUT)
		complain(NULL, "the daemon did not answer");
	else if (ret == -ENOENT)
		complain("softefa fault list shows those that are set",
			 "no fault has that ID");
	else
		complain(NULL, "fault: %.*s", (int)answer->length,
			 answer->text);
	return CLI_EXIT_FAILED;
}

static int add(int fd, char **words, struct softefa_text *answer)
{
	struct softefa_text_request ask = {
		.request.type = SOFTEFA_FAULT_ADD,
	};
	int ret = join(words, ask.text);

	if (!ret)
		ret = control_ask_text(fd, &ask, answer);
	if (ret < 0)
		return fail(answer, ret);
	printf("%d\n", ret);
	return 0;
}

/* Pages through the log. */
static int print_log(int fd, struct softefa_text *answer)
{
	struct softefa_text_request ask = {
		.request.type = SOFTEFA_FAULT_LOG,
	};
	int ret;

	do {
		ret = control_ask_text(fd, &ask, answer);
		if (ret < 0)
			return fail(answer, ret);
		fwrite(answer->text, 1, answer->length, stdout);
		ask.request.addr = answer->next;
	} while (answer->length);
	return 0;
}

int fault_command_run(int fd, char **words)
{
	static struct softefa_text answer;
	struct softefa_text_request ask = {
		.request.type = SOFTEFA_FAULT_LIST,
	};
	int ret;

	if (!strcmp(words[0], "add"))
		return add(fd, words + 1, &answer);
	if (!strcmp(words[0], "log"))
		return print_log(fd, &answer);
	if (!strcmp(words[0], "clear")) {
		ask.request.type = SOFTEFA_FAULT_CLEAR;
		ask.request.device = (uint32_t)read_id(words[1]);
	}
	ret = control_ask_text(fd, &ask, &answer);
	if (ret < 0)
		return fail(&answer, ret);
	fwrite(answer.text, 1, answer.length, stdout);
	return 0;
}
