/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The NCCL OFI plugin's SENDRECV protocol: every message is a tagged one of
 * the fabric efa, in order; connections are made by untagged messages of an
 * endpoint beside it, on the same completion queue.
 */
#include <string.h>

#include "fabtests/nccl/transport.h"
#include "fabtests/oob_pair.h"

#define IN_FLIGHT	8u	/* requests of one communicator at a time */
#define MESSAGE_MAX	(4u << 20)
#define ROUNDS		3u

static struct {
	struct nccl_nic nic;
	struct nccl_endpoint cm, data;
	struct nccl_region memory;
	struct nccl_request cm_requests[NCCL_CM_RECEIVES];
	struct nccl_request requests[IN_FLIGHT];
} me;

static struct {
	uint8_t connect_out[256], connect_in[NCCL_CM_RECEIVES][256];
	uint8_t bytes[IN_FLIGHT][MESSAGE_MAX];
} memory;

static const size_t lengths[] = {
	0, 1, 4096, 8192, 65536, 262144, 1 << 20, MESSAGE_MAX,
};

static struct fi_info *sendrecv_hints(void)
{
	struct fi_info *hints = nccl_hints(FI_TAGGED | FI_MSG);

	hints->domain_attr->mr_mode |= FI_MR_ENDPOINT;
	hints->domain_attr->threading = FI_THREAD_SAFE;
	hints->tx_attr->msg_order = FI_ORDER_SAS;
	hints->rx_attr->msg_order = FI_ORDER_SAS;
	return hints;
}

static void connect_ranks(void)
{
	struct nccl_request sent = { 0 };

	expect_stage("connect messages");
	for (unsigned i = 0; i < NCCL_CM_RECEIVES; i++)
		NCCL_POST(&me.nic,
			  fi_recv(me.cm.ep, memory.connect_in[i],
				  sizeof(memory.connect_in[i]),
				  me.memory.desc, FI_ADDR_UNSPEC,
				  &me.cm_requests[i]));
	expect_fill(memory.connect_out, sizeof(memory.connect_out), 9);
	NCCL_POST(&me.nic,
		  fi_send(me.cm.ep, memory.connect_out,
			  sizeof(memory.connect_out), me.memory.desc,
			  me.cm.peer, &sent));
	nccl_wait(&me.nic, &sent);
	/* receives of one peer's messages end in their order */
	nccl_wait(&me.nic, &me.cm_requests[0]);
	EXPECT(me.cm_requests[0].flags & FI_RECV);
	EXPECT_FILLED(memory.connect_in[0], sizeof(memory.connect_in[0]), 9);
}

/* One message of each length, all at once. */
static void post_round(bool sends, uint64_t tag)
{
	for (unsigned i = 0; i < IN_FLIGHT; i++) {
		me.requests[i].done = false;
		if (sends) {
			expect_fill(memory.bytes[i], lengths[i],
				    (unsigned)tag + i);
			NCCL_POST(&me.nic,
				  fi_tsend(me.data.ep, memory.bytes[i],
					   lengths[i], me.memory.desc,
					   me.data.peer, tag,
					   &me.requests[i]));
		} else {
			memset(memory.bytes[i], 0, lengths[i]);
			/* room for more than comes */
			NCCL_POST(&me.nic,
				  fi_trecv(me.data.ep, memory.bytes[i],
					   MESSAGE_MAX, me.memory.desc,
					   FI_ADDR_UNSPEC, tag, 0,
					   &me.requests[i]));
		}
	}
}

static void end_round(bool sends, uint64_t tag)
{
	for (unsigned i = 0; i < IN_FLIGHT; i++) {
		nccl_wait(&me.nic, &me.requests[i]);
		if (sends) {
			EXPECT(me.requests[i].flags & FI_SEND);
			continue;
		}
		EXPECT(me.requests[i].flags & FI_RECV);
		EXPECT_EQ(me.requests[i].len, lengths[i]);
		EXPECT_FILLED(memory.bytes[i], lengths[i], (unsigned)tag + i);
	}
}

/* Each is sender and receiver in turn; the receiver is first or last. */
static void transfer(int oob, bool first)
{
	expect_stage("messages");
	for (uint64_t tag = 0; tag < ROUNDS * 2; tag++) {
		bool sends = first == (tag % 2 == 0);

		post_round(sends, tag);
		end_round(sends, tag);
		if (tag % 3 == 2)
			oob_sync(oob);
	}
}

static void run(int oob, bool first)
{
	struct fi_info *hints = sendrecv_hints();
	struct nccl_request never = { 0 };

	nccl_nic_open(&me.nic, hints, FI_CQ_FORMAT_TAGGED);
	fi_freeinfo(hints);
	EXPECT_STR(me.nic.info->fabric_attr->name, "efa");
	EXPECT(me.nic.info->tx_attr->msg_order & FI_ORDER_SAS);
	nccl_endpoint_open(&me.cm, &me.nic, me.nic.info);
	nccl_endpoint_open(&me.data, &me.nic, me.nic.info);
	nccl_register(&me.memory, &me.nic, &me.data, &memory, sizeof(memory));
	nccl_endpoint_connect(&me.cm, oob);
	nccl_endpoint_connect(&me.data, oob);
	connect_ranks();
	transfer(oob, first);
	/* one whose message never comes is posted when the endpoint closes */
	NCCL_POST(&me.nic,
		  fi_trecv(me.data.ep, memory.bytes[0], MESSAGE_MAX,
			   me.memory.desc, FI_ADDR_UNSPEC, 1000, 0, &never));
	oob_sync(oob);
	expect_stage("close");
	nccl_endpoint_close(&me.data);
	nccl_endpoint_close(&me.cm);
	EXPECT(!never.done);
	nccl_deregister(&me.memory);
	nccl_nic_close(&me.nic);
}

int main(void)
{
	return nccl_two_ranks(run, sendrecv_hints());
}
