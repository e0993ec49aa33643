/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The NCCL OFI plugin's RDMA protocol: the receiver writes where a message
 * shall go into the sender's mailbox; the sender writes it there, with data
 * that says which message it is; small ones come as messages of a header and
 * the bytes, and the receiver moves them by reading its own memory. All of it
 * is on one completion queue, with three endpoints.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_ext_efa.h>

#include "fabtests/nccl/transport.h"
#include "fabtests/oob_pair.h"

/* Options later than the installed headers may be, and the provider's. */
#define OPT_MAX_MSG_SIZE	12
#define OPT_INJECT_RMA_SIZE	18
#define OPT_EFA_EMULATED_WRITE	(-(0xefa << 16) + 2)
#define OPT_EFA_WRITE_IN_ORDER	(-(0xefa << 16) + 6)

#define MAILBOX_SLOTS	16u
#define BOUNCE_BUFFERS	64u
#define MSG_MAX		8192u	/* of the longest message, header included */
#define EAGER_MAX	(MSG_MAX - sizeof(struct eager_header))
#define MESSAGE_MAX	(1u << 20)
#define ROUNDS		4u

/* What a receiver tells its sender; the sequence number comes last. */
struct mailbox_slot {
	uint64_t addr, key;
	uint32_t len, seq;
};

struct eager_header {
	uint32_t seq, len;
};

struct bounce_buffer {
	struct nccl_request request;
	struct eager_header header;
	uint8_t bytes[EAGER_MAX];
};

/* The two sides exchange it by messages of the connection's endpoint. */
struct connect_message {
	uint64_t mailbox_addr, mailbox_key;
	uint32_t comm_id;
	uint8_t padding[236];
};

static struct {
	struct nccl_nic nic;
	struct nccl_endpoint cm, control, data;
	struct nccl_region memory;
	struct nccl_request cm_requests[NCCL_CM_RECEIVES];
	struct connect_message theirs;
	bool eager;		/* small messages come as such */
	bool inlines;		/* a mailbox slot fits into a request */
	uint32_t seen;		/* written messages, one bit of the count */
} me;

/* Registered as one, as page-aligned memory of the plugin's would be. */
static struct {
	struct mailbox_slot mailbox[MAILBOX_SLOTS];
	struct connect_message connect_out, connect_in[NCCL_CM_RECEIVES];
	struct bounce_buffer bounce[BOUNCE_BUFFERS];
	struct eager_header header;
	struct mailbox_slot slot_out;
	uint8_t flush[64];
	uint8_t bytes[MESSAGE_MAX];
} memory;

static const size_t lengths[] = {
	1, 100, 4096, EAGER_MAX, EAGER_MAX + 1, 65536, 300001, MESSAGE_MAX,
};

#define LENGTHS	(sizeof(lengths) / sizeof(*lengths))

static struct fi_info *rdma_hints(void)
{
	struct fi_info *hints = nccl_hints(FI_MSG | FI_RMA | FI_HMEM);

	hints->domain_attr->mr_mode |= FI_MR_HMEM | FI_MR_ENDPOINT;
	hints->domain_attr->threading = FI_THREAD_COMPLETION;
	hints->domain_attr->cq_data_size = 4;
	return hints;
}

/* Data of a write says which message it is. */
static void note_write(uint64_t data, size_t len)
{
	EXPECT_EQ(data, me.seen);
	EXPECT_EQ(len, lengths[me.seen % LENGTHS]);
	me.seen++;
}

/* ---- options and feature tables ---- */

static void check_options(struct fid_ep *ep)
{
	bool emulated = true;
	size_t size = MSG_MAX, inject = 0, len = sizeof(emulated);
	int ret;

	expect_stage("options");
	REQUIRE_EQ(fi_getopt(&ep->fid, FI_OPT_ENDPOINT,
			     OPT_EFA_EMULATED_WRITE, &emulated, &len), 0);
	EXPECT_EQ(len, 1);
	EXPECT(!emulated);
	ret = fi_setopt(&ep->fid, FI_OPT_ENDPOINT, OPT_MAX_MSG_SIZE, &size,
			sizeof(size));
	EXPECT(!ret || ret == -FI_EOPNOTSUPP || ret == -FI_ENOPROTOOPT);
	len = sizeof(inject);
	ret = fi_getopt(&ep->fid, FI_OPT_ENDPOINT, OPT_INJECT_RMA_SIZE,
			&inject, &len);
	EXPECT(!ret || ret == -FI_ENOPROTOOPT);
	if (ret)
		inject = me.nic.info->tx_attr->inject_size;
	me.inlines = inject >= sizeof(struct mailbox_slot);
	emulated = true;
	ret = fi_setopt(&ep->fid, FI_OPT_ENDPOINT, OPT_EFA_WRITE_IN_ORDER,
			&emulated, sizeof(emulated));
	EXPECT(!ret || ret == -FI_EOPNOTSUPP);
}

