/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/device_state.h"
#include "engine/guest_copy.h"
#include "engine/held_completion.h"
#include "engine/late_message.h"
#include "engine/payload_stage.h"
#include "engine/remote_op.h"
#include "engine/send_op.h"

#define QPN_BITS	16	/* as wide as in a completion */
#define PDN_BITS	16
#define KEY_BITS	24	/* as wide as in a descriptor */

struct engine *engine_create(const struct engine_ops *ops, void *owner)
{
	struct engine *engine = calloc(1, sizeof(*engine));

	if (!engine)
		return NULL;
	engine->bounce = malloc(GUEST_COPY_BOUNCE_BYTES);
	engine->stage = malloc(PAYLOAD_STAGE_BYTES);
	if (!engine->bounce || !engine->stage) {
		free(engine->bounce);
		free(engine->stage);
		free(engine);
		return NULL;
	}
	engine->stage_turn = 1;		/* no request is of turn 0 */
	fault_plan_init(&engine->faults);
	TAILQ_INIT(&engine->orphan_completions);
	TAILQ_INIT(&engine->late_messages);
	engine->ops = ops;
	engine->owner = owner;
	LIST_INIT(&engine->devices);
	LIST_INIT(&engine->event_cqs);
	TAILQ_INIT(&engine->turns);
	LIST_INIT(&engine->hosts);
	TAILQ_INIT(&engine->free_ops);
	SLIST_INIT(&engine->op_slabs);
	return engine;
}

static void free_tables(struct engine_device *device)
{
	number_pool_fini(&device->qpns);
	number_pool_fini(&device->cqs);
	number_pool_fini(&device->pds);
	number_pool_fini(&device->keys);
	number_pool_fini(&device->ahs);
	number_pool_fini(&device->cntrs);
}

static void destroy_device(struct engine_device *device)
{
	while (!LIST_EMPTY(&device->contexts))
		engine_context_destroy(LIST_FIRST(&device->contexts));
	free_tables(device);
	LIST_REMOVE(device, link);
	free(device);
}

void engine_destroy(struct engine *engine)
{
	while (!LIST_EMPTY(&engine->devices))
		destroy_device(LIST_FIRST(&engine->devices));
	while (!LIST_EMPTY(&engine->hosts))
		engine_host_destroy(LIST_FIRST(&engine->hosts));
	remote_op_fini(engine);
	due_heap_fini(&engine->timers);
	due_heap_fini(&engine->event_due);
	held_completion_fini(engine);
	late_message_fini(engine);
	fault_plan_fini(&engine->faults);
	send_op_fini(engine);
	free(engine->bounce);
	free(engine->stage);
	free(engine);
}

/*
 * CQ and AH numbers come back as they are: drivers index tables with them,
 * and no generation of theirs is known.
 */
static int create_tables(struct engine_device *device)
{
	const struct device_profile *profile = device->profile;

	if (number_pool_init(&device->qpns, profile->max_qp, QPN_BITS) ||
	    number_pool_init(&device->cqs, profile->max_cq, 0) ||
	    number_pool_init(&device->pds, profile->max_pd, PDN_BITS) ||
	    number_pool_init(&device->keys, profile->max_mr, KEY_BITS) ||
	    number_pool_init(&device->ahs, profile->max_ah, 0) ||
	    number_pool_init(&device->cntrs, profile->max_comp_cntr, 0)) {
		free_tables(device);
		return -ENOMEM;
	}
	number_pool_start_at(&device->qpns, profile->qpn_start);
	if (profile->qpn_reuse_first)
		number_pool_reuse_first(&device->qpns);
	return 0;
}

int engine_device_create(struct engine *engine,
			 const struct device_profile *profile,
			 const uint8_t gid[16], struct engine_device **out)
{
	struct engine_device *device;

	LIST_FOREACH(device, &engine->devices, link)
		if (!memcmp(device->gid, gid, sizeof(device->gid)))
			return -EEXIST;
	device = calloc(1, sizeof(*device));
	if (!device)
		return -ENOMEM;
	device->engine = engine;
	device->profile = profile;
	memcpy(device->gid, gid, sizeof(device->gid));
	LIST_INIT(&device->contexts);
	if (create_tables(device)) {
		free(device);
		return -ENOMEM;
	}
	device->index = engine->device_count++;
	LIST_INSERT_HEAD(&engine->devices, device, link);
	*out = device;
	return 0;
}

const struct device_profile *
engine_device_profile(const struct engine_device *device)
{
	return device->profile;
}

const uint8_t *engine_device_gid(const struct engine_device *device)
{
	return device->gid;
}

uint16_t engine_device_index(const struct engine_device *device)
{
	return device->index;
}

uint64_t engine_device_rule_breaks(const struct engine_device *device,
				   enum engine_rule rule)
{
	return device->rule_breaks[rule];
}

void engine_device_read_counters(const struct engine_device *device,
				 struct engine_device_counters *out)
{
	*out = device->counters;
	out->pds = device->pds.live;
	out->mrs = device->keys.live;
	out->cqs = device->cqs.live;
	out->qps = device->qpns.live;
	out->ahs = device->ahs.live;
	out->cntrs = device->cntrs.live;
}
