/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads and writes of a peer's memory by RDM endpoints: every kind and length,
 * from registered memory and other, many at once, with data, to oneself, and
 * to memory that is not the peer's to touch or goes away meanwhile. All of it
 * by the device where both have RDMA, then by packets.
 *
 * The first process acts and the second is acted on, then the other way.
 * FABTESTS_CHILD_PROVIDER_PATH as in rdm_messages.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rdma/fi_rma.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "fabtests/oob_pair.h"

#define PUT		0u	/* what is written from */
#define GOT		((size_t)4 << 20)	/* what is read into */
#define HERE		((size_t)8 << 20)	/* what the peer reaches */
#define BUF_LEN		((size_t)12 << 20)
#define LONGEST		(((size_t)2 << 20) + 5)
#define GUARD		64u
#define MANY		300u
#define MANY_LEN	4096u

enum { CTX_OP = 500, CTX_MESSAGE = 501, CTX_ANSWER = 502 };

struct target {
	uint64_t addr;		/* of HERE */
	uint64_t key;
	uint64_t write_only;	/* keys of the same memory */
	uint64_t read_only;
};

static struct target target;	/* the peer's */
static unsigned told;		/* of writes with data, so far */
static bool both_ours;

static const size_t lengths[] = {
	0, 1, 8, 129, 4096, 8500, 8900, 9001, 65536, 300001, LONGEST,
};

enum { LENGTHS = sizeof(lengths) / sizeof(*lengths) };

/* ---- who is acted on ---- */

static void be_told(struct fab_endpoint *e, const struct fab_completion *c)
{
	size_t len = lengths[told % LENGTHS];

	EXPECT_EQ(c->flags, FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA);
	EXPECT_EQ(c->data, 0x80000000u + told);
	/* later ones may be of several requests, of which the last is told */
	if (told < LENGTHS)
		EXPECT_EQ(c->len, len);
	/* the bytes are there before their data */
	EXPECT_FILLED(e->buf + HERE, len, 1000 + told);
	told++;
	REQUIRE_EQ(fab_send(e, CTX_ANSWER, PUT, 8), 0);
}

/* Until the peer says that it is done. */
static void serve(struct fab_endpoint *e)
{
	struct fi_cq_data_entry entry;
	struct fab_completion c;
	ssize_t ret;

	REQUIRE_EQ(fab_recv(e, CTX_MESSAGE, PUT, 64), 0);
	for (;;) {
		ret = fi_cq_read(e->cq, &entry, 1);
		if (ret == -FI_EAGAIN) {
			sched_yield();
			continue;
		}
		REQUIRE_EQ(ret, 1);
		if (entry.flags & FI_RECV)
			break;
		if (entry.flags & FI_SEND)
			continue;
		c = (struct fab_completion) {
			.flags = entry.flags, .len = entry.len,
			.data = entry.data,
		};
		be_told(e, &c);
	}
}

static void say_done(struct fab_endpoint *e)
{
	ssize_t ret;

	while ((ret = fab_send(e, CTX_MESSAGE, PUT, 8)) == -FI_EAGAIN)
		sched_yield();
	REQUIRE_EQ(ret, 0);
	FAB_EXPECT(e, CTX_MESSAGE);
}

/* ---- who acts ---- */

#define AGAIN(e, call) do {						\
	struct fab_completion c_;					\
	ssize_t ret_;							\
	while ((ret_ = (call)) == -FI_EAGAIN)				\
		REQUIRE(!fab_poll_cq(e, &c_));				\
	REQUIRE_EQ(ret_, 0);						\
} while (0)

static void get(struct fab_endpoint *e, size_t len, void *desc)
{
	struct fab_completion c;

	memset(e->buf + GOT, 0xee, len + GUARD);
	AGAIN(e, fi_read(e->ep, e->buf + GOT, len, desc, e->peer, target.addr,
			 target.key, &e->contexts[CTX_OP]));
	c = FAB_EXPECT(e, CTX_OP);
	EXPECT_EQ(c.flags, FI_RMA | FI_READ);
	EXPECT_EQ(e->buf[GOT + len], 0xee);
}

/*
 * A write is complete when the peer has its packets, and what reads next may
 * be served before these are looked at: reads until the @len bytes at PUT are
 * there.
 */
static void get_what_was_put(struct fab_endpoint *e, size_t len, void *desc)
{
	do
		get(e, len, desc);
	while (memcmp(e->buf + GOT, e->buf + PUT, len));
}

