/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An endpoint on each of two devices that are not alike: what both have works
 * in both directions, what one lacks ends with an error that says so, and
 * what is told, and how, goes by the endpoints and not by the device that
 * asks. A machine's devices are alike; field_devices.sh runs this on softefa.
 */
#include <sched.h>
#include <string.h>
#include <rdma/fi_rma.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define FEATURE_MISMATCH	18
#define LEN	5000u
#define FROM	65536u	/* where operations have their local bytes, */
#define TO	131072u	/* and those of the peer */

enum { CTX_OP = 30, CTX_RECV = 31 };

static struct fab_endpoint on[2];

/* Does the endpoint have remote reads and writes, and tell of those with
 * data by receives? */
static bool rma(const struct fab_endpoint *e)
{
	return e->info->caps & FI_RMA;
}

static bool takes_receives(const struct fab_endpoint *e)
{
	return e->info->mode & FI_RX_CQ_DATA;
}

/* The most that the device has, or in the mode of any device with RDMA. */
static void open_on(struct fab_endpoint *e, const char *domain, uint64_t mode)
{
	struct fab_wish wish = fab_wish_direct();

	wish.domain = domain;
	wish.mode = mode;
	wish.caps = FI_RMA;
	if (!fab_wish_is_there(&wish))
		wish.mode = FI_RX_CQ_DATA;
	if (!fab_wish_is_there(&wish))
		wish.caps = 0;
	fab_open(e, &wish);
}

static void open_two(uint64_t mode)
{
	open_on(&on[0], "efa_0-rdm", mode);
	open_on(&on[1], "efa_1-rdm", mode);
	EXPECT(strcmp(on[0].info->domain_attr->name,
		      on[1].info->domain_attr->name));
	fab_connect(&on[0], on[1].addr);
	fab_connect(&on[1], on[0].addr);
}

static void close_two(void)
{
	fab_close(&on[0]);
	fab_close(&on[1]);
}

static void check_messages(struct fab_endpoint *from, struct fab_endpoint *to)
{
	static const size_t lengths[] = { 0, 30, 60, 5000, 8000 };
	struct fab_completion c;

	expect_stage("messages");
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		size_t len = lengths[i];

		expect_fill(from->buf + FROM, len, (unsigned)len);
		REQUIRE_EQ(fab_recv(to, CTX_RECV, 0, 8192), 0);
		REQUIRE_EQ(fi_senddata(from->ep, from->buf + FROM, len,
				       from->desc, len ^ 0x80000000u,
				       from->peer, &from->contexts[CTX_OP]),
			   0);
		c = FAB_EXPECT(to, CTX_RECV);
		EXPECT_EQ(c.len, len);
		EXPECT_EQ(c.data, len ^ 0x80000000u);
		EXPECT_EQ(c.source, to->peer);
		EXPECT_FILLED(to->buf, len, (unsigned)len);
		FAB_EXPECT(from, CTX_OP);
	}
}

static ssize_t write_data(struct fab_endpoint *from, struct fab_endpoint *to)
{
	return fi_writedata(from->ep, from->buf + FROM, LEN, from->desc, 99,
			    from->peer, (uintptr_t)to->buf + TO,
			    fi_mr_key(to->mr), &from->contexts[CTX_OP]);
}

static void expect_told(struct fab_endpoint *to)
{
	struct fi_cq_data_entry entry = { 0 };
	fi_addr_t source = FI_ADDR_NOTAVAIL;
	ssize_t ret;

	while ((ret = fi_cq_readfrom(to->cq, &entry, 1, &source)) ==
	       -FI_EAGAIN)
		sched_yield();
	REQUIRE_EQ(ret, 1);
	EXPECT_EQ(entry.flags, FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA);
	EXPECT_EQ(entry.data, 99);
	EXPECT_EQ(source, to->peer);
	EXPECT(entry.op_context == (takes_receives(to) ?
				    &to->contexts[CTX_RECV] : NULL));
}

