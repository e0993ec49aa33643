/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/op_fault.h"

#include <stdlib.h>

#include "engine/send_op.h"

struct op_fault *op_fault_of(struct send_op *op)
{
	if (op->fault)
		return op->fault;
	op->fault = calloc(1, sizeof(*op->fault));
	if (op->fault)
		op->fault->op = op;
	return op->fault;
}

void op_fault_free(struct send_op *op)
{
	if (op->fault && op->fault->in_window)
		LIST_REMOVE(op->fault, window_link);
	free(op->fault);
	op->fault = NULL;
}
