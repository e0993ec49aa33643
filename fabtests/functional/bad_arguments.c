/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Calls with bad input, and calls that an endpoint does not have: each
 * gives the error that is documented for it, and none crashes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

static struct fab_endpoint e;

/*
 * The in-tree provider leaves some checks to debug builds; a release of it
 * does not return from them.
 */
static bool is_in_tree(void)
{
	return fab_is_in_tree(e.info);
}

/* Some failure, but no invitation to try again. */
#define EXPECT_REFUSED(call) \
	do { \
		long long ret_ = (call); \
		if (ret_ >= 0 || ret_ == -FI_EAGAIN) \
			expect_true(false, #call " to fail", __FILE__, \
				    __LINE__); \
		else \
			expect_true(true, #call, __FILE__, __LINE__); \
	} while (0)

static void check_peers(void)
{
	void *ctx = &e.contexts[1];

	expect_stage("unknown peers");
	if (is_in_tree())
		return;
	EXPECT_REFUSED(fi_send(e.ep, e.buf, 100, e.desc, 1000000, ctx));
	EXPECT_REFUSED(fi_send(e.ep, e.buf, 100, e.desc, FI_ADDR_UNSPEC, ctx));
	EXPECT_REFUSED(fi_send(e.ep, e.buf, 100, e.desc, FI_ADDR_NOTAVAIL,
			       ctx));
	EXPECT_REFUSED(fi_inject(e.ep, e.buf, 8, 1000000));
	EXPECT_EQ(fi_av_remove(e.av, &e.peer, 1, 0), 0);
	EXPECT_REFUSED(fi_send(e.ep, e.buf, 100, e.desc, e.peer, ctx));
	fab_connect(&e, e.addr);
}

static void check_lengths(void)
{
	size_t prefix = e.prefix, max = e.info->ep_attr->max_msg_size;
	size_t inject = e.info->tx_attr->inject_size;
	void *ctx = &e.contexts[1];
	ssize_t ret;

	expect_stage("lengths");
	if (is_in_tree())
		return;
	ret = fi_inject(e.ep, e.buf, prefix + inject + 1, e.peer);
	EXPECT(ret == -FI_EMSGSIZE || ret == -FI_EOPNOTSUPP ||
	       ret == -FI_EINVAL);
	EXPECT_EQ(fi_send(e.ep, e.buf, prefix + max + 1, e.desc, e.peer, ctx),
		  -FI_EMSGSIZE);
	EXPECT_EQ(fi_send(e.ep, e.buf, SIZE_MAX, e.desc, e.peer, ctx),
		  -FI_EMSGSIZE);
	if (!prefix)
		return;
	EXPECT_REFUSED(fi_send(e.ep, e.buf, prefix - 1, e.desc, e.peer, ctx));
	EXPECT_REFUSED(fi_recv(e.ep, e.buf, prefix - 1, e.desc, e.peer, ctx));
}

static void check_descs(void)
{
	void *ctx = &e.contexts[1];

	expect_stage("missing descriptors");
	if (is_in_tree())
		return;
	EXPECT_EQ(fi_send(e.ep, e.buf, e.prefix + 1000, NULL, e.peer, ctx),
		  -FI_EINVAL);
	EXPECT_EQ(fi_recv(e.ep, e.buf, e.prefix + 1000, NULL, e.peer, ctx),
		  -FI_EINVAL);
}

static void check_iovs(void)
{
	size_t many = e.info->tx_attr->iov_limit + 1, i;
	struct iovec iov[64];
	struct fi_msg msg = { .msg_iov = iov, .addr = e.peer,
			      .context = &e.contexts[1] };
	void *desc[64];

	expect_stage("too many buffers");
	if (e.info->rx_attr->iov_limit >= many)
		many = e.info->rx_attr->iov_limit + 1;
	REQUIRE(many <= 64);
	for (i = 0; i < many; i++) {
		iov[i] = (struct iovec) { e.buf + i * 64, 64 };
		desc[i] = e.desc;
	}
	msg.desc = desc;
	msg.iov_count = many;
	if (is_in_tree())
		return;
	EXPECT_EQ(fi_sendv(e.ep, iov, desc, many, e.peer, &e.contexts[1]),
		  -FI_EINVAL);
	EXPECT_EQ(fi_recvv(e.ep, iov, desc, many, e.peer, &e.contexts[1]),
		  -FI_EINVAL);
	EXPECT_EQ(fi_sendmsg(e.ep, &msg, 0), -FI_EINVAL);
	EXPECT_EQ(fi_recvmsg(e.ep, &msg, 0), -FI_EINVAL);
}

/* Posts until the queue is full; what was posted still completes. */
static void check_full_queues(void)
{
	struct fab_endpoint full;
	struct fab_wish wish = e.prefix ? fab_wish_dgram() : fab_wish_direct();
	unsigned recvs = 0, sends = 0, done;
	struct fab_completion c;

	expect_stage("full queues");
	wish.tx_size = 64;
	wish.rx_size = 64;
	/* There, the queues are larger, and overrun a CQ that is smaller. */
	if (is_in_tree())
		wish.cq_size = 16384;
	fab_open(&full, &wish);
	fab_connect(&full, full.addr);
	while (fab_recv(&full, 2, 0, 64) == 0)
		REQUIRE(++recvs < 100000);
	EXPECT_EQ(fab_recv(&full, 2, 0, 64), -FI_EAGAIN);
	EXPECT(recvs >= 64);
	while (sends < recvs && fab_send(&full, 3, 4096, 64) == 0)
		sends++;
	EXPECT(sends >= 64);
	for (done = 0; done < 2 * sends; done++) {
		c = fab_wait(&full);
		EXPECT(c.ctx == 2 || c.ctx == 3);
	}
	EXPECT_EQ(fab_recv(&full, 2, 0, 64), 0);
	fab_close(&full);
}

static ssize_t sendmsg_flags(uint64_t flags)
{
	struct iovec iov = { e.buf, 64 };
	struct fi_msg msg = {
		.msg_iov = &iov, .desc = &e.desc, .iov_count = 1,
		.addr = e.peer, .context = &e.contexts[1],
	};

	return fi_sendmsg(e.ep, &msg, flags);
}

static int set_op_flags(uint64_t flags)
{
	return fi_control(&e.ep->fid, FI_SETOPSFLAG, &flags);
}

/* What is not promised by fi_getinfo is refused, not ignored. */
static void check_flags(void)
{
	uint64_t flags = FI_TRANSMIT;

	expect_stage("flags that cannot be honoured");
	if (is_in_tree())
		return;
	EXPECT_EQ(sendmsg_flags(FI_FENCE), -FI_EOPNOTSUPP);
	EXPECT_EQ(sendmsg_flags(FI_TRIGGER), -FI_EOPNOTSUPP);
	EXPECT_EQ(sendmsg_flags(FI_MULTICAST), -FI_EOPNOTSUPP);
	EXPECT_EQ(sendmsg_flags(FI_COMMIT_COMPLETE), -FI_EOPNOTSUPP);
	EXPECT_EQ(set_op_flags(FI_TRANSMIT | FI_FENCE), -FI_EOPNOTSUPP);
	EXPECT_EQ(set_op_flags(FI_TRANSMIT | FI_REMOTE_CQ_DATA),
		  -FI_EOPNOTSUPP);
	EXPECT_EQ(set_op_flags(FI_RECV | FI_MULTI_RECV), -FI_EOPNOTSUPP);
	EXPECT_EQ(set_op_flags(FI_COMPLETION), -FI_EINVAL);
	EXPECT_EQ(set_op_flags(FI_TRANSMIT | FI_TRANSMIT_COMPLETE), 0);
	EXPECT_EQ(fi_control(&e.ep->fid, FI_GETOPSFLAG, &flags), 0);
	EXPECT_EQ(flags, FI_TRANSMIT_COMPLETE);
	if (!e.prefix)
		return;
	EXPECT_EQ(sendmsg_flags(FI_DELIVERY_COMPLETE), -FI_EOPNOTSUPP);
	EXPECT_EQ(sendmsg_flags(FI_MATCH_COMPLETE), -FI_EOPNOTSUPP);
	EXPECT_EQ(set_op_flags(FI_TRANSMIT | FI_DELIVERY_COMPLETE),
		  -FI_EOPNOTSUPP);
}

static void check_missing_calls(void)
{
	uint64_t value = 0;
	ssize_t ret;

	expect_stage("calls that the endpoint does not have");
	/* There, these slots of the tables are empty. */
	if (is_in_tree())
		return;
	EXPECT_EQ(fi_tsend(e.ep, e.buf, 8, e.desc, e.peer, 1, NULL),
		  -FI_ENOSYS);
	EXPECT_EQ(fi_trecv(e.ep, e.buf, 8, e.desc, e.peer, 1, 0, NULL),
		  -FI_ENOSYS);
	EXPECT_EQ(fi_atomic(e.ep, &value, 1, e.desc, e.peer, 0, 0, FI_UINT64,
			    FI_SUM, NULL), -FI_ENOSYS);
	if (!(e.info->caps & FI_RMA)) {
		ret = fi_write(e.ep, e.buf, 8, e.desc, e.peer, 0, 0, NULL);
		EXPECT(ret == -FI_ENOSYS || ret == -FI_EOPNOTSUPP);
		ret = fi_read(e.ep, e.buf, 8, e.desc, e.peer, 0, 0, NULL);
		EXPECT(ret == -FI_ENOSYS || ret == -FI_EOPNOTSUPP);
	}
	EXPECT_EQ(fi_cancel(&e.ep->fid, &e.contexts[1]), -FI_ENOSYS);
	EXPECT_EQ(fi_setname(&e.ep->fid, e.addr, e.addr_len), -FI_ENOSYS);
	EXPECT_EQ(fi_connect(e.ep, e.addr, NULL, 0), -FI_ENOSYS);
	EXPECT_EQ(fi_listen((struct fid_pep *)e.ep), -FI_ENOSYS);
	EXPECT_EQ(fi_shutdown(e.ep, 0), -FI_ENOSYS);
}

static void check_missing_objects(void)
{
	struct fid_poll *pollset;
	struct fid_stx *stx;
	struct fid_pep *pep;
	struct fid_ep *ep;
	void *ops;

	expect_stage("objects that the domain does not have");
	EXPECT_EQ(fi_stx_context(e.domain, NULL, &stx, NULL), -FI_ENOSYS);
	EXPECT_EQ(fi_srx_context(e.domain, NULL, &ep, NULL), -FI_ENOSYS);
	EXPECT_EQ(fi_scalable_ep(e.domain, e.info, &ep, NULL), -FI_ENOSYS);
	EXPECT_EQ(fi_passive_ep(e.fabric, e.info, &pep, NULL), -FI_ENOSYS);
	if (!is_in_tree())
		EXPECT_EQ(fi_poll_open(e.domain, NULL, &pollset), -FI_ENOSYS);
	EXPECT_REFUSED(fi_open_ops(&e.domain->fid, "no such ops", 0, &ops,
				   NULL));
	EXPECT_REFUSED(fi_open_ops(&e.fabric->fid, "no such ops", 0, &ops,
				   NULL));
}

static void check_name(void)
{
	uint8_t addr[FAB_ADDR_MAX];
	size_t len = 0;

	expect_stage("fi_getname");
	EXPECT_EQ(fi_getname(&e.ep->fid, NULL, &len), -FI_ETOOSMALL);
	EXPECT_EQ(len, 32);
	len = 31;
	EXPECT_EQ(fi_getname(&e.ep->fid, addr, &len), -FI_ETOOSMALL);
	EXPECT_EQ(len, 32);
	len = sizeof(addr);
	EXPECT_EQ(fi_getname(&e.ep->fid, addr, &len), 0);
	EXPECT_EQ(len, 32);
}

static void check_options(void)
{
	size_t value = 3, len = sizeof(value);

	expect_stage("options");
	EXPECT_EQ(fi_setopt(&e.ep->fid, 12345, FI_OPT_MIN_MULTI_RECV, &value,
			    len), -FI_ENOPROTOOPT);
	EXPECT_EQ(fi_setopt(&e.ep->fid, FI_OPT_ENDPOINT, 12345, &value, len),
		  -FI_ENOPROTOOPT);
	EXPECT_EQ(fi_getopt(&e.ep->fid, FI_OPT_ENDPOINT, 12345, &value, &len),
		  -FI_ENOPROTOOPT);
	EXPECT_EQ(fi_setopt(&e.ep->fid, FI_OPT_ENDPOINT,
			    FAB_OPT_EFA_RNR_RETRY, &value, 1), -FI_EINVAL);
	/* The endpoint is enabled: too late. */
	EXPECT_EQ(fi_setopt(&e.ep->fid, FI_OPT_ENDPOINT,
			    FAB_OPT_EFA_RNR_RETRY, &value, sizeof(value)),
		  -FI_EINVAL);
	len = 1;
	EXPECT_EQ(fi_getopt(&e.ep->fid, FI_OPT_ENDPOINT,
			    FAB_OPT_EFA_RNR_RETRY, &value, &len),
		  -FI_ETOOSMALL);
	len = sizeof(value);
	if (e.prefix)
		return;
	EXPECT_EQ(fi_getopt(&e.ep->fid, FI_OPT_ENDPOINT,
			    FAB_OPT_EFA_RNR_RETRY, &value, &len), 0);
	EXPECT_EQ(value, 7);
}

static void check_enable(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE };
	struct fid_av *av;
	struct fid_ep *ep;

	expect_stage("enabling too early");
	REQUIRE_EQ(fi_av_open(e.domain, &attr, &av, NULL), 0);
	REQUIRE_EQ(fi_endpoint(e.domain, e.info, &ep, NULL), 0);
	EXPECT_REFUSED(fi_enable(ep));
	EXPECT_REFUSED(fi_ep_bind(ep, &e.domain->fid, 0));
	EXPECT_EQ(fi_ep_bind(ep, &av->fid, 0), 0);
	EXPECT_REFUSED(fi_enable(ep));
	if (!is_in_tree()) {
		EXPECT_REFUSED(fi_send(ep, e.buf, 8, e.desc, e.peer,
				       &e.contexts[1]));
		EXPECT_REFUSED(fi_recv(ep, e.buf, 8, e.desc, e.peer,
				       &e.contexts[1]));
		EXPECT_REFUSED(fi_ep_bind(ep, &e.cq->fid, FI_TRANSMIT |
					  FI_RECV | FI_REMOTE_WRITE));
	}
	EXPECT_EQ(fi_ep_bind(ep, &e.cq->fid, FI_TRANSMIT | FI_RECV), 0);
	EXPECT_EQ(fi_enable(ep), 0);
	EXPECT_EQ(fi_close(&ep->fid), 0);
	EXPECT_EQ(fi_close(&av->fid), 0);
}

