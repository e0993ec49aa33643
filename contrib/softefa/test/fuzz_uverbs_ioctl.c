/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hostile ioctls: whatever frames a client sends, and whatever it writes
 * into the pages shared with it, the daemon stays within memory, and with
 * the context all its objects go.
 *
 * The input is a list of commands. Most are ioctls formed after the schema,
 * since bytes alone seldom pass the gate; each length, handle and pointer
 * of them may be wrong. See fuzz_inputs.c for running it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "daemon/efa_abi.h"
#include "daemon/fault_log.h"
#include "daemon/uverbs_ioctl.h"
#include "daemon/verbs_cq.h"
#include "flat_memory.h"

#define FRAME_ADDR	(FLAT_BASE + 0x100u)
#define DATA_ADDR	(FLAT_BASE + 0x2000u)
#define COMMANDS_MAX	300u
#define REGION_PAGES	64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *next, *end;
};

struct bench {
	struct poll_loop loop;
	struct engine *engine;
	struct device_profile profile[2];
	struct emulated_devices devices;
	struct client_quotas quotas;
	struct client_quota *quota;
	struct uverbs_context *ctx;
	uint64_t now_ns;
};

static struct flat_memory flat;

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_uverbs_ioctl: does not hold: %s\n", what);
	abort();
}

/* ---- reading the input: what is beyond its end is zero ---- */

static uint8_t take8(struct input *in)
{
	return in->next < in->end ? *in->next++ : 0;
}

static uint16_t take16(struct input *in)
{
	return take8(in) | take8(in) << 8;
}

static uint64_t take64(struct input *in)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | take8(in);
	return value;
}

static void take_bytes(struct input *in, uint8_t *to, size_t len_bytes)
{
	while (len_bytes--)
		*to++ = take8(in);
}

/* ---- the bench ---- */

static int bench_check(struct guest_memory *mem, uint64_t addr,
		       uint64_t len_bytes, bool for_write)
{
	(void)mem;
	return flat.mem.check(&flat.mem, addr, len_bytes, for_write);
}

static int bench_read(struct guest_memory *mem, uint64_t addr, void *dst,
		      size_t len_bytes)
{
	(void)mem;
	return flat.mem.read(&flat.mem, addr, dst, len_bytes);
}

static int bench_write(struct guest_memory *mem, uint64_t addr,
		       const void *src, size_t len_bytes)
{
	(void)mem;
	return flat.mem.write(&flat.mem, addr, src, len_bytes);
}

/* Its memory is flat, its descriptors are those of this process. */
static struct client_process *bench_client(void)
{
	struct client_process *client = calloc(1, sizeof(*client));

	require(client != NULL, "there is memory");
	client->mem.check = bench_check;
	client->mem.read = bench_read;
	client->mem.write = bench_write;
	client->pid = getpid();
	client->pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	require(client->pidfd >= 0, "there is a pidfd");
	return client;
}

static void bench_cq_event(void *owner, void *cq_opaque)
{
	(void)owner;
	verbs_cq_give_event(cq_opaque);
}

static void bench_rule_broken(void *owner, void *context_opaque,
			      enum engine_rule rule, const char *text)
{
	(void)owner;
	uverbs_context_rule_broken(context_opaque, rule, false, text);
}

static void bench_open(struct bench *bench)
{
	static const struct engine_ops ops = {
		.cq_event = bench_cq_event,
		.rule_broken = bench_rule_broken,
	};

	memset(bench, 0, sizeof(*bench));
	bench->profile[0] = *profile_at(0);
	bench->profile[1] = *profile_at(0);
	flat_memory_init(&flat);
	fault_log_init(false, -1);
	require(!poll_loop_init(&bench->loop), "there is a loop");
	bench->engine = engine_create(&ops, bench);
	require(bench->engine, "there is an engine");
	require(!emulated_devices_init(&bench->devices, bench->engine,
				       bench->profile, 2), "devices");
	client_quotas_init(&bench->quotas, 4096);
	require(!client_quota_get(&bench->quotas, getpid(), &bench->quota),
		"there is a quota");
	require(!uverbs_context_create(&bench->ctx, &bench->devices.device[0],
				       bench_client(), bench->quota,
				       &bench->loop),
		"there is a context");
}

static void bench_close(struct bench *bench)
{
	struct engine_device_counters c;

	uverbs_context_destroy(bench->ctx);
	client_quota_put(bench->quota);
	engine_device_read_counters(bench->devices.device[0].engine, &c);
	require(!c.contexts && !c.pds && !c.mrs && !c.cqs && !c.qps && !c.ahs && !c.cntrs,
		"all objects go with their context");
	engine_destroy(bench->engine);
	poll_loop_fini(&bench->loop);
}

/* ---- ioctls ---- */

static void bench_ioctl(struct bench *bench, uint64_t addr)
{
	struct gate_call call;
	int ret;

	ret = uverbs_ioctl(bench->ctx, bench->ctx->client, addr, &call);
	require(ret <= 0, "the result is 0 or a negative errno");
	gate_call_fini(&call);
}

static uint64_t choose_data(struct input *in)
{
	switch (take8(in) % 8) {
	case 0:
		return take64(in);
	case 1:
		return FLAT_BASE + FLAT_BYTES - take8(in);
	case 2:
	case 3:
		return take8(in) % 8;
	default:
		return DATA_ADDR + take16(in) % 0x8000;
	}
}

