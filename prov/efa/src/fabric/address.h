/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The address of an endpoint, FI_ADDR_EFA: what fi_getname gives, what
 * fi_av_insert takes, what applications carry to each other. 32 bytes,
 * compatible with libfabric's own efa provider.
 */
#ifndef FABRIC_ADDRESS_H
#define FABRIC_ADDRESS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fabric_address {
	uint8_t gid[16];
	uint16_t qpn;
	uint16_t reserved1;	/* 0 */
	uint32_t qkey;		/* the connection ID of an RDM endpoint */
	uint64_t reserved2;	/* 0 */
};

static_assert(sizeof(struct fabric_address) == 32, "address size");
static_assert(offsetof(struct fabric_address, qkey) == 20, "qkey offset");

/* Room for every text form, with its end. */
#define FABRIC_ADDRESS_TEXT_SIZE	96

/* Same GID, QP number and QKEY. */
bool fabric_address_equals(const struct fabric_address *a,
			   const struct fabric_address *b);

/* No QP has a zero GID; the all-zero address is how applications say that
 * there is none. */
bool fabric_address_has_gid(const struct fabric_address *address);

/* "fi_addr_efa://[GID]:QPN:QKEY" with its end, cut to @size. Returns the
 * bytes the whole text takes, with its end. */
size_t fabric_address_text(const struct fabric_address *address, char *buf,
			   size_t size);

/*
 * Reads what fi_getinfo(3) is given: @node, a GID written as an IPv6
 * address, and @service, a QP number, NULL for 0. 0, -EADDRNOTAVAIL when
 * @node is no such text, -EINVAL when @service is no number below 65536;
 * not logged. *@address only on success.
 */
int fabric_address_parse(const char *node, const char *service,
			 struct fabric_address *address);

#endif /* FABRIC_ADDRESS_H */
