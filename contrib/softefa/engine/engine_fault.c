/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/engine_fault.h"

#include "engine/device_state.h"

int engine_fault_add(struct engine *engine, const char *text,
		     char error[FAULT_ERROR_BYTES])
{
	return fault_plan_add(&engine->faults, text, error);
}

struct fault_plan *engine_fault_plan(struct engine *engine)
{
	return &engine->faults;
}

int engine_fault_clear(struct engine *engine, uint32_t id)
{
	return fault_plan_clear(&engine->faults, id);
}

size_t engine_fault_list(const struct engine *engine, char *text,
			 size_t text_bytes)
{
	return fault_plan_list(&engine->faults, text, text_bytes);
}

uint64_t engine_fault_log(const struct engine *engine, uint64_t from,
			  char *text, size_t text_bytes, size_t *len_bytes)
{
	return fault_plan_log(&engine->faults, from, text, text_bytes,
			      len_bytes);
}

int engine_fault_command(struct engine_device *device,
			 enum fault_command command)
{
	struct fault_plan *plan = &device->engine->faults;
	struct fault_event event = {
		.device = device->index,
		.qp = FAULT_ANY,
		.peer = FAULT_ANY,
		.cq = FAULT_ANY,
		.type = FAULT_ANY,
		.queue = FAULT_QUEUE_SEND,
		.command = command,
	};
	struct fault_decision decision;

	if (!fault_plan_watches(plan, FAULT_BIT(FAULT_COMMAND)) ||
	    !fault_plan_decide(plan, FAULT_COMMAND, &event, &decision))
		return 0;
	return -decision.spec.error;
}
