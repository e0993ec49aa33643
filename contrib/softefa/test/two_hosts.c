/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two processes, each on a host of its own: two_hosts MODE.
 *
 *	HOST_A, HOST_B	how a command is started there, for example
 *			"softefa run --name a --"
 *
 * exchange	messages and RDMA both ways
 * statuses	what goes wrong at the other host, and how that is told
 * datagrams	UD
 * unresponsive	messages until one ends with UNRESP_REMOTE; tells so on
 *		stdout, then waits for a line on stdin before the other ends
 * unreachable	a message to the other host, which has no link to this one
 * recover	as unresponsive, then messages until they get through again
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "fabtests/oob_pair.h"
#include "test/peer_exchange.h"
#include "test/two_qps.h"

#define OOB_FD		"TWO_HOSTS_OOB_FD"
#define ROUNDS		40u
#define LEN		4096u
#define STATUS_BAD_ADDRESS	7u
#define STATUS_BAD_DEST_QPN	9u
#define STATUS_RNR		10u
#define STATUS_BAD_LENGTH	11u
#define STATUS_UNRESPONSIVE	13u
#define STATUS_UNKNOWN_PEER	14u
#define STATUS_UNREACHABLE	15u

/* ---- the two sides ---- */

struct side {
	int oob;
	bool is_first;
	struct endpoint e;
	struct ibv_context *ctx;
	struct endpoint_addr peer;
};

static void open_side(struct side *s, const struct endpoint_wish *wish)
{
	s->ctx = device_open(0);
	endpoint_open(&s->e, s->ctx, wish);
	oob_swap(s->oob, &s->e.self, &s->peer, sizeof(s->peer));
	endpoint_connect(&s->e, &s->peer);
	oob_sync(s->oob);
}

static void close_side(struct side *s)
{
	endpoint_close(&s->e);
	device_close(s->ctx);
}

static void expect_status(struct side *s, struct request *r, uint32_t status)
{
	struct completion c;

	REQUIRE_EQ(request_post(&s->e, r), 0);
	c = completion_wait(&s->e);
	EXPECT_EQ(c.wr_id, r->wr_id);
	EXPECT_EQ(c.vendor_err, status);
	EXPECT(c.status != IBV_WC_SUCCESS);
}

static void send_statuses(struct side *s)
{
	struct endpoint_addr other = s->peer;
	struct request r;

	expect_stage("no receive posted");
	r = request_send(&s->e, 1, 0, LEN);
	expect_status(s, &r, STATUS_RNR);
	oob_sync(s->oob);
	expect_stage("too short a receive");
	oob_sync(s->oob);
	expect_status(s, &r, STATUS_BAD_LENGTH);
	oob_sync(s->oob);
	expect_stage("another QPN, another qkey");
	other.qpn ^= 0x3a5;
	endpoint_connect(&s->e, &other);
	expect_status(s, &r, STATUS_BAD_DEST_QPN);
	other = s->peer;
	other.qkey ^= 1;
	endpoint_connect(&s->e, &other);
	expect_status(s, &r, STATUS_BAD_DEST_QPN);
	expect_stage("a GID of nobody");
	other = s->peer;
	other.gid.raw[15] ^= 0x55;
	endpoint_connect(&s->e, &other);
	expect_status(s, &r, STATUS_UNREACHABLE);
	endpoint_connect(&s->e, &s->peer);
}

static void rdma_statuses(struct side *s)
{
	struct request r;

	expect_stage("RDMA beyond the region");
	r = request_rdma(&s->e, IBV_WR_RDMA_READ, 2, 0, LEN);
	r.rkey ^= 0x10;
	expect_status(s, &r, STATUS_BAD_ADDRESS);
	r.rkey ^= 0x10;
	r.remote_addr += s->e.peer.buf ? 65536 - LEN + 1 : 0;
	expect_status(s, &r, STATUS_BAD_ADDRESS);
	if (!device_has(s->ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE))
		return;
	r = request_rdma(&s->e, IBV_WR_RDMA_WRITE, 3, 0, LEN);
	r.rkey ^= 0x10;
	expect_status(s, &r, STATUS_BAD_ADDRESS);
	expect_stage("an immediate that finds no receive");
	r = request_rdma(&s->e, IBV_WR_RDMA_WRITE_WITH_IMM, 4, 0, 0);
	r.imm = 5;
	expect_status(s, &r, STATUS_RNR);
	expect_stage("an immediate that finds one");
	oob_sync(s->oob);
	oob_sync(s->oob);
	r = request_rdma(&s->e, IBV_WR_RDMA_WRITE_WITH_IMM, 6, 0, 3 * LEN);
	r.imm = 0xabcd;
	expect_fill(s->e.buf, 3 * LEN, 9);
	REQUIRE_EQ(request_post(&s->e, &r), 0);
	COMPLETION_EXPECT(&s->e, 6, IBV_WC_SUCCESS);
}

static void answer_statuses(struct side *s)
{
	struct completion c;

	oob_sync(s->oob);
	REQUIRE_EQ(receive_post(&s->e, 1, 0, LEN - 1), 0);
	oob_sync(s->oob);
	c = completion_wait(&s->e);
	EXPECT(c.status != IBV_WC_SUCCESS);
	oob_sync(s->oob);
	if (!device_has(s->ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE))
		return;
	oob_sync(s->oob);
	REQUIRE_EQ(receive_post(&s->e, 7, 0, LEN), 0);
	oob_sync(s->oob);
	c = completion_wait(&s->e);
	EXPECT_EQ(c.status, IBV_WC_SUCCESS);
	EXPECT_EQ(c.wr_id, 7u);
	EXPECT(c.has_imm);
	EXPECT_EQ(c.imm, 0xabcdu);
	EXPECT_EQ(c.byte_len, 3 * LEN);
	EXPECT_EQ(c.src_qp, s->peer.qpn);
	EXPECT_FILLED(s->e.buf, 3 * LEN, 9);
}

