/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What op_cost.sh counts the instructions of: an endpoint of efa-direct that
 * talks to itself, with a CQ for each direction, and one function for each
 * thing to be measured. Each is entered often; the rest of the program is
 * not collected.
 *
 *	op_cost safe|domain
 *
 * Prints a line for each function: how many calls of the API it made, how
 * many operations they were about and, for a reading one, how many of its
 * calls found nothing. Those are of one cost, that of cost_read_nothing. And
 * for those that post messages, how many doorbells the emulated device saw
 * meanwhile: "doorbells FUNCTION COUNT OPERATIONS".
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/fi_rma.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define ROUNDS		256u
#define BATCH		16u
#define LONG_LEN	4096u
#define SHORT_LEN	8u
#define AT_RECV		65536u

/* A function of its own, also where another one is the same. */
#define MEASURED	__attribute__((noinline, noclone, no_icf))

static struct fab_endpoint e;	/* for domain, buffer and vector */
static struct fid_ep *ep;
static struct fid_av *av;
static struct fid_cq *tx_cq, *rx_cq;
static fi_addr_t self;
static uint64_t remote_addr, remote_key;

struct count {
	const char *name;
	unsigned long calls, ops, nothing;
};

static void print(const struct count *c)
{
	printf("%s %lu %lu %lu\n", c->name, c->calls, c->ops, c->nothing);
}

/* ---- what is measured: one call, or sixteen ---- */

static MEASURED ssize_t cost_post_send_long(void)
{
	return fi_send(ep, e.buf, LONG_LEN, e.desc, self, &e.contexts[0]);
}

static MEASURED ssize_t cost_post_send_short(void)
{
	return fi_send(ep, e.buf, SHORT_LEN, e.desc, self, &e.contexts[0]);
}

static MEASURED ssize_t cost_post_recv(void)
{
	return fi_recv(ep, e.buf + AT_RECV, LONG_LEN, e.desc, FI_ADDR_UNSPEC,
		       &e.contexts[1]);
}

static MEASURED ssize_t cost_post_write(void)
{
	return fi_write(ep, e.buf, LONG_LEN, e.desc, self, remote_addr,
			remote_key, &e.contexts[2]);
}

static MEASURED ssize_t cost_post_read(void)
{
	return fi_read(ep, e.buf, LONG_LEN, e.desc, self, remote_addr,
		       remote_key, &e.contexts[3]);
}

static struct iovec send_iov, recv_iov;
static struct fi_rma_iov rma_iov;
static struct fi_msg send_msg, recv_msg;
static struct fi_msg_rma write_msg;

static MEASURED ssize_t cost_post_send_batch(void)
{
	ssize_t ret = 0;

	for (unsigned i = 0; i < BATCH; i++)
		ret |= fi_sendmsg(ep, &send_msg, FI_COMPLETION |
				  (i < BATCH - 1 ? FI_MORE : 0));
	return ret;
}

static MEASURED ssize_t cost_post_recv_batch(void)
{
	ssize_t ret = 0;

	for (unsigned i = 0; i < BATCH; i++)
		ret |= fi_recvmsg(ep, &recv_msg, FI_COMPLETION |
				  (i < BATCH - 1 ? FI_MORE : 0));
	return ret;
}

static MEASURED ssize_t cost_post_write_batch(void)
{
	ssize_t ret = 0;

	for (unsigned i = 0; i < BATCH; i++)
		ret |= fi_writemsg(ep, &write_msg, FI_COMPLETION |
				   (i < BATCH - 1 ? FI_MORE : 0));
	return ret;
}

static struct fi_cq_data_entry entries[BATCH];
static fi_addr_t sources[BATCH];

#define READING(name, call) \
	static MEASURED ssize_t name(void) { return call; }

READING(cost_read_nothing, fi_cq_read(tx_cq, entries, 1))
READING(cost_read_send, fi_cq_read(tx_cq, entries, 1))
READING(cost_read_write, fi_cq_read(tx_cq, entries, 1))
READING(cost_read_read, fi_cq_read(tx_cq, entries, 1))
READING(cost_read_recv, fi_cq_read(rx_cq, entries, 1))
READING(cost_readfrom_recv, fi_cq_readfrom(rx_cq, entries, 1, sources))
READING(cost_read_send_batch, fi_cq_read(tx_cq, entries, BATCH))
READING(cost_read_write_batch, fi_cq_read(tx_cq, entries, BATCH))
READING(cost_read_recv_batch, fi_cq_read(rx_cq, entries, BATCH))