static bool mixes_memory(void)
{
	struct fi_efa_feature_ops *ops = NULL;

	if (fi_open_ops(&me.nic.fabric->fid, FI_EFA_FEATURE_OPS, 0,
			(void **)&ops, NULL))
		return false;
	return ops->query("mixed_hmem_iov");
}

/* ---- the connection ---- */

static void post_connect_receives(void)
{
	for (unsigned i = 0; i < NCCL_CM_RECEIVES; i++)
		NCCL_POST(&me.nic,
			  fi_recv(me.cm.ep, &memory.connect_in[i],
				  sizeof(memory.connect_in[i]),
				  me.memory.desc, FI_ADDR_UNSPEC,
				  &me.cm_requests[i]));
}

static const struct connect_message *connect_came(void)
{
	for (;;) {
		nccl_progress(&me.nic);
		for (unsigned i = 0; i < NCCL_CM_RECEIVES; i++) {
			if (!me.cm_requests[i].done)
				continue;
			EXPECT(me.cm_requests[i].flags & FI_RECV);
			EXPECT_EQ(me.cm_requests[i].len,
				  sizeof(struct connect_message));
			return &memory.connect_in[i];
		}
		sched_yield();
	}
}

static void connect_ranks(void)
{
	struct nccl_request sent = { 0 };

	expect_stage("connect messages");
	memory.connect_out = (struct connect_message) {
		.mailbox_addr = (uintptr_t)memory.mailbox,
		.mailbox_key = me.memory.key, .comm_id = 77,
	};
	NCCL_POST(&me.nic,
		  fi_send(me.cm.ep, &memory.connect_out,
			  sizeof(memory.connect_out), me.memory.desc,
			  me.cm.peer, &sent));
	me.theirs = *connect_came();
	EXPECT_EQ(me.theirs.comm_id, 77);
	nccl_wait(&me.nic, &sent);
	EXPECT(sent.flags & FI_SEND);
}

/* ---- eager messages ---- */

/* The last of several receives rings for all of them. */
static void post_bounce(struct bounce_buffer *bounce, bool more)
{
	struct iovec iov = { &bounce->header,
			     sizeof(bounce->header) + EAGER_MAX };
	struct fi_msg msg = {
		.msg_iov = &iov, .desc = &me.memory.desc, .iov_count = 1,
		.addr = FI_ADDR_UNSPEC, .context = &bounce->request,
	};

	bounce->request.done = false;
	NCCL_POST(&me.nic, fi_recvmsg(me.data.ep, &msg, more ? FI_MORE : 0));
}

static void send_eager(uint32_t seq, size_t len)
{
	struct iovec iov[2] = { { &memory.header, sizeof(memory.header) },
				{ memory.bytes, len } };
	void *desc[2] = { me.memory.desc, me.memory.desc };
	struct nccl_request request = { 0 };
	struct fi_msg msg = {
		.msg_iov = iov, .desc = desc, .iov_count = 2,
		.addr = me.data.peer, .context = &request, .data = seq,
	};

	memory.header = (struct eager_header) { seq, len };
	NCCL_POST(&me.nic, fi_sendmsg(me.data.ep, &msg, FI_REMOTE_CQ_DATA));
	nccl_wait(&me.nic, &request);
	EXPECT(request.flags & FI_SEND);
}

/* Reads @len bytes of this process's own memory, through the NIC. */
static void read_self(void *to, const void *from, size_t len)
{
	struct nccl_request request = { 0 };

	NCCL_POST(&me.nic,
		  fi_read(me.data.ep, to, len, me.memory.desc, me.data.self,
			  (uintptr_t)from, me.memory.key, &request));
	nccl_wait(&me.nic, &request);
	EXPECT(request.flags & FI_READ);
}

static struct bounce_buffer *eager_came(void)
{
	for (;;) {
		nccl_progress(&me.nic);
		for (unsigned i = 0; i < BOUNCE_BUFFERS; i++)
			if (memory.bounce[i].request.done)
				return &memory.bounce[i];
		sched_yield();
	}
}

static void receive_eager(uint32_t seq, size_t len)
{
	struct bounce_buffer *bounce = eager_came();

	EXPECT((bounce->request.flags & (FI_RECV | FI_REMOTE_CQ_DATA)) ==
	       (FI_RECV | FI_REMOTE_CQ_DATA));
	EXPECT_EQ(bounce->request.data, seq);
	EXPECT_EQ(bounce->header.seq, seq);
	EXPECT_EQ(bounce->header.len, len);
	EXPECT_EQ(bounce->request.len, sizeof(bounce->header) + len);
	read_self(memory.bytes, bounce->bytes, len);
	post_bounce(bounce, false);
}

/* ---- written messages ---- */

/*
 * Where message @seq shall go, into the sender's mailbox: within the request
 * where the device has room for that, as the descriptor NULL says; else from
 * registered memory.
 */
