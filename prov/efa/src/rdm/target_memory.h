/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * This side's registered memory as a peer names it, in up to two ranges:
 * each time that it is touched, key, bounds and access are checked as the
 * device checks them, and the memory is there (fabric/region_table.h).
 */
#ifndef RDM_TARGET_MEMORY_H
#define RDM_TARGET_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rdm/wire.h"

struct rdm_ep;
struct rdm_op_key;

/* May the peer have @access, FI_REMOTE_READ or FI_REMOTE_WRITE, to all
 * @count ranges? Then @key, of as many, is what the device needs. */
bool rdm_target_check(struct rdm_ep *ep, const struct rdm_wire_iov *range,
		      unsigned int count, uint64_t access,
		      struct rdm_op_key *key);

/* Copies @len bytes to or from @offset of the ranges together, within which
 * they lie. False: not allowed, or not any more; part may have been done. */
bool rdm_target_store(struct rdm_ep *ep, const struct rdm_wire_iov *range,
		      unsigned int count, uint64_t offset, const void *from,
		      size_t len);
bool rdm_target_load(struct rdm_ep *ep, const struct rdm_wire_iov *range,
		     unsigned int count, uint64_t offset, void *to,
		     size_t len);

#endif /* RDM_TARGET_MEMORY_H */
