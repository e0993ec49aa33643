/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The emulated EFA device, as its driver sees it.
 *
 *	daemon (uverbs requests) --> engine.h --> queues, SRD, UD, RDMA
 *
 * The engine owns the device objects and moves the data. It knows no
 * socket, no uverbs and no process: ring and doorbell memory is handed to
 * it, the memory of a client is reached through struct guest_memory, and
 * events leave through struct engine_ops. One thread drives an engine.
 *
 * All functions that create return 0 or a negative errno and set their
 * output only on success. Objects belong to a context; what is still there
 * when the context closes is destroyed with it, in the right order.
 * "Guest" is the client process: every word it can write is hostile.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/fault_spec.h"
#include "engine/profile.h"
#include "engine/rule.h"
#include "trace_file_defs.h"

struct engine;
struct engine_device;
struct engine_context;
struct engine_pd;
struct engine_mr;
struct engine_cq;
struct engine_qp;
struct engine_ah;
struct engine_host;
struct engine_comp_cntr;
struct trace_event;

/* A piece of a client's memory, and where its bytes go. */
struct guest_range {
	uint64_t addr;
	size_t len_bytes;
	void *dst;
};

#define GUEST_READ_RANGES	64u	/* of one read_many */

/* What the links tell apart; packet.h says what each is for. */
enum packet_type {
	PACKET_SEND = 1,
	PACKET_WRITE = 2,
	PACKET_WRITE_END = 3,
	PACKET_READ = 4,
	PACKET_DATAGRAM = 5,
	PACKET_STATUS = 16,
	PACKET_READ_DATA = 17,
};

/*
 * The memory of one client. All return 0, or -EFAULT when any byte of the
 * range cannot be accessed (part of it may then have been copied), or
 * -ESRCH when the client is gone. Addresses are the client's.
 */
struct guest_memory {
	/*
	 * What pinning would find: the whole range is mapped readable, and
	 * writable if @for_write. Touches no byte of it.
	 */
	int (*check)(struct guest_memory *mem, uint64_t addr,
		     uint64_t len_bytes, bool for_write);
	int (*read)(struct guest_memory *mem, uint64_t addr, void *dst,
		    size_t len_bytes);
	int (*write)(struct guest_memory *mem, uint64_t addr, const void *src,
		     size_t len_bytes);
	/*
	 * Reads all of 1 to GUEST_READ_RANGES ranges, none of them empty: for
	 * memory where each call is costly. NULL where it is not.
	 */
	int (*read_many)(struct guest_memory *mem,
			 const struct guest_range *range, unsigned count);
};

/*
 * Calls the engine makes on its owner, from engine_poll and engine_qp_modify
 * and, of broken rules, from what destroys a CQ (trace: from any function).
 * The owner must not call the engine from inside one.
 */
struct engine_ops {
	/*
	 * A CQ with events has entries its consumer has not taken, and no
	 * event of the current sequence number was given yet. @cq_opaque is
	 * the value given at engine_cq_create.
	 */
	void (*cq_event)(void *owner, void *cq_opaque);
	/*
	 * A guest broke @rule: @text says in which queue, at which entry,
	 * and what was found. At most one call per queue and rule; each time
	 * is counted. @context_opaque names the guest.
	 */
	void (*rule_broken)(void *owner, void *context_opaque,
			    enum engine_rule rule, const char *text);
	/*
	 * Something happened that a trace tells of, while the engine is
	 * traced (engine_set_traced). NULL: it cannot be.
	 */
	void (*trace)(void *owner, const struct trace_event *event);
	/*
	 * Other hosts, see below. Both are called from engine_host_receive
	 * as well, and needed once there is a host. packet_send takes a copy
	 * of the packet, of which it looks at the type alone, and returns 0,
	 * or -EAGAIN when a request or datagram has no room: for a request
	 * engine_host_ready follows. An answer always has room.
	 */
	struct engine_host *(*host_of)(void *owner, const uint8_t gid[16]);
	int (*packet_send)(void *owner, void *host_opaque,
			   enum packet_type type, const void *packet,
			   size_t len_bytes);
};

