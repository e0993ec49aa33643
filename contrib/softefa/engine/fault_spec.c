/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/fault_spec.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "engine/fault_value.h"
#include "engine/random_sequence.h"

#define ARRAY_LEN(array)	(sizeof(array) / sizeof((array)[0]))
#define BLANKS			" \t\r\n"
#define MAX_NUMBER		(UINT32_MAX - 1)	/* of an object */
#define WINDOW_TIME_NS		1000000u	/* window= without delay= */

enum word {
	WORD_DEVICE, WORD_QP, WORD_PEER, WORD_CQ, WORD_OP, WORD_TYPE,
	WORD_QUEUE, WORD_NAME, WORD_HOST,
	WORD_NTH, WORD_AFTER, WORD_EVERY, WORD_COUNT, WORD_PROB, WORD_SEED,
	WORD_DELAY, WORD_WINDOW, WORD_UNTIL, WORD_TIME, WORD_CODE,
	WORD_DELIVERED, WORD_TIMES, WORD_ERRNO, WORD_SIDE, WORD_AT,
	WORD_SPURIOUS, WORD_COALESCE,
	WORDS
};

#define W(word)		(1u << WORD_##word)
#define WHICH		(W(NTH) | W(AFTER) | W(EVERY) | W(COUNT) |	\
			 W(PROB) | W(SEED))
#define REQUEST		(W(DEVICE) | W(QP) | W(PEER) | W(OP) | W(TYPE) | WHICH)
#define MESSAGE		(W(DEVICE) | W(QP) | W(PEER) | W(TYPE) | WHICH)
#define LINK		(W(HOST) | WHICH)

static const struct kind {
	const char *name;
	uint32_t takes;
	uint32_t needs;		/* one of these */
} kinds[FAULT_KINDS] = {
	[FAULT_REORDER] = { "reorder", REQUEST | W(DELAY) | W(WINDOW),
			    W(DELAY) | W(WINDOW) },
	[FAULT_DROP] = { "drop", MESSAGE, 0 },
	[FAULT_DUPLICATE] = { "duplicate", MESSAGE, 0 },
	[FAULT_HOLD_CQE] = { "hold-cqe", REQUEST | W(QUEUE) | W(UNTIL) |
			     W(TIME), W(UNTIL) | W(TIME) },
	[FAULT_STATUS] = { "status", REQUEST | W(QUEUE) | W(CODE) |
			   W(DELIVERED), W(CODE) },
	[FAULT_RNR] = { "rnr", REQUEST | W(TIMES), 0 },
	[FAULT_COMMAND] = { "command", W(DEVICE) | W(NAME) | W(ERRNO) | WHICH,
			    W(ERRNO) },
	[FAULT_KILL_QP] = { "kill-qp", REQUEST | W(SIDE), 0 },
	[FAULT_BLACKHOLE] = { "blackhole", REQUEST | W(TIME), 0 },
	[FAULT_LATE_PACKETS] = { "late-packets", MESSAGE | W(DELAY),
				 W(DELAY) },
	[FAULT_INVALIDATE_MR] = { "invalidate-mr", REQUEST | W(SIDE) | W(AT),
				  0 },
	[FAULT_CQ_EVENT] = { "cq-event", W(DEVICE) | W(CQ) | WHICH |
			     W(SPURIOUS) | W(DELAY) | W(COALESCE),
			     W(SPURIOUS) | W(DELAY) | W(COALESCE) },
	[FAULT_LINK_LOSS] = { "link-loss", LINK, 0 },
	[FAULT_LINK_DELAY] = { "link-delay", LINK | W(DELAY), W(DELAY) },
	[FAULT_LINK_DUPLICATE] = { "link-duplicate", LINK, 0 },
	[FAULT_PARTITION] = { "partition", LINK, 0 },
};