static ssize_t put_msg(struct fab_endpoint *e, size_t len, void *desc,
		       uint64_t key, uint64_t flags)
{
	/* in two pieces, the first of them odd */
	size_t cut = len > 200 ? 133 : len / 2;
	const struct iovec iov[2] = {
		{ e->buf + PUT, cut }, { e->buf + PUT + cut, len - cut },
	};
	struct fi_rma_iov rma = { target.addr, len, key };
	void *descs[2] = { desc, desc };
	struct fi_msg_rma msg = {
		.msg_iov = iov, .desc = descs, .iov_count = 2,
		.addr = e->peer, .rma_iov = &rma, .rma_iov_count = 1,
		.context = &e->contexts[CTX_OP],
	};

	return fi_writemsg(e->ep, &msg, flags);
}

static void put_and_get(struct fab_endpoint *e, void *desc)
{
	struct fab_completion c;
	size_t len;

	for (unsigned i = 0; i < LENGTHS; i++) {
		len = lengths[i];
		/* libfabric's own provider falls over */
		if (!len && !desc && fab_is_in_tree(e->info))
			continue;
		expect_fill(e->buf + PUT, len, i);
		AGAIN(e, fi_write(e->ep, e->buf + PUT, len, desc, e->peer,
				  target.addr, target.key,
				  &e->contexts[CTX_OP]));
		c = FAB_EXPECT(e, CTX_OP);
		EXPECT_EQ(c.flags, FI_RMA | FI_WRITE);
		get_what_was_put(e, len, desc);
		expect_fill(e->buf + PUT, len, i + 50);
		AGAIN(e, put_msg(e, len, desc, target.key,
				 FI_COMPLETION | FI_DELIVERY_COMPLETE));
		FAB_EXPECT(e, CTX_OP);
		get(e, len, desc);
		EXPECT_FILLED(e->buf + GOT, len, i + 50);
	}
}

/* In one request, or of memory that is not registered in several. */
static void put_with_data(struct fab_endpoint *e, void *desc)
{
	size_t len;

	for (unsigned i = 0; i < LENGTHS; i++, told++) {
		len = lengths[i];
		expect_fill(e->buf + PUT, len, 1000 + told);
		REQUIRE_EQ(fab_recv(e, CTX_ANSWER, GOT, 64), 0);
		AGAIN(e, fi_writedata(e->ep, e->buf + PUT, len, desc,
				      0x80000000u + told, e->peer, target.addr,
				      target.key, &e->contexts[CTX_OP]));
		FAB_EXPECT(e, CTX_OP);
		/* the next goes to the same place */
		FAB_EXPECT(e, CTX_ANSWER);
	}
}

static void put_injected(struct fab_endpoint *e)
{
	size_t len = e->info->tx_attr->inject_size;

	for (unsigned i = 0; i < 3; i++) {
		expect_fill(e->buf + PUT, len, i + 90);
		AGAIN(e, fi_inject_write(e->ep, e->buf + PUT, len, e->peer,
					 target.addr, target.key));
		memset(e->buf + PUT, 0, len);
		expect_fill(e->buf + PUT, len, i + 90);
		get_what_was_put(e, len, e->desc);
	}
	/* libfabric's own provider is content with more */
	if (!fab_is_in_tree(e->info))
		EXPECT_EQ(fi_inject_write(e->ep, e->buf, len + 1, e->peer,
					  target.addr, target.key),
			  -FI_EMSGSIZE);
}

/* Each ends once, however many are refused for a while. */
static void put_many(struct fab_endpoint *e)
{
	bool seen[MANY] = { false };
	unsigned posted = 0, done = 0;
	struct fab_completion c;
	ssize_t ret;

	expect_fill(e->buf + PUT, MANY * MANY_LEN, 33);
	while (done < MANY) {
		ret = posted == MANY ? -FI_EAGAIN :
		      fi_write(e->ep, e->buf + PUT + posted * MANY_LEN,
			       MANY_LEN, posted % 2 ? e->desc : NULL, e->peer,
			       target.addr + posted * MANY_LEN, target.key,
			       &e->contexts[posted]);
		if (!ret) {
			posted++;
			continue;
		}
		REQUIRE_EQ(ret, -FI_EAGAIN);
		if (!fab_poll(e, &c)) {
			sched_yield();
			continue;
		}
		REQUIRE(c.ctx < MANY && !seen[c.ctx]);
		seen[c.ctx] = true;
		done++;
	}
	get_what_was_put(e, MANY * MANY_LEN, e->desc);
}

