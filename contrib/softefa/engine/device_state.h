/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the modules of the engine know of the objects above them: engine,
 * device, context, protection domain. Data only; each list is walked and
 * changed by the module of its elements, and by the context's teardown.
 */
#ifndef ENGINE_DEVICE_STATE_H
#define ENGINE_DEVICE_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "engine/due_heap.h"
#include "engine/engine.h"
#include "engine/fault_plan.h"
#include "engine/number_pool.h"
#include "engine/op_fault.h"

TAILQ_HEAD(qp_list, engine_qp);
TAILQ_HEAD(op_list, send_op);
LIST_HEAD(cq_list, engine_cq);
LIST_HEAD(mr_list, engine_mr);
LIST_HEAD(ah_list, engine_ah);
LIST_HEAD(pd_list, engine_pd);
LIST_HEAD(cntr_list, engine_comp_cntr);
LIST_HEAD(context_list, engine_context);
TAILQ_HEAD(turn_list, engine_context);
LIST_HEAD(host_list, engine_host);
SLIST_HEAD(op_slab_list, send_op_slab);
TAILQ_HEAD(held_list, held_completion);
TAILQ_HEAD(late_list, late_message);

struct engine {
	const struct engine_ops *ops;
	void *owner;
	LIST_HEAD(, engine_device) devices;

	/* of all devices, for the poll loop */
	struct turn_list turns;		/* the contexts, in their order */
	uint32_t num_qps;
	struct cq_list event_cqs;	/* those with ENGINE_CQ_EVENTS */
	struct due_heap timers;		/* of struct send_op.due */
	uint64_t now_ns;		/* of the current engine_poll */
	bool is_traced;			/* see engine_ops.trace */
	uint64_t faults_told;		/* of faults.logged, in the trace */

	struct host_list hosts;		/* other hosts */
	struct number_pool remote_ops;	/* out to them; empty without any */

	struct op_list free_ops;
	struct op_slab_list op_slabs;
	uint64_t next_qp_serial, next_cq_serial;
	uint16_t device_count;
	void *bounce;			/* GUEST_COPY_BOUNCE_BYTES */
	uint8_t *stage;			/* PAYLOAD_STAGE_BYTES */
	uint64_t stage_turn;		/* which staged payloads are good */

	/* faults, and what they keep back */
	struct fault_plan faults;
	struct op_fault_list fault_window[FAULT_MAX_WINDOW];
	struct held_list orphan_completions;	/* of QPs that are gone */
	uint32_t held_count;			/* with those of QPs */
	struct due_heap held_due;	/* of struct held_completion.due */
	struct late_list late_messages;	/* all in late_due */
	uint32_t late_count;
	struct due_heap late_due;	/* of struct late_message.due */
	struct due_heap event_due;	/* of struct cq_event_fault.due */
};

#define DEVICE_AH_BUCKETS	1024u	/* a power of two */

struct engine_device {
	struct engine *engine;
	const struct device_profile *profile;
	uint8_t gid[16];
	uint16_t index;		/* in the order of creation */
	struct number_pool qpns, cqs, pds, keys, ahs, cntrs;
	struct ah_list ah_hash[DEVICE_AH_BUCKETS];	/* by PD and GID */
	struct context_list contexts;
	uint32_t mr_pages;		/* of all regions */
	struct engine_device_counters counters;
	uint64_t rule_breaks[ENGINE_RULES];
	LIST_ENTRY(engine_device) link;
};

struct engine_context {
	struct engine_device *device;
	struct guest_memory *mem;
	void *opaque;
	bool dead;		/* mem said -ESRCH: nothing is carried out */
	uint64_t spent;		/* of its share of the current engine_poll */
	struct qp_list qps;	/* whose turn is next goes first */
	struct pd_list pds;
	struct cq_list cqs;
	struct cntr_list cntrs;
	LIST_ENTRY(engine_context) link;
	TAILQ_ENTRY(engine_context) turn_link;
};

struct engine_pd {
	struct engine_context *ctx;
	uint32_t number;
	uint32_t users;		/* MRs, AHs and QPs */
	struct mr_list mrs;
	struct ah_list ahs;
	struct qp_list qps;
	LIST_ENTRY(engine_pd) link;
};

#endif /* ENGINE_DEVICE_STATE_H */
