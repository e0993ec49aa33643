/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Rows 27 to 43: messages, reads and writes, and what completions say. Each
 * number that fi_getinfo gives is used to the full, and one more is refused.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/fi_rma.h>

#include "fabtests/functional/contract_rows.h"

enum { CTX_SEND = 1, CTX_RECV = 2, CTX_OTHER = 3 };
#define THERE	65536	/* where the other message of a buffer begins */

static struct fab_endpoint a, b;
static bool takes_receive;

static size_t option(int name)
{
	size_t value = 0, len = sizeof(value);

	EXPECT_EQ(fi_getopt(&a.ep->fid, FI_OPT_ENDPOINT, name, &value, &len),
		  0);
	return value;
}

static void receive(void)
{
	REQUIRE_EQ(fab_recv(&b, CTX_RECV, THERE, 8192 + 4096), 0);
}

/* A message of @len bytes has gone from a to b, as @flags and @data say. */
static void arrived(size_t len, uint64_t data, bool reported)
{
	struct fab_completion c = FAB_EXPECT(&b, CTX_RECV);
	const bool has_data = data != UINT64_MAX;

	EXPECT_EQ(c.len, len + b.prefix);
	EXPECT_EQ(c.flags, FI_MSG | FI_RECV |
		  (has_data ? FI_REMOTE_CQ_DATA : 0));
	if (has_data)
		EXPECT_EQ(c.data, data);
	EXPECT_EQ(c.source, b.peer);
	EXPECT_BYTES(fab_payload(&b, THERE), fab_payload(&a, 0), len);
	if (!reported)
		return;
	c = FAB_EXPECT(&a, CTX_SEND);
	EXPECT_EQ(c.flags, FI_MSG | FI_SEND);
}

static ssize_t sendmsg_of(size_t first, size_t second, uint64_t flags)
{
	uint8_t *buf = fab_payload(&a, 0);
	struct iovec iov[2] = { { a.buf, a.prefix + first },
				{ buf + first, second } };
	void *desc[2] = { a.desc, a.desc };
	struct fi_msg msg = {
		.msg_iov = iov, .desc = desc, .iov_count = 2, .addr = a.peer,
		.context = &a.contexts[CTX_SEND], .data = 0xfedcba98,
	};

	return fi_sendmsg(a.ep, &msg, flags);
}

static void messages(void)
{
	struct iovec iov[2] = { { a.buf, a.prefix + 1000 },
				{ a.buf + a.prefix + 1000, 24 } };
	void *desc[2] = { a.desc, a.desc };
	void *ctx = &a.contexts[CTX_SEND];
	size_t len = a.prefix + 100;

	for (int i = 0; i < 7; i++)
		receive();
	REQUIRE_EQ(fi_send(a.ep, a.buf, len, a.desc, a.peer, ctx), 0);
	arrived(100, UINT64_MAX, true);
	REQUIRE_EQ(fi_sendv(a.ep, iov, desc, 2, a.peer, ctx), 0);
	arrived(1024, UINT64_MAX, true);
	REQUIRE_EQ(sendmsg_of(1000, 24, 0), 0);
	arrived(1024, UINT64_MAX, true);
	REQUIRE_EQ(fi_senddata(a.ep, a.buf, len, a.desc, UINT32_MAX, a.peer,
			       ctx), 0);
	arrived(100, UINT32_MAX, true);
	REQUIRE_EQ(fi_inject(a.ep, a.buf, a.prefix + 20, a.peer), 0);
	arrived(20, UINT64_MAX, false);
	REQUIRE_EQ(fi_injectdata(a.ep, a.buf, a.prefix + 20, 7, a.peer), 0);
	arrived(20, 7, false);
	/* nothing but that it came */
	REQUIRE_EQ(fi_send(a.ep, a.buf, a.prefix, NULL, a.peer, ctx), 0);
	arrived(0, UINT64_MAX, true);
}

static void longest_message(void)
{
	size_t most = a.info->nic->link_attr->mtu;
	void *ctx = &a.contexts[CTX_SEND];

	EXPECT_EQ(option(FAB_OPT_MAX_MSG_SIZE), most);
	if (!(a.info->caps & FI_RMA))
		EXPECT_EQ(a.info->ep_attr->max_msg_size, most);
	receive();
	REQUIRE_EQ(fi_send(a.ep, a.buf, a.prefix + most, a.desc, a.peer, ctx),
		   0);
	arrived(most, UINT64_MAX, true);
	EXPECT_EQ(fi_send(a.ep, a.buf, a.prefix + most + 1, a.desc, a.peer,
			  ctx), -FI_EMSGSIZE);
	EXPECT_EQ(sendmsg_of(most, 1, 0), -FI_EMSGSIZE);
}

