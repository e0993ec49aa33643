/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/cq.h"

#include <stdlib.h>
#include <string.h>

#include <rdma/fi_errno.h>

#include "compat/fi_abi.h"
#include "compat/log.h"

/* The source of a CQ that no endpoint was bound to: nothing is there. */
static ssize_t fabric_cq_idle_read(struct fabric_cq *cq, void *buf,
				   size_t count, fi_addr_t *source)
{
	return -FI_EAGAIN;
}

static bool fabric_cq_idle_take(struct fabric_cq *cq, bool only_failed,
				struct fabric_completion *out, char *text)
{
	return false;
}

static void fabric_cq_idle_progress(struct fabric_cq *cq)
{
}

static int fabric_cq_idle_sleep_ms(struct fabric_cq *cq, int timeout_ms)
{
	return timeout_ms;
}

static const struct fabric_cq_source fabric_cq_idle = {
	.read = fabric_cq_idle_read,
	.take = fabric_cq_idle_take,
	.progress = fabric_cq_idle_progress,
	.sleep_ms = fabric_cq_idle_sleep_ms,
};

int fabric_cq_init(struct fabric_cq *cq, struct fabric_domain *domain,
		   enum fi_cq_format format)
{
	struct hw_cq_geometry geometry = cq->dev.geometry;
	int ret;

	/* the device asks for the consumer's index only to give events */
	if (cq->wait_obj == FI_WAIT_NONE)
		geometry.doorbell = NULL;
	ret = hw_cq_init(&cq->hw, &geometry);
	if (ret) {
		compat_warn(FI_LOG_CQ,
			    "%s gives a completion ring of %u entries of %u bytes, which this provider cannot read",
			    domain->device->name, cq->dev.geometry.num_entries,
			    cq->dev.geometry.entry_size);
		return ret;
	}
	util_lock_init(&cq->lock);
	cq->lock_data_path = domain->lock_data_path;
	cq->domain = domain;
	cq->format = format;
	cq->source = &fabric_cq_idle;
	atomic_init(&cq->credits,
		    hw_cq_capacity(cq->dev.geometry.num_entries));
	return 0;
}

void fabric_cq_fini(struct fabric_cq *cq)
{
	fabric_comp_stash_fini(&cq->stash);
	if (cq->done)
		fabric_done_fini(cq->done);
	free(cq->done);
	free(cq->source_state);
	for (size_t i = 0; i < sizeof(cq->owners) / sizeof(*cq->owners); i++)
		free(cq->owners[i]);
}

/* ---- reading ---- */

size_t fabric_cq_entry_size(enum fi_cq_format format)
{
	switch (format) {
	case FI_CQ_FORMAT_CONTEXT:
		return sizeof(struct fi_cq_entry);
	case FI_CQ_FORMAT_MSG:
		return sizeof(struct fi_cq_msg_entry);
	case FI_CQ_FORMAT_TAGGED:
		return sizeof(struct fi_cq_tagged_entry);
	default:
		return sizeof(struct fi_cq_data_entry);
	}
}

/* To be called when the stash has changed. */
static void fabric_cq_stash_changed(struct fabric_cq *cq)
{
	atomic_store_explicit(&cq->stashed,
			      fabric_comp_stash_count(&cq->stash),
			      memory_order_relaxed);
}

static ssize_t __attribute__((noinline))
fabric_cq_read_stash(struct fabric_cq *cq, void *buf, size_t count,
		     fi_addr_t *source)
{
	struct fabric_completion *first;
	size_t n = 0;

	while (n < count && (first = fabric_comp_stash_first(&cq->stash))) {
		if (first->err)
			return n ? (ssize_t)n : -FI_EAVAIL;
		fabric_cq_put_entry(cq->format, buf, n, first->op_context,
				    first->flags, first->len, first->data);
		if (source)
			source[n] = first->source;
		fabric_comp_stash_pop(&cq->stash);
		n++;
	}
	fabric_cq_stash_changed(cq);
	return n ? (ssize_t)n : -FI_EAGAIN;
}