/* ---- the same, without being measured ---- */

static ssize_t quiet_recv(void)
{
	return fi_recv(ep, e.buf + AT_RECV, LONG_LEN, e.desc, FI_ADDR_UNSPEC,
		       &e.contexts[1]);
}

static ssize_t quiet_send(void)
{
	return fi_send(ep, e.buf, LONG_LEN, e.desc, self, &e.contexts[0]);
}

READING(quiet_read_tx, fi_cq_read(tx_cq, entries, BATCH))
READING(quiet_read_rx, fi_cq_read(rx_cq, entries, BATCH))

/* ---- driving it ---- */

struct measured {
	const char *name;
	ssize_t (*call)(void);
};
#define M(function)	{ #function, function }

/* Reads @ops completions. An emulated device is a process of this machine:
 * let it run. */
static void drain(struct count *c, ssize_t (*reading)(void), unsigned ops)
{
	ssize_t ret;

	for (unsigned done = 0; done < ops; done += (unsigned)ret) {
		while ((ret = reading()) == -FI_EAGAIN) {
			c->nothing++;
			sched_yield();
		}
		REQUIRE(ret > 0);
		c->calls++;
		c->ops += (unsigned)ret;
	}
}

static void post(struct count *c, ssize_t (*posting)(void), unsigned ops)
{
	REQUIRE_EQ(posting(), 0);
	c->calls += ops;
	c->ops += ops;
}

/* What the devices of this `softefa run` count under @name, all together. */
static unsigned long device_count(const char *name)
{
	char command[512], line[256], counter[64];
	unsigned long sum = 0, value;
	const char *softefa = getenv("SOFTEFA");
	FILE *shown;

	if (!getenv("SOFTEFA_SOCKET"))
		return 0;
	snprintf(command, sizeof(command), "%s show --counters",
		 softefa ? softefa : "softefa");
	shown = popen(command, "r");
	REQUIRE(shown);
	while (fgets(line, sizeof(line), shown))
		if (sscanf(line, "efa_%*u %63s %lu", counter, &value) == 2 &&
		    !strcmp(counter, name))
			sum += value;
	REQUIRE_EQ(pclose(shown), 0);
	return sum;
}

/*
 * Receives, sends, and the completions of one of the two queues, once those
 * of the other have all been read: they are there then, or are very soon,
 * so that few calls find nothing and most a full batch.
 */
static void measure_messages(const struct measured m[4], unsigned batch)
{
	struct count recv = { .name = m[0].name }, send = { .name = m[1].name };
	struct count got = { .name = m[2].name }, sent = { .name = m[3].name };
	struct count ignored = { .name = "-" };
	unsigned long sq = device_count("sq_doorbells");
	unsigned long rq = device_count("rq_doorbells");

	for (unsigned i = 0; i < 2 * ROUNDS; i++) {
		post(&recv, m[0].call, batch);
		post(&send, m[1].call, batch);
		if (i % 2) {
			drain(&ignored, quiet_read_tx, batch);
			drain(&got, m[2].call, batch);
		} else {
			drain(&ignored, quiet_read_rx, batch);
			drain(&sent, m[3].call, batch);
		}
	}
	print(&recv);
	print(&send);
	print(&got);
	print(&sent);
	printf("doorbells %s %lu %lu\n", recv.name,
	       device_count("rq_doorbells") - rq, recv.ops);
	printf("doorbells %s %lu %lu\n", send.name,
	       device_count("sq_doorbells") - sq, send.ops);
}

/* A message after them tells, by its receive, that they are over. */
static void measure_rma(const struct measured m[2], unsigned batch)
{
	struct count posted = { .name = m[0].name };
	struct count done = { .name = m[1].name };
	struct count ignored = { .name = "-" };

	for (unsigned i = 0; i < ROUNDS; i++) {
		post(&ignored, quiet_recv, 1);
		post(&posted, m[0].call, batch);
		post(&ignored, quiet_send, 1);
		drain(&ignored, quiet_read_rx, 1);
		drain(&done, m[1].call, batch);
		/* in the queue's order, which is the send's last */
		drain(&ignored, quiet_read_tx, 1);
	}
	print(&posted);
	print(&done);
}

