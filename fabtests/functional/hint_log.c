/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * At info level each endpoint that hints rule out has exactly one line in
 * the log, which names the hint; one that is given has none.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define LOG_MAX	65536

/* Of this provider's log, what one fi_getinfo wrote. */
struct log {
	char text[LOG_MAX];
	int lines, naming;	/* all, and those with a hint's name */
};

static int log_fd;

/* Standard error is the log while fi_getinfo runs. */
static int query_logged(const char *node, uint64_t flags,
			const struct fi_info *hints, struct log *log,
			const char *naming)
{
	int screen = dup(STDERR_FILENO), infos = 0, ret;
	struct fi_info *list = NULL, *info;
	char *line, *rest = NULL;
	ssize_t len;

	REQUIRE(screen >= 0);
	REQUIRE_EQ(ftruncate(log_fd, 0), 0);
	REQUIRE_EQ(lseek(log_fd, 0, SEEK_SET), 0);
	REQUIRE(dup2(log_fd, STDERR_FILENO) >= 0);
	ret = fi_getinfo(FAB_API_VERSION, node, NULL, flags, hints, &list);
	REQUIRE(dup2(screen, STDERR_FILENO) >= 0);
	close(screen);
	EXPECT(!ret || ret == -FI_ENODATA);
	for (info = list; info; info = info->next)
		infos++;
	fi_freeinfo(list);
	len = pread(log_fd, log->text, LOG_MAX - 1, 0);
	REQUIRE(len >= 0 && len < LOG_MAX - 1);
	log->text[len] = '\0';
	log->lines = log->naming = 0;
	for (line = strtok_r(log->text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		/* libfabric tells of each variable that is asked for */
		if (!strstr(line, ":efa:") || strstr(line, "fi_param_get"))
			continue;
		log->lines++;
		log->naming += naming && strstr(line, naming);
	}
	return infos;
}

static struct fi_info *loose_hints(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints = fab_hints(&wish);

	free(hints->fabric_attr->name);
	hints->fabric_attr->name = NULL;
	hints->caps = 0;
	hints->ep_attr->type = FI_EP_UNSPEC;
	hints->mode |= FI_MSG_PREFIX;
	return hints;
}

struct wrong_hint {
	const char *name;	/* as the log calls it */
	void (*change)(struct fi_info *hints);
};

static void wrong_caps(struct fi_info *h)
{
	h->caps = FI_MSG | FI_COLLECTIVE;
}

static void wrong_type(struct fi_info *h)
{
	h->ep_attr->type = FI_EP_MSG;
}

static void wrong_protocol(struct fi_info *h)
{
	h->ep_attr->protocol = FI_PROTO_RXM;
}

static void wrong_protocol_version(struct fi_info *h)
{
	h->ep_attr->protocol_version = 99;
}

static void wrong_tx_ctx_cnt(struct fi_info *h)
{
	h->ep_attr->tx_ctx_cnt = 2;
}

static void wrong_rx_ctx_cnt(struct fi_info *h)
{
	h->ep_attr->rx_ctx_cnt = 2;
}

static void wrong_format(struct fi_info *h)
{
	h->addr_format = FI_SOCKADDR_IN6;
}

static void wrong_fabric(struct fi_info *h)
{
	h->fabric_attr->name = strdup("tcp");
}

static void wrong_domain(struct fi_info *h)
{
	h->domain_attr->name = strdup("eth0");
}

static void wrong_cq_data_size(struct fi_info *h)
{
	h->domain_attr->cq_data_size = 9;
}

static void wrong_mr_iov_limit(struct fi_info *h)
{
	h->domain_attr->mr_iov_limit = 2;
}

static void wrong_mr_mode(struct fi_info *h)
{
	h->domain_attr->mr_mode = FI_MR_LOCAL;
}

static void wrong_tx_caps(struct fi_info *h)
{
	h->tx_attr->caps = FI_COLLECTIVE;
}

static void wrong_tx_order(struct fi_info *h)
{
	h->tx_attr->msg_order = FI_ORDER_STRICT;
}

static void wrong_tx_size(struct fi_info *h)
{
	h->tx_attr->size = SIZE_MAX;
}

static void wrong_tx_iov(struct fi_info *h)
{
	h->tx_attr->iov_limit = 1000;
}

static void wrong_inject(struct fi_info *h)
{
	h->tx_attr->inject_size = 1 << 20;
}

static void wrong_rma_iov(struct fi_info *h)
{
	h->tx_attr->rma_iov_limit = 1000;
}

static void wrong_rx_size(struct fi_info *h)
{
	h->rx_attr->size = SIZE_MAX;
}

static void wrong_rx_iov(struct fi_info *h)
{
	h->rx_attr->iov_limit = 1000;
}

static void wrong_rx_order(struct fi_info *h)
{
	h->rx_attr->msg_order = FI_ORDER_STRICT;
}

/* Of another name; libfabric copies it, so it is a real one otherwise. */
static void wrong_nic(struct fi_info *h)
{
	struct fi_info *hints = loose_hints(), *info = fab_getinfo(hints);

	fi_freeinfo(hints);
	h->nic = info->nic;
	info->nic = NULL;
	fi_freeinfo(info);
	free(h->nic->device_attr->name);
	h->nic->device_attr->name = strdup("mlx5_0");
}

static const struct wrong_hint wrong_hints[] = {
	{ "hints->caps", wrong_caps },
	{ "hints->ep_attr->type", wrong_type },
	{ "hints->ep_attr->protocol", wrong_protocol },
	{ "hints->ep_attr->protocol_version", wrong_protocol_version },
	{ "hints->ep_attr->tx_ctx_cnt", wrong_tx_ctx_cnt },
	{ "hints->ep_attr->rx_ctx_cnt", wrong_rx_ctx_cnt },
	{ "hints->addr_format", wrong_format },
	{ "hints->fabric_attr->name", wrong_fabric },
	{ "hints->domain_attr->name", wrong_domain },
	{ "hints->domain_attr->cq_data_size", wrong_cq_data_size },
	{ "hints->domain_attr->mr_iov_limit", wrong_mr_iov_limit },
	{ "hints->domain_attr->mr_mode", wrong_mr_mode },
	{ "hints->tx_attr->caps", wrong_tx_caps },
	{ "hints->tx_attr->msg_order", wrong_tx_order },
	{ "hints->tx_attr->size", wrong_tx_size },
	{ "hints->tx_attr->iov_limit", wrong_tx_iov },
	{ "hints->tx_attr->inject_size", wrong_inject },
	{ "hints->tx_attr->rma_iov_limit", wrong_rma_iov },
	{ "hints->rx_attr->size", wrong_rx_size },
	{ "hints->rx_attr->iov_limit", wrong_rx_iov },
	{ "hints->rx_attr->msg_order", wrong_rx_order },
	{ "hints->nic->device_attr->name", wrong_nic },
};

static void check_wrong_hint(const struct wrong_hint *wrong, int offered)
{
	static struct log log;
	struct fi_info *hints = loose_hints();
	int infos;

	wrong->change(hints);
	infos = query_logged(NULL, 0, hints, &log, wrong->name);
	if (!EXPECT_EQ(infos, 0) || !EXPECT_EQ(log.lines, offered) ||
	    !EXPECT_EQ(log.naming, offered))
		fprintf(stderr, "  with a wrong %s; the last line: %s\n",
			wrong->name, log.text);
	fi_freeinfo(hints);
}

/* Ruled out are those of the other endpoints. */
static void check_mode(int offered)
{
	static struct log log;
	struct fi_info *hints = loose_hints();
	int infos;

	expect_stage("modes");
	hints->mode &= ~FI_MSG_PREFIX;
	infos = query_logged(NULL, 0, hints, &log, "hints->mode");
	EXPECT(infos > 0 && infos < offered);
	EXPECT_EQ(log.lines, offered - infos);
	EXPECT_EQ(log.naming, log.lines);
	hints->mode = 0;
	infos = query_logged(NULL, 0, hints, &log, "hints->mode");
	EXPECT_EQ(log.lines, offered - infos);
	EXPECT_EQ(log.naming, log.lines);
	fi_freeinfo(hints);
}

static void check_source(int offered)
{
	static struct log log;
	struct fi_info *hints = loose_hints();

	expect_stage("source addresses");
	EXPECT_EQ(query_logged("fe80::ffff", FI_SOURCE, hints, &log,
			       "another GID than the source"), 0);
	EXPECT_EQ(log.lines, offered);
	EXPECT_EQ(log.naming, offered);
	/* An address that is none rules out all of them at once. */
	EXPECT_EQ(query_logged("no.such.host", 0, hints, &log,
			       "no.such.host"), 0);
	EXPECT_EQ(log.lines, 1);
	EXPECT_EQ(log.naming, 1);
	fi_freeinfo(hints);
}

int main(void)
{
	static struct log log;
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints, *any;
	int offered;
	size_t i;

	expect_deadline(60);
	setenv("FI_LOG_LEVEL", "info", 1);
	setenv("FI_LOG_PROV", "efa", 1);
	log_fd = memfd_create("log", 0);
	REQUIRE(log_fd >= 0);
	hints = fab_hints(&wish);
	/* What is said once is said here. */
	query_logged(NULL, 0, hints, &log, NULL);
	any = fab_getinfo(hints);
	fi_freeinfo(hints);
	if (fab_is_in_tree(any))
		expect_skip("this provider's log: another one was loaded");
	fi_freeinfo(any);
	hints = loose_hints();
	offered = query_logged(NULL, 0, hints, &log, NULL);
	EXPECT(offered > 0);
	EXPECT_EQ(log.lines, 0);
	fi_freeinfo(hints);
	for (i = 0; i < sizeof(wrong_hints) / sizeof(*wrong_hints); i++) {
		expect_stage(wrong_hints[i].name);
		check_wrong_hint(&wrong_hints[i], offered);
	}
	check_mode(offered);
	check_source(offered);
	close(log_fd);
	return expect_result();
}