static bool fabric_cq_has_stash(const struct fabric_cq *cq)
{
	return __builtin_expect(atomic_load_explicit(&cq->stashed,
						     memory_order_relaxed), 0);
}

/* Moves the device's ring to the stash, until that has @most. 0, or
 * -FI_ENOMEM: without memory for it. */
static int fabric_cq_stash(struct fabric_cq *cq, uint32_t most)
{
	char text[FABRIC_COMP_ERROR_SIZE];
	struct fabric_completion taken;
	int ret = 0;

	/* Who looks without the lock, and sees an entry gone from the ring,
	 * is to look here: before the first one goes. */
	if (fabric_comp_stash_count(&cq->stash) < most)
		atomic_store_explicit(&cq->stashed, 1, memory_order_relaxed);
	while (fabric_comp_stash_count(&cq->stash) < most) {
		ret = fabric_comp_stash_reserve(&cq->stash, 1);
		if (ret || !cq->source->take(cq, false, &taken, text))
			break;
		/* without memory for its text, the error has no text */
		taken.text = taken.err ? strdup(text) : NULL;
		fabric_comp_stash_push(&cq->stash, &taken);
	}
	fabric_cq_stash_changed(cq);
	return ret;
}

/* As many as the ring has: what is beyond waits on the ring. */
static int fabric_cq_stash_some(struct fabric_cq *cq)
{
	return fabric_cq_stash(cq, cq->hw.entry_mask + 1);
}

/*
 * A read of no entry, by who wants requests to be over: completions that
 * nobody is told of are taken off, and others kept for a later read.
 */
static ssize_t __attribute__((noinline, cold))
fabric_cq_read_none(struct fabric_cq *cq)
{
	const struct fabric_completion *first;
	ssize_t ret = -FI_EAGAIN;

	if (!fabric_cq_has_stash(cq))
		ret = cq->source->read(cq, NULL, 0, NULL);
	/* without memory, it waits on the ring for its reader */
	if (hw_cq_peek(&cq->hw))
		fabric_cq_stash_some(cq);
	first = fabric_comp_stash_first(&cq->stash);
	if (!first)
		return ret;
	return first->err ? -FI_EAVAIL : -FI_EAGAIN;
}

static ssize_t __attribute__((noinline))
fabric_cq_read_some(struct fabric_cq *cq, void *buf, size_t count,
		    fi_addr_t *source)
{
	ssize_t ret;

	fabric_cq_lock(cq);
	if (!count)
		ret = fabric_cq_read_none(cq);
	else if (fabric_cq_has_stash(cq))
		ret = fabric_cq_read_stash(cq, buf, count, source);
	else
		ret = cq->source->read(cq, buf, count, source);
	fabric_cq_unlock(cq);
	return ret;
}

/* Before the lock: most polls find nothing, and need none to see it. */
static HW_INLINE bool fabric_cq_looks_empty(const struct fabric_cq *cq)
{
	return hw_cq_looks_empty(&cq->hw) && !fabric_cq_has_stash(cq);
}

ssize_t fabric_cq_readfrom(struct fid_cq *fid, void *buf, size_t count,
			   fi_addr_t *source)
{
	struct fabric_cq *cq = fabric_cq_of(fid);

	if (fabric_cq_looks_empty(cq))
		return -FI_EAGAIN;
	return fabric_cq_read_some(cq, buf, count, source);
}

ssize_t fabric_cq_read(struct fid_cq *fid, void *buf, size_t count)
{
	struct fabric_cq *cq = fabric_cq_of(fid);

	if (fabric_cq_looks_empty(cq))
		return -FI_EAGAIN;
	return fabric_cq_read_some(cq, buf, count, NULL);
}

/* The oldest completion, if it has failed; its text is in error_text. */
static bool fabric_cq_take_error(struct fabric_cq *cq,
				 struct fabric_completion *out)
{
	struct fabric_completion *first = fabric_comp_stash_first(&cq->stash);