static uint16_t choose_length(struct input *in, const struct attr_spec *spec)
{
	uint8_t way = take8(in);

	if (way < 4)
		return take16(in);
	if (way < 12)
		return spec->max_bytes + way % 3 - 1;
	if (spec->max_bytes == UINT16_MAX)
		return spec->min_bytes + way % 200;
	return spec->max_bytes;
}

static uint16_t attr_id_of(unsigned slot)
{
	return slot < ATTR_CORE_SLOTS ? slot :
	       ATTR_DRIVER_BASE + slot - ATTR_CORE_SLOTS;
}

static void form_attr(struct input *in, const struct attr_spec *spec,
		      uint16_t id, struct ib_uverbs_attr *attr)
{
	attr->attr_id = id;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	attr->attr_data.reserved = take8(in) == 1;
	attr->len = choose_length(in, spec);
	attr->data = choose_data(in);
	/* Small inputs are inline: often a small number. */
	if (spec->kind == ATTR_IN && attr->len <= 8 && take8(in) & 1)
		attr->data = take8(in);
	if (id == UVERBS_ATTR_WRITE_CMD && attr->len == 8 && take8(in) & 7)
		attr->data = take8(in) % 32 | (take8(in) == 2) * 0x80000000u;
}

/* The commands and driver structures that rdma-core would send. */
static void form_data(struct input *in)
{
	uint8_t *data = flat_at(&flat, DATA_ADDR);
	unsigned at = take16(in) % 0x8000;

	take_bytes(in, data + at, 1 + take8(in) % 64);
}

static void command_formed_ioctl(struct bench *bench, struct input *in)
{
	struct ib_uverbs_ioctl_hdr *hdr = flat_at(&flat, FRAME_ADDR);
	const struct method_schema *schema =
		method_schema_get(take8(in) % METHOD_COUNT);

	memset(hdr, 0, sizeof(*hdr));
	hdr->object_id = schema->object;
	hdr->method_id = schema->method;
	hdr->driver_id = EFA_ABI_DRIVER_ID;
	for (unsigned i = 0; i < ATTR_SLOTS; i++) {
		const struct attr_spec *spec = &schema->attr[i];

		if (spec->kind == ATTR_NONE || take8(in) < 16)
			continue;
		memset(&hdr->attrs[hdr->num_attrs], 0, sizeof(*hdr->attrs));
		form_attr(in, spec, attr_id_of(i),
			  &hdr->attrs[hdr->num_attrs]);
		hdr->num_attrs++;
	}
	hdr->length = sizeof(*hdr) + hdr->num_attrs * sizeof(*hdr->attrs);
	bench_ioctl(bench, FRAME_ADDR);
}

static void command_raw_ioctl(struct bench *bench, struct input *in)
{
	uint64_t addr = take8(in) & 1 ? FRAME_ADDR : take64(in);

	take_bytes(in, flat_at(&flat, FRAME_ADDR), take8(in));
	bench_ioctl(bench, addr);
}

static void command_good_context(struct bench *bench)
{
	struct ib_uverbs_ioctl_hdr *hdr = flat_at(&flat, FRAME_ADDR);

	memset(hdr, 0, sizeof(*hdr) + 2 * sizeof(*hdr->attrs));
	hdr->object_id = UVERBS_OBJECT_DEVICE;
	hdr->method_id = UVERBS_METHOD_GET_CONTEXT;
	hdr->driver_id = EFA_ABI_DRIVER_ID;
	hdr->num_attrs = 1;
	hdr->length = sizeof(*hdr) + sizeof(*hdr->attrs);
	hdr->attrs[0].attr_id = UVERBS_ATTR_UHW_IN;
	hdr->attrs[0].len = 8;
	hdr->attrs[0].data = 3;
	bench_ioctl(bench, FRAME_ADDR);
}

/* As the client would through its mapping: rings and doorbells. */
static void command_write_page(struct bench *bench, struct input *in)
{
	uint8_t bytes[64];
	size_t count = 1 + take8(in) % sizeof(bytes);
	off_t at = (take8(in) % REGION_PAGES) * 4096 + take16(in) % 4096;

	take_bytes(in, bytes, count);
	require(pwrite(region_file_fd(bench->ctx->regions), bytes, count,
		       at) == (ssize_t)count, "the client's pages are there");
}

static void command_poll(struct bench *bench, struct input *in)
{
	bench->now_ns += take16(in) * 1000ull;
	for (unsigned i = 0; i < 4; i++)
		engine_poll(bench->engine, bench->now_ns);
	poll_loop_run(&bench->loop, 0, 4);
}

static void run_command(struct bench *bench, struct input *in)
{
	switch (take8(in) % 16) {
	case 0:
		command_raw_ioctl(bench, in);
		break;
	case 1:
	case 2:
		command_write_page(bench, in);
		break;
	case 3:
		command_poll(bench, in);
		break;
	case 4:
	case 5:
		form_data(in);
		break;
	default:
		command_formed_ioctl(bench, in);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	struct bench bench;

	bench_open(&bench);
	if (take8(&in) & 7)
		command_good_context(&bench);
	for (unsigned i = 0; i < COMMANDS_MAX && in.next < in.end; i++)
		run_command(&bench, &in);
	bench_close(&bench);
	return 0;
}
