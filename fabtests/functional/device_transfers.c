/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabtests/functional/device_transfers.h"

#include <sched.h>
#include <string.h>
#include <rdma/fi_rma.h>

#include "fabtests/expect.h"

#define BYTES	(128u << 10)
#define GUARD	64u

enum { CTX_OP = 20, CTX_RECV = 21 };

/* @a acts, @b is acted on; both have memory of the device. */
static struct fab_endpoint a, b;
static struct device_buffer from, to;
static struct fake_hmem *dev;

struct fab_wish device_wish(void)
{
	struct fab_wish wish = fab_wish_rma();

	wish.caps |= FI_HMEM;
	wish.cq_size = 4096;
	return wish;
}

int device_reg(struct fab_endpoint *e, enum fi_hmem_iface iface, void *addr,
	       size_t len, struct fid_mr **mr)
{
	struct iovec iov = { addr, len };
	struct fi_mr_attr attr = {
		.mr_iov = &iov, .iov_count = 1, .iface = iface,
		.access = FI_SEND | FI_RECV | FI_READ | FI_WRITE |
			  FI_REMOTE_READ | FI_REMOTE_WRITE,
	};

	*mr = NULL;
	return fi_mr_regattr(e->domain, &attr, 0, mr);
}

void device_buffer_open(struct device_buffer *buffer, struct fab_endpoint *e,
			struct fake_hmem *device, enum fi_hmem_iface iface,
			size_t offset, size_t len)
{
	buffer->base = device->alloc(offset + len + GUARD);
	buffer->at = (uint8_t *)buffer->base + offset;
	buffer->len = len;
	REQUIRE_EQ(device_reg(e, iface, buffer->at, len, &buffer->mr), 0);
	buffer->desc = fi_mr_desc(buffer->mr);
	REQUIRE(buffer->desc);
}

void device_buffer_close(struct device_buffer *buffer,
			 struct fake_hmem *device)
{
	EXPECT_EQ(fi_close(&buffer->mr->fid), 0);
	device->free(buffer->base);
}

/* ---- what is in the device's memory ---- */

static void fill(uint8_t *at, size_t len, unsigned seed)
{
	static uint8_t bytes[BYTES];

	expect_fill(bytes, len, seed);
	dev->write(at, bytes, len);
}

static void check(const uint8_t *at, size_t len, unsigned seed)
{
	static uint8_t bytes[BYTES];

	dev->read(bytes, at, len);
	EXPECT_FILLED(bytes, len, seed);
}

/* ---- messages ---- */

static const size_t lengths[] = { 0, 1, 31, 32, 33, 80, 81, 4096, 8000 };

static void check_messages(void)
{
	expect_stage("messages between devices");
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		size_t len = lengths[i];

		fill(from.at + 8, len + 8, 7);
		fill(to.at + 16, len + 8, 9);
		REQUIRE_EQ(fi_recv(b.ep, to.at + 16, len, to.desc,
				   FI_ADDR_UNSPEC, &b.contexts[CTX_RECV]), 0);
		REQUIRE_EQ(fi_send(a.ep, from.at + 8, len, from.desc, a.peer,
				   &a.contexts[CTX_OP]), 0);
		EXPECT_EQ(FAB_EXPECT(&a, CTX_OP).flags, FI_SEND | FI_MSG);
		EXPECT_EQ(FAB_EXPECT(&b, CTX_RECV).len, len);
		check(to.at + 16, len, 7);
	}
}

/* From the system's memory to the device's, and back. */
static void check_mixed_ends(void)
{
	expect_stage("messages between device and host");
	expect_fill(a.buf, 500, 3);
	REQUIRE_EQ(fi_recv(b.ep, to.at, 500, to.desc, FI_ADDR_UNSPEC,
			   &b.contexts[CTX_RECV]), 0);
	REQUIRE_EQ(fab_send(&a, CTX_OP, 0, 500), 0);
	FAB_EXPECT(&a, CTX_OP);
	FAB_EXPECT(&b, CTX_RECV);
	check(to.at, 500, 3);
	fill(from.at, 500, 4);
	REQUIRE_EQ(fab_recv(&b, CTX_RECV, 0, 500), 0);
	REQUIRE_EQ(fi_send(a.ep, from.at, 500, from.desc, a.peer,
			   &a.contexts[CTX_OP]), 0);
	FAB_EXPECT(&a, CTX_OP);
	FAB_EXPECT(&b, CTX_RECV);
	EXPECT_FILLED(b.buf, 500, 4);
}

/* A header of the system's and @len bytes of the device's in one message,
 * received into two pieces of the device's. */
static void check_pieces(size_t len)
{
	struct iovec out[2] = { { a.buf, 16 }, { from.at + 4, len } };
	struct iovec in[2] = { { to.at, 10 }, { to.at + 4096, len + 6 } };
	void *out_desc[2] = { a.desc, from.desc };
	void *in_desc[2] = { to.desc, to.desc };
	static uint8_t sent[BYTES], got[BYTES];

	if (a.info->tx_attr->iov_limit < 2 || b.info->rx_attr->iov_limit < 2)
		return;
	expect_stage("messages in pieces");
	expect_fill(sent, 16 + len, 5);
	memcpy(a.buf, sent, 16);
	dev->write(from.at + 4, sent + 16, len);
	REQUIRE_EQ(fi_recvv(b.ep, in, in_desc, 2, FI_ADDR_UNSPEC,
			    &b.contexts[CTX_RECV]), 0);
	REQUIRE_EQ(fi_sendv(a.ep, out, out_desc, 2, a.peer,
			    &a.contexts[CTX_OP]), 0);
	FAB_EXPECT(&a, CTX_OP);
	EXPECT_EQ(FAB_EXPECT(&b, CTX_RECV).len, 16 + len);
	dev->read(got, to.at, 10);
	dev->read(got + 10, to.at + 4096, len + 6);
	EXPECT_BYTES(got, sent, 16 + len);
}

