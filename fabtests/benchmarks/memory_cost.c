/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What op_cost.sh prints the memory of: an endpoint by the sizes it was asked
 * for, and an entry of an address vector by how many there are. Bytes that
 * malloc gave out, to whichever library; rings are mapped, and not in them.
 *
 * Prints a line for each: name, a tab, bytes. Ends with 1 when this project's
 * provider takes more than in proportion to what it was asked for.
 */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define ENDPOINTS	8

static struct fab_endpoint e;	/* for domain and info */

static size_t in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void open_endpoint(size_t size, struct fid_av *av, struct fid_cq *cq,
			  struct fid_ep **ep)
{
	struct fi_info *info = fi_dupinfo(e.info);

	REQUIRE(info);
	info->tx_attr->size = size;
	info->rx_attr->size = size;
	REQUIRE_EQ(fi_endpoint(e.domain, info, ep, NULL), 0);
	fi_freeinfo(info);
	REQUIRE_EQ(fi_ep_bind(*ep, &av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(*ep, &cq->fid, FI_TRANSMIT | FI_RECV), 0);
	REQUIRE_EQ(fi_enable(*ep), 0);
}

/* Bytes of an enabled endpoint of @size sends and receives; its CQ, which
 * has a table of its endpoints, was used before. */
static size_t endpoint_bytes(size_t size)
{
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_DATA };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	/* an in-tree vector takes one endpoint */
	struct fid_av *av[ENDPOINTS + 1];
	struct fid_ep *ep[ENDPOINTS + 1];
	struct fid_cq *cq;
	size_t before, bytes;

	for (int i = 0; i <= ENDPOINTS; i++)
		REQUIRE_EQ(fi_av_open(e.domain, &av_attr, &av[i], NULL), 0);
	REQUIRE_EQ(fi_cq_open(e.domain, &cq_attr, &cq, NULL), 0);
	open_endpoint(size, av[0], cq, &ep[0]);
	before = in_use();
	for (int i = 1; i <= ENDPOINTS; i++)
		open_endpoint(size, av[i], cq, &ep[i]);
	bytes = (in_use() - before) / ENDPOINTS;
	for (int i = 0; i <= ENDPOINTS; i++)
		EXPECT_EQ(fi_close(&ep[i]->fid), 0);
	for (int i = 0; i <= ENDPOINTS; i++)
		EXPECT_EQ(fi_close(&av[i]->fid), 0);
	EXPECT_EQ(fi_close(&cq->fid), 0);
	return bytes;
}

/* Of an entry in a vector of @count, all of one remote device. */
static size_t entry_bytes(size_t count)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE, .count = count };
	uint8_t addr[FAB_ADDR_MAX];
	size_t before = in_use(), bytes;
	struct fid_av *av;
	fi_addr_t fi_addr;

	REQUIRE_EQ(fi_av_open(e.domain, &attr, &av, NULL), 0);
	memcpy(addr, e.addr, sizeof(addr));
	for (size_t i = 0; i < count; i++) {
		addr[16] = (uint8_t)i;
		addr[17] = (uint8_t)(i >> 8);
		REQUIRE_EQ(fi_av_insert(av, addr, 1, &fi_addr, 0, NULL), 1);
	}
	bytes = (in_use() - before) / count;
	EXPECT_EQ(fi_close(&av->fid), 0);
	return bytes;
}

int main(void)
{
	static const size_t sizes[] = { 64, 256, 1024, 2048 };
	static const size_t counts[] = { 64, 1024, 16384 };
	struct fab_wish wish = fab_wish_direct();
	size_t first = 0, bytes;

	expect_deadline(300);
	fab_open(&e, &wish);
	for (int i = 0; i < 4; i++) {
		bytes = endpoint_bytes(sizes[i]);
		printf("endpoint of %zu sends, %zu receives\t%zu\n", sizes[i],
		       sizes[i], bytes);
		first = i ? first : bytes;
		if (!fab_is_in_tree(e.info))
			EXPECT(bytes <= first * (sizes[i] / sizes[0]));
	}
	for (int i = 0; i < 3; i++) {
		bytes = entry_bytes(counts[i]);
		printf("address vector entry, of %zu\t%zu\n", counts[i], bytes);
		first = i ? first : bytes;
		if (!fab_is_in_tree(e.info))
			/* hash tables grow in steps of two */
			EXPECT(bytes <= first + first / 2);
	}
	fab_close(&e);
	fflush(stdout);
	return expect_result();
}
