/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One open of a uverbs device: what belongs to the client that opened it.
 *
 * The context owns everything below it: the client's identity, its handles
 * and the objects behind them, the shared pages, the channels. It goes when
 * its connection does.
 */
#ifndef DAEMON_UVERBS_CONTEXT_H
#define DAEMON_UVERBS_CONTEXT_H

#include "daemon/client_memory.h"
#include "daemon/client_process.h"
#include "daemon/client_quota.h"
#include "daemon/emulated_device.h"
#include "daemon/event_channel.h"
#include "daemon/handle_table.h"
#include "daemon/mmap_region.h"
#include "daemon/poll_loop.h"

#define CONTEXT_MAX_CHANNELS	1024u

/* Descriptors of the daemon for a context, and for a channel of it. */
#define CONTEXT_DESCRIPTORS	3u	/* process, queues, async events */
#define CHANNEL_DESCRIPTORS	2u	/* both ends */

struct uverbs_context {
	const struct emulated_device *device;
	struct client_process *client;	/* who opened it */
	struct client_quota *quota;	/* of that process; outlives it */
	struct client_process *caller;	/* whose ioctl runs now */
	struct client_memory memory;	/* what the device reaches of it */
	struct poll_loop *loop;
	struct engine_context *engine;	/* NULL before GET_CONTEXT */
	struct handle_table handles;
	struct region_file *regions;
	struct event_channel *async;	/* NULL before ASYNC_EVENT_ALLOC */
	struct event_channel *channel[CONTEXT_MAX_CHANNELS];
	unsigned channel_count;
};

/* The objects behind handles; those of PDs and AHs are the engine's. */
struct uverbs_mr {
	struct engine_mr *engine;
	uint64_t window;		/* of client_memory, 0: none */
};

struct uverbs_comp_cntr {
	struct engine_comp_cntr *engine;
	uint64_t window[ENGINE_CNTR_PARTS];
};

struct uverbs_cq {
	struct engine_cq *engine;
	struct event_channel *channel;	/* NULL: none; attached otherwise */
	uint64_t user_handle;		/* what its events say */
	uint32_t events_given;
	struct mmap_region *ring;	/* NULL: in a window */
	struct mmap_region *doorbell;	/* NULL: has none */
	uint64_t window;
};

struct uverbs_qp {
	struct engine_qp *engine;
	struct mmap_region *sq;
	struct mmap_region *sq_doorbell;
	struct mmap_region *rq;		/* NULL: no receive queue */
	struct mmap_region *rq_doorbell;
	/* As given at create, for query_qp. */
	uint32_t max_send_wr, max_recv_wr;
	uint32_t max_send_sge, max_recv_sge;
	uint32_t max_inline;
	bool signal_all;
};

/*
 * A context of @device for @client, which it takes over on success; @quota
 * counts its descriptors and outlives it. -ENOMEM, -EMFILE beyond the quota,
 * or an errno of region_file_open.
 */
int uverbs_context_create(struct uverbs_context **ctx,
			  const struct emulated_device *device,
			  struct client_process *client,
			  struct client_quota *quota,
			  struct poll_loop *loop);

/* Destroys all its objects, whatever they are doing. */
void uverbs_context_destroy(struct uverbs_context *ctx);

/* Tells the client that its device is gone (IBV_EVENT_DEVICE_FATAL). */
void uverbs_context_tell_fatal(struct uverbs_context *ctx);

/* Frees channels that nobody can use any more. */
void uverbs_context_sweep_channels(struct uverbs_context *ctx);

/* A fault of this client, for fault_log: who, then the text. */
void uverbs_context_fault(const struct uverbs_context *ctx,
			  const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* It broke @rule: who, then @text; "allowed" where @is_allowed. */
void uverbs_context_rule_broken(const struct uverbs_context *ctx,
				enum engine_rule rule, bool is_allowed,
				const char *text);

#endif /* DAEMON_UVERBS_CONTEXT_H */