/* Reusable when the call returns, up to the inject size and no further. */
static void inject(void)
{
	size_t most = a.info->tx_attr->inject_size;
	uint8_t *payload = fab_payload(&a, 0), before[256];

	REQUIRE(most <= sizeof(before));
	memcpy(before, payload, most);
	EXPECT_EQ(option(FAB_OPT_INJECT_MSG_SIZE), most);
	receive();
	REQUIRE_EQ(fi_inject(a.ep, a.buf, a.prefix + most, a.peer), 0);
	memset(payload, 0xee, most);
	FAB_EXPECT(&b, CTX_RECV);
	EXPECT_BYTES(fab_payload(&b, THERE), before, most);
	memcpy(payload, before, most);
	EXPECT_EQ(fi_inject(a.ep, a.buf, a.prefix + most + 1, a.peer),
		  -FI_EOPNOTSUPP);
	receive();
	REQUIRE_EQ(sendmsg_of(most - 1, 1, FI_INJECT), 0);
	arrived(most, UINT64_MAX, true);
	EXPECT_EQ(sendmsg_of(most, 1, FI_INJECT), -FI_EOPNOTSUPP);
}

/*
 * As many as fi_getinfo says, until completions are read. Receives of one
 * buffer may be more, where each could have had several.
 */
static void credits(void)
{
	size_t sends = 0, recvs = 0, i;

	while (!fab_recv(&b, CTX_RECV, THERE, 64))
		REQUIRE(++recvs < 100000);
	REQUIRE(recvs >= b.info->rx_attr->size);
	while (!fab_send(&a, CTX_SEND, 0, 64))
		REQUIRE(++sends < 100000);
	EXPECT_EQ(sends, a.info->tx_attr->size);
	EXPECT_EQ(fab_send(&a, CTX_SEND, 0, 64), -FI_EAGAIN);
	for (i = 0; i < sends; i++)
		FAB_EXPECT(&a, CTX_SEND);
	for (i = 0; i < sends; i++)
		FAB_EXPECT(&b, CTX_RECV);
	for (; i < recvs; i++) {
		REQUIRE_EQ(fab_send(&a, CTX_SEND, 0, 64), 0);
		arrived(64, UINT64_MAX, true);
	}
	/* and reading no entry is enough to make room */
	receive();
	for (sends = 0; !fab_send(&a, CTX_SEND, 0, 64); sends++)
		receive();
	while (fab_send(&a, CTX_SEND, 0, 64) == -FI_EAGAIN) {
		EXPECT_EQ(fi_cq_read(a.cq, NULL, 0), -FI_EAGAIN);
		sched_yield();
	}
	for (i = 0; i <= sends; i++) {
		FAB_EXPECT(&a, CTX_SEND);
		FAB_EXPECT(&b, CTX_RECV);
	}
}

static void remote_data_is_32_bits(void)
{
	EXPECT_EQ(a.info->domain_attr->cq_data_size, 4);
	receive();
	REQUIRE_EQ(sendmsg_of(100, 0, FI_REMOTE_CQ_DATA), 0);
	arrived(100, 0xfedcba98, true);
}

/* Contexts that are no addresses, and none. */
static void contexts_are_not_touched(void)
{
	struct fi_cq_data_entry entry;

	REQUIRE_EQ(fi_recv(b.ep, b.buf, 100 + b.prefix, b.desc,
			   FI_ADDR_UNSPEC, (void *)3), 0);
	REQUIRE_EQ(fi_send(a.ep, a.buf, 100 + a.prefix, a.desc, a.peer, NULL),
		   0);
	while (fi_cq_read(b.cq, &entry, 1) == -FI_EAGAIN)
		sched_yield();
	EXPECT_EQ((uintptr_t)entry.op_context, 3);
	while (fi_cq_read(a.cq, &entry, 1) == -FI_EAGAIN)
		sched_yield();
	EXPECT(!entry.op_context);
}

static void cancel(void)
{
	receive();
	EXPECT_EQ(fi_cancel(&b.ep->fid, &b.contexts[CTX_RECV]), -FI_ENOSYS);
	REQUIRE_EQ(fab_send(&a, CTX_SEND, 0, 64), 0);
	arrived(64, UINT64_MAX, true);
}

/* ---- remote memory ---- */

static uint64_t target(void)
{
	return (uintptr_t)b.buf + THERE;
}

