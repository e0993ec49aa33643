/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/engine_rig.h"
#include "test/far_host.h"

/* ---- the engine and its owner ---- */

static void note_event(void *owner, void *cq_opaque)
{
	struct rig *rig = owner;

	rig->events++;
	rig->event_opaque = cq_opaque;
}

static void note_rule(void *owner, void *context_opaque,
		      enum engine_rule rule, const char *text)
{
	struct rig *rig = owner;

	rig->rules++;
	rig->rule = rule;
	rig->rule_opaque = context_opaque;
	snprintf(rig->rule_text, sizeof(rig->rule_text), "%s", text);
}

static void note_trace(void *owner, const struct trace_event *event)
{
	struct rig *rig = owner;

	if (rig->trace)
		rig->trace(rig, event);
}

static struct engine_host *host_of(void *owner, const uint8_t gid[16])
{
	const struct far_host *far = ((struct rig *)owner)->far;

	return far && !memcmp(gid, far->gid, 16) ? far->host : NULL;
}

static int send_to_host(void *owner, void *host_opaque, enum packet_type type,
			const void *packet, size_t len_bytes)
{
	return far_host_note(host_opaque, type, packet, len_bytes);
}

static const struct engine_ops ops = {
	.host_of = host_of,
	.packet_send = send_to_host,
	.cq_event = note_event,
	.rule_broken = note_rule,
	.trace = note_trace,
};

void rig_init_profiles(struct rig *rig, const struct device_profile *profile0,
		       const struct device_profile *profile1)
{
	const struct device_profile *profiles[2] = { profile0, profile1 };
	uint8_t gid[16] = { 0xfe, 0x80 };
	unsigned i;

	memset(rig, 0, sizeof(*rig));
	rig->memory_bytes = RIG_MEMORY_BYTES;
	rig->engine = engine_create(&ops, rig);
	assert_non_null(rig->engine);
	for (i = 0; i < 2; i++) {
		assert_non_null(profiles[i]);
		gid[15] = i + 1;
		assert_int_equal(engine_device_create(rig->engine, profiles[i],
						      gid, &rig->device[i]),
				 0);
	}
}

static const struct device_profile *preset(const char *name)
{
	return name ? profile_find(name) : profile_at(0);
}

void rig_init(struct rig *rig, const char *profile0, const char *profile1)
{
	rig_init_profiles(rig, preset(profile0), preset(profile1));
}

void rig_fini(struct rig *rig)
{
	engine_destroy(rig->engine);
}

void rig_set_fault(struct rig *rig, const char *text)
{
	char error[FAULT_ERROR_BYTES];

	if (engine_fault_add(rig->engine, text, error) <= 0)
		fail_msg("%s: %s", text, error);
}

void rig_poll(struct rig *rig)
{
	unsigned turns = 0;

	while (engine_poll(rig->engine, rig->now_ns))
		assert_true(++turns < 100000);
}

void rig_advance(struct rig *rig, uint64_t ns)
{
	rig->now_ns += ns;
	rig_poll(rig);
}

struct engine_device_counters rig_counters(const struct rig *rig,
					   unsigned device)
{
	struct engine_device_counters counters;

	engine_device_read_counters(rig->device[device], &counters);
	return counters;
}

/* ---- guests ---- */

static int locate(struct guest_memory *mem, uint64_t addr, uint64_t len_bytes,
		  uint64_t *offset)
{
	struct rig_guest *guest = (struct rig_guest *)mem;

	if (guest->is_gone)
		return -ESRCH;
	*offset = addr - RIG_MEMORY_BASE;
	if (*offset > guest->memory_bytes ||
	    len_bytes > guest->memory_bytes - *offset)
		return -EFAULT;
	if (guest->hole_bytes && *offset < guest->hole_start +
	    guest->hole_bytes && guest->hole_start < *offset + len_bytes)
		return -EFAULT;
	return 0;
}

static int guest_check(struct guest_memory *mem, uint64_t addr,
		       uint64_t len_bytes, bool for_write)
{
	uint64_t offset;

	return locate(mem, addr, len_bytes, &offset);
}

