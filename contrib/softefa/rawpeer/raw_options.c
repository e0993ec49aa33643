/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rawpeer/raw_options.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/queue_text.h"

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))
#define SEE_HELP "softefa-rawpeer --help shows what there is"
#define MAX_SECONDS	3600u

void raw_complain(const char *remedy, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "softefa-rawpeer: error: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n%s%s%s", remedy ? "  remedy: " : "",
		remedy ? remedy : "", remedy ? "\n" : "");
}

void raw_options_help(void)
{
	printf(
"Usage: softefa-rawpeer --gid GID [OPTION]... LINK [HEX | -]...\n"
"An EFA endpoint of any GID and QPN: joins LINK as softefa --link has it,\n"
"sends each HEX as a packet (-: each line of stdin), and prints what comes.\n"
"\n"
"  --gid GID        its own GID, like fe80::7\n"
"  --qpn N          what is sent comes from this QP (default 1)\n"
"  --to GID/QPN     where to send to\n"
"  --qkey N         queue key of what is sent (default 0)\n"
"  --imm N          immediate data of what is sent\n"
"  --op OP          send (default), datagram, or raw: bytes in place of a\n"
"                   packet\n"
"  --receive N      wait for N requests (default 0)\n"
"  --answer STATUS  what they are answered with: a status by name or number,\n"
"                   or none (default OK)\n"
"  --payload HOW    auto, rdm or raw, as softefa trace print has it\n"
"  --timeout SECONDS  for all of it, 1 to 3600 (default 10)\n"
"\n"
"Ends with 0 when all was sent, answered OK, and received; 4 when another\n"
"status came back; 3 when time was up; 1 on errors; 2 on a wrong command line.\n"
	);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int raw_options_hex(const char *text, enum raw_kind kind,
		    uint8_t bytes[PACKET_MAX_BYTES], size_t *len_bytes)
{
	size_t room = kind == RAW_BYTES ? PACKET_MAX_BYTES :
		PACKET_MAX_PAYLOAD;
	const char *at = text;
	size_t used = 0;

	for (; *at; at += 2) {
		while (isspace((unsigned char)*at))
			at++;
		if (!*at)
			break;
		if (hex_digit(at[0]) < 0 || hex_digit(at[1]) < 0) {
			raw_complain("two hexadecimal digits for each byte",
				     "'%.32s' is no hexadecimal byte", at);
			return -EINVAL;
		}
		if (used == room) {
			raw_complain(NULL, "a packet of more than %zu bytes",
				     room);
			return -EINVAL;
		}
		bytes[used++] = (uint8_t)(hex_digit(at[0]) << 4 |
					  hex_digit(at[1]));
	}
	*len_bytes = used;
	if (used || kind != RAW_BYTES)
		return 0;
	raw_complain("give at least one byte", "--op raw: a packet of no byte");
	return -EINVAL;
}

static int take_number(const char *value, unsigned long max, uint32_t *number)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 0);
	if (*value < '0' || *value > '9' || *end || errno || n > max)
		return -EINVAL;
	*number = (uint32_t)n;
	return 0;
}

/* "GID/QPN" */
static int take_to(const char *value, struct raw_options *options)
{
	const char *slash = strchr(value, '/');
	char gid[INET6_ADDRSTRLEN];

	if (!slash || (size_t)(slash - value) >= sizeof(gid))
		return -EINVAL;
	memcpy(gid, value, (size_t)(slash - value));
	gid[slash - value] = '\0';
	options->has_to = true;
	if (inet_pton(AF_INET6, gid, options->to_gid) != 1)
		return -EINVAL;
	return take_number(slash + 1, UINT16_MAX, &options->to_qpn);
}

static int take_status(const char *value, int *answer)
{
	const unsigned last = EFA_IO_COMP_STATUS_REMOTE_ERROR_FEATURE_MISMATCH;
	uint32_t status;

	if (!strcmp(value, "none")) {
		*answer = RAW_NO_ANSWER;
		return 0;
	}
	if (!take_number(value, last, &status)) {
		*answer = (int)status;
		return 0;
	}
	for (status = 0; status <= last; status++) {
		if (!queue_status_name(status) ||
		    strcmp(value, queue_status_name(status)))
			continue;
		*answer = (int)status;
		return 0;
	}
	return -EINVAL;
}

/* The index of @value among @count @words, or -EINVAL. */
static int find_word(const char *value, const char *const *words,
		     unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (!strcmp(words[i], value))
			return (int)i;
	return -EINVAL;
}

