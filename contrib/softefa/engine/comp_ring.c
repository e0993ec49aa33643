/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/comp_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cq_event_fault.h"
#include "engine/device_state.h"
#include "engine/ring_memory.h"
#include "engine/rule_check.h"
#include "engine/trace_point.h"

static int check_attr(const struct device_profile *profile,
		      const struct engine_cq_attr *attr)
{
	static const struct {
		uint32_t flag, cap;
	} needs[] = {
		{ ENGINE_CQ_EVENTS, DEVICE_CAP_CQ_NOTIFICATIONS },
		{ ENGINE_CQ_SGID, DEVICE_CAP_CQ_WITH_SGID },
		{ ENGINE_CQ_SQ_REQ_ID_64, DEVICE_CAP_SQ_64_BIT_REQ_ID },
	};
	uint32_t possible = 0;
	size_t i;

	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (profile->device_caps & needs[i].cap)
			possible |= needs[i].flag;
	if (attr->flags & ~possible)
		return -EOPNOTSUPP;
	/* The doorbell has 16 bits for the consumer's count: a deeper ring
	 * could not tell full from empty. */
	if (!attr->depth || (attr->depth & (attr->depth - 1)) ||
	    attr->depth > profile->max_cqe ||
	    attr->depth > EFA_IO_DB_CONS_MASK / 2 + 1)
		return -EINVAL;
	if (!attr->ring || ((attr->flags & ENGINE_CQ_EVENTS) &&
			    !attr->doorbell))
		return -EINVAL;
	return 0;
}

int engine_cq_create(struct engine_context *ctx,
		     const struct engine_cq_attr *attr, struct engine_cq **out)
{
	struct engine_cq *cq;
	int err;

	err = check_attr(ctx->device->profile, attr);
	if (err)
		return err;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return -ENOMEM;
	err = number_pool_take(&ctx->device->cqs, cq, &cq->number);
	if (err) {
		free(cq);
		return err;
	}
	cq->ctx = ctx;
	cq->ring = attr->ring;
	cq->doorbell = attr->doorbell;
	if (cq->doorbell)
		cq->last_doorbell = doorbell_read(cq->doorbell);
	cq->depth = attr->depth;
	cq->flags = attr->flags;
	cq->opaque = attr->opaque;
	cq->event_sn = -1;
	cq->serial = ++ctx->device->engine->next_cq_serial;
	LIST_INSERT_HEAD(&ctx->cqs, cq, link);
	if (cq->flags & ENGINE_CQ_EVENTS)
		LIST_INSERT_HEAD(&ctx->device->engine->event_cqs, cq,
				 event_link);
	trace_command(ctx->device, TRACE_CREATE_CQ, cq->number, cq->depth,
		      cq->flags);
	*out = cq;
	return 0;
}

uint16_t engine_cq_number(const struct engine_cq *cq)
{
	return cq->number;
}

void engine_cq_read_counters(const struct engine_cq *cq,
			     struct engine_cq_counters *out)
{
	*out = cq->counters;
	out->events = cq->event_count;
}

uint32_t engine_cq_event_count(const struct engine_cq *cq)
{
	return cq->event_count;
}

/*
 * A count is exact when it is stored. One stored after the doorbell was last
 * read, when @before entries had been written, tells of the consumer's place
 * at a later time: what lay more than a ring ahead of it was overwritten
 * before it was taken. The least lag that the count allows is taken.
 */
static void check_overrun(struct engine_cq *cq, uint32_t doorbell,
			  uint32_t before)
{
	uint32_t lag = (cq->produced - doorbell) & EFA_IO_DB_CONS_MASK;
	uint32_t since = cq->produced - before;

	if (lag > since && lag - since > cq->depth)
		rule_broken(cq->ctx, &cq->reported, ENGINE_RULE_CQ_OVERRUN,
			    "CQ %u: entry %u was overwritten: the doorbell says %u consumed when %u had been written to a ring of %u",
			    cq->number, before - (lag - since),
			    doorbell & EFA_IO_DB_CONS_MASK,
			    before & EFA_IO_DB_CONS_MASK, cq->depth);
}