static const char *const command_names[FAULT_COMMANDS] = {
	[FAULT_CMD_ALLOC_PD] = "alloc_pd",
	[FAULT_CMD_CREATE_AH] = "create_ah",
	[FAULT_CMD_CREATE_COMP_CHANNEL] = "create_comp_channel",
	[FAULT_CMD_CREATE_CQ] = "create_cq",
	[FAULT_CMD_CREATE_QP] = "create_qp",
	[FAULT_CMD_DEALLOC_PD] = "dealloc_pd",
	[FAULT_CMD_DEREG_MR] = "dereg_mr",
	[FAULT_CMD_DESTROY_AH] = "destroy_ah",
	[FAULT_CMD_DESTROY_CQ] = "destroy_cq",
	[FAULT_CMD_DESTROY_QP] = "destroy_qp",
	[FAULT_CMD_MODIFY_QP] = "modify_qp",
	[FAULT_CMD_OPEN] = "open",
	[FAULT_CMD_QUERY_DEVICE] = "query_device",
	[FAULT_CMD_QUERY_GID] = "query_gid",
	[FAULT_CMD_QUERY_MR] = "query_mr",
	[FAULT_CMD_QUERY_PORT] = "query_port",
	[FAULT_CMD_QUERY_QP] = "query_qp",
	[FAULT_CMD_REG_DMABUF_MR] = "reg_dmabuf_mr",
	[FAULT_CMD_REG_MR] = "reg_mr",
	[FAULT_CMD_OTHER] = "other",
};

static const char *const op_names[] = { "send", "read", "write", "write-imm" };
static const char *const queue_names[] = { "send", "recv" };
static const char *const side_names[] = { "remote", "local" };
static const char *const until_names[] = {
	[FAULT_UNTIL_SEND] = "send",
	[FAULT_UNTIL_RECV] = "recv",
	[FAULT_UNTIL_DESTROY] = "destroy",
};

/* By the device's numbers, prov/efa/src/hw/efa_io_defs.h. */
static const char *const status_names[] = {
	[1] = "flushed",
	[2] = "qp-internal-error",
	[3] = "unsupported-op",
	[4] = "invalid-ah",
	[5] = "invalid-lkey",
	[6] = "local-bad-length",
	[7] = "bad-address",
	[8] = "abort",
	[9] = "bad-dest-qpn",
	[10] = "rnr",
	[11] = "remote-bad-length",
	[12] = "bad-status",
	[13] = "unresp-remote",
	[14] = "unknown-peer",
	[15] = "unreach-remote",
	[18] = "feature-mismatch",
};

/* ---- a value for each word ---- */

static int take_u32(const char *value, uint64_t min, uint64_t max,
		    uint32_t *out)
{
	uint64_t number;

	if (fault_value_number(value, min, max, &number))
		return -EINVAL;
	*out = (uint32_t)number;
	return 0;
}

/* A number or "any". */
static int take_selector(const char *value, uint64_t max, uint32_t *out)
{
	if (!strcmp(value, "any")) {
		*out = FAULT_ANY;
		return 0;
	}
	return take_u32(value, 0, max, out);
}

static int take_device(const char *value, struct fault_spec *spec)
{
	if (!strncmp(value, "efa_", 4))
		return take_u32(value + 4, 0, 255, &spec->device);
	return strcmp(value, "any") ? -EINVAL :
		take_selector(value, 0, &spec->device);
}

/* "any" or names with commas between them. */
static int take_ops(const char *value, struct fault_spec *spec)
{
	char name[16];
	uint32_t ops = 0, index;
	size_t len;

	if (!strcmp(value, "any"))
		return 0;
	for (;; value += len + 1) {
		len = strcspn(value, ",");
		if (len >= sizeof(name))
			return -EINVAL;
		memcpy(name, value, len);
		name[len] = '\0';
		if (fault_value_choice(name, op_names, ARRAY_LEN(op_names),
				       &index))
			return -EINVAL;
		ops |= 1u << index;
		if (!value[len])
			break;
	}
	spec->ops = ops;
	return 0;
}

static int take_command(const char *value, struct fault_spec *spec)
{
	if (!strcmp(value, "any"))
		return 0;
	return fault_value_choice(value, command_names, FAULT_COMMANDS,
				  &spec->command);
}

/* An address or "any"; whose it is the link knows. */
static int take_host(const char *value, struct fault_spec *spec)
{
	size_t len = strlen(value);

	if (!len || len >= sizeof(spec->host))
		return -EINVAL;
	if (strcmp(value, "any"))
		memcpy(spec->host, value, len + 1);
	return 0;
}