static int copy_out(struct rig_guest *guest, uint64_t addr, void *dst,
		    size_t len_bytes)
{
	uint64_t offset;
	int err = locate(&guest->mem, addr, len_bytes, &offset);

	if (!err)
		memcpy(dst, guest->memory + offset, len_bytes);
	return err;
}

static int guest_read(struct guest_memory *mem, uint64_t addr, void *dst,
		      size_t len_bytes)
{
	struct rig_guest *guest = (struct rig_guest *)mem;

	guest->reads++;
	return copy_out(guest, addr, dst, len_bytes);
}

static int guest_read_many(struct guest_memory *mem,
			   const struct guest_range *range, unsigned count)
{
	struct rig_guest *guest = (struct rig_guest *)mem;
	int err = 0;

	guest->reads_of_many++;
	assert_true(count && count <= GUEST_READ_RANGES);
	for (; count && !err; count--, range++) {
		assert_true(range->len_bytes);
		err = copy_out(guest, range->addr, range->dst,
			       range->len_bytes);
	}
	return err;
}

static int guest_write(struct guest_memory *mem, uint64_t addr,
		       const void *src, size_t len_bytes)
{
	uint64_t offset;
	int err = locate(mem, addr, len_bytes, &offset);

	if (!err)
		memcpy(((struct rig_guest *)mem)->memory + offset, src,
		       len_bytes);
	return err;
}

static uint32_t all_access(const struct engine_device *device)
{
	uint32_t caps = engine_device_profile(device)->device_caps;
	uint32_t access = ENGINE_ACCESS_LOCAL_WRITE;

	if (caps & DEVICE_CAP_RDMA_READ)
		access |= ENGINE_ACCESS_REMOTE_READ;
	if (caps & DEVICE_CAP_RDMA_WRITE)
		access |= ENGINE_ACCESS_REMOTE_WRITE;
	return access;
}

void rig_guest_init(struct rig *rig, struct rig_guest *guest,
		    unsigned device)
{
	unsigned i;

	memset(guest, 0, sizeof(*guest));
	guest->mem.check = guest_check;
	guest->mem.read = guest_read;
	guest->mem.read_many = guest_read_many;
	guest->mem.write = guest_write;
	guest->rig = rig;
	guest->device = device;
	guest->memory_bytes = rig->memory_bytes;
	guest->memory = calloc(1, guest->memory_bytes);
	assert_non_null(guest->memory);
	assert_int_equal(engine_context_create(rig->device[device],
					       &guest->mem, guest,
					       &guest->ctx), 0);
	assert_int_equal(engine_pd_create(guest->ctx, &guest->pd), 0);
	assert_int_equal(engine_mr_create(guest->pd, RIG_MEMORY_BASE,
					  guest->memory_bytes, RIG_MEMORY_BASE,
					  all_access(rig->device[device]),
					  &guest->mr), 0);
	guest->key = engine_mr_key(guest->mr);
	for (i = 0; i < 2; i++)
		assert_int_equal(engine_ah_create(guest->pd,
				engine_device_gid(rig->device[i]),
				&guest->ah[i]), 0);
}

void rig_guest_fini(struct rig_guest *guest)
{
	if (guest->ctx)
		engine_context_destroy(guest->ctx);
	free(guest->memory);
}

uint64_t rig_addr(const struct rig_guest *guest, uint32_t offset)
{
	assert_true(offset <= guest->memory_bytes);
	return RIG_MEMORY_BASE + offset;
}

static uint8_t pattern(uint32_t index, uint8_t seed)
{
	return index * 31 + (index >> 8) * 7 + seed;
}

void rig_fill(struct rig_guest *guest, uint32_t offset, uint32_t len_bytes,
	      uint8_t seed)
{
	uint32_t i;

	for (i = 0; i < len_bytes; i++)
		guest->memory[offset + i] = pattern(i, seed);
}

void rig_assert_filled(const struct rig_guest *guest, uint32_t offset,
		       uint32_t len_bytes, uint8_t seed)
{
	uint32_t i;

	for (i = 0; i < len_bytes; i++)
		if (guest->memory[offset + i] != pattern(i, seed))
			fail_msg("byte %u of %u differs", i, len_bytes);
}

/* ---- completion queues ---- */