static ssize_t do_write(size_t len, uint64_t key)
{
	return fi_write(a.ep, a.buf, len, a.desc, a.peer, target(), key,
			&a.contexts[CTX_OTHER]);
}

static void written(size_t len)
{
	struct fab_completion c = FAB_EXPECT(&a, CTX_OTHER);

	EXPECT_EQ(c.flags, FI_RMA | FI_WRITE);
	EXPECT_BYTES(b.buf + THERE, a.buf, len);
}

/* The peer is told of @data, and by no receive's flag. */
static void told(size_t len, uint64_t data)
{
	struct fi_cq_data_entry entry;
	fi_addr_t source = FI_ADDR_NOTAVAIL;

	while (fi_cq_readfrom(b.cq, &entry, 1, &source) == -FI_EAGAIN)
		sched_yield();
	EXPECT_EQ(entry.flags, FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA);
	EXPECT_EQ(entry.len, len);
	EXPECT_EQ(entry.data, data);
	EXPECT_EQ(source, b.peer);
	EXPECT(entry.op_context == (takes_receive ? &b.contexts[CTX_RECV] :
				    NULL));
}

static void reads_and_writes(void)
{
	uint64_t key = fi_mr_key(b.mr);

	REQUIRE_EQ(do_write(20000, key), 0);
	written(20000);
	REQUIRE_EQ(do_write(0, key), 0);
	written(0);
	for (int i = 0; i < 2; i++) {
		size_t len = i ? 5000 : 0;

		if (takes_receive)
			receive();
		REQUIRE_EQ(fi_writedata(a.ep, a.buf, len, a.desc, UINT32_MAX,
					a.peer, target(), key,
					&a.contexts[CTX_OTHER]), 0);
		written(len);
		told(len, UINT32_MAX);
	}
	expect_fill(b.buf + THERE, 5000, 9);
	REQUIRE_EQ(fi_read(a.ep, a.buf + THERE, 5000, a.desc, a.peer, target(),
			   key, &a.contexts[CTX_OTHER]), 0);
	EXPECT_EQ(FAB_EXPECT(&a, CTX_OTHER).flags, FI_RMA | FI_READ);
	EXPECT_FILLED(a.buf + THERE, 5000, 9);
}

static void own_memory(void)
{
	uint64_t key = fi_mr_key(a.mr);
	fi_addr_t self;

	REQUIRE_EQ(fi_av_insert(a.av, a.addr, 1, &self, 0, NULL), 1);
	REQUIRE_EQ(fi_write(a.ep, a.buf, 3000, a.desc, self,
			    (uintptr_t)a.buf + THERE, key,
			    &a.contexts[CTX_OTHER]), 0);
	FAB_EXPECT(&a, CTX_OTHER);
	EXPECT_BYTES(a.buf + THERE, a.buf, 3000);
	EXPECT_EQ(fi_av_remove(a.av, &self, 1, 0), 0);
}

static ssize_t injected_write(size_t len, uint64_t key)
{
	return fi_inject_write(a.ep, a.buf, len, a.peer, target(), key);
}

/* The longest goes to the device, which finds the peer's region too short;
 * one byte more does not. */
static void longest_write(void)
{
	size_t most = option(FAB_OPT_MAX_RMA_SIZE), inline_most;
	uint64_t key = fi_mr_key(b.mr);
	struct fid_mr *mr;

	EXPECT_EQ(most, a.info->ep_attr->max_msg_size);
	REQUIRE(most > a.buf_len);
	/* Nothing is read before the peer has agreed. */
	REQUIRE_EQ(fi_mr_reg(a.domain, a.buf, a.buf_len, FI_WRITE, 0, 0, 0,
			     &mr, NULL), 0);
	EXPECT_EQ(fi_write(a.ep, a.buf, most + 1, a.desc, a.peer, target(),
			   key, NULL), -FI_EMSGSIZE);
	EXPECT_EQ(fi_read(a.ep, a.buf, most + 1, a.desc, a.peer, target(),
			  key, NULL), -FI_EMSGSIZE);
	EXPECT_EQ(fi_close(&mr->fid), 0);
	inline_most = option(FAB_OPT_INJECT_RMA_SIZE);
	EXPECT(inline_most == 0 ||
	       inline_most == a.info->tx_attr->inject_size);
	if (inline_most) {
		REQUIRE_EQ(injected_write(inline_most, key), 0);
		REQUIRE_EQ(do_write(64, key), 0);
		written(inline_most < 64 ? inline_most : 64);
	}
	EXPECT_EQ(injected_write(inline_most + 1, key), -FI_EOPNOTSUPP);
}