static int take_status(const char *value, struct fault_spec *spec)
{
	uint32_t status;

	if (take_u32(value, 1, 255, &status) &&
	    fault_value_choice(value, status_names, ARRAY_LEN(status_names),
			       &status))
		return -EINVAL;
	spec->status = (uint8_t)status;
	return 0;
}

static int take_nth(const char *value, struct fault_spec *spec)
{
	if (fault_value_number(value, 1, UINT32_MAX, &spec->after))
		return -EINVAL;
	spec->after--;
	spec->count = 1;
	return 0;
}

static int take_choice(enum word word, const char *value,
		       struct fault_spec *spec)
{
	uint32_t index;
	int err;

	switch (word) {
	case WORD_QUEUE:
		err = fault_value_choice(value, queue_names,
					 ARRAY_LEN(queue_names), &index);
		if (!err)
			spec->queue = index;
		return err;
	case WORD_SIDE:
		err = fault_value_choice(value, side_names,
					 ARRAY_LEN(side_names), &index);
		if (!err)
			spec->side = index;
		return err;
	default:
		err = fault_value_choice(value, until_names,
					 ARRAY_LEN(until_names), &index);
		if (!err)
			spec->until = index;
		return err;
	}
}

static int take_schedule(enum word word, const char *value,
			 struct fault_spec *spec)
{
	switch (word) {
	case WORD_NTH: return take_nth(value, spec);
	case WORD_AFTER:
		return fault_value_number(value, 0, UINT32_MAX, &spec->after);
	case WORD_EVERY:
		return fault_value_number(value, 1, UINT32_MAX, &spec->every);
	case WORD_COUNT:
		return fault_value_number(value, 1, UINT32_MAX, &spec->count);
	case WORD_PROB: return fault_value_chance(value, &spec->chance);
	default:
		return fault_value_number(value, 0, UINT64_MAX, &spec->seed);
	}
}

static int take_selection(enum word word, const char *value,
			  struct fault_spec *spec)
{
	switch (word) {
	case WORD_DEVICE: return take_device(value, spec);
	case WORD_QP: return take_selector(value, MAX_NUMBER, &spec->qp);
	case WORD_PEER: return take_selector(value, MAX_NUMBER, &spec->peer);
	case WORD_CQ: return take_selector(value, MAX_NUMBER, &spec->cq);
	case WORD_OP: return take_ops(value, spec);
	case WORD_TYPE: return take_selector(value, 255, &spec->type);
	case WORD_NAME: return take_command(value, spec);
	case WORD_HOST: return take_host(value, spec);
	default: return take_choice(word, value, spec);
	}
}

/* Without a value for the words that are flags. */
static int take_effect(enum word word, const char *value,
		       struct fault_spec *spec)
{
	switch (word) {
	case WORD_DELAY:
		return fault_value_time_range(value, &spec->delay_min_ns,
					      &spec->delay_max_ns);
	case WORD_WINDOW:
		return take_u32(value, 2, FAULT_MAX_WINDOW, &spec->window);
	case WORD_TIME: return fault_value_time(value, &spec->time_ns);
	case WORD_CODE: return take_status(value, spec);
	case WORD_TIMES: return take_u32(value, 1, 255, &spec->times);
	case WORD_ERRNO: return fault_value_errno(value, &spec->error);
	case WORD_AT:
		return fault_value_number(value, 0, UINT32_MAX,
					  &spec->at_bytes);
	case WORD_COALESCE:
		return take_u32(value, 2, UINT16_MAX, &spec->coalesce);
	case WORD_DELIVERED:
		spec->is_delivered = true;
		return 0;
	case WORD_SPURIOUS:
		spec->is_spurious = true;
		return 0;
	default: return take_choice(word, value, spec);
	}
}

