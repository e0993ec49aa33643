/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The NCCL OFI plugin's one-sided proxy (GIN): writes with data and messages
 * with data, several to a doorbell, on one endpoint; on the other side each
 * of either kind uses up a receive and tells whom it is from. Its endpoint
 * is opened on a domain of another info.
 */
#include <sched.h>
#include <string.h>

#include "fabtests/nccl/transport.h"
#include "fabtests/oob_pair.h"

#define RECEIVES	2048u
#define RECEIVE_BYTES	64u
#define BATCH		16u	/* operations to a doorbell */
#define BATCHES		40u
#define OPERATIONS	(BATCH * BATCHES)
#define WRITE_BYTES	1024u

static struct {
	struct nccl_nic nic;
	struct fi_info *info;
	struct nccl_endpoint ep;
	struct nccl_region memory;
	struct nccl_request receives[RECEIVES], requests[BATCH];
	unsigned receive_count;
	uint64_t remote_addr, remote_key;
} me;

static struct {
	uint8_t receives[RECEIVES][RECEIVE_BYTES];
	uint8_t window[OPERATIONS][WRITE_BYTES];
	uint8_t message[RECEIVE_BYTES];
	uint8_t check[WRITE_BYTES];
} memory;

/* Every third operation is a message. */
static bool is_message(uint32_t seq)
{
	return seq % 3 == 2;
}

static struct fi_info *net_hints(void)
{
	struct fi_info *hints = nccl_hints(FI_MSG | FI_RMA | FI_HMEM);

	hints->domain_attr->mr_mode |= FI_MR_HMEM | FI_MR_ENDPOINT;
	hints->domain_attr->threading = FI_THREAD_COMPLETION;
	hints->domain_attr->cq_data_size = 4;
	return hints;
}

/* Of the NIC that is open already; there must be one answer, no more. */
static struct fi_info *proxy_info(void)
{
	struct fi_info *hints = net_hints(), *info;

	hints->caps |= FI_SOURCE;
	hints->mode |= FI_RX_CQ_DATA;
	hints->domain_attr->mr_mode &= ~FI_MR_ENDPOINT;
	hints->fabric_attr->name = strdup(me.nic.info->fabric_attr->name);
	hints->domain_attr->name = strdup(me.nic.info->domain_attr->name);
	info = nccl_getinfo(hints);
	fi_freeinfo(hints);
	EXPECT(!info->next);
	EXPECT(info->mode & FI_RX_CQ_DATA);
	return info;
}

static void post_receive(unsigned i, bool more)
{
	struct iovec iov = { memory.receives[i], RECEIVE_BYTES };
	struct fi_msg msg = {
		.msg_iov = &iov, .desc = &me.memory.desc, .iov_count = 1,
		.addr = FI_ADDR_UNSPEC, .context = &me.receives[i],
	};

	me.receives[i].done = false;
	REQUIRE_EQ(fi_recvmsg(me.ep.ep, &msg, more ? FI_MORE : 0), 0);
}

static void open_rank(int oob)
{
	struct fi_info *hints = net_hints();
	uint64_t mine[2], theirs[2];

	nccl_nic_open(&me.nic, hints, FI_CQ_FORMAT_DATA);
	fi_freeinfo(hints);
	me.info = proxy_info();
	nccl_endpoint_open(&me.ep, &me.nic, me.info);
	nccl_register(&me.memory, &me.nic, &me.ep, &memory, sizeof(memory));
	me.receive_count = me.info->rx_attr->size < RECEIVES ?
			   me.info->rx_attr->size : RECEIVES;
	for (unsigned i = 0; i < me.receive_count; i++)
		post_receive(i, i + 1 < me.receive_count);
	nccl_endpoint_connect(&me.ep, oob);
	mine[0] = (uintptr_t)memory.window;
	mine[1] = me.memory.key;
	oob_swap(oob, mine, theirs, sizeof(mine));
	me.remote_addr = theirs[0];
	me.remote_key = theirs[1];
}