static void batches(void)
{
	uint64_t key = fi_mr_key(b.mr);
	struct iovec iov = { a.buf, 500 };
	struct fi_rma_iov range = { target(), 500, key };
	struct fi_msg_rma msg = {
		.msg_iov = &iov, .desc = &a.desc, .iov_count = 1,
		.addr = a.peer, .rma_iov = &range, .rma_iov_count = 1,
		.context = &a.contexts[CTX_OTHER],
	};
	int writes = 0, sends = 0;

	receive();
	for (int i = 0; i < 40; i++)
		REQUIRE_EQ(fi_writemsg(a.ep, &msg, FI_MORE), 0);
	REQUIRE_EQ(sendmsg_of(200, 300, FI_MORE), 0);
	REQUIRE_EQ(fi_readmsg(a.ep, &msg, FI_MORE), 0);
	REQUIRE_EQ(fi_writemsg(a.ep, &msg, FI_DELIVERY_COMPLETE), 0);
	while (writes + sends < 43) {
		if (fab_wait(&a).ctx == CTX_OTHER)
			writes++;
		else
			sends++;
	}
	EXPECT_EQ(sends, 1);
	EXPECT_BYTES(b.buf + THERE, a.buf, 500);
	FAB_EXPECT(&b, CTX_RECV);
}

static void failures(void)
{
	struct fi_cq_err_entry err;
	char text[512];

	REQUIRE_EQ(do_write(100, fi_mr_key(b.mr) ^ 0xffff), 0);
	err = fab_wait_error(&a);
	EXPECT(err.op_context == &a.contexts[CTX_OTHER]);
	EXPECT_EQ(err.flags, FI_RMA | FI_WRITE);
	EXPECT_EQ(err.err, FI_EINVAL);
	EXPECT_EQ(err.prov_errno, 7);
	EXPECT(fi_cq_strerror(a.cq, err.prov_errno, err.err_data, text,
			      sizeof(text)));
	EXPECT(strstr(text, "fi_addr_efa"));
	/* none of what an application may leave out is needed */
	EXPECT(fi_cq_strerror(a.cq, 7, NULL, NULL, 0));
	EXPECT(fi_cq_strerror(a.cq, 12345, err.err_data, NULL, 0));
}

/* An injected message keeps its place in the queue until it has gone, which
 * nobody is told: the queue is counted before the first. */
static const struct contract_row rows[] = {
	{ 36, "queues that are full", credits },
	{ 27, "calls for messages", messages },
	{ 27, "the longest message", longest_message },
	{ 32, "data of 32 bits", remote_data_is_32_bits },
	{ 34, "a receive is not taken back", cancel },
	{ 35, "inject", inject },
	{ 38, "contexts", contexts_are_not_touched },
};

static const struct contract_row rma_rows[] = {
	{ 29, "calls for remote memory", reads_and_writes },
	{ 29, "reads and writes of one's own memory", own_memory },
	{ 29, "the longest write", longest_write },
	{ 31, "batches of several kinds", batches },
	{ 42, "failures and their texts", failures },
};

static void check_all(struct fab_wish wish)
{
	wish.tx_size = 256;
	wish.rx_size = 256;
	fab_open(&a, &wish);
	fab_open(&b, &wish);
	fab_connect(&a, b.addr);
	fab_connect(&b, a.addr);
	expect_fill(a.buf, THERE, 5);
	takes_receive = a.info->mode & FI_RX_CQ_DATA;
	contract_check(rows, sizeof(rows) / sizeof(*rows));
	if (a.info->caps & FI_RMA)
		contract_check(rma_rows, sizeof(rma_rows) / sizeof(*rma_rows));
	fab_close(&a);
	fab_close(&b);
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	expect_deadline(120);
	contract_needs_ours();
	check_all(wish);
	check_all(fab_wish_dgram());
	wish.inject_size = 80;
	if (fab_wish_is_there(&wish))
		check_all(wish);
	wish.caps = FI_RMA;
	wish.mode = FI_RX_CQ_DATA;
	for (int i = 0; i < 4; i++) {
		wish.mode = i & 1 ? FI_RX_CQ_DATA : 0;
		wish.inject_size = i & 2 ? 80 : 0;
		wish.threading = i & 1 ? FI_THREAD_DOMAIN : FI_THREAD_SAFE;
		if (fab_wish_is_there(&wish))
			check_all(wish);
	}
	return expect_result();
}
