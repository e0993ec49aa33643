/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/fault_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/random_sequence.h"

struct fault {
	TAILQ_ENTRY(fault) link;
	uint32_t id;
	uint64_t seen, struck;
	struct random_sequence random;
	struct fault_spec spec;
	char text[FAULT_SPEC_BYTES];
};

/* A decision as it is remembered; text is made when it is asked for. */
struct fault_record {
	enum fault_kind kind;
	uint32_t id;
	uint64_t number;
	uint64_t delay_ns;
	uint32_t later;
	struct fault_event event;
};

void fault_plan_init(struct fault_plan *plan)
{
	*plan = (struct fault_plan) { .next_id = 1 };
	TAILQ_INIT(&plan->faults);
}

static void remove_fault(struct fault_plan *plan, struct fault *fault)
{
	TAILQ_REMOVE(&plan->faults, fault, link);
	plan->count--;
	free(fault);
}

void fault_plan_fini(struct fault_plan *plan)
{
	while (!TAILQ_EMPTY(&plan->faults))
		remove_fault(plan, TAILQ_FIRST(&plan->faults));
	free(plan->log);
	plan->log = NULL;
}

static void look_again(struct fault_plan *plan)
{
	struct fault *fault;

	plan->changes++;
	plan->watched = 0;
	plan->wants_type = false;
	TAILQ_FOREACH(fault, &plan->faults, link) {
		plan->watched |= FAULT_BIT(fault->spec.kind);
		plan->wants_type |= fault->spec.type != FAULT_ANY;
	}
}

int fault_plan_add(struct fault_plan *plan, const char *text,
		   char error[FAULT_ERROR_BYTES])
{
	struct fault_spec spec;
	struct fault *fault;

	if (fault_spec_parse(text, &spec, error))
		return -EINVAL;
	if (plan->count == FAULT_PLAN_MAX) {
		snprintf(error, FAULT_ERROR_BYTES,
			 "%u faults are set already; clear one first",
			 plan->count);
		return -ENOSPC;
	}
	if (!plan->log)
		plan->log = calloc(FAULT_LOG_LINES, sizeof(*plan->log));
	fault = plan->log ? calloc(1, sizeof(*fault)) : NULL;
	if (!fault) {
		snprintf(error, FAULT_ERROR_BYTES, "out of memory");
		return -ENOMEM;
	}
	fault->id = plan->next_id++;
	fault->spec = spec;
	strcpy(fault->text, text);
	/* Not by ID: a fault that is set again starts over. */
	random_sequence_init(&fault->random, spec.seed, spec.kind);
	TAILQ_INSERT_TAIL(&plan->faults, fault, link);
	plan->count++;
	look_again(plan);
	return (int)fault->id;
}

int fault_plan_clear(struct fault_plan *plan, uint32_t id)
{
	struct fault *fault, *next;
	int ret = id ? -ENOENT : 0;

	for (fault = TAILQ_FIRST(&plan->faults); fault; fault = next) {
		next = TAILQ_NEXT(fault, link);
		if (id && fault->id != id)
			continue;
		remove_fault(plan, fault);
		ret = 0;
	}
	look_again(plan);
	return ret;
}

static bool selects(const struct fault_spec *spec,
		    const struct fault_event *event)
{
	return (spec->device == FAULT_ANY || spec->device == event->device) &&
		(spec->qp == FAULT_ANY || spec->qp == event->qp) &&
		(spec->peer == FAULT_ANY || spec->peer == event->peer) &&
		(spec->cq == FAULT_ANY || spec->cq == event->cq) &&
		(spec->type == FAULT_ANY || spec->type == event->type) &&
		(spec->command == FAULT_ANY ||
		 spec->command == event->command) &&
		(!spec->host[0] ||
		 (event->host && !strcmp(spec->host, event->host))) &&
		spec->queue == event->queue &&
		(!event->op || spec->ops & event->op);
}

/*
 * As many numbers are drawn at each event whatever comes of it, so that one
 * outcome does not shift those that follow. @is_late: another one struck.
 */
static bool strikes(struct fault *fault, bool is_late,
		    struct fault_decision *decision)
{
	const struct fault_spec *spec = &fault->spec;
	uint64_t seen = ++fault->seen;
	bool happens = random_sequence_happens(&fault->random, spec->chance);
	uint64_t delay, later;

