/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The gate for an RDMA_VERBS_IOCTL: client memory -> checked call.
 *
 * Header and attribute table are copied from the client once and checked
 * against method_schema; whatever the client changes afterwards in its own
 * memory is not looked at again. Inputs of more than 8 bytes are copied
 * when the method asks for them, each at most once. Error numbers and their
 * order are those of uverbs_ioctl.c (ib_uverbs_ioctl ... uverbs_set_attr).
 */
#ifndef DAEMON_IOCTL_GATE_H
#define DAEMON_IOCTL_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/method_schema.h"
#include "engine/engine.h"

#define GATE_MAX_FDS	2u

struct gate_attr {
	bool present;
	uint16_t index;		/* in the client's table */
	uint16_t length;
	uint16_t flags;
	uint64_t data;
};

/* A descriptor for the client, and where it learns the number. */
struct gate_fd {
	int fd;			/* owned by the call until taken */
	uint64_t addr;
	uint32_t width;		/* bytes of the number: 4 or 8 */
};

struct gate_call {
	enum method_id id;
	const struct method_schema *schema;
	struct guest_memory *mem;
	uint64_t addr;		/* of the ioctl header in the client */
	struct gate_attr attr[ATTR_SLOTS];
	struct gate_fd fd[GATE_MAX_FDS];
	unsigned fd_count;
};

/*
 * Reads and checks the ioctl at @addr; @mem stays the caller's and must
 * outlive the call. -EFAULT for memory that is not there, -EINVAL for a bad
 * frame, length, duplicate or missing attribute or foreign driver id,
 * -EPROTONOSUPPORT for a method or mandatory attribute nobody knows,
 * -EOPNOTSUPP for bytes beyond what is known that are not zero. On success
 * the caller ends the call with gate_call_fini().
 */
int gate_call_init(struct gate_call *call, struct guest_memory *mem,
		   uint64_t addr);

/* Closes the descriptors that nobody took. */
void gate_call_fini(struct gate_call *call);

bool gate_has(const struct gate_call *call, uint16_t attr_id);

/* Length as the client gave it; 0 when the attribute is absent. */
size_t gate_length(const struct gate_call *call, uint16_t attr_id);

/*
 * Copies an ATTR_IN to @dst: as many bytes as both have room for, the rest
 * of @dst zero. -ENOENT when absent, -EFAULT.
 */
int gate_read(const struct gate_call *call, uint16_t attr_id, void *dst,
	      size_t dst_bytes);

/*
 * Fails with -EOPNOTSUPP unless all bytes of the input from @offset on are
 * zero; absent or shorter is fine. -EFAULT.
 */
int gate_check_zero(const struct gate_call *call, uint16_t attr_id,
		    size_t offset);

/* The 4 or 8 bytes of an input as one number; absent: @absent. */
uint64_t gate_value(const struct gate_call *call, uint16_t attr_id,
		    uint64_t absent);

/* The number in an ATTR_HANDLE or ATTR_FD, which is present. */
uint64_t gate_object(const struct gate_call *call, uint16_t attr_id);

/*
 * Writes to an ATTR_OUT as many bytes as both have, and marks it valid.
 * An absent attribute is fine. -EFAULT.
 */
int gate_write(const struct gate_call *call, uint16_t attr_id,
	       const void *src, size_t src_bytes);

/* The same; a longer room of the client is zeroed beyond @src_bytes. */
int gate_write_zeroing(const struct gate_call *call, uint16_t attr_id,
		       const void *src, size_t src_bytes);

/* Tells the client the number of its new object. -EFAULT. */
int gate_write_handle(const struct gate_call *call, uint16_t attr_id,
		      uint32_t handle);

/*
 * Hands @fd over to the call, to be sent to the client, which learns the
 * number in the ATTR_NEW_FD @attr_id, or as 4 bytes at the start of the
 * ATTR_OUT @attr_id.
 */
void gate_give_fd(struct gate_call *call, uint16_t attr_id, int fd);

#endif /* DAEMON_IOCTL_GATE_H */
