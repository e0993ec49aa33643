/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The device refuses one command, by a fault that the caller of this program
 * sets: the call of libfabric that needs it fails with its error, what is
 * there stays as it was, and the next try succeeds. The argument is the call:
 * enable, insert, register, cq or none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

static const char *refused;
static unsigned refusals;

/* Is @ret, of the first try of @call, what it has to be? True: once more. */
static bool try_again(const char *call, long ret)
{
	if (strcmp(call, refused)) {
		REQUIRE_EQ(ret, 0);
		return false;
	}
	EXPECT_EQ(ret, -FI_ENOMEM);
	refusals++;
	return true;
}

static void open_cq(struct fab_endpoint *e)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_DATA };

	e->format = attr.format;
	if (try_again("cq", fi_cq_open(e->domain, &attr, &e->cq, NULL)))
		REQUIRE_EQ(fi_cq_open(e->domain, &attr, &e->cq, NULL), 0);
}

static int register_buffer(struct fab_endpoint *e)
{
	return fi_mr_reg(e->domain, e->buf, e->buf_len, FI_SEND | FI_RECV, 0,
			 0, 0, &e->mr, NULL);
}

static void open_ep(struct fab_endpoint *e)
{
	size_t len = sizeof(e->addr);

	REQUIRE_EQ(fi_endpoint(e->domain, e->info, &e->ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(e->ep, &e->av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(e->ep, &e->cq->fid, FI_TRANSMIT | FI_RECV), 0);
	if (try_again("enable", fi_enable(e->ep))) {
		EXPECT_EQ(fi_recv(e->ep, e->buf, 64, NULL, FI_ADDR_UNSPEC,
				  NULL), -FI_EOPBADSTATE);
		REQUIRE_EQ(fi_enable(e->ep), 0);
	}
	REQUIRE_EQ(fi_getname(&e->ep->fid, e->addr, &len), 0);
	e->addr_len = len;
}

/* Which address failed, and why, is said where the application asks. */
static void insert(struct fab_endpoint *e)
{
	int error = 0, ret;

	ret = fi_av_insert(e->av, e->addr, 1, &e->peer, FI_SYNC_ERR, &error);
	if (try_again("insert", ret == 1 ? 0 : error > 0 ? -error : error)) {
		EXPECT_EQ(ret, 0);
		EXPECT_EQ(e->peer, FI_ADDR_NOTAVAIL);
		REQUIRE_EQ(fi_av_insert(e->av, e->addr, 1, &e->peer, 0, NULL),
			   1);
	}
	EXPECT_EQ(e->peer, 0);
}

static void transfer(struct fab_endpoint *e)
{
	REQUIRE_EQ(fab_recv(e, 1, 8192, 1000), 0);
	REQUIRE_EQ(fab_send(e, 1, 0, 1000), 0);
	FAB_EXPECT(e, 1);
	FAB_EXPECT(e, 1);
	EXPECT_BYTES(e->buf + 8192, e->buf, 1000);
}

static void open_rest(struct fab_endpoint *e)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE };

	REQUIRE_EQ(fi_fabric(e->info->fabric_attr, &e->fabric, NULL), 0);
	REQUIRE_EQ(fi_domain(e->fabric, e->info, &e->domain, NULL), 0);
	REQUIRE_EQ(fi_av_open(e->domain, &attr, &e->av, NULL), 0);
	e->buf_len = 65536;
	e->buf = calloc(1, e->buf_len);
	REQUIRE(e->buf);
	expect_fill(e->buf, 1000, 3);
	open_cq(e);
	open_ep(e);
	if (try_again("register", register_buffer(e)))
		REQUIRE_EQ(register_buffer(e), 0);
	e->desc = fi_mr_desc(e->mr);
	insert(e);
}

static void close_all(struct fab_endpoint *e)
{
	EXPECT_EQ(fi_close(&e->ep->fid), 0);
	EXPECT_EQ(fi_close(&e->cq->fid), 0);
	EXPECT_EQ(fi_close(&e->av->fid), 0);
	EXPECT_EQ(fi_close(&e->mr->fid), 0);
	EXPECT_EQ(fi_close(&e->domain->fid), 0);
	EXPECT_EQ(fi_close(&e->fabric->fid), 0);
	fi_freeinfo(e->info);
	free(e->buf);
}

int main(int argc, char **argv)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints = fab_hints(&wish);
	static struct fab_endpoint e;

	expect_deadline(60);
	refused = argc > 1 ? argv[1] : "none";
	expect_stage(refused);
	e.info = fab_getinfo(hints);
	fi_freeinfo(hints);
	if (fab_is_in_tree(e.info))
		expect_skip("calls before and after a refusal: the in-tree provider's tables are empty");
	open_rest(&e);
	transfer(&e);
	close_all(&e);
	EXPECT_EQ(refusals, strcmp(refused, "none") ? 1 : 0);
	return expect_result();
}