#define ENGINE_RULE_TEXT	256u	/* longest text, with its NUL */

/* ---- devices: all those of one engine reach each other by GID ---- */

struct engine *engine_create(const struct engine_ops *ops, void *owner);
void engine_destroy(struct engine *engine);

/* @gid: 16 bytes, unique in the engine, else -EEXIST. */
int engine_device_create(struct engine *engine,
			 const struct device_profile *profile,
			 const uint8_t gid[16], struct engine_device **device);
const struct device_profile *
engine_device_profile(const struct engine_device *device);
const uint8_t *engine_device_gid(const struct engine_device *device);
/* Counts the devices of an engine from 0, in the order of their creation. */
uint16_t engine_device_index(const struct engine_device *device);

/* Counters since creation, for `softefa show` and for tests. */
struct engine_device_counters {
	uint64_t tx_messages;	/* send WQEs carried out */
	uint64_t tx_bytes;
	uint64_t rx_messages;
	uint64_t rx_bytes;
	uint64_t rdma_reads;
	uint64_t rdma_writes;
	uint64_t sq_doorbells;	/* changes of the word, as seen */
	uint64_t rq_doorbells;
	uint64_t completions;
	uint64_t error_completions;
	uint64_t ud_drops;	/* no receive posted, unknown QP, bad qkey */
	uint64_t rule_breaks;	/* of all rules */
	uint32_t contexts, pds, mrs, cqs, qps, ahs, cntrs;	/* alive now */
};
void engine_device_read_counters(const struct engine_device *device,
				 struct engine_device_counters *out);
/* How often clients of the device broke @rule. */
uint64_t engine_device_rule_breaks(const struct engine_device *device,
				   enum engine_rule rule);

/* ---- other hosts: what the links of the owner reach ---- */

/*
 * An operation to a GID that is of no device of the engine goes to the host
 * that engine_ops.host_of names; NULL: it is unreachable.
 */
int engine_host_create(struct engine *engine, void *opaque,
		       struct engine_host **host);
/* What is out to it ends as with engine_host_lost. */
void engine_host_destroy(struct engine_host *host);

/* All operations that are out to @host end with UNRESP_REMOTE. */
void engine_host_lost(struct engine_host *host);
/* There is room for @packets more requests to @host. */
void engine_host_ready(struct engine_host *host, unsigned packets);

/*
 * A packet of @host, any bytes. The link brings each reliable one once, and
 * a request only when its answer has room. -EPROTO with @reason when it is
 * malformed, or of a GID that is not the host's.
 */
int engine_host_receive(struct engine_host *host, const void *packet,
			size_t len_bytes, const char **reason);

/* ---- contexts: one per open of the device ---- */

/* @mem stays the caller's and must outlive the context. */
int engine_context_create(struct engine_device *device,
			  struct guest_memory *mem, void *opaque,
			  struct engine_context **ctx);
/*
 * Destroys every object of the context. Operations of other contexts that
 * aim at its QPs end as on the device: an error completion, never a hang.
 */
void engine_context_destroy(struct engine_context *ctx);

/* ---- protection domains, memory, addresses ---- */

int engine_pd_create(struct engine_context *ctx, struct engine_pd **pd);
uint16_t engine_pd_number(const struct engine_pd *pd);
int engine_pd_destroy(struct engine_pd *pd);	/* -EBUSY while in use */

#define ENGINE_ACCESS_LOCAL_WRITE	1u	/* the values of verbs */
#define ENGINE_ACCESS_REMOTE_WRITE	2u
#define ENGINE_ACCESS_REMOTE_READ	4u

/*
 * [start, start+length) of the guest becomes reachable at @iova. Refuses
 * access the device cannot give (-EOPNOTSUPP), a range the guest cannot
 * access (-EFAULT), an empty or wrapping range (-EINVAL), one region or page
 * too many (-ENOMEM). lkey is 24 bits, and equal to rkey.
 */