void rig_cq_init(struct rig_guest *guest, struct rig_cq *cq, uint32_t depth,
		 uint32_t flags)
{
	struct engine_cq_attr attr = {
		.depth = depth,
		.flags = flags,
		.opaque = cq,
	};

	memset(cq, 0, sizeof(*cq));
	cq->depth = depth;
	cq->ring = calloc(depth, EFA_IO_CDESC_SIZE);
	assert_non_null(cq->ring);
	attr.ring = cq->ring;
	attr.doorbell = &cq->doorbell;
	assert_int_equal(engine_cq_create(guest->ctx, &attr, &cq->cq), 0);
}

void rig_cq_fini(struct rig_cq *cq)
{
	free(cq->ring);
}

bool rig_cq_take(struct rig_cq *cq, struct efa_io_cdesc *entry)
{
	uint8_t phase = cq->consumed & cq->depth ? 0 : EFA_IO_CDESC_PHASE;

	memcpy(entry, cq->ring + (size_t)(cq->consumed & (cq->depth - 1)) *
	       EFA_IO_CDESC_SIZE, sizeof(*entry));
	if ((entry->flags & EFA_IO_CDESC_PHASE) != phase)
		return false;
	cq->consumed++;
	cq->doorbell = (cq->consumed & EFA_IO_DB_CONS_MASK) |
		(cq->sn & 3) << EFA_IO_DB_CMD_SN_SHIFT;
	return true;
}

struct efa_io_cdesc rig_cq_expect(struct rig_cq *cq,
				  enum efa_io_queue_type queue,
				  enum efa_io_comp_status status,
				  uint16_t req_id)
{
	struct efa_io_cdesc entry;

	if (!rig_cq_take(cq, &entry))
		fail_msg("no completion for request %u", req_id);
	assert_int_equal((entry.flags & EFA_IO_CDESC_Q_TYPE) >>
			 EFA_IO_CDESC_Q_TYPE_SHIFT, queue);
	assert_int_equal(entry.status, status);
	assert_int_equal(entry.req_id, req_id);
	return entry;
}

void rig_cq_expect_empty(struct rig_cq *cq)
{
	struct efa_io_cdesc entry;

	assert_false(rig_cq_take(cq, &entry));
}

/* ---- queue pairs ---- */

static void set_up_rings(struct rig_qp *qp, struct engine_qp_attr *attr,
			 const struct rig_qp_opts *opts)
{
	qp->sq_depth = opts->sq_depth ? opts->sq_depth : 16;
	qp->wqe_size = opts->wqe_size ? opts->wqe_size : EFA_IO_TX_WQE_SIZE;
	qp->rq_depth = opts->rq_depth ? opts->rq_depth : 16;
	attr->sq_depth = qp->sq_depth;
	attr->sq_ring_bytes = qp->sq_depth * qp->wqe_size;
	qp->sq_ring = calloc(1, attr->sq_ring_bytes);
	assert_non_null(qp->sq_ring);
	attr->sq_ring = qp->sq_ring;
	attr->sq_doorbell = &qp->sq_doorbell;
	if (opts->has_no_rq)
		return;
	attr->rq_ring_bytes = qp->rq_depth * sizeof(struct efa_io_rx_desc);
	qp->rq_ring = calloc(1, attr->rq_ring_bytes);
	assert_non_null(qp->rq_ring);
	attr->rq_ring = qp->rq_ring;
	attr->rq_doorbell = &qp->rq_doorbell;
}

void rig_qp_init(struct rig_guest *guest, struct rig_qp *qp,
		 enum engine_qp_type type, struct rig_cq *send_cq,
		 struct rig_cq *recv_cq, const struct rig_qp_opts *opts)
{
	static const struct rig_qp_opts usual;
	struct engine_qp_attr attr = {
		.type = type,
		.send_cq = send_cq->cq,
		.recv_cq = recv_cq->cq,
		.max_send_sge = 2,
		.max_recv_sge = 2,
		.max_inline = 32,
	};

