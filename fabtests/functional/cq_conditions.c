/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a reader of a CQ asks for: so many entries at once
 * (FI_CQ_COND_THRESHOLD), with their senders, and of an error as much text as
 * it has room for.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define FEW	4u
#define LEN	64u
#define SOON_MS	30
#define LONG_MS	60000

enum { CTX_SEND = 1, CTX_RECV = 2 };

static struct fab_endpoint e;	/* for all but the queues */
static struct fid_ep *ep;
static struct fid_cq *tx_cq, *rx_cq;
static fi_addr_t self;

static void open_queues(void)
{
	struct fi_cq_attr attr = {
		.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_UNSPEC,
		.wait_cond = FI_CQ_COND_THRESHOLD,
	};
	uint8_t addr[FAB_ADDR_MAX];
	size_t len = sizeof(addr);

	REQUIRE_EQ(fi_cq_open(e.domain, &attr, &tx_cq, NULL), 0);
	REQUIRE_EQ(fi_cq_open(e.domain, &attr, &rx_cq, NULL), 0);
	REQUIRE_EQ(fi_endpoint(e.domain, e.info, &ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &e.av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &tx_cq->fid, FI_TRANSMIT), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &rx_cq->fid, FI_RECV), 0);
	REQUIRE_EQ(fi_enable(ep), 0);
	REQUIRE_EQ(fi_getname(&ep->fid, addr, &len), 0);
	REQUIRE_EQ(fi_av_insert(e.av, addr, 1, &self, 0, NULL), 1);
}

static void send_some(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		REQUIRE_EQ(fi_recv(ep, e.buf, LEN, e.desc, FI_ADDR_UNSPEC,
				   &e.contexts[CTX_RECV]), 0);
		REQUIRE_EQ(fi_send(ep, e.buf + 4096, LEN, e.desc, self,
				   &e.contexts[CTX_SEND]), 0);
	}
}

static struct fi_cq_data_entry entries[2 * FEW];
static fi_addr_t sources[2 * FEW];

static ssize_t read_some(struct fid_cq *cq, size_t count, size_t threshold,
			 int timeout_ms)
{
	return fi_cq_sreadfrom(cq, entries, count, sources,
			       (void *)(uintptr_t)threshold, timeout_ms);
}

static void check_entries(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		EXPECT(entries[i].op_context == &e.contexts[CTX_RECV]);
		EXPECT_EQ(entries[i].len, LEN);
		EXPECT_EQ(sources[i], self);
	}
}

static void *read_few(void *arg)
{
	return (void *)(intptr_t)read_some(rx_cq, 2 * FEW, FEW, LONG_MS);
}

/* Not before there are so many; fewer when the time is over, or when there is
 * no place for more. */
static void check_threshold(void)
{
	struct fi_cq_data_entry sent;
	pthread_t reader;
	void *result;

	expect_stage("a threshold");
	memset(sources, 0xff, sizeof(sources));
	REQUIRE_EQ(pthread_create(&reader, NULL, read_few, NULL), 0);
	for (unsigned i = 0; i < FEW; i++) {
		send_some(1);
		/* the message is over */
		REQUIRE_EQ(fi_cq_sread(tx_cq, &sent, 1, NULL, LONG_MS), 1);
	}
	REQUIRE_EQ(pthread_join(reader, &result), 0);
	EXPECT_EQ((intptr_t)result, FEW);

	send_some(FEW);
	EXPECT_EQ(read_some(rx_cq, FEW, FEW, LONG_MS), FEW);
	check_entries(FEW);
	EXPECT_EQ(read_some(tx_cq, FEW, FEW, LONG_MS), FEW);
	expect_stage("a threshold that is not reached");
	send_some(2);
	EXPECT_EQ(read_some(tx_cq, 2, FEW, LONG_MS), 2);
	EXPECT_EQ(read_some(rx_cq, FEW, 2, LONG_MS), 2);
	check_entries(2);
	send_some(1);
	EXPECT_EQ(read_some(tx_cq, 1, FEW, LONG_MS), 1);
	EXPECT_EQ(read_some(rx_cq, FEW, 1, LONG_MS), 1);
	EXPECT_EQ(read_some(rx_cq, FEW, FEW, SOON_MS), -FI_EAGAIN);
}

/* What is told of a message to an endpoint that never was. */
static struct fi_cq_err_entry failure(char *buf, size_t size)
{
	struct fi_cq_err_entry err = { .err_data = buf,
				       .err_data_size = size };
	ssize_t ret;

	REQUIRE_EQ(fi_send(ep, e.buf, LEN, e.desc, e.peer,
			   &e.contexts[CTX_SEND]), 0);
	REQUIRE_EQ(read_some(tx_cq, 1, 1, LONG_MS), -FI_EAVAIL);
	ret = fi_cq_readerr(tx_cq, &err, 0);
	REQUIRE_EQ(ret, 1);
	EXPECT(err.op_context == &e.contexts[CTX_SEND]);
	return err;
}

static void check_texts(void)
{
	static const size_t sizes[] = { 1, 2, 20, 4096 };
	struct fi_cq_err_entry err;
	char whole[1024], buf[4096], text[1024];
	uint8_t addr[32];

	expect_stage("as much text as there is room for");
	memcpy(addr, e.addr, sizeof(addr));
	addr[17] ^= 0x40;	/* a QP that nobody has */
	fab_connect(&e, addr);
	err = failure(NULL, 0);
	REQUIRE(err.err_data && strlen(err.err_data) < sizeof(whole));
	strcpy(whole, err.err_data);
	EXPECT(strstr(whole, "fi_addr_efa"));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t room = sizes[i];
		size_t len = strlen(whole) < room ? strlen(whole) : room - 1;

		memset(buf, 'x', sizeof(buf));
		err = failure(buf, room);
		EXPECT(err.err_data == buf);
		EXPECT_EQ(err.err_data_size, len + 1);
		EXPECT(!strncmp(buf, whole, len) && !buf[len]);
		EXPECT(len + 1 >= sizeof(buf) || buf[len + 1] == 'x');
		EXPECT(fi_cq_strerror(tx_cq, err.prov_errno, err.err_data,
				      text, sizeof(text)) == text);
		EXPECT(!strncmp(text, buf, len));
	}
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	expect_deadline(120);
	fab_open(&e, &wish);
	if (fab_is_in_tree(e.info))
		expect_skip("wait objects and texts of this provider");
	open_queues();
	check_threshold();
	check_texts();
	EXPECT_EQ(fi_close(&ep->fid), 0);
	EXPECT_EQ(fi_close(&tx_cq->fid), 0);
	EXPECT_EQ(fi_close(&rx_cq->fid), 0);
	fab_close(&e);
	return expect_result();
}