static void cq_refused(enum fi_cq_format format, enum fi_wait_obj wait_obj)
{
	struct fi_cq_attr attr = {
		.format = format,
		.wait_obj = wait_obj,
	};
	struct fid_cq *cq = NULL;

	EXPECT_EQ(fi_cq_open(e.domain, &attr, &cq, NULL), -FI_ENOSYS);
	if (cq)
		fi_close(&cq->fid);
}

static void check_cqs(void)
{
	struct fi_cq_data_entry entry;
	struct fi_cq_err_entry err = {};

	expect_stage("completion queues");
	cq_refused(FI_CQ_FORMAT_DATA, FI_WAIT_MUTEX_COND);
	cq_refused(FI_CQ_FORMAT_DATA, FI_WAIT_SET);
	if (!is_in_tree())
		cq_refused(FI_CQ_FORMAT_TAGGED, FI_WAIT_NONE);
	EXPECT_EQ(fi_cq_read(e.cq, &entry, 1), -FI_EAGAIN);
	EXPECT_EQ(fi_cq_readerr(e.cq, &err, 0), -FI_EAGAIN);
}

static void check_avs(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE, .flags = FI_EVENT };
	uint8_t zero[FAB_ADDR_MAX] = {}, found[FAB_ADDR_MAX];
	size_t len = sizeof(found);
	fi_addr_t addr = 0, unknown = 1000000;
	struct fid_av *av = NULL;
	char text[128];

	expect_stage("address vectors");
	EXPECT_EQ(fi_av_insertsvc(e.av, "host", "1", &addr, 0, NULL),
		  -FI_ENOSYS);
	EXPECT_EQ(fi_av_insertsym(e.av, "host", 1, "1", 1, &addr, 0, NULL),
		  -FI_ENOSYS);
	EXPECT_EQ(fi_av_open(e.domain, &attr, &av, NULL), -FI_ENOSYS);
	attr.flags = 0;
	attr.name = "named";
	EXPECT_EQ(fi_av_open(e.domain, &attr, &av, NULL), -FI_ENOSYS);
	/* No endpoint has a zero GID. */
	EXPECT(fi_av_insert(e.av, zero, 1, &addr, 0, NULL) <= 0);
	EXPECT_EQ(addr, FI_ADDR_NOTAVAIL);
	EXPECT_EQ(fi_av_lookup(e.av, e.peer, found, &len), 0);
	EXPECT_EQ(len, 32);
	EXPECT_BYTES(found, e.addr, 32);
	/* Too small a buffer gets its part, and the size it should have. */
	len = 8;
	EXPECT_EQ(fi_av_lookup(e.av, e.peer, found, &len), 0);
	if (!is_in_tree())
		EXPECT_EQ(len, 32);
	len = sizeof(text);
	EXPECT(fi_av_straddr(e.av, e.addr, text, &len) == text);
	EXPECT(strlen(text) > 8);
	if (is_in_tree())
		return;
	len = sizeof(found);
	EXPECT_REFUSED(fi_av_lookup(e.av, unknown, found, &len));
	EXPECT_REFUSED(fi_av_remove(e.av, &unknown, 1, 0));
}