static void do_statuses(struct side *s)
{
	struct endpoint_wish wish = endpoint_wish_default();

	wish.rnr_retry = 1;
	open_side(s, &wish);
	if (s->is_first) {
		send_statuses(s);
		rdma_statuses(s);
	} else {
		answer_statuses(s);
	}
	oob_sync(s->oob);
	close_side(s);
}

static void do_datagrams(struct side *s)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct completion c;
	struct request r;

	wish.ud = true;
	open_side(s, &wish);
	if (!s->is_first)
		REQUIRE_EQ(receive_post(&s->e, 3, 0, LEN + 40), 0);
	oob_sync(s->oob);
	if (s->is_first) {
		expect_fill(s->e.buf, LEN, 77);
		r = request_send(&s->e, 4, 0, LEN);
		REQUIRE_EQ(request_post(&s->e, &r), 0);
		COMPLETION_EXPECT(&s->e, 4, IBV_WC_SUCCESS);
	} else {
		c = completion_wait(&s->e);
		EXPECT_EQ(c.status, IBV_WC_SUCCESS);
		EXPECT_EQ(c.byte_len, LEN + 40);
		EXPECT_FILLED(s->e.buf + 40, LEN, 77);
		EXPECT_EQ(c.src_qp, s->peer.qpn);
	}
	oob_sync(s->oob);
	close_side(s);
}

/* Sends until one ends as @status; each gets a receive at the other side. */
static void send_until(struct side *s, uint32_t status)
{
	struct completion c;
	struct request r = request_send(&s->e, 1, 0, 64);

	do {
		REQUIRE_EQ(request_post(&s->e, &r), 0);
		c = completion_wait(&s->e);
	} while (c.vendor_err != status);
	EXPECT_EQ(c.status == IBV_WC_SUCCESS, status == 0);
}

static void wait_for_line(void)
{
	char line[16];

	REQUIRE(fgets(line, sizeof(line), stdin) != NULL);
}

static void do_unresponsive(struct side *s, bool recovers)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct completion c;
	uint8_t done = 0;

	wish.recv_depth = 256;
	open_side(s, &wish);
	if (!s->is_first) {
		for (unsigned i = 0; i < 256; i++)
			REQUIRE_EQ(receive_post(&s->e, i, 0, 64), 0);
		oob_sync(s->oob);
		/* The first one's device may be all that is left. */
		while (recv(s->oob, &done, 1, MSG_DONTWAIT) < 0)
			if (completion_poll(&s->e, &c) &&
			    c.status == IBV_WC_SUCCESS)
				receive_post(&s->e, c.wr_id, 0, 64);
		_exit(0);
	}
	oob_sync(s->oob);
	send_until(s, 0);
	puts("sending");
	fflush(stdout);
	send_until(s, STATUS_UNRESPONSIVE);
	puts("unresponsive");
	fflush(stdout);
	if (recovers) {
		send_until(s, 0);
		puts("recovered");
		fflush(stdout);
	}
	wait_for_line();
	oob_send(s->oob, &done, 1);
	close_side(s);
}

static void do_unreachable(struct side *s)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct request r;

	open_side(s, &wish);
	REQUIRE_EQ(receive_post(&s->e, 2, 0, 64), 0);
	oob_sync(s->oob);
	r = request_send(&s->e, 1, 0, 64);
	expect_status(s, &r, STATUS_UNREACHABLE);
	oob_sync(s->oob);
	close_side(s);
}

static int run_side(const char *mode, bool is_first)
{
	struct side s = { .oob = atoi(getenv(OOB_FD)), .is_first = is_first };

	expect_deadline(120);
	if (!strcmp(mode, "exchange"))
		peer_exchange(s.oob, 0, ROUNDS, is_first ? 1000 : 2000,
			      is_first ? 2000 : 1000);
	else if (!strcmp(mode, "statuses"))
		do_statuses(&s);
	else if (!strcmp(mode, "datagrams"))
		do_datagrams(&s);
	else if (!strcmp(mode, "unreachable"))
		do_unreachable(&s);
	else
		do_unresponsive(&s, !strcmp(mode, "recover"));
	return expect_result();
}

/* ---- the one who starts both ---- */

static pid_t start_side(const char *self, const char *mode, const char *host,
			const char *role, const int *fds, int mine)
{
	char command[4096], number[16];
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (pid)
		return pid;
	close(fds[!mine]);
	snprintf(number, sizeof(number), "%d", fds[mine]);
	setenv(OOB_FD, number, 1);
	snprintf(command, sizeof(command), "exec %s '%s' %s %s",
		 host ? host : "", self, mode, role);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

int main(int argc, char **argv)
{
	int fds[2], status, failed = 0;
	pid_t first, second;

	if (argc == 3)
		return run_side(argv[1], !strcmp(argv[2], "first"));
	if (argc != 2) {
		fprintf(stderr, "usage: two_hosts MODE\n");
		return 2;
	}
	REQUIRE_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	first = start_side(argv[0], argv[1], getenv("HOST_A"), "first", fds, 0);
	second = start_side(argv[0], argv[1], getenv("HOST_B"), "second", fds,
			    1);
	close(fds[0]);
	close(fds[1]);
	REQUIRE_EQ(waitpid(first, &status, 0), first);
	failed = !WIFEXITED(status) || WEXITSTATUS(status);
	REQUIRE_EQ(waitpid(second, &status, 0), second);
	failed |= !WIFEXITED(status) || WEXITSTATUS(status);
	return failed;
}