static void post_message(uint32_t seq, struct nccl_request *request,
			 uint64_t flags)
{
	struct iovec iov = { memory.message, RECEIVE_BYTES };
	struct fi_msg msg = {
		.msg_iov = &iov, .desc = &me.memory.desc, .iov_count = 1,
		.addr = me.ep.peer, .context = request, .data = seq,
	};

	NCCL_POST(&me.nic, fi_sendmsg(me.ep.ep, &msg, flags));
}

static void post_write(uint32_t seq, struct nccl_request *request,
		       uint64_t flags)
{
	struct iovec iov = { memory.window[seq], WRITE_BYTES };
	struct fi_rma_iov rma = { me.remote_addr + seq * WRITE_BYTES,
				  WRITE_BYTES, me.remote_key };
	struct fi_msg_rma msg = {
		.msg_iov = &iov, .desc = &me.memory.desc, .iov_count = 1,
		.addr = me.ep.peer, .rma_iov = &rma, .rma_iov_count = 1,
		.context = request, .data = seq,
	};

	NCCL_POST(&me.nic, fi_writemsg(me.ep.ep, &msg, flags));
}

static void send_batch(uint32_t seq)
{
	for (unsigned i = 0; i < BATCH; i++, seq++) {
		uint64_t flags = FI_REMOTE_CQ_DATA;

		/* the last one rings for all before it */
		if (i + 1 < BATCH)
			flags |= FI_MORE;
		me.requests[i].done = false;
		if (is_message(seq))
			post_message(seq, &me.requests[i], flags);
		else
			post_write(seq, &me.requests[i], flags);
	}
	for (unsigned i = 0; i < BATCH; i++)
		nccl_wait(&me.nic, &me.requests[i]);
}

static void send_all(void)
{
	expect_stage("writes and messages with data");
	expect_fill(memory.message, RECEIVE_BYTES, 1);
	for (uint32_t seq = 0; seq < OPERATIONS; seq++)
		expect_fill(memory.window[seq], WRITE_BYTES, seq);
	for (uint32_t batch = 0; batch < BATCHES; batch++)
		send_batch(batch * BATCH);
}

/* Takes receive @i, used up by one operation of either kind. */
static void take(unsigned i, bool *seen)
{
	struct nccl_request *request = &me.receives[i];
	uint64_t seq = request->data;

	EXPECT_EQ(request->source, me.ep.peer);
	EXPECT(request->flags & FI_REMOTE_CQ_DATA);
	REQUIRE(seq < OPERATIONS);
	EXPECT(!seen[seq]);
	seen[seq] = true;
	if (is_message(seq)) {
		EXPECT(request->flags & FI_RECV);
		EXPECT_FILLED(memory.receives[i], RECEIVE_BYTES, 1);
	} else {
		EXPECT(request->flags & FI_REMOTE_WRITE);
		EXPECT_EQ(request->len, WRITE_BYTES);
		EXPECT_FILLED(memory.window[seq], WRITE_BYTES,
			      (unsigned)seq);
	}
	post_receive(i, false);
}

static void receive_all(void)
{
	static bool seen[OPERATIONS];
	unsigned count = 0;

	expect_stage("receives of both kinds");
	while (count < OPERATIONS) {
		nccl_progress_from(&me.nic);
		for (unsigned i = 0; i < me.receive_count; i++) {
			if (!me.receives[i].done)
				continue;
			take(i, seen);
			count++;
		}
		sched_yield();
	}
}

/* What the other side has got is what its memory says. */
static void read_back(void)
{
	struct nccl_request request = { 0 };

	expect_stage("read back");
	NCCL_POST(&me.nic,
		  fi_read(me.ep.ep, memory.check, WRITE_BYTES, me.memory.desc,
			  me.ep.peer, me.remote_addr, me.remote_key,
			  &request));
	nccl_wait(&me.nic, &request);
	EXPECT(request.flags & FI_READ);
	EXPECT_FILLED(memory.check, WRITE_BYTES, 0);
}

static void run(int oob, bool first)
{
	open_rank(oob);
	if (first)
		send_all();
	else
		receive_all();
	if (first)
		read_back();
	oob_sync(oob);
	expect_stage("close");
	nccl_endpoint_close(&me.ep);
	nccl_deregister(&me.memory);
	fi_freeinfo(me.info);
	nccl_nic_close(&me.nic);
}

int main(void)
{
	return nccl_two_ranks(run, net_hints());
}
