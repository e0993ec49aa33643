/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabtests/nccl/transport.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabtests/oob_pair.h"

/* Later than the installed headers may be. */
#define OPT_CUDA_API_PERMITTED		10
#define OPT_SHARED_MEMORY_PERMITTED	11

#define DEADLINE_S	100

uint32_t nccl_version(void)
{
	uint32_t wanted = FI_VERSION(1, 20), have = fi_version();

	return FI_VERSION_LT(have, wanted) ? have : wanted;
}

struct fi_info *nccl_hints(uint64_t caps)
{
	struct fi_info *hints = fi_allocinfo();

	REQUIRE(hints);
	hints->caps = caps | FI_LOCAL_COMM | FI_REMOTE_COMM;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR |
				      FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	hints->domain_attr->mr_key_size = 2;
	hints->domain_attr->control_progress = FI_PROGRESS_UNSPEC;
	hints->domain_attr->data_progress = FI_PROGRESS_UNSPEC;
	hints->fabric_attr->prov_name = strdup("efa");
	return hints;
}

struct fi_info *nccl_getinfo(const struct fi_info *hints)
{
	struct fi_info *list = NULL;
	int ret = fi_getinfo(nccl_version(), NULL, NULL, 0, hints, &list);

	if (ret == -FI_ENODATA && !getenv("SOFTEFA_SOCKET"))
		expect_skip("an EFA device: fi_getinfo finds none (softefa run -- gives one)");
	REQUIRE_EQ(ret, 0);
	REQUIRE(list);
	if (FI_VERSION_LT(list->fabric_attr->prov_version,
			  FI_VERSION(1000, 0)))
		expect_skip("this provider: another one was loaded");
	return list;
}

int nccl_two_ranks(void (*run)(int oob, bool first), struct fi_info *hints)
{
	pid_t child;
	int oob;

	expect_deadline(DEADLINE_S);
	oob = oob_fork(&child);
	if (child == 0) {
		expect_deadline(DEADLINE_S);
		fi_freeinfo(hints);
		run(oob, false);
		expect_child_exit();
	}
	/* Without a device this process skips, and takes the child along. */
	fi_freeinfo(nccl_getinfo(hints));
	fi_freeinfo(hints);
	run(oob, true);
	close(oob);
	expect_child(child);
	return expect_result();
}

/* The plugin drops infos unlike the first, and reads the first's NIC. */
static void check_list(const struct fi_info *list)
{
	for (const struct fi_info *info = list; info; info = info->next) {
		REQUIRE(info->nic);
		EXPECT(info->nic->device_attr->name);
		EXPECT(info->nic->device_attr->device_id);
		EXPECT_EQ(info->nic->bus_attr->bus_type, FI_BUS_PCI);
	}
	EXPECT(list->domain_attr->mr_mode & FI_MR_PROV_KEY);
	EXPECT(list->domain_attr->cq_data_size >= 4);
	EXPECT(list->ep_attr->max_msg_size > 0);
}

void nccl_nic_open(struct nccl_nic *nic, const struct fi_info *hints,
		   enum fi_cq_format format)
{
	struct fi_cq_attr cq_attr = { .size = NCCL_CQ_SIZE, .format = format };
	struct fi_info *list = nccl_getinfo(hints);

	memset(nic, 0, sizeof(*nic));
	check_list(list);
	nic->info = fi_dupinfo(list);
	fi_freeinfo(list);
	REQUIRE(nic->info);
	REQUIRE_EQ(fi_fabric(nic->info->fabric_attr, &nic->fabric, NULL), 0);
	REQUIRE_EQ(fi_domain(nic->fabric, nic->info, &nic->domain, NULL), 0);
	REQUIRE_EQ(fi_cq_open(nic->domain, &cq_attr, &nic->cq, NULL), 0);
}

void nccl_nic_close(struct nccl_nic *nic)
{
	EXPECT_EQ(fi_close(&nic->cq->fid), 0);
	EXPECT_EQ(fi_close(&nic->domain->fid), 0);
	EXPECT_EQ(fi_close(&nic->fabric->fid), 0);
	fi_freeinfo(nic->info);
}

/* Any other answer is the end of the plugin. */
static void set_false(struct fid_ep *ep, int option)
{
	bool no = false;
	int ret = fi_setopt(&ep->fid, FI_OPT_ENDPOINT, option, &no,
			    sizeof(no));

	EXPECT(!ret || ret == -FI_EOPNOTSUPP || ret == -FI_ENOPROTOOPT);
}

void nccl_endpoint_open(struct nccl_endpoint *e, struct nccl_nic *nic,
			struct fi_info *info)
{
	struct fi_av_attr av_attr = { 0 };

