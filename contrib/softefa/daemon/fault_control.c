/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "daemon/fault_control.h"

static void add(struct engine *engine, const char *text,
		struct softefa_text *answer)
{
	static_assert(FAULT_ERROR_BYTES <= SOFTEFA_MAX_TEXT &&
		      FAULT_SPEC_BYTES == SOFTEFA_MAX_REQUEST_TEXT, "");
	answer->result = engine_fault_add(engine, text, answer->text);
	if (answer->result < 0)
		answer->length = (uint32_t)strlen(answer->text);
}

/* As many lines as there is room for; the result is their number. */
static void write_log(const struct engine *engine, uint64_t from,
		      struct softefa_text *answer)
{
	size_t len;

	answer->next = engine_fault_log(engine, from, answer->text,
					sizeof(answer->text), &len);
	answer->length = (uint32_t)len;
}

bool fault_control_answer(struct engine *engine,
			  const struct peer_request *request,
			  struct softefa_text *answer)
{
	answer->result = 0;
	answer->length = 0;
	answer->next = 0;
	switch (request->msg.type) {
	case SOFTEFA_FAULT_ADD:
		add(engine, request->text, answer);
		return true;
	case SOFTEFA_FAULT_LIST:
		answer->length = (uint32_t)engine_fault_list(engine,
			answer->text, sizeof(answer->text));
		return true;
	case SOFTEFA_FAULT_CLEAR:
		answer->result = engine_fault_clear(engine,
						    request->msg.device);
		return true;
	case SOFTEFA_FAULT_LOG:
		write_log(engine, request->msg.addr, answer);
		return true;
	default:
		return false;
	}
}
