/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/empty_region.h"

#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/fi_errno.h>

#include "compat/log.h"

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Pages of their own: where fork needs help, a child does not see them. */
static void *page_map(void)
{
	void *page = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? NULL : page;
}

static int empty_region_open(struct fabric_empty_region *region,
			     struct dev_pd *pd)
{
	void *page = page_map();
	int ret;

	if (!page)
		return -FI_ENOMEM;
	ret = dev_mr_create(pd, page, page_bytes(), IBV_ACCESS_LOCAL_WRITE,
			    &region->mr);
	if (ret) {
		compat_warn(FI_LOG_EP_CTRL,
			    "cannot register a page for RMA of length 0: %s; raise the limit of locked memory (ulimit -l)",
			    fi_strerror(-ret));
		munmap(page, page_bytes());
		return ret;
	}
	region->page = page;
	return 0;
}

int fabric_empty_region_open_at(struct fabric_empty_region *region,
				struct dev_pd *pd, uint64_t iova, int access)
{
	char *page = page_map();
	int ret;

	if (!page)
		return -FI_ENOMEM;
	ret = dev_mr_create_at(pd, page + (iova & (page_bytes() - 1)), 1, iova,
			       access, &region->mr);
	if (ret) {
		munmap(page, page_bytes());
		return ret;
	}
	region->page = page;
	return 0;
}

int fabric_empty_region_get(struct fabric_empty_region *region,
			    struct dev_pd *pd, struct hw_sge *sge)
{
	int ret = region->page ? 0 : empty_region_open(region, pd);

	if (ret)
		return ret;
	*sge = (struct hw_sge) {
		.addr = (uintptr_t)region->page,
		.lkey = region->mr.lkey,
	};
	return 0;
}

int fabric_empty_region_close(struct fabric_empty_region *region)
{
	int ret;

	if (!region->page)
		return 0;
	ret = dev_mr_destroy(&region->mr);
	if (ret)
		return ret;
	munmap(region->page, page_bytes());
	region->page = NULL;
	return 0;
}