	if (!opts)
		opts = &usual;
	memset(qp, 0, sizeof(*qp));
	attr.flags = opts->flags;
	qp->guest = guest;
	qp->send_cq = send_cq;
	qp->recv_cq = recv_cq;
	qp->has_wide_ids = opts->flags & ENGINE_QP_SQ_REQ_ID_64;
	set_up_rings(qp, &attr, opts);
	assert_int_equal(engine_qp_create(guest->pd, &attr, &qp->qp), 0);
	rig_qp_to_rts(qp, 7);
}

void rig_qp_fini(struct rig_qp *qp)
{
	free(qp->sq_ring);
	free(qp->rq_ring);
}

void rig_qp_to_rts(struct rig_qp *qp, uint8_t rnr_retry)
{
	struct engine_qp_state_attr attr = {
		.state = ENGINE_QP_INIT,
		.qkey = RIG_QKEY,
		.rnr_retry = rnr_retry,
		.port = 1,
	};
	uint32_t mask = ENGINE_QPA_STATE | ENGINE_QPA_SQ_PSN;

	if (rnr_retry != 7)
		mask |= ENGINE_QPA_RNR_RETRY;
	assert_int_equal(engine_qp_modify(qp->qp, &attr, ENGINE_QPA_STATE |
					  ENGINE_QPA_PKEY_INDEX |
					  ENGINE_QPA_PORT | ENGINE_QPA_QKEY),
			 0);
	rig_qp_set_state(qp, ENGINE_QP_RTR);
	attr.state = ENGINE_QP_RTS;
	assert_int_equal(engine_qp_modify(qp->qp, &attr, mask), 0);
}

void rig_qp_set_state(struct rig_qp *qp, enum engine_qp_state state)
{
	struct engine_qp_state_attr attr = { .state = state };

	assert_int_equal(engine_qp_modify(qp->qp, &attr, ENGINE_QPA_STATE), 0);
	if (state == ENGINE_QP_RESET) {
		qp->sq_posted = 0;
		qp->rq_posted = 0;
	}
}

/* ---- work requests ---- */

static void set_address(struct rig_qp *from, const struct rig_qp *to,
			uint64_t req_id, struct efa_io_tx_wqe *wqe)
{
	wqe->meta.req_id = req_id;
	if (from->has_wide_ids) {
		wqe->meta.req_id_ex[0] = req_id >> 16;
		wqe->meta.req_id_ex[1] = req_id >> 32;
		wqe->meta.req_id_ex[2] = req_id >> 48;
	}
	wqe->meta.ctrl1 = EFA_IO_TX_META_META_DESC;
	wqe->meta.ctrl2 = EFA_IO_TX_META_FIRST | EFA_IO_TX_META_LAST |
		EFA_IO_TX_META_COMP_REQ;
	wqe->meta.dest_qp_num = engine_qp_number(to->qp);
	wqe->meta.ah = engine_ah_number(from->guest->ah[to->guest->device]);
	wqe->meta.qkey = RIG_QKEY;
}

static struct efa_io_tx_buf_desc local_range(const struct rig_guest *guest,
					     uint32_t offset,
					     uint32_t len_bytes)
{
	return (struct efa_io_tx_buf_desc) {
		.length = len_bytes,
		.lkey = guest->key,
		.buf_addr_lo = rig_addr(guest, offset),
		.buf_addr_hi = rig_addr(guest, offset) >> 32,
	};
}

struct efa_io_tx_wqe rig_send(struct rig_qp *from, const struct rig_qp *to,
			      uint64_t req_id, uint32_t offset,
			      uint32_t len_bytes)
{
	struct efa_io_tx_wqe wqe = { .meta.length = 1 };

	set_address(from, to, req_id, &wqe);
	wqe.data.sgl[0] = local_range(from->guest, offset, len_bytes);
	return wqe;
}

struct efa_io_tx_wqe rig_inline(struct rig_qp *from, const struct rig_qp *to,
				uint64_t req_id, const void *data,
				uint16_t len_bytes)
{
	struct efa_io_tx_wqe wqe = { .meta.length = len_bytes };

	assert_true(len_bytes <= sizeof(wqe.data.inline_data));
	set_address(from, to, req_id, &wqe);
	wqe.meta.ctrl1 |= EFA_IO_TX_META_INLINE_MSG;
	memcpy(wqe.data.inline_data, data, len_bytes);
	return wqe;
}