int engine_mr_create(struct engine_pd *pd, uint64_t start, uint64_t length,
		     uint64_t iova, uint32_t access, struct engine_mr **mr);
uint32_t engine_mr_key(const struct engine_mr *mr);
void engine_mr_destroy(struct engine_mr *mr);

int engine_ah_create(struct engine_pd *pd, const uint8_t dgid[16],
		     struct engine_ah **ah);
uint16_t engine_ah_number(const struct engine_ah *ah);
void engine_ah_destroy(struct engine_ah *ah);

/* ---- completion queues ---- */

#define ENGINE_CQ_EVENTS	1u	/* the UHW flags of create_cq */
#define ENGINE_CQ_SGID		2u
#define ENGINE_CQ_SQ_REQ_ID_64	4u

struct engine_cq_attr {
	uint32_t depth;			/* entries, a power of two */
	uint32_t flags;			/* ENGINE_CQ_* */
	void *ring;			/* depth * 32 bytes, zeroed */
	const volatile uint32_t *doorbell;	/* NULL: the CQ has none */
	void *opaque;			/* for engine_ops.cq_event */
};

/*
 * Ring and doorbell stay the caller's; valid until engine_cq_destroy.
 * -EINVAL for a bad depth or events without a doorbell, -EOPNOTSUPP for a
 * flag the device does not have, -ENOMEM for one CQ too many.
 *
 * A CQ is never full for the device: the oldest entries are overwritten
 * when its consumer is too slow. The doorbell cannot tell in time: rdma-core
 * rings it only when a poll stops at an entry, not when it has read them all,
 * and libfabric's efa provider before 2.3 never does. But when it is rung it
 * is exact, and can prove that the consumer was lapped before: that is told.
 * A doorbell that tells of entries that were not written breaks the CQ: it
 * takes no further entry and its QPs go to ERR.
 */
int engine_cq_create(struct engine_context *ctx,
		     const struct engine_cq_attr *attr, struct engine_cq **cq);
uint16_t engine_cq_number(const struct engine_cq *cq);
/* Events given so far, as destroy_cq reports them. */
uint32_t engine_cq_event_count(const struct engine_cq *cq);

/* What a CQ did since its creation. */
struct engine_cq_counters {
	uint64_t doorbells;	/* changes, as seen */
	uint64_t completions;	/* entries written; errors among them: */
	uint64_t errors;
	uint64_t events;	/* given */
};
void engine_cq_read_counters(const struct engine_cq *cq,
			     struct engine_cq_counters *out);
int engine_cq_destroy(struct engine_cq *cq);	/* -EBUSY while a QP uses it */

/* ---- queue pairs ---- */

enum engine_qp_type { ENGINE_QP_SRD, ENGINE_QP_UD };

/* The values of enum ibv_qp_state. */
enum engine_qp_state {
	ENGINE_QP_RESET = 0,
	ENGINE_QP_INIT = 1,
	ENGINE_QP_RTR = 2,
	ENGINE_QP_RTS = 3,
	ENGINE_QP_SQD = 4,
	ENGINE_QP_ERR = 6,
};

#define ENGINE_QP_UNSOLICITED_WRITE_RECV	1u	/* UHW flags */
#define ENGINE_QP_SQ_REQ_ID_64			2u

struct engine_qp_attr {
	enum engine_qp_type type;
	struct engine_cq *send_cq;
	struct engine_cq *recv_cq;
	uint32_t sq_depth;		/* WQEs, a power of two */
	uint32_t sq_ring_bytes;		/* / sq_depth = 64 or 128 */
	uint32_t rq_ring_bytes;		/* 16 per descriptor; 0: no RQ */
	uint32_t max_send_sge;
	uint32_t max_recv_sge;
	uint32_t max_inline;
	uint32_t flags;			/* ENGINE_QP_* */
	const void *sq_ring;
	const void *rq_ring;
	/*
	 * Written by the engine as well: zeroed at creation and on the way
	 * to RESET, where the driver restarts its counters, so that the
	 * first count after it is seen even if it equals the last before.
	 */
	volatile uint32_t *sq_doorbell;
	volatile uint32_t *rq_doorbell;
};

