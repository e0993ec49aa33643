/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A domain: one device opened by an application, with its protection
 * domain and address handles. Everything an application makes from it
 * (endpoint, CQ, AV, MR, counter) takes a reference for its life.
 */
#ifndef FABRIC_DOMAIN_H
#define FABRIC_DOMAIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

#include "dev/addr_handle.h"
#include "dev/device_list.h"
#include "dev/protection_domain.h"
#include "fabric/empty_region.h"
#include "fabric/fabric.h"
#include "fabric/reference.h"
#include "fabric/region_table.h"

struct fabric_eq;

struct fabric_domain {
	struct fid_domain fid;
	/* constant after open */
	struct fabric_fabric *fabric;
	const struct dev_device *device;
	struct dev_pd pd;
	struct dev_ah_table *ahs;	/* of @pd, for every AV of the domain */
	uint32_t api_version;		/* of the fabric */
	bool hmem;		/* FI_HMEM: registrations tell whose memory */
	enum fi_threading threading;
	/*
	 * The data path takes its locks. False under FI_THREAD_DOMAIN and
	 * FI_THREAD_COMPLETION, which promise that the application does.
	 * Control calls lock always.
	 */
	bool lock_data_path;
	/* Its CQs are those of the fabric efa's RDM endpoints: software makes
	 * the completions. FI_THREAD_COMPLETION then does not spare locks,
	 * as the reader of one CQ drives the endpoints of others. */
	bool soft_completions;
	char name[80];
	/* written by control calls, under the lock */
	pthread_mutex_t lock;
	struct fabric_eq *eq;		/* bound, or NULL */
	struct fabric_empty_region empty_region;	/* of endpoints with RMA */
	/* with soft_completions: what peers reach through endpoints */
	struct fabric_region_table regions;
	_Atomic uint32_t removals;	/* of addresses, by any AV of it */
	struct fabric_reference users;
};

static inline struct fabric_domain *fabric_domain_of(struct fid_domain *fid)
{
	return (struct fabric_domain *)
		((char *)fid - offsetof(struct fabric_domain, fid));
}

/*
 * fi_domain: opens the device that @info->domain_attr names, which its
 * endpoints then check their own info against. -FI_ENODATA: no such device
 * (logged); -FI_EINVAL: no domain_attr; or what the device says.
 */
int fabric_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		       struct fid_domain **domain, void *context);
/* fi_domain2: the same; flags other than 0 give -FI_EBADFLAGS. */
int fabric_domain_open2(struct fid_fabric *fabric, struct fi_info *info,
			struct fid_domain **domain, uint64_t flags,
			void *context);

/* Does any domain of this process exist? Its threads may then be using
 * devices, even while the process exits. */
bool fabric_domain_any_is_open(void);

/* Is @fid a domain that this provider opened? It may be another one's. */
bool fabric_domain_is_ours(const struct fid_domain *fid);

#endif /* FABRIC_DOMAIN_H */
