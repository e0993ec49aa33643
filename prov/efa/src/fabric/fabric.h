/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The fabric object: opens domains and event queues. */
#ifndef FABRIC_FABRIC_H
#define FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>

#include "fabric/reference.h"

/* The two fabrics; datagram endpoints live in the first. */
#define FABRIC_NAME_EFA		"efa"
#define FABRIC_NAME_DIRECT	"efa-direct"

struct fabric_fabric {
	struct fid_fabric fid;	/* its api_version is the application's */
	struct fabric_reference users;	/* domains and event queues */
	char name[16];
};

static inline struct fabric_fabric *fabric_fabric_of(struct fid_fabric *fid)
{
	return (struct fabric_fabric *)
		((char *)fid - offsetof(struct fabric_fabric, fid));
}

/* fi_fabric. -FI_ENODATA: no fabric has the name. */
int fabric_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fid,
		       void *context);

/* Is @fid a fabric that this provider opened? It may be another one's. */
bool fabric_fabric_is_ours(const struct fid_fabric *fid);

#endif /* FABRIC_FABRIC_H */