/* The same address is one peer; indices are dense from 0. */
static void check_av_indices(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE };
	uint8_t addr[8][32];
	fi_addr_t first[8], again[8];
	struct fid_av *av;
	int i;

	expect_stage("indices of an address vector");
	REQUIRE_EQ(fi_av_open(e.domain, &attr, &av, NULL), 0);
	for (i = 0; i < 8; i++) {
		memcpy(addr[i], e.addr, 32);
		addr[i][16] = (uint8_t)(i + 1);
	}
	EXPECT_EQ(fi_av_insert(av, addr, 8, first, 0, NULL), 8);
	EXPECT_EQ(fi_av_insert(av, addr, 8, again, 0, NULL), 8);
	for (i = 0; i < 8; i++) {
		EXPECT_EQ(first[i], i);
		EXPECT_EQ(again[i], first[i]);
	}
	EXPECT_EQ(fi_av_insert(av, addr, 8, NULL, 0, NULL), 8);
	EXPECT_EQ(fi_close(&av->fid), 0);
}

static void check_regions(void)
{
	struct iovec iov[2] = { { e.buf, 64 }, { e.buf + 64, 64 } };
	struct fid_mr *mr = NULL;
	void *hole;

	expect_stage("memory regions");
	EXPECT_EQ(fi_mr_regv(e.domain, iov, 2, FI_SEND, 0, 0, 0, &mr, NULL),
		  -FI_EINVAL);
	EXPECT_EQ(fi_mr_reg(e.domain, e.buf, 64, FI_SEND, 0, 0, 1ull << 62,
			    &mr, NULL), -FI_EBADFLAGS);
	hole = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(hole != MAP_FAILED);
	munmap(hole, 8192);
	EXPECT_REFUSED(fi_mr_reg(e.domain, hole, 8192, FI_SEND | FI_RECV, 0,
				 0, 0, &mr, NULL));
	REQUIRE_EQ(fi_mr_reg(e.domain, e.buf, 64, FI_SEND | FI_RECV, 0, 0, 0,
			     &mr, NULL), 0);
	EXPECT(fi_mr_key(mr) != FI_KEY_NOTAVAIL);
	EXPECT(fi_mr_desc(mr));
	EXPECT_EQ(fi_close(&mr->fid), 0);
}

