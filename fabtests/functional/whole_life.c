/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabtests/functional/whole_life.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/fi_rma.h>

#include "fabtests/expect.h"

#define PEERS		100u	/* more than an address vector starts with */
#define BUF_LEN		65536u
#define LEN		1024u
#define MESSAGES	80u	/* more than a counter's stash starts with */
#define WAIT_MS		60000

enum { SENT, RECEIVED, COUNTERS };

/* One endpoint; another one is its peer. */
struct side {
	struct fid_cq *tx_cq, *rx_cq;
	struct fid_cntr *cntr[COUNTERS];
	struct fid_ep *ep;
	uint8_t addr[FAB_ADDR_MAX];
	fi_addr_t peer;
};

struct stage {
	struct whole_life *life;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_eq *eq;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_mr *mr;
	void *desc;
	struct side side[2];
	uint8_t *buf;
};

struct whole_life whole_life_direct(int error)
{
	return (struct whole_life) { .wish = fab_wish_rma(), .error = error };
}

struct whole_life whole_life_dgram(int error)
{
	return (struct whole_life) { .wish = fab_wish_dgram(),
				     .error = error };
}

static bool may_fail(struct whole_life *life, long long ret, const char *call,
		     int line)
{
	if (ret >= 0)
		return false;
	life->failed++;
	expect_equal(ret, -life->error, call, __FILE__, line);
	return true;
}