static void expect_mismatch(struct fab_endpoint *from)
{
	struct fi_cq_err_entry err = fab_wait_error(from);
	char text[512] = "";

	EXPECT_EQ(fab_context_number(from, err.op_context), CTX_OP);
	EXPECT_EQ(err.err, FI_EINVAL);
	EXPECT_EQ(err.prov_errno, FEATURE_MISMATCH);
	EXPECT(fi_cq_strerror(from->cq, err.prov_errno, err.err_data, text,
			      sizeof(text)));
	EXPECT(strstr(text, "fi_addr_efa"));
}

/* A write with data is told where both ends tell in one way; it must not be
 * half done where they do not. */
static void check_data(struct fab_endpoint *from, struct fab_endpoint *to)
{
	struct fab_completion c;

	expect_stage("a write with data");
	expect_fill(from->buf + FROM, LEN, 3);
	expect_fill(to->buf + TO, LEN, 4);
	REQUIRE_EQ(fab_recv(to, CTX_RECV, 0, 64), 0);
	REQUIRE_EQ(write_data(from, to), 0);
	if (takes_receives(from) == takes_receives(to)) {
		FAB_EXPECT(from, CTX_OP);
		expect_told(to);
		EXPECT_FILLED(to->buf + TO, LEN, 3);
	} else {
		expect_mismatch(from);
		EXPECT_FILLED(to->buf + TO, LEN, 4);
		EXPECT(!fab_poll(to, &c));
	}
	/* the receive is still there, unless it was taken */
	if (takes_receives(from) == takes_receives(to) && takes_receives(to))
		return;
	REQUIRE_EQ(fab_send(from, CTX_OP, FROM, 64), 0);
	FAB_EXPECT(to, CTX_RECV);
	FAB_EXPECT(from, CTX_OP);
}

static void check_reads_and_writes(struct fab_endpoint *from,
				   struct fab_endpoint *to)
{
	expect_stage("reads and writes");
	expect_fill(from->buf + FROM, LEN, 5);
	expect_fill(to->buf + TO, LEN, 6);
	REQUIRE_EQ(fi_read(from->ep, from->buf + FROM, LEN, from->desc,
			   from->peer, (uintptr_t)to->buf + TO,
			   fi_mr_key(to->mr), &from->contexts[CTX_OP]), 0);
	if (!rma(to)) {
		expect_mismatch(from);
		EXPECT_FILLED(from->buf + FROM, LEN, 5);
	} else {
		FAB_EXPECT(from, CTX_OP);
		EXPECT_FILLED(from->buf + FROM, LEN, 6);
	}
	expect_fill(from->buf + FROM, LEN, 7);
	REQUIRE_EQ(fi_write(from->ep, from->buf + FROM, LEN, from->desc,
			    from->peer, (uintptr_t)to->buf + TO,
			    fi_mr_key(to->mr), &from->contexts[CTX_OP]), 0);
	if (!rma(to)) {
		expect_mismatch(from);
		EXPECT_FILLED(to->buf + TO, LEN, 6);
	} else {
		FAB_EXPECT(from, CTX_OP);
		EXPECT_FILLED(to->buf + TO, LEN, 7);
	}
}

static void check_both_ways(void)
{
	for (int i = 0; i < 2; i++) {
		struct fab_endpoint *from = &on[i], *to = &on[!i];

		check_messages(from, to);
		if (!rma(from))
			continue;
		check_reads_and_writes(from, to);
		if (rma(to))
			check_data(from, to);
		check_messages(to, from);
	}
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	expect_deadline(60);
	wish.domain = "efa_1-rdm";
	if (!fab_wish_is_there(&wish))
		expect_skip("two devices, of the names efa_0 and efa_1");
	open_two(0);
	if (fab_is_in_tree(on[0].info))
		expect_skip("modes that the in-tree provider does not have");
	check_both_ways();
	close_two();
	expect_stage("in the mode that both have");
	open_two(FI_RX_CQ_DATA);
	EXPECT(!rma(&on[0]) || !rma(&on[1]) ||
	       takes_receives(&on[0]) == takes_receives(&on[1]));
	check_both_ways();
	close_two();
	return expect_result();
}
