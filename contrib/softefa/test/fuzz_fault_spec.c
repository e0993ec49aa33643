/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any text for a fault: it is taken or refused with one line, and what was
 * taken keeps the promises that the engine relies on.
 *
 * Bytes alone would never pass the first word, so each input is tried as text
 * and as a choice among the words of the grammar: a kind and a few others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/fault_plan.h"
#include "engine/random_sequence.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define KINDS	16	/* the first of the pieces */
#define MAX_WORDS	5
#define PIECES	(sizeof(pieces) / sizeof(pieces[0]))

static const char *const pieces[] = {
	"reorder", "drop", "duplicate", "hold-cqe", "status", "rnr",
	"command", "kill-qp", "blackhole", "late-packets", "invalidate-mr",
	"cq-event", "link-loss", "link-delay", "link-duplicate", "partition",
	"device=efa_0", "qp=1", "peer=any", "cq=0x2", "op=send",
	"op=read,write-imm", "type=65", "queue=recv", "name=reg_mr", "nth=2",
	"after=1", "every=3", "count=1", "prob=0.5", "seed=7",
	"delay=0..200us", "window=8", "until=recv", "time=1ms", "code=13",
	"code=abort", "delivered", "times=3", "errno=ENOMEM", "side=local",
	"at=4096", "spurious", "coalesce=4", "host=@b", "=", "delay=", "delay=..",
	"prob=.", "qp=-1", "prob=99.9%", "errno=0", "\t",
};

static void require(bool holds, const char *what, const char *text)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s, for '%s'\n", what, text);
	abort();
}

static void check_promises(const struct fault_spec *spec, const char *text)
{
	require(spec->kind < FAULT_KINDS, "kind", text);
	require(spec->every >= 1 && spec->count >= 1, "schedule", text);
	require(spec->chance <= RANDOM_SEQUENCE_CERTAIN, "chance", text);
	require(spec->delay_min_ns <= spec->delay_max_ns, "delay", text);
	require(spec->window <= FAULT_MAX_WINDOW, "window", text);
	require(spec->ops && spec->ops <= 15, "ops", text);
	require(spec->kind != FAULT_STATUS || spec->status, "status", text);
	require(spec->kind != FAULT_COMMAND || spec->error > 0, "errno",
		text);
	require(spec->command == FAULT_ANY || spec->command < FAULT_COMMANDS,
		"command", text);
}

static void try_text(const char *text)
{
	char error[FAULT_ERROR_BYTES] = "";
	struct fault_event event = { .op = FAULT_OP_SEND };
	struct fault_decision decision;
	struct fault_plan plan;
	struct fault_spec spec;
	int i;

	if (fault_spec_parse(text, &spec, error)) {
		require(error[0] && strlen(error) < sizeof(error),
			"an error is told", text);
		return;
	}
	check_promises(&spec, text);
	fault_plan_init(&plan);
	require(fault_plan_add(&plan, text, error) == 1, "it is added", text);
	for (i = 0; i < 4; i++)
		if (fault_plan_decide(&plan, spec.kind, &event, &decision))
			require(!spec.window || decision.later < spec.window,
				"window", text);
	fault_plan_fini(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[FAULT_SPEC_BYTES + 64];
	size_t used = 0, i;

	if (size >= sizeof(text))
		size = sizeof(text) - 1;
	memcpy(text, data, size);
	text[size] = '\0';
	try_text(text);
	for (i = 0; i < size && i < MAX_WORDS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"%s ", i ? pieces[data[i] % PIECES] :
			pieces[data[i] % KINDS]);
	text[used] = '\0';
	try_text(text);
	return 0;
}