static const struct word_rule {
	const char *name;
	const char *wants;	/* NULL: the word is a flag */
	int (*take)(enum word word, const char *value,
		    struct fault_spec *spec);
} words[WORDS] = {
	[WORD_DEVICE] = { "device", "efa_N or any", take_selection },
	[WORD_QP] = { "qp", "a QP number or any", take_selection },
	[WORD_PEER] = { "peer", "a QP number or any", take_selection },
	[WORD_CQ] = { "cq", "a CQ number or any", take_selection },
	[WORD_OP] = { "op", "any, or some of send,read,write,write-imm",
		      take_selection },
	[WORD_TYPE] = { "type", "a byte, 0 to 255, or any", take_selection },
	[WORD_QUEUE] = { "queue", "send or recv", take_selection },
	[WORD_NAME] = { "name", "any or a command: alloc_pd create_ah "
		"create_comp_channel create_cq create_qp dealloc_pd dereg_mr "
		"destroy_ah destroy_cq destroy_qp modify_qp open query_device "
		"query_gid query_mr query_port query_qp reg_dmabuf_mr reg_mr "
		"other", take_selection },
	[WORD_HOST] = { "host", "the address of another host, as in peer=, "
		"or any", take_selection },
	[WORD_NTH] = { "nth", "a count from 1", take_schedule },
	[WORD_AFTER] = { "after", "a count from 0", take_schedule },
	[WORD_EVERY] = { "every", "a count from 1", take_schedule },
	[WORD_COUNT] = { "count", "a count from 1", take_schedule },
	[WORD_PROB] = { "prob", "0 to 1 or 0% to 100%", take_schedule },
	[WORD_SEED] = { "seed", "a number from 0", take_schedule },
	[WORD_DELAY] = { "delay", "a time or a range of times: 1ms, 0..200us",
			 take_effect },
	[WORD_WINDOW] = { "window", "2 to 256 requests", take_effect },
	[WORD_UNTIL] = { "until", "send, recv or destroy", take_effect },
	[WORD_TIME] = { "time", "a time: 500ns, 20us, 1ms, 2s", take_effect },
	[WORD_CODE] = { "code", "a status, 1 to 255, or its name: flushed "
		"qp-internal-error unsupported-op invalid-ah invalid-lkey "
		"local-bad-length bad-address abort bad-dest-qpn rnr "
		"remote-bad-length bad-status unresp-remote unknown-peer "
		"unreach-remote feature-mismatch", take_effect },
	[WORD_DELIVERED] = { "delivered", NULL, take_effect },
	[WORD_TIMES] = { "times", "1 to 255", take_effect },
	[WORD_ERRNO] = { "errno", "a name like ENOMEM, or its number",
			 take_effect },
	[WORD_SIDE] = { "side", "remote or local", take_effect },
	[WORD_AT] = { "at", "a number of bytes", take_effect },
	[WORD_SPURIOUS] = { "spurious", NULL, take_effect },
	[WORD_COALESCE] = { "coalesce", "2 to 65535 completions", take_effect },
};

/* ---- the sentence ---- */

__attribute__((format(printf, 2, 3)))
static int refuse(char error[FAULT_ERROR_BYTES], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, FAULT_ERROR_BYTES, format, args);
	va_end(args);
	return -EINVAL;
}

/* The names of the words in @mask, for a complaint. */
static const char *list_words(uint32_t mask, char *text, size_t text_bytes)
{
	size_t used = 0;
	int i;

	text[0] = '\0';
	for (i = 0; i < WORDS; i++)
		if (mask & (1u << i) && used < text_bytes)
			used += (size_t)snprintf(text + used,
						 text_bytes - used, "%s%s",
						 used ? " " : "",
						 words[i].name);
	return text;
}

static int find_kind(const char *name, struct fault_spec *spec,
		     char error[FAULT_ERROR_BYTES])
{
	char text[256];
	size_t used = 0;
	int i;

	for (i = 0; i < FAULT_KINDS; i++) {
		if (!strcmp(kinds[i].name, name)) {
			spec->kind = i;
			return 0;
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 " %s", kinds[i].name);
	}
	return refuse(error, "'%.40s' is no kind of fault; there are:%s", name,
		      text);
}