static void measure_nothing(void)
{
	struct count c = { .name = "cost_read_nothing" };

	for (; c.calls < ROUNDS; c.calls++)
		REQUIRE_EQ(cost_read_nothing(), -FI_EAGAIN);
	c.ops = c.calls;
	print(&c);
}

static void open_endpoint(void)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_DATA, .size = 8192 };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	uint8_t addr[FAB_ADDR_MAX];
	size_t len = sizeof(addr);

	REQUIRE_EQ(fi_av_open(e.domain, &av_attr, &av, NULL), 0);
	REQUIRE_EQ(fi_cq_open(e.domain, &attr, &tx_cq, NULL), 0);
	REQUIRE_EQ(fi_cq_open(e.domain, &attr, &rx_cq, NULL), 0);
	REQUIRE_EQ(fi_endpoint(e.domain, e.info, &ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &tx_cq->fid, FI_TRANSMIT), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &rx_cq->fid, FI_RECV), 0);
	REQUIRE_EQ(fi_enable(ep), 0);
	REQUIRE_EQ(fi_getname(&ep->fid, addr, &len), 0);
	REQUIRE_EQ(fi_av_insert(av, addr, 1, &self, 0, NULL), 1);
}

static void fill_messages(void)
{
	remote_addr = (uintptr_t)(e.buf + AT_RECV);
	remote_key = fi_mr_key(e.mr);
	send_iov = (struct iovec) { e.buf, LONG_LEN };
	recv_iov = (struct iovec) { e.buf + AT_RECV, LONG_LEN };
	rma_iov = (struct fi_rma_iov) { remote_addr, LONG_LEN, remote_key };
	send_msg = (struct fi_msg) {
		.msg_iov = &send_iov, .desc = &e.desc, .iov_count = 1,
		.addr = self, .context = &e.contexts[0],
	};
	recv_msg = (struct fi_msg) {
		.msg_iov = &recv_iov, .desc = &e.desc, .iov_count = 1,
		.addr = FI_ADDR_UNSPEC, .context = &e.contexts[1],
	};
	write_msg = (struct fi_msg_rma) {
		.msg_iov = &send_iov, .desc = &e.desc, .iov_count = 1,
		.addr = self, .rma_iov = &rma_iov, .rma_iov_count = 1,
		.context = &e.contexts[2],
	};
}

static void measure_all(void)
{
	const struct measured longs[] = {
		M(cost_post_recv), M(cost_post_send_long), M(cost_read_recv),
		M(cost_read_send),
	};
	const struct measured shorts[] = {
		M(cost_post_recv), M(cost_post_send_short),
		M(cost_readfrom_recv), M(cost_read_send),
	};
	const struct measured batches[] = {
		M(cost_post_recv_batch), M(cost_post_send_batch),
		M(cost_read_recv_batch), M(cost_read_send_batch),
	};
	const struct measured writes[] = {
		M(cost_post_write), M(cost_read_write),
	};
	const struct measured reads[] = {
		M(cost_post_read), M(cost_read_read),
	};
	const struct measured write_batches[] = {
		M(cost_post_write_batch), M(cost_read_write_batch),
	};

	measure_messages(longs, 1);
	measure_messages(shorts, 1);
	measure_messages(batches, BATCH);
	measure_nothing();
	measure_rma(writes, 1);
	measure_rma(reads, 1);
	measure_rma(write_batches, BATCH);
}

int main(int argc, char **argv)
{
	struct fab_wish wish;

	expect_deadline(300);
	REQUIRE(argc == 2);
	wish = fab_wish_rma();
	wish.threading = !strcmp(argv[1], "domain") ? FI_THREAD_DOMAIN
						    : FI_THREAD_SAFE;
	fab_open(&e, &wish);
	open_endpoint();
	fill_messages();
	measure_all();
	EXPECT_EQ(fi_close(&ep->fid), 0);
	EXPECT_EQ(fi_close(&tx_cq->fid), 0);
	EXPECT_EQ(fi_close(&rx_cq->fid), 0);
	EXPECT_EQ(fi_close(&av->fid), 0);
	fab_close(&e);
	return expect_result();
}