/* Of two buffers, which are the application's again when the call returns. */
static void put_injected_pieces(struct fab_endpoint *e)
{
	size_t len = e->info->tx_attr->inject_size;

	expect_fill(e->buf + PUT, len, 77);
	AGAIN(e, put_msg(e, len, NULL, target.key,
			 FI_COMPLETION | FI_DELIVERY_COMPLETE | FI_INJECT));
	memset(e->buf + PUT, 0, len);
	FAB_EXPECT(e, CTX_OP);
	get(e, len, e->desc);
	EXPECT_FILLED(e->buf + GOT, len, 77);
}

static void fail_once(struct fab_endpoint *e, ssize_t ret)
{
	struct fi_cq_err_entry err;

	REQUIRE_EQ(ret, 0);
	err = fab_wait_error(e);
	EXPECT_EQ(fab_context_number(e, err.op_context), CTX_OP);
	EXPECT(err.err != FI_ETRUNC && err.err != FI_ECANCELED);
}

/* What is not the peer's to touch stays as it is. */
static void be_refused(struct fab_endpoint *e)
{
	const uint64_t dc = FI_COMPLETION | FI_DELIVERY_COMPLETE;
	void *ctx = &e->contexts[CTX_OP];
	size_t beyond = BUF_LEN - HERE - 50;

	expect_stage("no such key");
	fail_once(e, put_msg(e, 100, e->desc, 0x7ffffff1, dc));
	fail_once(e, put_msg(e, 100000, e->desc, 0x7ffffff1, dc));
	fail_once(e, fi_read(e->ep, e->buf + GOT, 100, e->desc, e->peer,
			     target.addr, 0x7ffffff1, ctx));
	expect_stage("beyond the region");
	fail_once(e, fi_read(e->ep, e->buf + GOT, 100, e->desc, e->peer,
			     target.addr + beyond, target.key, ctx));
	fail_once(e, fi_write(e->ep, e->buf, 100000, e->desc, e->peer,
			      target.addr + beyond, target.key, ctx));
	expect_stage("without the right");
	fail_once(e, put_msg(e, 64, e->desc, target.read_only, dc));
	fail_once(e, fi_read(e->ep, e->buf + GOT, 64, e->desc, e->peer,
			     target.addr, target.write_only, ctx));
	fail_once(e, fi_read(e->ep, e->buf + GOT, LONGEST, e->desc, e->peer,
			     target.addr, target.write_only, ctx));
}

static void reach_oneself(struct fab_endpoint *e)
{
	fi_addr_t self;
	uint64_t key = fi_mr_key(e->mr);

	REQUIRE_EQ(fi_av_insert(e->av, e->addr, 1, &self, 0, NULL), 1);
	for (unsigned i = 0; i < LENGTHS; i++) {
		size_t len = lengths[i];

		expect_fill(e->buf + PUT, len, i + 7);
		AGAIN(e, fi_write(e->ep, e->buf + PUT, len, e->desc, self,
				  (uintptr_t)(e->buf + HERE), key,
				  &e->contexts[CTX_OP]));
		FAB_EXPECT(e, CTX_OP);
		/* as in get_what_was_put */
		do {
			AGAIN(e, fi_read(e->ep, e->buf + GOT, len, e->desc,
					 self, (uintptr_t)(e->buf + HERE), key,
					 &e->contexts[CTX_OP]));
			FAB_EXPECT(e, CTX_OP);
		} while (memcmp(e->buf + GOT, e->buf + PUT, len));
	}
}

static void act(struct fab_endpoint *e)
{
	expect_stage("writes and reads");
	put_and_get(e, e->desc);
	expect_stage("of memory that is not registered");
	put_and_get(e, NULL);
	expect_stage("writes with data");
	put_with_data(e, e->desc);
	if (!fab_is_in_tree(e->info))
		put_with_data(e, NULL);
	expect_stage("injected writes");
	put_injected(e);
	/* libfabric's own provider falls over */
	if (!fab_is_in_tree(e->info))
		put_injected_pieces(e);
	expect_stage("many writes");
	put_many(e);
	if (both_ours)
		be_refused(e);
	say_done(e);
}

/* ---- memory that goes away ---- */