static int take_word(char *text, uint32_t *given, struct fault_spec *spec,
		     char error[FAULT_ERROR_BYTES])
{
	const struct kind *kind = &kinds[spec->kind];
	char *value = strchr(text, '=');
	char takes[256];
	int i;

	if (value)
		*value++ = '\0';
	for (i = 0; i < WORDS; i++)
		if (kind->takes & (1u << i) && !strcmp(words[i].name, text))
			break;
	if (i == WORDS)
		return refuse(error, "%s: '%.40s' is not a word of it; it takes: %s",
			      kind->name, text,
			      list_words(kind->takes, takes, sizeof(takes)));
	if (*given & (1u << i))
		return refuse(error, "%s: '%s' is there twice", kind->name,
			      text);
	*given |= 1u << i;
	if (!value != !words[i].wants)
		return refuse(error, value ? "%s: '%s' takes no value" :
			      "%s: '%s=' wants %s", kind->name, text,
			      words[i].wants);
	if (words[i].take(i, value, spec))
		return refuse(error, "%s: '%s=%.40s' is wrong; it wants %s",
			      kind->name, text, value, words[i].wants);
	return 0;
}

/* What no single word can show to be wrong. */
static int check_whole(const struct fault_spec *spec, uint32_t given,
		       char error[FAULT_ERROR_BYTES])
{
	const struct kind *kind = &kinds[spec->kind];
	char needs[128];

	if (kind->needs && !(given & kind->needs))
		return refuse(error, "%s: a word is missing, one of: %s",
			      kind->name,
			      list_words(kind->needs, needs, sizeof(needs)));
	if (given & W(NTH) && given & (W(AFTER) | W(EVERY) | W(COUNT)))
		return refuse(error, "%s: nth= says all of after=, every= and count=; give either",
			      kind->name);
	if (spec->queue == FAULT_QUEUE_RECV && given & W(TYPE))
		return refuse(error, "%s: type= needs queue=send: a receive completion has no payload",
			      kind->name);
	if (spec->queue == FAULT_QUEUE_RECV && spec->is_delivered)
		return refuse(error, "%s: 'delivered' needs queue=send",
			      kind->name);
	if ((spec->until == FAULT_UNTIL_SEND &&
	     spec->queue == FAULT_QUEUE_SEND) ||
	    (spec->until == FAULT_UNTIL_RECV &&
	     spec->queue == FAULT_QUEUE_RECV))
		return refuse(error, "%s: until= wants the other queue, or destroy",
			      kind->name);
	return 0;
}

static const struct fault_spec defaults = {
	.device = FAULT_ANY,
	.qp = FAULT_ANY,
	.peer = FAULT_ANY,
	.cq = FAULT_ANY,
	.type = FAULT_ANY,
	.command = FAULT_ANY,
	.ops = FAULT_OP_SEND | FAULT_OP_READ | FAULT_OP_WRITE |
	       FAULT_OP_WRITE_IMM,
	.every = 1,
	.count = UINT64_MAX,
	.chance = RANDOM_SEQUENCE_CERTAIN,
	.seed = 1,
	.time_ns = UINT64_MAX,
	.times = 1,
};

int fault_spec_parse(const char *text, struct fault_spec *out,
		     char error[FAULT_ERROR_BYTES])
{
	struct fault_spec spec = defaults;
	char copy[FAULT_SPEC_BYTES], *word, *rest;
	uint32_t given = 0;

	if (strlen(text) >= sizeof(copy))
		return refuse(error, "a fault has %zu characters, at most %zu are allowed",
			      strlen(text), sizeof(copy) - 1);
	strcpy(copy, text);
	word = strtok_r(copy, BLANKS, &rest);
	if (!word)
		return refuse(error, "a fault is empty; it is KIND [WORD=VALUE]...");
	if (find_kind(word, &spec, error))
		return -EINVAL;
	while ((word = strtok_r(NULL, BLANKS, &rest)))
		if (take_word(word, &given, &spec, error))
			return -EINVAL;
	if (check_whole(&spec, given, error))
		return -EINVAL;
	if (spec.window && !(given & W(DELAY)))
		spec.delay_min_ns = spec.delay_max_ns = WINDOW_TIME_NS;
	*out = spec;
	return 0;
}

const char *fault_kind_name(enum fault_kind kind)
{
	return kinds[kind].name;
}

const char *fault_command_name(enum fault_command command)
{
	return command_names[command];
}
