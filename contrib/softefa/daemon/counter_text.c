/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/counter_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "daemon/device_counter.h"

struct page {
	char *text;
	size_t used, size;
	uint64_t first;		/* object to start with */
	uint64_t next;		/* number of the next object */
	bool is_full;
};

#define NUM_ROWS(row) (sizeof(row) / sizeof((row)[0]))

/* True when the next object is one of this page's. */
static bool begin_object(struct page *page)
{
	if (page->is_full)
		return false;
	if (page->next < page->first) {
		page->next++;
		return false;
	}
	if (page->size - page->used < COUNTER_TEXT_OBJECT) {
		page->is_full = true;
		return false;
	}
	page->next++;
	return true;
}

static void write_rows(struct page *page, const char *object,
		       const struct named_counter *row, size_t count)
{
	size_t start = page->used, i;

	for (i = 0; i < count; i++)
		page->used += (size_t)snprintf(page->text + page->used,
					       page->size - page->used,
					       "%s %s %" PRIu64 "\n", object,
					       row[i].name, row[i].value);
	assert(page->used - start < COUNTER_TEXT_OBJECT);
}

static void write_device(struct page *page,
			 const struct emulated_device *device)
{
	struct named_counter row[DEVICE_COUNTERS];

	device_counter_read(device->engine, row);
	write_rows(page, device->entry.ibdev, row, NUM_ROWS(row));
}

static void write_rules(struct page *page, const struct emulated_device *device)
{
	struct named_counter row[ENGINE_RULES];
	char object[48];

	for (int rule = 0; rule < ENGINE_RULES; rule++)
		row[rule] = (struct named_counter){
			engine_rule_name(rule),
			engine_device_rule_breaks(device->engine, rule),
		};
	snprintf(object, sizeof(object), "%s/rules", device->entry.ibdev);
	write_rows(page, object, row, NUM_ROWS(row));
}

static void write_qp(struct page *page, const struct uverbs_context *ctx,
		     const struct engine_qp *qp)
{
	struct engine_qp_counters c;
	char object[64];

	engine_qp_read_counters(qp, &c);
	const struct named_counter row[] = {
		{ "pid", (uint64_t)ctx->client->pid },
		{ "sq_doorbells", c.sq_doorbells },
		{ "rq_doorbells", c.rq_doorbells },
		{ "wqes", c.wqes },
		{ "receives", c.receives },
		{ "tx_packets", c.tx_packets },
		{ "rx_packets", c.rx_packets },
		{ "tx_bytes", c.tx_bytes },
		{ "rx_bytes", c.rx_bytes },
		{ "rnr", c.rnr },
		{ "completions", c.completions },
		{ "errors", c.errors },
	};

	snprintf(object, sizeof(object), "%s/qp/%u", ctx->device->entry.ibdev,
		 engine_qp_number(qp));
	write_rows(page, object, row, NUM_ROWS(row));
}

static void write_cq(struct page *page, const struct uverbs_context *ctx,
		     const struct engine_cq *cq)
{
	struct engine_cq_counters c;
	char object[64];

	engine_cq_read_counters(cq, &c);
	const struct named_counter row[] = {
		{ "pid", (uint64_t)ctx->client->pid },
		{ "doorbells", c.doorbells },
		{ "completions", c.completions },
		{ "errors", c.errors },
		{ "events", c.events },
	};

	snprintf(object, sizeof(object), "%s/cq/%u", ctx->device->entry.ibdev,
		 engine_cq_number(cq));
	write_rows(page, object, row, NUM_ROWS(row));
}

static void write_queues(struct page *page, const struct uverbs_context *ctx)
{
	const struct uverbs_qp *qp;
	const struct uverbs_cq *cq;
	uint32_t handle;

	for (handle = 0; (qp = handle_table_next(&ctx->handles, HANDLE_QP,
						 &handle)); handle++) {
		if (begin_object(page))
			write_qp(page, ctx, qp->engine);
	}
	for (handle = 0; (cq = handle_table_next(&ctx->handles, HANDLE_CQ,
						 &handle)); handle++) {
		if (begin_object(page))
			write_cq(page, ctx, cq->engine);
	}
}

size_t counter_text_write(const struct emulated_devices *devices,
			  const struct session_list *sessions,
			  uint64_t *cursor, char *text, size_t text_bytes)
{
	struct page page = {
		.text = text, .size = text_bytes, .first = *cursor,
	};
	const struct uverbs_context *ctx;

	for (unsigned i = 0; i < devices->count; i++) {
		if (begin_object(&page))
			write_device(&page, &devices->device[i]);
		if (begin_object(&page))
			write_rules(&page, &devices->device[i]);
	}
	for (unsigned i = 0; (ctx = session_list_context(sessions, i)); i++)
		write_queues(&page, ctx);
	*cursor = page.is_full ? page.next : 0;
	return page.used;
}