static void lose_memory(struct fab_endpoint *e, int oob, bool first)
{
	struct fi_cq_err_entry err;
	struct fab_completion c;
	struct fid_mr *mr;
	unsigned ended = 0, failed = 0, ctx;
	bool seen[8] = { false };
	uint64_t key;

	expect_stage("memory that goes away");
	if (!first) {
		REQUIRE_EQ(fi_mr_reg(e->domain, e->buf + HERE, LONGEST,
				     FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 0, 0,
				     &mr, NULL), 0);
		key = fi_mr_key(mr);
		oob_send(oob, &key, sizeof(key));
		for (int i = 0; i < 10; i++)
			REQUIRE(!fab_poll_cq(e, &c));
		REQUIRE_EQ(fi_close(&mr->fid), 0);
		serve(e);
		return;
	}
	oob_recv(oob, &key, sizeof(key));
	for (unsigned i = 0; i < 8; i++)
		AGAIN(e, i % 2 ? fi_write(e->ep, e->buf, LONGEST, e->desc,
					  e->peer, target.addr, key,
					  &e->contexts[i]) :
			 fi_read(e->ep, e->buf + GOT, LONGEST, e->desc,
				 e->peer, target.addr, key, &e->contexts[i]));
	while (ended < 8) {
		struct fi_cq_data_entry entry = {};
		ssize_t ret = fi_cq_read(e->cq, &entry, 1);

		if (ret == -FI_EAGAIN)
			continue;
		if (ret == -FI_EAVAIL) {
			err = (struct fi_cq_err_entry) {};
			REQUIRE_EQ(fi_cq_readerr(e->cq, &err, 0), 1);
			entry.op_context = err.op_context;
			failed++;
		}
		ctx = fab_context_number(e, entry.op_context);
		REQUIRE(ctx < 8 && !seen[ctx]);
		seen[ctx] = true;
		ended++;
	}
	/* how many depends on who is faster */
	printf("%u of 8 operations failed as their memory went\n", failed);
	say_done(e);
}

/* ---- */

static void swap_targets(struct fab_endpoint *e, int oob,
			 struct fid_mr *mr[2])
{
	static const uint64_t rights[2] = { FI_REMOTE_WRITE, FI_REMOTE_READ };
	struct target own = {
		.addr = (uintptr_t)(e->buf + HERE), .key = fi_mr_key(e->mr),
	};

	for (int i = 0; i < 2; i++)
		REQUIRE_EQ(fi_mr_reg(e->domain, e->buf + HERE, LONGEST,
				     rights[i], 0, 0, 0, &mr[i], NULL), 0);
	own.write_only = fi_mr_key(mr[0]);
	own.read_only = fi_mr_key(mr[1]);
	oob_send(oob, &own, sizeof(own));
	oob_recv(oob, &target, sizeof(target));
}

static void run_all(int oob, bool first)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint e;
	struct fid_mr *mr[2];

	wish.fabric = "efa";
	wish.caps = FI_TAGGED | FI_RMA;
	wish.buf_len = BUF_LEN;
	wish.buffers_unregistered = true;
	if (!fab_wish_is_there(&wish))
		expect_skip("RDM endpoints with FI_RMA of the fabric efa");
	fab_open_pair(&e, &wish, oob);
	both_ours = !fab_is_in_tree(e.info) &&
		    !getenv("FABTESTS_CHILD_PROVIDER_PATH");
	swap_targets(&e, oob, mr);
	for (int turn = 0; turn < 2; turn++) {
		told = 0;
		if (first == !turn)
			act(&e);
		else
			serve(&e);
		oob_sync(oob);
	}
	expect_stage("to oneself");
	reach_oneself(&e);
	oob_sync(oob);
	if (both_ours)
		lose_memory(&e, oob, first);
	oob_sync(oob);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(fi_close(&mr[i]->fid), 0);
	fab_close(&e);
}

/* In two processes, whose libfabric reads its variables now. */
static int run_pair(void)
{
	const char *path = getenv("FABTESTS_CHILD_PROVIDER_PATH");
	pid_t child;
	int oob;

	expect_deadline(120);
	oob = oob_fork(&child);
	if (child == 0) {
		expect_deadline(120);
		if (path)
			setenv("FI_PROVIDER_PATH", path, 1);
	}
	run_all(oob, child != 0);
	if (child == 0)
		expect_child_exit();
	expect_child(child);
	return expect_result();
}

/* What a test is to return. */
static int run_with(const char *use_device_rdma)
{
	pid_t child = fork();
	int status = 0;

	REQUIRE(child >= 0);
	if (child == 0) {
		setenv("FI_EFA_USE_DEVICE_RDMA", use_device_rdma, 1);
		exit(run_pair());
	}
	REQUIRE_EQ(waitpid(child, &status, 0), child);
	EXPECT(WIFEXITED(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : expect_result();
}

int main(void)
{
	int ret;

	/* between processes of one host, too, it is the device that counts */
	setenv("FI_EFA_ENABLE_SHM_TRANSFER", "0", 1);
	ret = run_with("1");
	return ret ? ret : run_with("0");
}
