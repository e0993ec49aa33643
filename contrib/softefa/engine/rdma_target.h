/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The receiving side of RDMA read and write. Whoever moves the bytes asks
 * for each slice anew: an MR, AH or QP may be gone by then.
 *
 * What the target demands, each with the status of the initiator:
 *	UNREACH_REMOTE, BAD_DEST_QPN
 *				as for a message
 *	FEATURE_MISMATCH	its device has the operation; for a write with
 *				immediate both QPs are created with or both
 *				without unsolicited receives (a guess: the
 *				in-tree provider avoids the combination)
 *	UNKNOWN_PEER		its PD has an address handle of the initiator
 *				(unless the profile says rdma_without_ah)
 *	BAD_ADDRESS		the rkey is of the QP's PD, covers the range and
 *				grants the access
 *	RNR			a solicited write with immediate finds a receive
 */
#ifndef ENGINE_RDMA_TARGET_H
#define ENGINE_RDMA_TARGET_H

#include "engine/engine_qp.h"
#include "engine/message.h"

/*
 * The QP that @message reaches. @serial: of the QP that earlier slices of
 * the operation reached, 0 before the first; another QP that got the number
 * since is not it, BAD_DEST_QPN.
 */
enum efa_io_comp_status rdma_target_find(const struct engine *engine,
					 const struct message *message,
					 uint64_t serial,
					 struct engine_qp **target);

/*
 * Where @message's range from @offset to its end is in the guest. Of an
 * empty range nothing is checked (a guess, from what the in-tree provider
 * does for empty writes).
 */
enum efa_io_comp_status rdma_target_resolve(const struct engine_qp *target,
					    const struct message *message,
					    uint32_t offset,
					    uint64_t *guest_addr);

/* What a failed access (@err: -EFAULT, -ESRCH) of @target's memory means. */
enum efa_io_comp_status rdma_target_fault(struct engine_qp *target, int err);

/*
 * The immediate of a write, once all of its bytes are in place. False when
 * a receive is needed and none is posted; else @status is set.
 */
bool rdma_target_notify(struct engine_qp *target,
			const struct message *message,
			enum efa_io_comp_status *status);

/* Counts an operation that is complete. */
void rdma_target_count(struct engine_qp *target,
		       const struct message *message);

#endif /* ENGINE_RDMA_TARGET_H */
