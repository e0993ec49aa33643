/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The fabric object: opens domains and event queues. */
#ifndef FABRIC_FABRIC_H
#define FABRIC_FABRIC_H

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

/* fi_fabric. -FI_ENODATA: no fabric has the name. */
int fabric_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fid,
		       void *context);

#endif /* FABRIC_FABRIC_H */