struct efa_io_tx_wqe rig_rdma(struct rig_qp *from, const struct rig_qp *to,
			      enum efa_io_send_op_type op, uint64_t req_id,
			      uint32_t local_offset, uint32_t remote_offset,
			      uint32_t len_bytes)
{
	struct efa_io_tx_wqe wqe = { .meta.length = 1 };
	uint64_t remote = rig_addr(to->guest, remote_offset);

	set_address(from, to, req_id, &wqe);
	wqe.meta.ctrl1 |= op;
	wqe.data.rdma_req.local_mem[0] = local_range(from->guest, local_offset,
						     len_bytes);
	wqe.data.rdma_req.remote_mem.length = len_bytes;
	wqe.data.rdma_req.remote_mem.rkey = to->guest->key;
	wqe.data.rdma_req.remote_mem.buf_addr_lo = remote;
	wqe.data.rdma_req.remote_mem.buf_addr_hi = remote >> 32;
	return wqe;
}

void rig_set_imm(struct efa_io_tx_wqe *wqe)
{
	wqe->meta.ctrl1 |= EFA_IO_TX_META_HAS_IMM;
	wqe->meta.immediate_data = RIG_IMM;
}

void rig_stage(struct rig_qp *qp, const struct efa_io_tx_wqe *wqe)
{
	uint8_t *slot = qp->sq_ring +
		(size_t)(qp->sq_posted & (qp->sq_depth - 1)) * qp->wqe_size;
	struct efa_io_tx_wqe copy = *wqe;

	/* An entry of the wrong phase comes with the bit set. */
	if (qp->sq_posted & qp->sq_depth)
		copy.meta.ctrl2 ^= EFA_IO_TX_META_PHASE;
	memcpy(slot, &copy, qp->wqe_size);
	qp->sq_posted++;
}

void rig_ring_sq(struct rig_qp *qp)
{
	qp->sq_doorbell = qp->sq_posted & EFA_IO_DB_PROD_MASK;
}

void rig_post(struct rig_qp *qp, const struct efa_io_tx_wqe *wqe)
{
	rig_stage(qp, wqe);
	rig_ring_sq(qp);
	rig_poll(qp->guest->rig);
}

void rig_stage_recv(struct rig_qp *qp, uint16_t req_id, uint32_t offset,
		    uint16_t len_bytes, uint32_t ctrl)
{
	uint64_t addr = rig_addr(qp->guest, offset);
	struct efa_io_rx_desc desc = {
		.buf_addr_lo = addr,
		.buf_addr_hi = addr >> 32,
		.req_id = req_id,
		.length = len_bytes,
		.lkey_ctrl = qp->guest->key | ctrl,
	};

	memcpy(qp->rq_ring + (size_t)(qp->rq_posted & (qp->rq_depth - 1)) *
	       sizeof(desc), &desc, sizeof(desc));
	qp->rq_posted++;
}

void rig_ring_rq(struct rig_qp *qp)
{
	qp->rq_doorbell = qp->rq_posted & EFA_IO_DB_PROD_MASK;
}

void rig_post_recv(struct rig_qp *qp, uint16_t req_id, uint32_t offset,
		   uint16_t len_bytes)
{
	rig_stage_recv(qp, req_id, offset, len_bytes,
		       EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	rig_ring_rq(qp);
}

void rig_pair_init(struct rig_pair *pair, enum engine_qp_type type,
		   const char *profile, uint32_t cq_flags,
		   const struct rig_qp_opts *opts)
{
	int i;

	rig_init(&pair->rig, profile, profile);
	for (i = 0; i < 2; i++) {
		rig_guest_init(&pair->rig, &pair->guest[i], i);
		rig_cq_init(&pair->guest[i], &pair->cq[i], 64, cq_flags);
		rig_qp_init(&pair->guest[i], &pair->qp[i], type, &pair->cq[i],
			    &pair->cq[i], opts);
	}
}

void rig_pair_fini(struct rig_pair *pair)
{
	int i;

	for (i = 0; i < 2; i++) {
		rig_guest_fini(&pair->guest[i]);
		rig_qp_fini(&pair->qp[i]);
		rig_cq_fini(&pair->cq[i]);
	}
	rig_fini(&pair->rig);
}