/*
 * Checks the attributes against the profile before there are rings (ring
 * and doorbell pointers are not looked at): -EINVAL beyond a limit or for a
 * CQ of another context, -EOPNOTSUPP for a flag the device does not have.
 */
int engine_qp_attr_check(const struct engine_pd *pd,
			 const struct engine_qp_attr *attr);

/*
 * Rings and doorbells stay the caller's, valid until engine_qp_destroy.
 * Destroying a QP ends its outstanding work without completions.
 */
int engine_qp_create(struct engine_pd *pd, const struct engine_qp_attr *attr,
		     struct engine_qp **qp);
uint32_t engine_qp_number(const struct engine_qp *qp);	/* 1 .. 65535 */
void engine_qp_destroy(struct engine_qp *qp);

/*
 * What a QP did since its creation. Bytes and packets are those of operations
 * that it completed well, as sender or reader, and of messages and immediate
 * data that it received: of an RDMA operation whose target it was it knows
 * nothing, as on the device. A packet is what an MTU holds.
 */
struct engine_qp_counters {
	uint64_t sq_doorbells, rq_doorbells;	/* changes, as seen */
	uint64_t wqes;		/* send queue entries taken */
	uint64_t receives;	/* receives completed */
	uint64_t tx_packets, rx_packets;
	uint64_t tx_bytes, rx_bytes;
	uint64_t rnr;		/* times that a receiver was not ready */
	uint64_t completions;	/* of both queues; errors among them: */
	uint64_t errors;
};
void engine_qp_read_counters(const struct engine_qp *qp,
			     struct engine_qp_counters *out);

/* What modify_qp changes and query_qp reports. */
struct engine_qp_state_attr {
	enum engine_qp_state state;
	uint32_t qkey;
	uint32_t sq_psn;
	uint8_t rnr_retry;		/* 7 = without end */
	uint16_t pkey_index;
	uint8_t port;
	enum engine_qp_state cur_state;	/* what the driver believes */
};

/* Bits of enum ibv_qp_attr_mask that the device knows. */
#define ENGINE_QPA_STATE	(1u << 0)
#define ENGINE_QPA_CUR_STATE	(1u << 1)
#define ENGINE_QPA_EN_SQD_ASYNC	(1u << 2)
#define ENGINE_QPA_PKEY_INDEX	(1u << 4)
#define ENGINE_QPA_PORT		(1u << 5)
#define ENGINE_QPA_QKEY		(1u << 6)
#define ENGINE_QPA_SQ_PSN	(1u << 16)
#define ENGINE_QPA_RNR_RETRY	(1u << 11)

/*
 * The transitions of the efa kernel driver. -EOPNOTSUPP for a mask bit EFA
 * does not know, a port other than 1, a pkey index other than 0, or
 * RNR_RETRY on a device without it; -EINVAL for a transition that does not
 * exist, misses a required attribute or has one it does not take, or for a
 * cur_state (with CUR_STATE) that is not the QP's. Entering ERR flushes:
 * every outstanding WR completes with FLUSHED. Entering RESET forgets them.
 */
int engine_qp_modify(struct engine_qp *qp,
		     const struct engine_qp_state_attr *attr, uint32_t mask);
void engine_qp_query(const struct engine_qp *qp,
		     struct engine_qp_state_attr *out);

/* ---- faults: fault_spec.h has the grammar, fault_plan.h the rest ---- */

/* Sets a fault; as fault_plan_add. */
int engine_fault_add(struct engine *engine, const char *text,
		     char error[FAULT_ERROR_BYTES]);
/* The plan, for events that the engine does not see: those of links. */
struct fault_plan *engine_fault_plan(struct engine *engine);
/*
 * Takes a fault back, all with @id 0; -ENOENT. What it has decided about
 * operations in flight stays decided.
 */
