/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "fabtests/oob_pair.h"

struct fab_wish fab_wish_direct(void)
{
	return (struct fab_wish) {
		.fabric = "efa-direct",
		.type = FI_EP_RDM,
		.format = FI_CQ_FORMAT_DATA,
		.wait_obj = FI_WAIT_NONE,
		.rnr_retry = FAB_RNR_DEFAULT,
		.buf_len = 1 << 20,
	};
}

struct fab_wish fab_wish_dgram(void)
{
	struct fab_wish wish = fab_wish_direct();

	wish.fabric = "efa";
	wish.type = FI_EP_DGRAM;
	return wish;
}

struct fab_wish fab_wish_rma(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints = fab_hints(&wish);

	fi_freeinfo(fab_getinfo(hints));
	fi_freeinfo(hints);
	wish.caps = FI_RMA;
	if (!fab_wish_is_there(&wish))
		wish.mode = FI_RX_CQ_DATA;
	if (!fab_wish_is_there(&wish))
		expect_skip("a device with RDMA read and write");
	return wish;
}

bool fab_wish_is_there(const struct fab_wish *wish)
{
	struct fi_info *hints = fab_hints(wish), *info = NULL;
	int ret;

	ret = fi_getinfo(FAB_API_VERSION, NULL, NULL, 0, hints, &info);
	if (ret)
		EXPECT_EQ(ret, -FI_ENODATA);
	fi_freeinfo(hints);
	fi_freeinfo(info);
	return !ret;
}

struct fi_info *fab_hints(const struct fab_wish *wish)
{
	struct fi_info *hints = fi_allocinfo();

	REQUIRE(hints);
	hints->caps = FI_MSG | FI_SOURCE | wish->caps;
	hints->mode = FI_CONTEXT | FI_CONTEXT2 | wish->mode;
	hints->domain_attr->threading = wish->threading;
	if (wish->type == FI_EP_DGRAM)
		hints->mode |= FI_MSG_PREFIX;
	hints->ep_attr->type = wish->type;
	hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED |
				      FI_MR_PROV_KEY;
	if (!wish->buffers_unregistered)
		hints->domain_attr->mr_mode |= FI_MR_LOCAL;
	if (wish->caps & FI_HMEM)
		hints->domain_attr->mr_mode |= FI_MR_HMEM;
	hints->tx_attr->inject_size = wish->inject_size;
	hints->tx_attr->size = wish->tx_size;
	hints->rx_attr->op_flags = wish->rx_flags;
	hints->rx_attr->size = wish->rx_size;
	hints->fabric_attr->prov_name = strdup("efa");
	hints->fabric_attr->api_version = wish->api_version;
	if (wish->fabric)
		hints->fabric_attr->name = strdup(wish->fabric);
	if (wish->domain)
		hints->domain_attr->name = strdup(wish->domain);
	return hints;
}

struct fi_info *fab_getinfo(const struct fi_info *hints)
{
	struct fi_info *info = NULL;
	/* a place that fi_getinfo does not look at */
	uint32_t version = hints->fabric_attr->api_version;
	int ret = fi_getinfo(version ? version : FAB_API_VERSION, NULL, NULL,
			     0, hints, &info);

	if (ret == -FI_ENODATA && !getenv("SOFTEFA_SOCKET"))
		expect_skip("an EFA device, or the provider efa: fi_getinfo finds none (softefa run -- gives one)");
	REQUIRE_EQ(ret, 0);
	REQUIRE(info);
	return info;
}

bool fab_is_in_tree(const struct fi_info *info)
{
	/* 207.0 is libfabric 2.7; this project is far above. */
	return FI_VERSION_LT(info->fabric_attr->prov_version,
			     FI_VERSION(1000, 0));
}

static void open_cq(struct fab_endpoint *e, const struct fab_wish *wish)
{
	struct fi_cq_attr attr = {
		.size = wish->cq_size ? wish->cq_size : 1024,
		.format = wish->format,
		.wait_obj = wish->wait_obj,
	};
	int ret;

	ret = fi_cq_open(e->domain, &attr, &e->cq, NULL);
	if (ret == -FI_ENOSYS && attr.wait_obj != FI_WAIT_NONE &&
	    fab_is_in_tree(e->info))
		expect_skip("wait objects: this in-tree provider has none yet");
	REQUIRE_EQ(ret, 0);
	e->format = wish->format;
}

