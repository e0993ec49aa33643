/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/comp_cntr.h"

#include <errno.h>
#include <stdlib.h>

struct engine_comp_cntr {
	struct engine_context *ctx;
	uint64_t value[ENGINE_CNTR_PARTS];
	uint64_t addr[ENGINE_CNTR_PARTS];	/* in the guest */
	uint32_t users;				/* operations of QPs */
	uint32_t number;
	LIST_ENTRY(engine_comp_cntr) link;
};

static void write_out(const struct engine_comp_cntr *cntr,
		      enum engine_cntr_part part)
{
	struct guest_memory *mem = cntr->ctx->mem;

	if (!cntr->ctx->dead)
		mem->write(mem, cntr->addr[part], &cntr->value[part],
			   sizeof(cntr->value[part]));
}

uint32_t engine_comp_cntr_ops(const struct engine_device *device)
{
	uint32_t caps = device->profile->device_caps;
	uint32_t ops = ENGINE_CNTR_SEND | ENGINE_CNTR_RECV;

	if (!(caps & DEVICE_CAP_COMP_CNTR))
		return 0;
	if (caps & DEVICE_CAP_RDMA_READ)
		ops |= ENGINE_CNTR_READ | ENGINE_CNTR_REMOTE_READ;
	if (caps & DEVICE_CAP_RDMA_WRITE)
		ops |= ENGINE_CNTR_WRITE | ENGINE_CNTR_REMOTE_WRITE;
	return ops;
}

static int check_memory(struct engine_context *ctx, uint64_t addr)
{
	if (addr % sizeof(uint64_t))
		return -EINVAL;
	return ctx->mem->check(ctx->mem, addr, sizeof(uint64_t), true);
}

int engine_comp_cntr_create(struct engine_context *ctx,
			    const uint64_t addr[ENGINE_CNTR_PARTS],
			    struct engine_comp_cntr **out)
{
	struct engine_comp_cntr *cntr;
	unsigned part;
	int err;

	if (!(ctx->device->profile->device_caps & DEVICE_CAP_COMP_CNTR))
		return -EOPNOTSUPP;
	for (part = 0; part < ENGINE_CNTR_PARTS; part++) {
		err = check_memory(ctx, addr[part]);
		if (err)
			return err;
	}
	cntr = calloc(1, sizeof(*cntr));
	if (!cntr)
		return -ENOMEM;
	err = number_pool_take(&ctx->device->cntrs, cntr, &cntr->number);
	if (err) {
		free(cntr);
		return err;
	}
	cntr->ctx = ctx;
	for (part = 0; part < ENGINE_CNTR_PARTS; part++) {
		cntr->addr[part] = addr[part];
		write_out(cntr, part);
	}
	LIST_INSERT_HEAD(&ctx->cntrs, cntr, link);
	*out = cntr;
	return 0;
}

int engine_comp_cntr_destroy(struct engine_comp_cntr *cntr)
{
	if (cntr->users)
		return -EBUSY;
	number_pool_return(&cntr->ctx->device->cntrs, cntr->number);
	LIST_REMOVE(cntr, link);
	free(cntr);
	return 0;
}

void engine_comp_cntr_set(struct engine_comp_cntr *cntr,
			  enum engine_cntr_part part, uint64_t value)
{
	cntr->value[part] = value;
	write_out(cntr, part);
}

uint64_t engine_comp_cntr_read(const struct engine_comp_cntr *cntr,
			       enum engine_cntr_part part)
{
	return cntr->value[part];
}

int engine_qp_attach_comp_cntr(struct engine_qp *qp,
			       struct engine_comp_cntr *cntr, uint32_t ops)
{
	unsigned i;

	if (qp->ctx != cntr->ctx || !ops)
		return -EINVAL;
	if (ops & ~engine_comp_cntr_ops(qp->ctx->device))
		return -EOPNOTSUPP;
	if (qp->state != ENGINE_QP_RESET && qp->state != ENGINE_QP_INIT)
		return -EINVAL;
	for (i = 0; i < ENGINE_CNTR_OPS; i++)
		if ((ops & 1u << i) && qp->cntr[i])
			return -EBUSY;
	for (i = 0; i < ENGINE_CNTR_OPS; i++) {
		if (!(ops & 1u << i))
			continue;
		qp->cntr[i] = cntr;
		cntr->users++;
	}
	return 0;
}

void comp_cntr_detach(struct engine_qp *qp)
{
	for (unsigned i = 0; i < ENGINE_CNTR_OPS; i++) {
		if (qp->cntr[i])
			qp->cntr[i]->users--;
		qp->cntr[i] = NULL;
	}
}

void comp_cntr_count(struct engine_qp *qp, unsigned op, bool is_ok)
{
	struct engine_comp_cntr *cntr = qp->cntr[__builtin_ctz(op)];
	enum engine_cntr_part part = is_ok ? ENGINE_CNTR_COMP :
				     ENGINE_CNTR_ERR;

	if (!cntr)
		return;
	cntr->value[part]++;
	write_out(cntr, part);
}