static void tell_sender(uint32_t seq, size_t len)
{
	struct mailbox_slot slot = { (uintptr_t)memory.bytes, me.memory.key,
				     len, seq + 1 };
	struct iovec iov = { &memory.slot_out, sizeof(slot) };
	struct fi_rma_iov rma = {
		me.theirs.mailbox_addr + seq % MAILBOX_SLOTS * sizeof(slot),
		sizeof(slot), me.theirs.mailbox_key,
	};
	struct nccl_request request = { 0 };
	struct fi_msg_rma msg = {
		.msg_iov = &iov, .desc = &me.memory.desc, .iov_count = 1,
		.addr = me.control.peer, .rma_iov = &rma, .rma_iov_count = 1,
		.context = &request,
	};

	memory.slot_out = slot;
	if (me.inlines) {
		iov.iov_base = &slot;
		msg.desc = NULL;
	}
	NCCL_POST(&me.nic, fi_writemsg(me.control.ep, &msg,
				       me.inlines ? FI_INJECT : 0));
	/* it is the plugin's again at once */
	memset(&slot, 0xff, sizeof(slot));
	nccl_wait(&me.nic, &request);
	EXPECT(request.flags & FI_WRITE);
}

static struct mailbox_slot mailbox_wait(uint32_t seq)
{
	struct mailbox_slot *slot = &memory.mailbox[seq % MAILBOX_SLOTS];

	while (__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE) != seq + 1) {
		nccl_progress(&me.nic);
		sched_yield();
	}
	return *slot;
}

static void send_message(uint32_t seq, size_t len)
{
	struct nccl_request request = { 0 };
	struct mailbox_slot slot;

	expect_fill(memory.bytes, len, seq);
	if (me.eager && len <= EAGER_MAX) {
		send_eager(seq, len);
		mailbox_wait(seq);
		return;
	}
	slot = mailbox_wait(seq);
	EXPECT_EQ(slot.len, len);
	NCCL_POST(&me.nic,
		  fi_writedata(me.data.ep, memory.bytes, len, me.memory.desc,
			       seq, me.data.peer, slot.addr, slot.key,
			       &request));
	nccl_wait(&me.nic, &request);
	EXPECT(request.flags & FI_WRITE);
}

static void receive_message(uint32_t seq, size_t len)
{
	memset(memory.bytes, 0, len);
	tell_sender(seq, len);
	if (me.eager && len <= EAGER_MAX) {
		receive_eager(seq, len);
		me.seen++;
	} else {
		while (me.seen == seq) {
			nccl_progress(&me.nic);
			sched_yield();
		}
		/* What a GPU would see is what the NIC reads back. */
		read_self(memory.flush, memory.bytes, 1);
		EXPECT_EQ(memory.flush[0], memory.bytes[0]);
	}
	EXPECT_FILLED(memory.bytes, len, seq);
}

static void transfer(bool sends)
{
	expect_stage("messages");
	for (uint32_t seq = 0; seq < ROUNDS * LENGTHS; seq++) {
		if (sends)
			send_message(seq, lengths[seq % LENGTHS]);
		else
			receive_message(seq, lengths[seq % LENGTHS]);
	}
}

/* ---- the two ranks ---- */

static void open_rank(int oob)
{
	struct fi_info *hints = rdma_hints();

	nccl_nic_open(&me.nic, hints, FI_CQ_FORMAT_DATA);
	fi_freeinfo(hints);
	EXPECT_STR(me.nic.info->fabric_attr->name, "efa-direct");
	me.nic.on_remote_write = note_write;
	nccl_endpoint_open(&me.cm, &me.nic, me.nic.info);
	nccl_endpoint_open(&me.control, &me.nic, me.nic.info);
	nccl_endpoint_open(&me.data, &me.nic, me.nic.info);
	check_options(me.data.ep);
	me.eager = mixes_memory();
	EXPECT(me.eager);
	nccl_register(&me.memory, &me.nic, &me.cm, &memory, sizeof(memory));
	post_connect_receives();
	for (unsigned i = 0; i < BOUNCE_BUFFERS; i++)
		post_bounce(&memory.bounce[i], i + 1 < BOUNCE_BUFFERS);
	nccl_endpoint_connect(&me.cm, oob);
	nccl_endpoint_connect(&me.control, oob);
	nccl_endpoint_connect(&me.data, oob);
}

/* With all receives still posted, of whose end nothing may be told. */
static void close_rank(void)
{
	expect_stage("close");
	nccl_endpoint_close(&me.data);
	nccl_endpoint_close(&me.control);
	nccl_endpoint_close(&me.cm);
	nccl_deregister(&me.memory);
	nccl_nic_close(&me.nic);
}

static void run(int oob, bool first)
{
	open_rank(oob);
	connect_ranks();
	transfer(first);
	EXPECT_EQ(me.seen, first ? 0 : ROUNDS * LENGTHS);
	oob_sync(oob);
	close_rank();
}

int main(void)
{
	struct fi_info *hints = rdma_hints();

	return nccl_two_ranks(run, hints);
}