	if (!first)
		return cq->source->take(cq, true, out, cq->error_text);
	if (!first->err)
		return false;
	*out = *first;
	fabric_comp_stash_pop(&cq->stash);
	fabric_cq_stash_changed(cq);
	cq->error_text[0] = '\0';
	if (out->text)
		strncat(cq->error_text, out->text,
			sizeof(cq->error_text) - 1);
	free(out->text);
	out->text = cq->error_text;
	return true;
}

void fabric_cq_write_error(struct fabric_cq *cq,
			   const struct fabric_completion *failed,
			   struct fi_cq_err_entry *entry)
{
	struct fi_cq_err_entry error = {
		.op_context = failed->op_context,
		.flags = failed->flags,
		.len = failed->len,
		.buf = failed->buf,
		.data = failed->data,
		.tag = failed->tag,
		.olen = failed->olen,
		.err = failed->err,
		.prov_errno = failed->prov_errno,
		.err_data = failed->text,
		.err_data_size = strlen(failed->text) + 1,
	};

	compat_cq_err_write(entry, &error, failed->source,
			    cq->domain->api_version);
}

ssize_t fabric_cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *entry,
			  uint64_t flags)
{
	struct fabric_cq *cq = fabric_cq_of(fid);
	struct fabric_completion failed;
	bool found;

	if (!entry)
		return -FI_EINVAL;
	fabric_cq_lock(cq);
	found = fabric_cq_take_error(cq, &failed);
	if (found)
		fabric_cq_write_error(cq, &failed, entry);
	fabric_cq_unlock(cq);
	return found ? 1 : -FI_EAGAIN;
}

/* All of it: for those who must have an empty ring. */
static int fabric_cq_stash_all(struct fabric_cq *cq)
{
	return fabric_cq_stash(cq, UINT32_MAX);
}

void fabric_cq_progress(void *arg)
{
	struct fabric_cq *cq = arg;

	if (cq->done) {
		fabric_cq_source_of(cq)->progress(cq);
		return;
	}
	fabric_cq_lock(cq);
	/* without memory, what is left waits on the ring for its reader */
	if (hw_cq_peek(&cq->hw))
		fabric_cq_stash_some(cq);
	fabric_cq_unlock(cq);
}

void fabric_cq_share(struct fabric_cq *cq)
{
	/* others are locked from the start, or never: readers may be there,
	 * and FI_THREAD_COMPLETION lets no one read while endpoints are made */
	if (cq->domain->threading == FI_THREAD_COMPLETION)
		cq->lock_data_path = true;
}

bool fabric_cq_is_empty(const struct fabric_cq *cq)
{
	return !fabric_comp_stash_count(&cq->stash) && !hw_cq_peek(&cq->hw) &&
	       (!cq->done || fabric_done_is_empty(cq->done));
}

/* ---- credits ---- */

uint32_t fabric_cq_credits_take(struct fabric_cq *cq, uint32_t wanted)
{
	uint32_t there = atomic_load(&cq->credits);
	uint32_t taken;

	do {
		taken = wanted < there ? wanted : there;
	} while (taken && !atomic_compare_exchange_weak(&cq->credits, &there,
							there - taken));
	return taken;
}

void fabric_cq_credits_give(struct fabric_cq *cq, uint32_t count)
{
	atomic_fetch_add(&cq->credits, count);
}

void __attribute__((noinline)) fabric_cq_give_retired(struct fabric_cq *cq)
{
	if ((int32_t)(cq->hw.consumed - cq->retired_until) < 0)
		return;
	fabric_cq_credits_give(cq, cq->retired);
	cq->retired = 0;
}

void fabric_cq_reclaim(struct fabric_cq *cq)
{
	util_lock_acquire(&cq->lock);
	/* without memory, the credits wait for the reader of the ring */
	if (cq->retired && !fabric_cq_stash_all(cq))
		fabric_cq_give_retired(cq);
	util_lock_release(&cq->lock);
}

/* ---- whose entries they are ---- */

/* In place of an owner that was detached: its entries come as no surprise. */
static char fabric_cq_departed;

static void *fabric_cq_table_entry(const struct fabric_cq *cq, uint16_t qpn)
{
	void **owners = cq->owners[qpn >> 8];

	return owners ? owners[qpn & 0xff] : NULL;
}

