/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fabric_address_equals(const struct fabric_address *a,
			   const struct fabric_address *b)
{
	return a->qpn == b->qpn && a->qkey == b->qkey &&
	       !memcmp(a->gid, b->gid, sizeof(a->gid));
}

bool fabric_address_has_gid(const struct fabric_address *address)
{
	static const uint8_t none[sizeof(address->gid)];

	return memcmp(address->gid, none, sizeof(none)) != 0;
}

size_t fabric_address_text(const struct fabric_address *address, char *buf,
			   size_t size)
{
	char gid[INET6_ADDRSTRLEN];
	int len;

	inet_ntop(AF_INET6, address->gid, gid, sizeof(gid));
	len = snprintf(buf, size, "fi_addr_efa://[%s]:%" PRIu16 ":%" PRIu32,
		       gid, address->qpn, address->qkey);
	return (size_t)len + 1;
}

int fabric_address_parse(const char *node, const char *service,
			 struct fabric_address *address)
{
	struct fabric_address result = { 0 };
	unsigned long qpn;
	char *end;

	if (node && inet_pton(AF_INET6, node, result.gid) != 1)
		return -EADDRNOTAVAIL;
	if (service) {
		qpn = strtoul(service, &end, 10);
		if (service[0] < '0' || service[0] > '9' || *end ||
		    qpn > UINT16_MAX)
			return -EINVAL;
		result.qpn = (uint16_t)qpn;
	}
	*address = result;
	return 0;
}
