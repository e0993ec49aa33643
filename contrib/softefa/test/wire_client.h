/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A client of the daemon without shim and rdma-core: it says what a test
 * wants said, true or not.
 */
#ifndef TEST_WIRE_CLIENT_H
#define TEST_WIRE_CLIENT_H

#include <stdint.h>
#include <sys/types.h>

#include "protocol.h"

#define WIRE_MAX_ATTRS	16u

/* A daemon in a child process, on a name of its own. */
struct wire_daemon {
	pid_t pid;
	int life_fd;		/* closing it ends the daemon */
	char name[64];
};

/* Returns when it serves. Fails the test when it cannot start. */
void wire_daemon_start(struct wire_daemon *daemon, unsigned num_devices);

/* Waits for its end; its exit status, or 128 + the signal. */
int wire_daemon_wait(struct wire_daemon *daemon);

/* A connection that has said nothing yet. */
int wire_connect(const struct wire_daemon *daemon);

/* A connection with its hello answered by 0. */
int wire_open_control(const struct wire_daemon *daemon);
int wire_open_uverbs(const struct wire_daemon *daemon, uint32_t device);

/*
 * Sends a request and returns the result in the answer; -ENODATA when the
 * daemon hung up in its place. A descriptor in the answer goes to *@fd
 * unless that is NULL.
 */
int wire_ask(int fd, const struct softefa_request *request,
	     struct softefa_answer *answer, int *answer_fd);

/* Sends a request whose answer is to go to the descriptor @passed. */
void wire_send_with_fd(int fd, const struct softefa_request *request,
		       int passed);

/* The text of an answer to @type at @addr; static. */
const char *wire_text(int control, uint32_t type, uint64_t addr);
/* That of SOFTEFA_SHOW. */
const char *wire_show(int control);

/* An ioctl frame in this process. */
struct wire_frame {
	uint16_t length;
	uint16_t object;
	uint16_t method;
	uint16_t num_attrs;
	uint64_t reserved1;
	uint32_t driver_id;
	uint32_t reserved2;
	struct {
		uint16_t id;
		uint16_t length;
		uint16_t flags;
		uint16_t reserved;
		uint64_t data;
	} attr[WIRE_MAX_ATTRS];
};

void wire_frame_begin(struct wire_frame *frame, uint16_t object,
		      uint16_t method);
void wire_frame_add(struct wire_frame *frame, uint16_t id, uint16_t length,
		    uint64_t data);
void wire_frame_add_ptr(struct wire_frame *frame, uint16_t id,
			uint16_t length, const void *data);

/* The ioctl of wire_alloc_pd(), not yet run. */
void wire_frame_alloc_pd(struct wire_frame *frame, uint32_t *pd);

/* Runs the ioctl; see wire_ask(). */
int wire_ioctl(int fd, struct wire_frame *frame, int *answer_fd);

/* The calls that most tests need. Each returns the ioctl's result. */
int wire_get_context(int fd);
int wire_alloc_pd(int fd, uint32_t *pd);
int wire_destroy_pd(int fd, uint32_t pd);
int wire_reg_mr(int fd, uint32_t pd, const void *addr, uint64_t length,
		uint32_t *mr);
/* A completion channel: the descriptor of the client; or what went wrong. */
int wire_try_channel(int fd);
/* The same when nothing can. */
int wire_create_channel(int fd);

struct wire_cq {
	uint32_t handle;
	uint64_t ring_key, ring_bytes, doorbell_key;
};
int wire_create_cq(int fd, uint32_t depth, int channel, struct wire_cq *cq);
/* The same with a number of sub-queues, of which a device has one. */
int wire_create_cq_of(int fd, uint32_t depth, int channel, uint16_t sub_cqs,
		      struct wire_cq *cq);

#endif /* TEST_WIRE_CLIENT_H */