	memset(e, 0, sizeof(*e));
	e->nic = nic;
	REQUIRE_EQ(fi_endpoint(nic->domain, info, &e->ep, NULL), 0);
	REQUIRE_EQ(fi_av_open(nic->domain, &av_attr, &e->av, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(e->ep, &nic->cq->fid, FI_TRANSMIT | FI_RECV), 0);
	REQUIRE_EQ(fi_ep_bind(e->ep, &e->av->fid, 0), 0);
	set_false(e->ep, OPT_CUDA_API_PERMITTED);
	set_false(e->ep, OPT_SHARED_MEMORY_PERMITTED);
	REQUIRE_EQ(fi_enable(e->ep), 0);
	e->name_len = sizeof(e->name);
	REQUIRE_EQ(fi_getname(&e->ep->fid, e->name, &e->name_len), 0);
}

void nccl_endpoint_close(struct nccl_endpoint *e)
{
	struct fi_cq_tagged_entry entry;

	/* What completed before is seen before. */
	nccl_progress(e->nic);
	EXPECT_EQ(fi_close(&e->ep->fid), 0);
	for (int i = 0; i < 1000; i++)
		EXPECT_EQ(fi_cq_read(e->nic->cq, &entry, 1), -FI_EAGAIN);
	EXPECT_EQ(fi_close(&e->av->fid), 0);
}

void nccl_endpoint_connect(struct nccl_endpoint *e, int oob)
{
	uint8_t name[NCCL_NAME_MAX];

	oob_swap(oob, e->name, name, sizeof(name));
	REQUIRE_EQ(fi_av_insert(e->av, name, 1, &e->peer, 0, NULL), 1);
	REQUIRE_EQ(fi_av_insert(e->av, e->name, 1, &e->self, 0, NULL), 1);
	/* An array is indexed by them. */
	EXPECT_EQ(e->peer, 0);
	EXPECT_EQ(e->self, 1);
}

void nccl_register(struct nccl_region *region, struct nccl_nic *nic,
		   struct nccl_endpoint *e, void *buf, size_t len)
{
	struct iovec iov = { buf, len };
	struct fi_mr_attr attr = {
		.mr_iov = &iov, .iov_count = 1,
		.access = FI_SEND | FI_RECV, .iface = FI_HMEM_SYSTEM,
	};

	if (nic->info->caps & FI_RMA)
		attr.access |= FI_READ | FI_WRITE | FI_REMOTE_READ |
			       FI_REMOTE_WRITE;
	REQUIRE_EQ(fi_mr_regattr(nic->domain, &attr, 0, &region->mr), 0);
	if (nic->info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
		REQUIRE_EQ(fi_mr_bind(region->mr, &e->ep->fid, 0), 0);
		REQUIRE_EQ(fi_mr_enable(region->mr), 0);
	}
	region->desc = fi_mr_desc(region->mr);
	region->key = fi_mr_key(region->mr);
	EXPECT(region->key != FI_KEY_NOTAVAIL);
}

void nccl_deregister(struct nccl_region *region)
{
	EXPECT_EQ(fi_close(&region->mr->fid), 0);
}

static void give_up_on_error(struct nccl_nic *nic)
{
	struct fi_cq_err_entry err = { 0 };
	ssize_t ret = fi_cq_readerr(nic->cq, &err, 0);

	if (ret == -FI_EAGAIN)
		return;
	REQUIRE_EQ(ret, 1);
	fprintf(stderr, "an operation failed: %s\n",
		fi_cq_strerror(nic->cq, err.prov_errno, err.err_data, NULL,
			       0));
	EXPECT_EQ(err.err, 0);
	expect_give_up();
}

/* The plugin knows these, in this order, and calls all others fatal. */
static void take(struct nccl_nic *nic, const struct fi_cq_tagged_entry *entry,
		 fi_addr_t source)
{
	const uint64_t known = FI_RECV | FI_SEND | FI_WRITE | FI_READ;
	struct nccl_request *request = entry->op_context;

	if ((entry->flags & FI_REMOTE_WRITE) && nic->on_remote_write) {
		nic->on_remote_write(entry->data, entry->len);
		return;
	}
	EXPECT(entry->flags & (known | FI_REMOTE_WRITE));
	REQUIRE(request);
	EXPECT(!request->done);
	request->flags = entry->flags;
	request->data = entry->data;
	request->len = entry->len;
	request->source = source;
	request->done = true;
}

/* Entries of the CQ's format, of which the longest begins like the others. */
static void progress(struct nccl_nic *nic, bool sources)
{
	struct fi_cq_tagged_entry entry;
	fi_addr_t source = FI_ADDR_NOTAVAIL;
	ssize_t n;

	while ((n = sources ? fi_cq_readfrom(nic->cq, &entry, 1, &source) :
			      fi_cq_read(nic->cq, &entry, 1)) == 1)
		take(nic, &entry, source);
	if (n == -FI_EAVAIL)
		give_up_on_error(nic);
	else
		REQUIRE_EQ(n, -FI_EAGAIN);
}

void nccl_progress(struct nccl_nic *nic)
{
	progress(nic, false);
}

void nccl_progress_from(struct nccl_nic *nic)
{
	progress(nic, true);
}

void nccl_wait(struct nccl_nic *nic, const struct nccl_request *request)
{
	while (!request->done) {
		nccl_progress(nic);
		if (!request->done)
			sched_yield();
	}
}