void *fabric_cq_owner_lookup(struct fabric_cq *cq, uint16_t qpn)
{
	void *owner = fabric_cq_table_entry(cq, qpn);

	cq->last_qpn = qpn;
	cq->last_owner = owner == &fabric_cq_departed ? NULL : owner;
	return cq->last_owner;
}

static int fabric_cq_set_owner(struct fabric_cq *cq, uint16_t qpn,
			       void *owner)
{
	void ***owners = &cq->owners[qpn >> 8];

	if (!*owners)
		*owners = calloc(256, sizeof(**owners));
	if (!*owners)
		return -FI_ENOMEM;
	(*owners)[qpn & 0xff] = owner;
	/* the lookup before may have been of this number */
	fabric_cq_owner_lookup(cq, qpn);
	return 0;
}

static bool fabric_cq_ring_names(const struct fabric_cq *cq, uint16_t qpn)
{
	const struct efa_io_cdesc *cqe;

	for (uint32_t i = 0; i <= cq->hw.entry_mask; i++) {
		cqe = hw_cq_peek_at(&cq->hw, cq->hw.consumed + i);
		if (!cqe)
			break;
		if (cqe->qp_num == qpn)
			return true;
	}
	return false;
}

static int fabric_cq_attach_locked(struct fabric_cq *cq,
				   const struct fabric_cq_source *source,
				   uint16_t qpn, void *owner)
{
	int ret;

	if ((cq->source != &fabric_cq_idle && cq->source != source) ||
	    !cq->done != !source->progress) {
		compat_warn(FI_LOG_CQ,
			    "a CQ cannot serve endpoints of different protocols; open one for each");
		return -FI_EINVAL;
	}
	/* it is read without the lock: written once */
	if (cq->source != source)
		__atomic_store_n(&cq->source, source, __ATOMIC_RELEASE);
	if (fabric_cq_ring_names(cq, qpn)) {
		ret = fabric_cq_stash_all(cq);
		if (ret)
			return ret;
	}
	return fabric_cq_set_owner(cq, qpn, owner);
}

int fabric_cq_attach(struct fabric_cq *cq,
		     const struct fabric_cq_source *source, uint16_t qpn,
		     void *owner)
{
	int ret;

	util_lock_acquire(&cq->lock);
	ret = fabric_cq_attach_locked(cq, source, qpn, owner);
	util_lock_release(&cq->lock);
	return ret;
}

void fabric_cq_detach(struct fabric_cq *cq, uint16_t qpn)
{
	util_lock_acquire(&cq->lock);
	/* attach left the memory for it */
	fabric_cq_set_owner(cq, qpn, &fabric_cq_departed);
	util_lock_release(&cq->lock);
}

void fabric_cq_retire(struct fabric_cq *cq, const void *owner,
		      uint32_t credits)
{
	uint32_t end;

	util_lock_acquire(&cq->lock);
	fabric_comp_stash_purge(&cq->stash, owner);
	fabric_cq_stash_changed(cq);
	if (cq->done)
		fabric_done_purge(cq->done, owner);
	for (end = cq->hw.consumed; end - cq->hw.consumed <= cq->hw.entry_mask;
	     end++)
		if (!hw_cq_peek_at(&cq->hw, end))
			break;
	cq->retired += credits;
	cq->retired_until = end;
	fabric_cq_give_retired(cq);
	util_lock_release(&cq->lock);
}

void __attribute__((noinline))
fabric_cq_drop_stale(struct fabric_cq *cq, const char *why)
{
	const struct efa_io_cdesc *cqe = hw_cq_peek(&cq->hw);

	if (fabric_cq_table_entry(cq, cqe->qp_num) != &fabric_cq_departed &&
	    !cq->stale++)
		compat_warn(FI_LOG_CQ,
			    "dropped a completion of %s: %s (QP %u, ID %#x, flags %#x, status %u); further ones are counted only",
			    cq->domain->device->name, why, cqe->qp_num,
			    cqe->req_id, cqe->flags, cqe->status);
	hw_cq_consume(&cq->hw);
}
