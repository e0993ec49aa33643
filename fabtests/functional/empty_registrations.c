/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Registrations of length 0: each call that registers takes them, anywhere;
 * their descriptors and keys serve every operation of length 0, and let
 * nobody at the memory that lies there.
 */
#include <sched.h>
#include <string.h>
#include <rdma/fi_rma.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define ACCESS	(FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | \
		 FI_REMOTE_WRITE)
#define MANY	64u
#define BAD_ADDRESS	7

enum { CTX_OP = 30, CTX_RECV = 31 };

static struct fab_endpoint a, b;
static bool takes_receives;

static struct fid_mr *region(struct fab_endpoint *e, void *at)
{
	struct fid_mr *mr;

	REQUIRE_EQ(fi_mr_reg(e->domain, at, 0, ACCESS, 0, 0, 0, &mr, NULL),
		   0);
	EXPECT(fi_mr_desc(mr) != NULL);
	EXPECT(fi_mr_key(mr) != FI_KEY_NOTAVAIL);
	return mr;
}

static void check_calls(void)
{
	struct iovec iov = { .iov_base = a.buf, .iov_len = 0 };
	struct fi_mr_attr attr = {
		.mr_iov = &iov, .iov_count = 1, .access = ACCESS,
		.iface = FI_HMEM_SYSTEM,
	};
	struct fid_mr *mr[2];

	expect_stage("fi_mr_regv, fi_mr_regattr");
	REQUIRE_EQ(fi_mr_regv(a.domain, &iov, 1, ACCESS, 0, 0, 0, &mr[0],
			      NULL), 0);
	REQUIRE_EQ(fi_mr_regattr(a.domain, &attr, 0, &mr[1]), 0);
	EXPECT(fi_mr_key(mr[0]) != fi_mr_key(mr[1]));
	EXPECT_EQ(fi_close(&mr[0]->fid), 0);
	EXPECT_EQ(fi_close(&mr[1]->fid), 0);
	EXPECT_EQ(fi_mr_reg(a.domain, a.buf, 0, 1ULL << 50, 0, 0, 0, &mr[0],
			    NULL), -FI_EINVAL);
}

/* Other ones as long as they are there. */
static void check_keys(void)
{
	struct fid_mr *mr[MANY];

	expect_stage("keys");
	for (unsigned i = 0; i < MANY; i++) {
		mr[i] = region(&b, b.buf + i);
		for (unsigned j = 0; j < i; j++)
			EXPECT(fi_mr_key(mr[i]) != fi_mr_key(mr[j]));
	}
	for (unsigned i = 0; i < MANY; i++)
		EXPECT_EQ(fi_close(&mr[i]->fid), 0);
}

static void check_message(void *at, struct fid_mr *mine, struct fid_mr *other)
{
	struct fab_completion c;

	expect_stage("a message");
	REQUIRE_EQ(fi_recv(b.ep, at, 0, fi_mr_desc(other), FI_ADDR_UNSPEC,
			   &b.contexts[CTX_RECV]), 0);
	REQUIRE_EQ(fi_send(a.ep, at, 0, fi_mr_desc(mine), a.peer,
			   &a.contexts[CTX_OP]), 0);
	c = FAB_EXPECT(&b, CTX_RECV);
	EXPECT_EQ(c.len, 0);
	FAB_EXPECT(&a, CTX_OP);
}

static void wait_for_data(uint64_t data)
{
	struct fi_cq_data_entry entry = { 0 };
	ssize_t ret;

	while ((ret = fi_cq_read(b.cq, &entry, 1)) == -FI_EAGAIN)
		sched_yield();
	REQUIRE_EQ(ret, 1);
	EXPECT_EQ(entry.data, data);
	EXPECT_EQ(entry.len, 0);
}

static void check_remote(void *at, struct fid_mr *mine, struct fid_mr *other)
{
	uint64_t addr = (uintptr_t)at, key = fi_mr_key(other);

	expect_stage("remote operations");
	REQUIRE_EQ(fi_write(a.ep, at, 0, fi_mr_desc(mine), a.peer, addr, key,
			    &a.contexts[CTX_OP]), 0);
	FAB_EXPECT(&a, CTX_OP);
	REQUIRE_EQ(fi_read(a.ep, at, 0, fi_mr_desc(mine), a.peer, addr, key,
			   &a.contexts[CTX_OP]), 0);
	FAB_EXPECT(&a, CTX_OP);
	if (takes_receives)
		REQUIRE_EQ(fab_recv(&b, CTX_RECV, 0, 64), 0);
	REQUIRE_EQ(fi_writedata(a.ep, at, 0, fi_mr_desc(mine), 7, a.peer,
				addr, key, &a.contexts[CTX_OP]), 0);
	FAB_EXPECT(&a, CTX_OP);
	wait_for_data(7);
}

/* What is longer is refused by the peer's device, or, one byte of it, goes
 * nowhere: the memory there stays as it was. */
static void check_nothing_granted(struct fid_mr *other)
{
	uint64_t addr = (uintptr_t)b.buf, key = fi_mr_key(other);
	struct fi_cq_err_entry err;

	expect_stage("nothing is granted");
	memset(b.buf, 0x55, 64);
	memset(a.buf, 0xaa, 64);
	REQUIRE_EQ(fi_write(a.ep, a.buf, 64, a.desc, a.peer, addr, key,
			    &a.contexts[CTX_OP]), 0);
	err = fab_wait_error(&a);
	EXPECT_EQ(fab_context_number(&a, err.op_context), CTX_OP);
	EXPECT_EQ(err.prov_errno, BAD_ADDRESS);
	REQUIRE_EQ(fi_write(a.ep, a.buf, 1, a.desc, a.peer, addr, key,
			    &a.contexts[CTX_OP]), 0);
	FAB_EXPECT(&a, CTX_OP);
	REQUIRE_EQ(fi_read(a.ep, a.buf + 32, 1, a.desc, a.peer, addr, key,
			   &a.contexts[CTX_OP]), 0);
	FAB_EXPECT(&a, CTX_OP);
	EXPECT(a.buf[32] != 0x55);
	for (unsigned i = 0; i < 64; i++)
		EXPECT_EQ(b.buf[i], 0x55);
}

int main(void)
{
	struct fab_wish wish = fab_wish_rma();

	expect_deadline(60);
	fab_open(&a, &wish);
	if (fab_is_in_tree(a.info))
		expect_skip("the kernel refuses what this provider asks it in another way");
	fab_open(&b, &wish);
	fab_connect(&a, b.addr);
	fab_connect(&b, a.addr);
	takes_receives = b.info->mode & FI_RX_CQ_DATA;
	check_calls();
	check_keys();
	for (unsigned i = 0; i < 3; i++) {
		/* at a page's begin, within one, and nowhere */
		void *const at[] = { b.buf, b.buf + 4097, NULL };
		struct fid_mr *mine = region(&a, at[i]);
		struct fid_mr *other = region(&b, at[i]);

		check_message(at[i], mine, other);
		check_remote(at[i], mine, other);
		if (!i)
			check_nothing_granted(other);
		EXPECT_EQ(fi_close(&mine->fid), 0);
		EXPECT_EQ(fi_close(&other->fid), 0);
	}
	fab_close(&a);
	fab_close(&b);
	return expect_result();
}