	delay = random_sequence_below(&fault->random, spec->delay_max_ns -
				      spec->delay_min_ns + 1);
	later = random_sequence_below(&fault->random,
				      spec->window ? spec->window : 1);
	if (is_late || !happens || seen <= spec->after ||
	    fault->struck >= spec->count ||
	    (seen - spec->after - 1) % spec->every)
		return false;
	fault->struck++;
	*decision = (struct fault_decision) {
		.id = fault->id,
		.number = seen,
		.strike = fault->struck,
		.delay_ns = spec->delay_min_ns + delay,
		.later = (uint32_t)later,
		.spec = *spec,
	};
	return true;
}

static void remember(struct fault_plan *plan, const struct fault_event *event,
		     const struct fault_decision *decision)
{
	struct fault_record *record =
		&plan->log[plan->logged++ % FAULT_LOG_LINES];

	*record = (struct fault_record) {
		.kind = decision->spec.kind,
		.id = decision->id,
		.number = decision->number,
		.delay_ns = decision->delay_ns,
		.later = decision->later,
		.event = *event,
	};
	/* The text is the caller's. */
	record->event.host = NULL;
}

bool fault_plan_decide(struct fault_plan *plan, enum fault_kind kind,
		       const struct fault_event *event,
		       struct fault_decision *decision)
{
	bool is_struck = false;
	struct fault *fault;

	TAILQ_FOREACH(fault, &plan->faults, link)
		if (fault->spec.kind == kind && selects(&fault->spec, event))
			is_struck |= strikes(fault, is_struck, decision);
	if (is_struck)
		remember(plan, event, decision);
	return is_struck;
}

size_t fault_plan_list(const struct fault_plan *plan, char *text,
		       size_t text_bytes)
{
	const struct fault *fault;
	size_t used = 0;
	int len;

	text[0] = '\0';
	TAILQ_FOREACH(fault, &plan->faults, link) {
		len = snprintf(text + used, text_bytes - used,
			       "%u: %s (events %llu, struck %llu)\n",
			       fault->id, fault->text,
			       (unsigned long long)fault->seen,
			       (unsigned long long)fault->struck);
		if ((size_t)len >= text_bytes - used)
			break;
		used += (size_t)len;
	}
	return used;
}

static const char *op_name(uint32_t op)
{
	switch (op) {
	case FAULT_OP_SEND: return " send";
	case FAULT_OP_READ: return " read";
	case FAULT_OP_WRITE: return " write";
	case FAULT_OP_WRITE_IMM: return " write-imm";
	default: return "";
	}
}

/* " NAME NUMBER" unless it does not apply. */
static int write_number(char *text, size_t text_bytes, const char *name,
			uint32_t number)
{
	if (number == FAULT_ANY) {
		text[0] = '\0';
		return 0;
	}
	return snprintf(text, text_bytes, " %s %u", name, number);
}

static size_t write_record(const struct fault_record *record, char *text)
{
	const struct fault_event *event = &record->event;
	size_t size = FAULT_LOG_LINE_BYTES;
	int at;

	at = snprintf(text, size, "%u %s: event %llu", record->id,
		      fault_kind_name(record->kind),
		      (unsigned long long)record->number);
	if (event->device != FAULT_ANY)
		at += snprintf(text + at, size - at, " efa_%u", event->device);
	at += write_number(text + at, size - at, "qp", event->qp);
	at += write_number(text + at, size - at, "peer", event->peer);
	at += write_number(text + at, size - at, "cq", event->cq);
	at += snprintf(text + at, size - at, "%s%s%s", op_name(event->op),
		       event->command == FAULT_ANY ? "" : " ",
		       event->command == FAULT_ANY ? "" :
		       fault_command_name(event->command));
	if (record->delay_ns)
		at += snprintf(text + at, size - at, " delay %llu ns",
			       (unsigned long long)record->delay_ns);
	if (record->later)
		at += snprintf(text + at, size - at, " behind %u",
			       record->later);
	at += snprintf(text + at, size - at, "\n");
	return (size_t)at;
}

uint64_t fault_plan_log(const struct fault_plan *plan, uint64_t from,
			char *text, size_t text_bytes, size_t *len_bytes)
{
	char line[FAULT_LOG_LINE_BYTES];
	size_t len, used = 0;

	if (plan->logged > FAULT_LOG_LINES &&
	    from < plan->logged - FAULT_LOG_LINES)
		from = plan->logged - FAULT_LOG_LINES;
	for (; from < plan->logged; from++) {
		len = write_record(&plan->log[from % FAULT_LOG_LINES], line);
		if (len > text_bytes - used)
			break;
		memcpy(text + used, line, len);
		used += len;
	}
	*len_bytes = used;
	return from;
}