static void check_infos(void)
{
	struct fi_info *bad = fi_dupinfo(e.info);
	struct fid_ep *ep = NULL;

	expect_stage("endpoints of a changed info");
	REQUIRE(bad);
	bad->ep_attr->type = FI_EP_MSG;
	EXPECT_REFUSED(fi_endpoint(e.domain, bad, &ep, NULL));
	bad->ep_attr->type = e.info->ep_attr->type;
	bad->caps |= FI_TAGGED;
	if (!is_in_tree())
		EXPECT_REFUSED(fi_endpoint(e.domain, bad, &ep, NULL));
	bad->caps = FI_MSG;
	bad->tx_attr->size = 16;
	bad->rx_attr->size = 16;
	EXPECT_EQ(fi_endpoint(e.domain, bad, &ep, NULL), 0);
	if (ep)
		EXPECT_EQ(fi_close(&ep->fid), 0);
	fi_freeinfo(bad);
}

static void check_all(const struct fab_wish *wish)
{
	struct fab_completion c;

	fab_open(&e, wish);
	fab_connect(&e, e.addr);
	check_peers();
	check_lengths();
	check_descs();
	check_iovs();
	check_full_queues();
	check_flags();
	check_missing_calls();
	check_missing_objects();
	check_name();
	check_options();
	check_enable();
	check_cqs();
	check_avs();
	check_av_indices();
	check_regions();
	check_infos();

	expect_stage("and it still works");
	EXPECT(!fab_poll(&e, &c));
	REQUIRE_EQ(fab_recv(&e, 4, 0, 64), 0);
	REQUIRE_EQ(fab_send(&e, 4, 4096, 64), 0);
	fab_wait(&e);
	fab_wait(&e);
	fab_close(&e);
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	expect_deadline(60);
	check_all(&wish);
	wish = fab_wish_dgram();
	check_all(&wish);
	return expect_result();
}
