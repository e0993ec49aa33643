/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An engine with two devices on a bench: guests made of an array, rings in
 * plain memory, a clock that is set by hand. For the tests of the engine;
 * anything that fails in here ends the test.
 */
#ifndef SOFTEFA_TEST_ENGINE_RIG_H
#define SOFTEFA_TEST_ENGINE_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "hw/efa_io_defs.h"

#define RIG_MEMORY_BYTES	(4u << 20)	/* of a guest, unless changed */
#define RIG_MEMORY_BASE		0x7000000000ull	/* of a guest's addresses */
#define RIG_QKEY		0x1234u
#define RIG_IMM			0xc0ffee11u

struct far_host;

struct rig {
	struct engine *engine;
	struct engine_device *device[2];
	uint64_t now_ns;
	uint32_t memory_bytes;		/* of guests to come */
	unsigned events;		/* given */
	void *event_opaque;		/* of the last one */
	unsigned rules;			/* reported */
	enum engine_rule rule;		/* the last one */
	char rule_text[ENGINE_RULE_TEXT];
	void *rule_opaque;
	/* Given what the engine traces, once it is told to; NULL: nobody. */
	void (*trace)(struct rig *rig, const struct trace_event *event);
	struct far_host *far;		/* the other host; NULL: none */
};

struct rig_guest {
	struct guest_memory mem;	/* first member */
	struct rig *rig;
	unsigned device;		/* 0 or 1 */
	uint8_t *memory;
	uint32_t memory_bytes;
	uint64_t hole_start, hole_bytes;	/* an offset; inaccessible */
	bool is_gone;
	unsigned reads, reads_of_many;	/* calls of read and read_many */
	struct engine_context *ctx;
	struct engine_pd *pd;
	struct engine_mr *mr;		/* of all memory and all access */
	uint32_t key;
	struct engine_ah *ah[2];	/* of the two devices */
};

struct rig_cq {
	struct engine_cq *cq;
	uint8_t *ring;
	uint32_t doorbell;
	uint32_t depth, consumed;
	unsigned sn;			/* events taken */
};

struct rig_qp {
	struct engine_qp *qp;
	struct rig_guest *guest;
	struct rig_cq *send_cq, *recv_cq;
	uint8_t *sq_ring, *rq_ring;
	uint32_t sq_doorbell, rq_doorbell;
	uint32_t sq_depth, wqe_size, rq_depth;
	uint32_t sq_posted, rq_posted;
	bool has_wide_ids;
};

/* What differs from a usual QP: zero is 16 entries of 64 bytes, 16 receives. */
struct rig_qp_opts {
	uint32_t sq_depth, wqe_size, rq_depth;
	uint32_t flags;
	bool has_no_rq;
};

/* Devices of the named profiles; NULL: the default one. */
void rig_init(struct rig *rig, const char *profile0, const char *profile1);
/* The same with profiles that are no presets; they must outlive the rig. */
void rig_init_profiles(struct rig *rig, const struct device_profile *profile0,
		       const struct device_profile *profile1);
void rig_fini(struct rig *rig);

void rig_guest_init(struct rig *rig, struct rig_guest *guest,
		    unsigned device);
/* Destroys the context, if it still is there, and all that is in it. */
void rig_guest_fini(struct rig_guest *guest);
uint64_t rig_addr(const struct rig_guest *guest, uint32_t offset);
/* Fills memory with a pattern of @seed. */
void rig_fill(struct rig_guest *guest, uint32_t offset, uint32_t len_bytes,
	      uint8_t seed);
void rig_assert_filled(const struct rig_guest *guest, uint32_t offset,
		       uint32_t len_bytes, uint8_t seed);

void rig_cq_init(struct rig_guest *guest, struct rig_cq *cq, uint32_t depth,
		 uint32_t flags);
/* The engine's object is gone by then, or goes with the context. */
void rig_cq_fini(struct rig_cq *cq);
/* Takes the next entry if there is one; rings the doorbell. */
bool rig_cq_take(struct rig_cq *cq, struct efa_io_cdesc *entry);
/* The next entry must be there, with this status and request ID. */
struct efa_io_cdesc rig_cq_expect(struct rig_cq *cq,
				  enum efa_io_queue_type queue,
				  enum efa_io_comp_status status,
				  uint16_t req_id);
void rig_cq_expect_empty(struct rig_cq *cq);

/* A QP in RTS, with receive queue. @opts may be NULL. */
void rig_qp_init(struct rig_guest *guest, struct rig_qp *qp,
		 enum engine_qp_type type, struct rig_cq *send_cq,
		 struct rig_cq *recv_cq, const struct rig_qp_opts *opts);
void rig_qp_fini(struct rig_qp *qp);
void rig_qp_to_rts(struct rig_qp *qp, uint8_t rnr_retry);
void rig_qp_set_state(struct rig_qp *qp, enum engine_qp_state state);

/* Entries to be posted; @to is where they go. Members may then be changed. */
struct efa_io_tx_wqe rig_send(struct rig_qp *from, const struct rig_qp *to,
			      uint64_t req_id, uint32_t offset,
			      uint32_t len_bytes);
struct efa_io_tx_wqe rig_inline(struct rig_qp *from, const struct rig_qp *to,
				uint64_t req_id, const void *data,
				uint16_t len_bytes);
struct efa_io_tx_wqe rig_rdma(struct rig_qp *from, const struct rig_qp *to,
			      enum efa_io_send_op_type op, uint64_t req_id,
			      uint32_t local_offset, uint32_t remote_offset,
			      uint32_t len_bytes);
void rig_set_imm(struct efa_io_tx_wqe *wqe);

/* Puts an entry into the ring, phase bit included, without the doorbell. */
void rig_stage(struct rig_qp *qp, const struct efa_io_tx_wqe *wqe);
void rig_ring_sq(struct rig_qp *qp);
/* Both, and polls until nothing is left to do. */
void rig_post(struct rig_qp *qp, const struct efa_io_tx_wqe *wqe);

/* One receive of one descriptor, doorbell included. */
void rig_post_recv(struct rig_qp *qp, uint16_t req_id, uint32_t offset,
		   uint16_t len_bytes);
/* One descriptor with the first and last bits given, without doorbell. */
void rig_stage_recv(struct rig_qp *qp, uint16_t req_id, uint32_t offset,
		    uint16_t len_bytes, uint32_t ctrl);
void rig_ring_rq(struct rig_qp *qp);

/*
 * The usual bench: a guest on each device, each with one CQ of 64 entries
 * and one QP; [0] sends to [1]. @cq_flags, @opts: of both sides.
 */
struct rig_pair {
	struct rig rig;
	struct rig_guest guest[2];
	struct rig_cq cq[2];
	struct rig_qp qp[2];
};
void rig_pair_init(struct rig_pair *pair, enum engine_qp_type type,
		   const char *profile, uint32_t cq_flags,
		   const struct rig_qp_opts *opts);
void rig_pair_fini(struct rig_pair *pair);

/* Sets a fault, which must be well-formed. */
void rig_set_fault(struct rig *rig, const char *text);

/* Polls until nothing is left to do now. */
void rig_poll(struct rig *rig);
/* Lets time pass, then polls. */
void rig_advance(struct rig *rig, uint64_t ns);

struct engine_device_counters rig_counters(const struct rig *rig,
					   unsigned device);

#endif /* SOFTEFA_TEST_ENGINE_RIG_H */
