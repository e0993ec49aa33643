/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <rdma/ib_user_verbs.h>

#include "daemon/fault_log.h"
#include "daemon/uverbs_context.h"

#define EVENT_DEVICE_FATAL	8u	/* IBV_EVENT_DEVICE_FATAL */

int uverbs_context_create(struct uverbs_context **ctx,
			  const struct emulated_device *device,
			  struct client_process *client,
			  struct client_quota *quota,
			  struct poll_loop *loop)
{
	struct uverbs_context *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return -ENOMEM;
	ret = client_quota_take(quota, CONTEXT_DESCRIPTORS);
	if (ret)
		goto err_free;
	ret = region_file_open(&c->regions);
	if (ret)
		goto err_return;
	c->device = device;
	c->client = client;
	c->quota = quota;
	client_memory_init(&c->memory, client, device->profile->device_caps &
			   DEVICE_CAP_DATA_POLLING_128);
	c->loop = loop;
	handle_table_init(&c->handles);
	*ctx = c;
	return 0;

err_return:
	client_quota_return(quota, CONTEXT_DESCRIPTORS);
err_free:
	free(c);
	return ret;
}

static void uverbs_context_close_channel(struct uverbs_context *ctx,
					 struct event_channel *channel)
{
	event_channel_close(channel);
	client_quota_return(ctx->quota, CHANNEL_DESCRIPTORS);
}

/* The engine's objects are gone already; what is left is memory. */
static void uverbs_context_free_objects(struct uverbs_context *ctx,
					enum handle_type type)
{
	void *object;

	for (uint32_t handle = 0;
	     (object = handle_table_next(&ctx->handles, type, &handle));
	     handle++)
		free(object);
}

void uverbs_context_destroy(struct uverbs_context *ctx)
{
	/* First the engine: it uses the rings and the client's memory. */
	if (ctx->engine)
		engine_context_destroy(ctx->engine);
	uverbs_context_free_objects(ctx, HANDLE_CQ);
	uverbs_context_free_objects(ctx, HANDLE_QP);
	uverbs_context_free_objects(ctx, HANDLE_MR);
	uverbs_context_free_objects(ctx, HANDLE_COMP_CNTR);
	handle_table_fini(&ctx->handles);
	for (unsigned i = 0; i < ctx->channel_count; i++)
		uverbs_context_close_channel(ctx, ctx->channel[i]);
	if (ctx->async)
		event_channel_close(ctx->async);
	region_file_close(ctx->regions);
	client_memory_fini(&ctx->memory);
	client_process_close(ctx->client);
	client_quota_return(ctx->quota, CONTEXT_DESCRIPTORS);
	free(ctx);
}

void uverbs_context_tell_fatal(struct uverbs_context *ctx)
{
	struct ib_uverbs_async_event_desc event = {
		.event_type = EVENT_DEVICE_FATAL,
	};

	if (ctx->async)
		event_channel_push(ctx->async, &event);
}

void uverbs_context_sweep_channels(struct uverbs_context *ctx)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < ctx->channel_count; i++) {
		if (event_channel_is_dead(ctx->channel[i]))
			uverbs_context_close_channel(ctx, ctx->channel[i]);
		else
			ctx->channel[kept++] = ctx->channel[i];
	}
	ctx->channel_count = kept;
	if (ctx->async && event_channel_is_dead(ctx->async)) {
		event_channel_close(ctx->async);
		ctx->async = NULL;
	}
}

void uverbs_context_fault(const struct uverbs_context *ctx,
			  const char *format, ...)
{
	char text[FAULT_LOG_LINE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fault_log("%s pid %d (%s): %s", ctx->device->entry.ibdev,
		  (int)ctx->client->pid, ctx->client->name, text);
}

void uverbs_context_rule_broken(const struct uverbs_context *ctx,
				enum engine_rule rule, bool is_allowed,
				const char *text)
{
	fault_log_rule("rule %s broken%s: %s pid %d (%s): %s",
		       engine_rule_name(rule), is_allowed ? " (allowed)" : "",
		       ctx->device->entry.ibdev, (int)ctx->client->pid,
		       ctx->client->name, text);
}
