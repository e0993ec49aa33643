/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The calls that the NCCL OFI plugin makes, in its order and with its
 * reactions to errors, without the plugin: what it asks fi_getinfo for, the
 * objects of one NIC, its endpoints, registrations and requests. Memory of
 * the host stands in for that of a GPU. Two processes, as two ranks.
 *
 * What the plugin would not survive ends the program with a failed check.
 */
#ifndef FABTESTS_NCCL_TRANSPORT_H
#define FABTESTS_NCCL_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include "fabtests/expect.h"

#define NCCL_NAME_MAX	56u
#define NCCL_CQ_SIZE	12288u
#define NCCL_CM_RECEIVES	32u

/* One operation; the application's context begins it. */
struct nccl_request {
	struct fi_context2 context;
	bool done;
	uint64_t flags, data;
	size_t len;
	fi_addr_t source;	/* with nccl_progress_from */
};

struct nccl_nic {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_cq *cq;
	/* A peer wrote with @data: the plugin's look at it, before all else. */
	void (*on_remote_write)(uint64_t data, size_t len);
};

struct nccl_endpoint {
	struct nccl_nic *nic;
	struct fid_ep *ep;
	struct fid_av *av;
	uint8_t name[NCCL_NAME_MAX];
	size_t name_len;
	fi_addr_t peer, self;
};

struct nccl_region {
	struct fid_mr *mr;
	void *desc;
	uint64_t key;
};

/* The version the plugin asks for, or this libfabric's where that is older. */
uint32_t nccl_version(void);

/*
 * Hints with what all of the plugin's have: reliable endpoints of provider
 * efa, both contexts, keys of the provider's. The caller's to free.
 */
struct fi_info *nccl_hints(uint64_t caps);

/*
 * The infos of @hints; skips the program without a device or with a provider
 * other than ours, which differs in what is tested here.
 */
struct fi_info *nccl_getinfo(const struct fi_info *hints);

/*
 * Forks, and calls @run in both, @oob being the socket to the other process;
 * skips when nothing answers @hints, which are freed. Returns what main is
 * to return.
 */
int nccl_two_ranks(void (*run)(int oob, bool first), struct fi_info *hints);

/* Opens the first of @hints' infos, with one CQ of @format. */
void nccl_nic_open(struct nccl_nic *nic, const struct fi_info *hints,
		   enum fi_cq_format format);
void nccl_nic_close(struct nccl_nic *nic);

/* @info is @nic's, or another one of the same domain. */
void nccl_endpoint_open(struct nccl_endpoint *e, struct nccl_nic *nic,
			struct fi_info *info);
/* Closes it with whatever it has posted; its CQ must tell nothing after. */
void nccl_endpoint_close(struct nccl_endpoint *e);
/* Swaps names over @oob; inserts the other's, and its own. */
void nccl_endpoint_connect(struct nccl_endpoint *e, int oob);

void nccl_register(struct nccl_region *region, struct nccl_nic *nic,
		   struct nccl_endpoint *e, void *buf, size_t len);
void nccl_deregister(struct nccl_region *region);

/* Reads what has completed and marks the requests. */
void nccl_progress(struct nccl_nic *nic);
/* The same with sources; each entry must have a request. */
void nccl_progress_from(struct nccl_nic *nic);
void nccl_wait(struct nccl_nic *nic, const struct nccl_request *request);

/* Posts again after progress as long as the queue is full. */
#define NCCL_POST(nic, call) \
	do { \
		ssize_t posted_; \
		while ((posted_ = (call)) == -FI_EAGAIN) \
			nccl_progress(nic); \
		REQUIRE_EQ(posted_, 0); \
	} while (0)

#endif /* FABTESTS_NCCL_TRANSPORT_H */