static void open_av(struct fab_endpoint *e)
{
	struct fi_av_attr attr = { .type = FI_AV_UNSPEC };

	REQUIRE_EQ(fi_av_open(e->domain, &attr, &e->av, NULL), 0);
}

static void open_ep(struct fab_endpoint *e, const struct fab_wish *wish)
{
	uint64_t flags = FI_TRANSMIT | FI_RECV;
	size_t rnr_retry = wish->rnr_retry;

	if (wish->selective)
		flags |= FI_SELECTIVE_COMPLETION;
	REQUIRE_EQ(fi_endpoint(e->domain, e->info, &e->ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(e->ep, &e->av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(e->ep, &e->cq->fid, flags), 0);
	if (rnr_retry != FAB_RNR_DEFAULT)
		REQUIRE_EQ(fi_setopt(&e->ep->fid, FI_OPT_ENDPOINT,
				     FAB_OPT_EFA_RNR_RETRY, &rnr_retry,
				     sizeof(rnr_retry)), 0);
	REQUIRE_EQ(fi_enable(e->ep), 0);
	e->addr_len = sizeof(e->addr);
	REQUIRE_EQ(fi_getname(&e->ep->fid, e->addr, &e->addr_len), 0);
}

static void open_buffer(struct fab_endpoint *e, size_t len)
{
	uint64_t access = FI_SEND | FI_RECV;

	if (e->info->caps & FI_RMA)
		access |= FI_READ | FI_WRITE | FI_REMOTE_READ |
			  FI_REMOTE_WRITE;
	e->buf_len = len;
	e->buf = mmap(NULL, len, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(e->buf != MAP_FAILED);
	REQUIRE_EQ(fi_mr_reg(e->domain, e->buf, len, access, 0, 0, 0, &e->mr,
			     NULL), 0);
	e->desc = fi_mr_desc(e->mr);
	REQUIRE(e->desc);
}

void fab_open(struct fab_endpoint *e, const struct fab_wish *wish)
{
	struct fi_info *hints = fab_hints(wish);

	memset(e, 0, sizeof(*e));
	e->info = fab_getinfo(hints);
	fi_freeinfo(hints);
	if (e->info->mode & FI_MSG_PREFIX)
		e->prefix = e->info->ep_attr->msg_prefix_size;
	REQUIRE_EQ(fi_fabric(e->info->fabric_attr, &e->fabric, NULL), 0);
	REQUIRE_EQ(fi_domain(e->fabric, e->info, &e->domain, NULL), 0);
	open_cq(e, wish);
	open_av(e);
	open_ep(e, wish);
	open_buffer(e, wish->buf_len);
}

void fab_close(struct fab_endpoint *e)
{
	EXPECT_EQ(fi_close(&e->ep->fid), 0);
	EXPECT_EQ(fi_close(&e->cq->fid), 0);
	EXPECT_EQ(fi_close(&e->av->fid), 0);
	EXPECT_EQ(fi_close(&e->mr->fid), 0);
	EXPECT_EQ(fi_close(&e->domain->fid), 0);
	EXPECT_EQ(fi_close(&e->fabric->fid), 0);
	fi_freeinfo(e->info);
	munmap(e->buf, e->buf_len);
}

void fab_connect(struct fab_endpoint *e, const void *addr)
{
	e->peer = FI_ADDR_NOTAVAIL;
	REQUIRE_EQ(fi_av_insert(e->av, addr, 1, &e->peer, 0, NULL), 1);
	REQUIRE(e->peer != FI_ADDR_NOTAVAIL);
}

void fab_open_pair(struct fab_endpoint *e, const struct fab_wish *wish,
		   int oob)
{
	uint8_t theirs[FAB_ADDR_MAX];

	fab_open(e, wish);
	oob_swap(oob, e->addr, theirs, sizeof(theirs));
	fab_connect(e, theirs);
}

ssize_t fab_recv(struct fab_endpoint *e, unsigned ctx, size_t offset,
		 size_t len)
{
	return fi_recv(e->ep, e->buf + offset, e->prefix + len, e->desc,
		       FI_ADDR_UNSPEC, &e->contexts[ctx]);
}

ssize_t fab_send(struct fab_endpoint *e, unsigned ctx, size_t offset,
		 size_t len)
{
	return fi_send(e->ep, e->buf + offset, e->prefix + len, e->desc,
		       e->peer, &e->contexts[ctx]);
}

uint8_t *fab_payload(struct fab_endpoint *e, size_t offset)
{
	return e->buf + offset + e->prefix;
}

unsigned fab_context_number(const struct fab_endpoint *e, const void *ptr)
{
	size_t number = (size_t)((const struct fi_context2 *)ptr -
				 e->contexts);

	REQUIRE(number < FAB_CONTEXTS);
	return (unsigned)number;
}

/* Prints an error entry that nobody expected, and ends the program. */
static void unexpected_error(struct fab_endpoint *e)
{
	struct fi_cq_err_entry err = {};
	char text[512] = "";

	REQUIRE_EQ(fi_cq_readerr(e->cq, &err, 0), 1);
	fi_cq_strerror(e->cq, err.prov_errno, err.err_data, text,
		       sizeof(text));
	fprintf(stderr, "error completion: err %d (%s), prov_errno %d: %s\n",
		err.err, fi_strerror(err.err), err.prov_errno, text);
	REQUIRE_EQ(err.err, 0);
}

static ssize_t read_one(struct fab_endpoint *e, struct fab_completion *c)
{
	struct fi_cq_data_entry entry = {};
	fi_addr_t source = FI_ADDR_NOTAVAIL;
	ssize_t ret = fi_cq_readfrom(e->cq, &entry, 1, &source);

	if (ret != 1)
		return ret;
	memset(c, 0, sizeof(*c));
	c->ctx = fab_context_number(e, entry.op_context);
	c->source = source;
	if (e->format != FI_CQ_FORMAT_CONTEXT) {
		c->flags = entry.flags;
		c->len = entry.len;
	}
	if (e->format == FI_CQ_FORMAT_DATA)
		c->data = entry.data;
	return 1;
}

/* Takes number @i of those kept. */
static void take_kept(struct fab_endpoint *e, unsigned i,
		      struct fab_completion *c)
{
	*c = e->kept[i];
	e->kept_count--;
	memmove(&e->kept[i], &e->kept[i + 1],
		(e->kept_count - i) * sizeof(e->kept[0]));
}

bool fab_take_kept(struct fab_endpoint *e, unsigned ctx,
		   struct fab_completion *c)
{
	for (unsigned i = 0; i < e->kept_count; i++) {
		if (e->kept[i].ctx == ctx) {
			take_kept(e, i, c);
			return true;
		}
	}
	return false;
}

void fab_keep(struct fab_endpoint *e, const struct fab_completion *c)
{
	if (e->kept_count == FAB_KEPT)
		fprintf(stderr, "context %u and others come, not the one that is waited for\n",
			c->ctx);
	REQUIRE(e->kept_count < FAB_KEPT);
	e->kept[e->kept_count++] = *c;
}

bool fab_poll_cq(struct fab_endpoint *e, struct fab_completion *c)
{
	ssize_t ret = read_one(e, c);

	if (ret == -FI_EAVAIL)
		unexpected_error(e);
	if (ret == -FI_EAGAIN)
		return false;
	REQUIRE_EQ(ret, 1);
	return true;
}

bool fab_poll(struct fab_endpoint *e, struct fab_completion *c)
{
	if (!e->kept_count)
		return fab_poll_cq(e, c);
	take_kept(e, 0, c);
	return true;
}

struct fab_completion fab_wait(struct fab_endpoint *e)
{
	struct fab_completion c;

	/* An emulated device is a process of this machine: let it run. */
	while (!fab_poll(e, &c))
		sched_yield();
	return c;
}

struct fab_completion fab_expect(struct fab_endpoint *e, unsigned ctx,
				 const char *file, int line)
{
	struct fab_completion c;

	if (fab_take_kept(e, ctx, &c))
		return c;
	for (;;) {
		while (!fab_poll_cq(e, &c))
			sched_yield();
		if (c.ctx == ctx)
			break;
		fab_keep(e, &c);
	}
	expect_equal(c.ctx, ctx, "context", file, line);
	return c;
}

bool fab_poll_error(struct fab_endpoint *e, struct fi_cq_err_entry *err)
{
	struct fab_completion c;
	ssize_t ret = read_one(e, &c);

	if (ret == -FI_EAGAIN)
		return false;
	REQUIRE_EQ(ret, -FI_EAVAIL);
	memset(err, 0, sizeof(*err));
	REQUIRE_EQ(fi_cq_readerr(e->cq, err, 0), 1);
	return true;
}

struct fi_cq_err_entry fab_wait_error(struct fab_endpoint *e)
{
	struct fi_cq_err_entry err;

	while (!fab_poll_error(e, &err))
		sched_yield();
	return err;
}