/*
 * Follows the consumer's count: it may lag as far as it likes, but not tell
 * of entries that were never written.
 */
static void follow_consumer(struct engine_cq *cq)
{
	uint32_t before = cq->seen_produced, doorbell, taken;

	if (cq->broken || !cq->doorbell)
		return;
	doorbell = doorbell_read(cq->doorbell);
	cq->seen_produced = cq->produced;
	if (doorbell == cq->last_doorbell)
		return;
	cq->last_doorbell = doorbell;
	cq->counters.doorbells++;
	taken = (doorbell - cq->consumed) & EFA_IO_DB_CONS_MASK;
	if (taken <= cq->produced - cq->consumed) {
		cq->consumed += taken;
		check_overrun(cq, doorbell, before);
		return;
	}
	cq->broken = true;
	rule_broken(cq->ctx, &cq->reported, ENGINE_RULE_CQ_DOORBELL,
		    "CQ %u: doorbell says %u entries consumed, written were %u of %u",
		    cq->number, doorbell & EFA_IO_DB_CONS_MASK,
		    cq->produced & EFA_IO_DB_CONS_MASK, cq->depth);
}

int engine_cq_destroy(struct engine_cq *cq)
{
	if (cq->users)
		return -EBUSY;
	/* What it said last is not to be passed over. */
	follow_consumer(cq);
	trace_command(cq->ctx->device, TRACE_DESTROY_CQ, cq->number, 0);
	number_pool_return(&cq->ctx->device->cqs, cq->number);
	LIST_REMOVE(cq, link);
	if (cq->flags & ENGINE_CQ_EVENTS)
		LIST_REMOVE(cq, event_link);
	cq_event_fault_forget(cq);
	free(cq);
	return 0;
}

/*
 * The word with the phase bit goes last: its release pairs with the
 * consumer's read barrier between the phase bit and the rest.
 */
static void write_entry(struct engine_cq *cq, struct efa_io_cdesc *entry)
{
	uint8_t *slot = cq->ring + (size_t)(cq->produced & (cq->depth - 1)) *
		EFA_IO_CDESC_SIZE;
	uint32_t first_word;

	if (!(cq->produced & cq->depth))
		entry->flags |= EFA_IO_CDESC_PHASE;
	memcpy(&first_word, entry, sizeof(first_word));
	memcpy(slot + sizeof(first_word), (uint8_t *)entry + sizeof(first_word),
	       sizeof(*entry) - sizeof(first_word));
	__atomic_store_n((uint32_t *)slot, first_word, __ATOMIC_RELEASE);
	cq->produced++;
}

void comp_ring_post(struct engine_cq *cq, const struct efa_io_cdesc *entry)
{
	struct engine_device_counters *counters = &cq->ctx->device->counters;
	struct efa_io_cdesc written = *entry;

	follow_consumer(cq);
	if (cq->broken)
		return;
	write_entry(cq, &written);
	trace_cqe(cq, &written);
	counters->completions++;
	cq->counters.completions++;
	if (written.status != EFA_IO_COMP_STATUS_OK) {
		counters->error_completions++;
		cq->counters.errors++;
	}
}

bool comp_ring_give_event(struct engine_cq *cq)
{
	struct engine *engine = cq->ctx->device->engine;
	uint32_t doorbell = doorbell_read(cq->doorbell);
	int sn = (doorbell & EFA_IO_DB_CMD_SN) >> EFA_IO_DB_CMD_SN_SHIFT;
	uint32_t unread = (cq->produced - doorbell) & EFA_IO_DB_CONS_MASK;

	if (sn == cq->event_sn)
		return false;
	if (fault_plan_watches(&engine->faults, FAULT_BIT(FAULT_CQ_EVENT)) ?
	    !cq_event_fault_gives(cq, sn, unread) : !unread)
		return false;
	cq->event_sn = sn;
	cq->event_fault.is_decided = false;
	cq->event_count++;
	if (engine->ops->cq_event)
		engine->ops->cq_event(engine->owner, cq->opaque);
	return true;
}