/* ---- reads and writes ---- */

static void check_rma(size_t len)
{
	expect_stage("writes and reads between devices");
	fill(from.at, len, 11);
	fill(to.at, len + GUARD, 12);
	REQUIRE_EQ(fi_write(a.ep, from.at, len, from.desc, a.peer,
			    (uintptr_t)to.at, fi_mr_key(to.mr),
			    &a.contexts[CTX_OP]), 0);
	EXPECT_EQ(FAB_EXPECT(&a, CTX_OP).flags, FI_RMA | FI_WRITE);
	check(to.at, len, 11);
	fill(to.at, len, 13);
	REQUIRE_EQ(fi_read(a.ep, from.at, len, from.desc, a.peer,
			   (uintptr_t)to.at, fi_mr_key(to.mr),
			   &a.contexts[CTX_OP]), 0);
	EXPECT_EQ(FAB_EXPECT(&a, CTX_OP).flags, FI_RMA | FI_READ);
	check(from.at, len, 13);
}

/* The device of an endpoint reaches itself. */
static void check_own_address(void)
{
	fi_addr_t self;

	expect_stage("the own device");
	REQUIRE_EQ(fi_av_insert(a.av, a.addr, 1, &self, 0, NULL), 1);
	fill(from.at, 3000, 14);
	REQUIRE_EQ(fi_write(a.ep, from.at, 1000, from.desc, self,
			    (uintptr_t)from.at + 1000, fi_mr_key(from.mr),
			    &a.contexts[CTX_OP]), 0);
	FAB_EXPECT(&a, CTX_OP);
	check(from.at + 1000, 1000, 14);
	REQUIRE_EQ(fi_recv(a.ep, from.at + 2000, 20, from.desc,
			   FI_ADDR_UNSPEC, &a.contexts[CTX_RECV]), 0);
	REQUIRE_EQ(fi_send(a.ep, from.at, 20, from.desc, self,
			   &a.contexts[CTX_RECV]), 0);
	FAB_EXPECT(&a, CTX_RECV);
	FAB_EXPECT(&a, CTX_RECV);
	check(from.at + 2000, 20, 14);
}

/* ---- what would need the CPU ---- */

static void check_refused(void)
{
	struct iovec iov[2] = { { from.at, 8 }, { a.buf, 8 } };
	void *desc[2] = { from.desc, a.desc };
	struct fi_rma_iov far = {
		.addr = (uintptr_t)to.at, .len = 16, .key = fi_mr_key(to.mr),
	};
	struct fi_msg msg = {
		.msg_iov = iov, .desc = desc, .iov_count = 1, .addr = a.peer,
		.context = &a.contexts[CTX_OP],
	};
	struct fi_msg_rma rma = {
		.msg_iov = iov, .desc = desc, .iov_count = 1, .addr = a.peer,
		.rma_iov = &far, .rma_iov_count = 1,
		.context = &a.contexts[CTX_OP],
	};

	expect_stage("what would need the CPU");
	EXPECT_EQ(fi_sendmsg(a.ep, &msg, FI_INJECT), -FI_EOPNOTSUPP);
	EXPECT_EQ(fi_writemsg(a.ep, &rma, FI_INJECT), -FI_EOPNOTSUPP);
	msg.iov_count = 2;
	EXPECT_EQ(fi_sendmsg(a.ep, &msg, FI_INJECT), -FI_EOPNOTSUPP);
	/* two buffers are no write, and these cannot be put together */
	rma.iov_count = 2;
	EXPECT_EQ(fi_writemsg(a.ep, &rma, 0), -FI_EINVAL);
}

void device_check_transfers(const struct fab_wish *wish,
			    struct fake_hmem *device,
			    enum fi_hmem_iface iface, size_t offset)
{
	unsigned long calls;

	dev = device;
	fab_open(&a, wish);
	fab_open(&b, wish);
	fab_connect(&a, b.addr);
	fab_connect(&b, a.addr);
	EXPECT(a.info->caps & FI_HMEM);
	EXPECT(a.info->domain_attr->mr_mode & FI_MR_HMEM);
	device_buffer_open(&from, &a, device, iface, offset, BYTES);
	device_buffer_open(&to, &b, device, iface, offset, BYTES);
	calls = device->calls;
	check_messages();
	check_mixed_ends();
	check_pieces(8);
	check_pieces(3000);
	check_rma(8);
	check_rma(80);
	check_rma(BYTES - GUARD);
	check_own_address();
	check_refused();
	/* moving data is the device's business alone */
	EXPECT_EQ(device->calls, calls);
	EXPECT_EQ(device->host_accesses, 0);
	device_buffer_close(&from, device);
	device_buffer_close(&to, device);
	fab_close(&a);
	fab_close(&b);
}