static int take_op(const char *value, struct raw_options *options)
{
	static const char *const words[] = {
		[RAW_SEND] = "send",
		[RAW_DATAGRAM] = "datagram",
		[RAW_BYTES] = "raw",
	};
	int found = find_word(value, words, ARRAY_LEN(words));

	if (found >= 0)
		options->kind = (enum raw_kind)found;
	return found < 0 ? found : 0;
}

static int take_payload(const char *value, struct raw_options *options)
{
	static const char *const words[] = {
		[PAYLOAD_LIKELY_RDM] = "auto",
		[PAYLOAD_RDM] = "rdm",
		[PAYLOAD_RAW] = "raw",
	};
	int found = find_word(value, words, ARRAY_LEN(words));

	if (found >= 0)
		options->payload = (enum payload_text)found;
	return found < 0 ? found : 0;
}

static int take_timeout(const char *value, struct raw_options *options)
{
	uint32_t seconds;

	if (take_number(value, MAX_SECONDS, &seconds) || !seconds)
		return -EINVAL;
	options->timeout_ms = seconds * 1000;
	return 0;
}

static int take_gid(const char *value, struct raw_options *options)
{
	options->has_gid = true;
	return inet_pton(AF_INET6, value, options->gid) == 1 ? 0 : -EINVAL;
}

/* -ENOENT: there is no such option. */
static int take_value(const char *word, const char *value,
		      struct raw_options *options)
{
	if (!strcmp(word, "--gid"))
		return take_gid(value, options);
	if (!strcmp(word, "--qpn"))
		return take_number(value, UINT16_MAX, &options->qpn);
	if (!strcmp(word, "--to"))
		return take_to(value, options);
	if (!strcmp(word, "--qkey"))
		return take_number(value, UINT32_MAX, &options->qkey);
	if (!strcmp(word, "--imm")) {
		options->has_imm = true;
		return take_number(value, UINT32_MAX, &options->imm);
	}
	if (!strcmp(word, "--op"))
		return take_op(value, options);
	if (!strcmp(word, "--receive"))
		return take_number(value, INT32_MAX, &options->receive);
	if (!strcmp(word, "--answer"))
		return take_status(value, &options->answer);
	if (!strcmp(word, "--payload"))
		return take_payload(value, options);
	if (!strcmp(word, "--timeout"))
		return take_timeout(value, options);
	return -ENOENT;
}

/* "--option value" or "--option=value"; takes what it used off *@argv. */
static int take_option(char ***argv, struct raw_options *options)
{
	const char *word = *(*argv)++, *value = strchr(word, '=');
	char option[16];
	size_t len = value ? (size_t)(value - word) : strlen(word);
	int ret;

	snprintf(option, sizeof(option), "%.*s",
		 (int)(len < sizeof(option) ? len : 0), word);
	value = value ? value + 1 : **argv ? *(*argv)++ : "";
	ret = take_value(option, value, options);
	if (ret == -ENOENT)
		raw_complain(SEE_HELP, "option '%s' is not known", word);
	else if (ret)
		raw_complain(SEE_HELP, "bad value '%s' of %s", value, option);
	return ret;
}

static int check_hex(const struct raw_options *options)
{
	static uint8_t bytes[PACKET_MAX_BYTES];
	size_t len_bytes;
	char **hex;

	for (hex = options->hex; *hex; hex++)
		if (strcmp(*hex, "-") &&
		    raw_options_hex(*hex, options->kind, bytes, &len_bytes))
			return -EINVAL;
	return 0;
}

static int check(const struct raw_options *options)
{
	const char *missing = NULL;

	if (!options->has_gid)
		missing = "no --gid given";
	else if (!options->link)
		missing = "no LINK given";
	else if (*options->hex && !options->has_to)
		missing = "there is something to send, and no --to given";
	else if (!*options->hex && !options->receive)
		missing = "nothing to send, and no --receive given";
	if (!missing)
		return check_hex(options);
	raw_complain(SEE_HELP, "%s", missing);
	return -EINVAL;
}

int raw_options_parse(char **argv, struct raw_options *options)
{
	*options = (struct raw_options) {
		.qpn = 1,
		.timeout_ms = 10000,
	};
	while (*argv && !strncmp(*argv, "--", 2)) {
		if (!strcmp(*argv, "--help")) {
			options->wants_help = true;
			return 0;
		}
		if (take_option(&argv, options))
			return -EINVAL;
	}
	if (*argv)
		options->link = *argv++;
	options->hex = argv;
	return check(options);
}