int engine_fault_clear(struct engine *engine, uint32_t id);
/* As fault_plan_list and fault_plan_log. */
size_t engine_fault_list(const struct engine *engine, char *text,
			 size_t text_bytes);
uint64_t engine_fault_log(const struct engine *engine, uint64_t from,
			  char *text, size_t text_bytes, size_t *len_bytes);
/*
 * A control command for @device is about to run: 0, or the negative errno
 * that it is to fail with instead.
 */
int engine_fault_command(struct engine_device *device,
			 enum fault_command command);

/* ---- completion counters ---- */

/* The operations of a QP that can be counted, as uverbs numbers them. */
#define ENGINE_CNTR_SEND		1u
#define ENGINE_CNTR_RECV		2u
#define ENGINE_CNTR_READ		4u
#define ENGINE_CNTR_REMOTE_READ		8u	/* by the peer */
#define ENGINE_CNTR_WRITE		16u
#define ENGINE_CNTR_REMOTE_WRITE	32u
#define ENGINE_CNTR_OPS			6u	/* bits */

/* The values of enum ib_uverbs_comp_cntr_entry. */
enum engine_cntr_part { ENGINE_CNTR_COMP, ENGINE_CNTR_ERR, ENGINE_CNTR_PARTS };

/* Those that the device counts; 0 without DEVICE_CAP_COMP_CNTR. */
uint32_t engine_comp_cntr_ops(const struct engine_device *device);

/*
 * A counter at 0 whose parts are written to the 8 bytes at @addr of the
 * guest. -EOPNOTSUPP when the device has none, -EINVAL for an address that
 * is no multiple of 8, -EFAULT for one that cannot be written, -ENOMEM for
 * one counter too many.
 */
int engine_comp_cntr_create(struct engine_context *ctx,
			    const uint64_t addr[ENGINE_CNTR_PARTS],
			    struct engine_comp_cntr **cntr);
/* -EBUSY while attached to a QP that exists. */
int engine_comp_cntr_destroy(struct engine_comp_cntr *cntr);
void engine_comp_cntr_set(struct engine_comp_cntr *cntr,
			  enum engine_cntr_part part, uint64_t value);
uint64_t engine_comp_cntr_read(const struct engine_comp_cntr *cntr,
			       enum engine_cntr_part part);

/*
 * Counts the @ops (ENGINE_CNTR_*) of @qp from now on until it is destroyed:
 * every work request of its own that ends, completion asked for or not, and
 * every RDMA operation of a peer that it carried out. -EINVAL unless the QP
 * is in RESET or INIT and of the same context, -EBUSY when one of @ops has a
 * counter, -EOPNOTSUPP for one that the device cannot count.
 */
int engine_qp_attach_comp_cntr(struct engine_qp *qp,
			       struct engine_comp_cntr *cntr, uint32_t ops);

/* ---- running ---- */

/*
 * One pass over all queues: reads doorbells, carries out at most a bounded
 * share of each queue, writes completions, gives events. Returns the
 * number of things done; 0 means that the caller may sleep.
 * @now_ns: CLOCK_MONOTONIC; the engine reads no clock of its own.
 */
unsigned engine_poll(struct engine *engine, uint64_t now_ns);

/*
 * True while some doorbell exists whose change must be noticed, that of a
 * QP or of a CQ with events: polling makes sense.
 */
bool engine_has_queues(const struct engine *engine);

/*
 * Nanoseconds until an RNR retry or another timer is due, UINT64_MAX if
 * none is pending. @now_ns: CLOCK_MONOTONIC.
 */
uint64_t engine_next_timer_ns(const struct engine *engine, uint64_t now_ns);

/* ---- watching ---- */

/* From now on engine_ops.trace is called, or no longer. */
void engine_set_traced(struct engine *engine, bool is_traced);

/* A text of the owner's own, TRACE_RULE or TRACE_FAULT, if traced. */
void engine_trace_text(const struct engine_device *device,
		       enum trace_kind kind, const char *text);

#endif /* ENGINE_ENGINE_H */