/* A call that ends with 0, the first time or the second. */
#define TRY(life, call)							\
	do {								\
		long long ret_ = (call);				\
									\
		if (may_fail(life, ret_, #call, __LINE__))		\
			ret_ = (call);					\
		REQUIRE_EQ(ret_, 0);					\
	} while (0)

static unsigned count_infos(const struct fi_info *info)
{
	unsigned count = 0;

	for (; info; info = info->next)
		count++;
	return count;
}

struct fi_info *whole_life_getinfo(struct whole_life *life)
{
	struct fi_info *hints = fab_hints(&life->wish), *info = NULL;
	int ret;

	ret = fi_getinfo(FAB_API_VERSION, NULL, NULL, 0, hints, &info);
	if (ret) {
		/* the core's word for a provider that failed, whatever why */
		EXPECT(ret == -FI_ENODATA || ret == -life->error);
		life->failed++;
		info = NULL;
		REQUIRE_EQ(fi_getinfo(FAB_API_VERSION, NULL, NULL, 0, hints,
				      &info), 0);
	}
	fi_freeinfo(hints);
	if (!life->infos)
		life->infos = count_infos(info);
	EXPECT_EQ(count_infos(info), life->infos);
	return info;
}

static void open_domain(struct stage *s)
{
	struct fi_eq_attr eq_attr = { .wait_obj = FI_WAIT_FD,
				      .flags = FI_WRITE };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	struct whole_life *life = s->life;

	expect_stage("fabric, event queue, domain, address vector");
	TRY(life, fi_fabric(s->info->fabric_attr, &s->fabric, NULL));
	TRY(life, fi_eq_open(s->fabric, &eq_attr, &s->eq, NULL));
	TRY(life, fi_domain(s->fabric, s->info, &s->domain, NULL));
	TRY(life, fi_av_open(s->domain, &av_attr, &s->av, NULL));
}

static void open_memory(struct stage *s)
{
	uint64_t access = FI_SEND | FI_RECV;

	expect_stage("memory region");
	if (s->info->caps & FI_RMA)
		access |= FI_READ | FI_WRITE | FI_REMOTE_READ |
			  FI_REMOTE_WRITE;
	s->buf = aligned_alloc(4096, BUF_LEN);
	REQUIRE(s->buf);
	memset(s->buf, 0, BUF_LEN);
	TRY(s->life, fi_mr_reg(s->domain, s->buf, BUF_LEN, access, 0, 0, 0,
			       &s->mr, NULL));
	s->desc = fi_mr_desc(s->mr);
}

static void open_side(struct stage *s, struct side *side)
{
	struct fi_cntr_attr cntr_attr = { .wait_obj = FI_WAIT_UNSPEC };
	struct fi_cq_attr tx_attr = { .format = FI_CQ_FORMAT_DATA };
	struct fi_cq_attr rx_attr = { .format = FI_CQ_FORMAT_DATA,
				      .wait_obj = FI_WAIT_FD };
	struct whole_life *life = s->life;
	size_t len = sizeof(side->addr);

	expect_stage("queues, counters, endpoint");
	TRY(life, fi_cq_open(s->domain, &tx_attr, &side->tx_cq, NULL));
	TRY(life, fi_cq_open(s->domain, &rx_attr, &side->rx_cq, NULL));
	for (int i = 0; i < COUNTERS; i++)
		TRY(life, fi_cntr_open(s->domain, &cntr_attr, &side->cntr[i],
				       NULL));
	TRY(life, fi_endpoint(s->domain, s->info, &side->ep, NULL));
	TRY(life, fi_ep_bind(side->ep, &s->av->fid, 0));
	TRY(life, fi_ep_bind(side->ep, &side->tx_cq->fid, FI_TRANSMIT));
	TRY(life, fi_ep_bind(side->ep, &side->rx_cq->fid, FI_RECV));
	TRY(life, fi_ep_bind(side->ep, &side->cntr[SENT]->fid, FI_SEND));
	TRY(life, fi_ep_bind(side->ep, &side->cntr[RECEIVED]->fid, FI_RECV));
	TRY(life, fi_ep_bind(side->ep, &s->eq->fid, 0));
	TRY(life, fi_enable(side->ep));
	TRY(life, fi_getname(&side->ep->fid, side->addr, &len));
}

static fi_addr_t insert(struct stage *s, const uint8_t *addr)
{
	fi_addr_t inserted = FI_ADDR_NOTAVAIL;
	int error = 0;

	if (fi_av_insert(s->av, addr, 1, &inserted, FI_SYNC_ERR, &error) !=
	    1) {
		EXPECT_EQ(error, s->life->error);
		EXPECT(inserted == FI_ADDR_NOTAVAIL);
		s->life->failed++;
		REQUIRE_EQ(fi_av_insert(s->av, addr, 1, &inserted, 0, NULL),
			   1);
	}
	return inserted;
}

/* Both, and queue pairs that nobody has, of as many devices. */
static void insert_peers(struct stage *s)
{
	uint8_t addr[FAB_ADDR_MAX];
	char text[128];
	size_t len;

	expect_stage("addresses");
	s->side[0].peer = insert(s, s->side[1].addr);
	s->side[1].peer = insert(s, s->side[0].addr);
	memcpy(addr, s->side[0].addr, sizeof(addr));
	addr[14] ^= 0x55;
	for (unsigned i = 0; i < PEERS; i++) {
		fi_addr_t inserted;

		addr[15] = (uint8_t)(i / 10);
		addr[16] = (uint8_t)i;
		inserted = insert(s, addr);
		len = sizeof(addr);
		EXPECT_EQ(fi_av_lookup(s->av, inserted, text, &len), 0);
		EXPECT_BYTES(text, addr, 32);
		if (i % 3 == 0)
			TRY(s->life, fi_av_remove(s->av, &inserted, 1, 0));
	}
}

static size_t prefix(const struct stage *s)
{
	return s->info->mode & FI_MSG_PREFIX ?
	       s->info->ep_attr->msg_prefix_size : 0;
}

/* Waits for @count completions of @cq, and takes them. */
static void take(struct stage *s, struct fid_cq *cq, unsigned count)
{
	struct fi_cq_data_entry entry;
	fi_addr_t source;

	for (unsigned i = 0; i < count; i++) {
		ssize_t ret;

		while ((ret = fi_cq_readfrom(cq, &entry, 1, &source)) ==
		       -FI_EAGAIN)
			sched_yield();
		REQUIRE_EQ(ret, 1);
	}
}

static void exchange(struct stage *s, struct side *from, struct side *to)
{
	uint8_t *there = s->buf + BUF_LEN / 2;
	static struct fi_context2 context[2 * MESSAGES];
	struct whole_life *life = s->life;

	expect_stage("messages");
	expect_fill(s->buf, LEN, 7);
	for (unsigned i = 0; i < MESSAGES; i++)
		TRY(life, fi_recv(to->ep, there, prefix(s) + LEN, s->desc,
				  FI_ADDR_UNSPEC, &context[i]));
	for (unsigned i = 0; i < MESSAGES; i++)
		TRY(life, fi_send(from->ep, s->buf, prefix(s) + LEN, s->desc,
				  from->peer, &context[MESSAGES + i]));
	TRY(life, fi_cntr_wait(from->cntr[SENT], MESSAGES, WAIT_MS));
	TRY(life, fi_cntr_wait(to->cntr[RECEIVED], MESSAGES, WAIT_MS));
	EXPECT_EQ(fi_cntr_read(to->cntr[RECEIVED]), MESSAGES);
	take(s, from->tx_cq, MESSAGES);
	take(s, to->rx_cq, MESSAGES);
	EXPECT_BYTES(there + prefix(s), s->buf + prefix(s),
		     LEN - prefix(s));
}

static void move_memory(struct stage *s, struct side *side)
{
	uint64_t there = (uintptr_t)s->buf + BUF_LEN / 2;
	static struct fi_context2 context;

	if (!(s->info->caps & FI_RMA))
		return;
	expect_stage("remote write and read");
	TRY(s->life, fi_write(side->ep, s->buf, LEN, s->desc, side->peer,
			      there, fi_mr_key(s->mr), &context));
	take(s, side->tx_cq, 1);
	TRY(s->life, fi_read(side->ep, s->buf, LEN, s->desc, side->peer,
			     there, fi_mr_key(s->mr), &context));
	take(s, side->tx_cq, 1);
}

/* To one of the queue pairs that nobody has; counters make it wait in the
 * stash, text and all. Nobody tells the sender of a datagram. */
static void fail(struct stage *s, struct side *side)
{
	struct fi_cq_err_entry error = {};
	static struct fi_context2 context;
	uint8_t addr[FAB_ADDR_MAX];
	fi_addr_t nobody;

	if (s->info->ep_attr->type == FI_EP_DGRAM)
		return;
	expect_stage("a message to nobody");
	memcpy(addr, side->addr, sizeof(addr));
	addr[17] ^= 0x40;
	nobody = insert(s, addr);
	TRY(s->life, fi_send(side->ep, s->buf, LEN, s->desc, nobody,
			     &context));
	while (!fi_cntr_readerr(side->cntr[SENT]))
		sched_yield();
	while (fi_cq_readerr(side->tx_cq, &error, 0) == -FI_EAGAIN)
		sched_yield();
	EXPECT_EQ(error.err, FI_ENOTCONN);
}

static void post_event(struct stage *s)
{
	struct fi_eq_entry entry = { .fid = &s->eq->fid };
	uint32_t event = 0;
	ssize_t ret;

	expect_stage("an event");
	ret = fi_eq_write(s->eq, FI_NOTIFY, &entry, sizeof(entry), 0);
	if (may_fail(s->life, ret, "fi_eq_write", __LINE__))
		ret = fi_eq_write(s->eq, FI_NOTIFY, &entry, sizeof(entry), 0);
	EXPECT_EQ(ret, sizeof(entry));
	EXPECT_EQ(fi_eq_read(s->eq, &event, &entry, sizeof(entry), 0),
		  sizeof(entry));
	EXPECT_EQ(event, FI_NOTIFY);
}

static void close_all(struct stage *s)
{
	struct whole_life *life = s->life;

	expect_stage("closing");
	for (int i = 0; i < 2; i++) {
		struct side *side = &s->side[i];

		TRY(life, fi_close(&side->ep->fid));
		for (int k = 0; k < COUNTERS; k++)
			TRY(life, fi_close(&side->cntr[k]->fid));
		TRY(life, fi_close(&side->tx_cq->fid));
		TRY(life, fi_close(&side->rx_cq->fid));
	}
	TRY(life, fi_close(&s->mr->fid));
	TRY(life, fi_close(&s->av->fid));
	TRY(life, fi_close(&s->domain->fid));
	TRY(life, fi_close(&s->eq->fid));
	TRY(life, fi_close(&s->fabric->fid));
	fi_freeinfo(s->info);
	free(s->buf);
}

void whole_life_run(struct whole_life *life)
{
	struct stage s = { .life = life };

	expect_stage("fi_getinfo");
	s.info = whole_life_getinfo(life);
	open_domain(&s);
	open_memory(&s);
	open_side(&s, &s.side[0]);
	open_side(&s, &s.side[1]);
	insert_peers(&s);
	exchange(&s, &s.side[0], &s.side[1]);
	exchange(&s, &s.side[1], &s.side[0]);
	move_memory(&s, &s.side[0]);
	fail(&s, &s.side[0]);
	post_event(&s);
	close_all(&s);
}
