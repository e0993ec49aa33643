/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The whole life of two endpoints, from fi_getinfo to the last fi_close, for
 * programs under which calls fail: each may, with the one error that is
 * expected, and works when it is called again. What it is not allowed to do
 * ends the program with a failed check.
 */
#ifndef FABTESTS_WHOLE_LIFE_H
#define FABTESTS_WHOLE_LIFE_H

#include "fabtests/functional/fabric_endpoint.h"

struct whole_life {
	struct fab_wish wish;
	int error;		/* a positive FI_* that calls may fail with */
	unsigned infos;		/* how many fi_getinfo finds; 0: not known */
	unsigned failed;	/* calls that did, so far */
};

/* Efa-direct with FI_RMA where there is any, or datagrams. */
struct whole_life whole_life_direct(int error);
struct whole_life whole_life_dgram(int error);

/* fi_getinfo, and again if it fails. The infos are the caller's. */
struct fi_info *whole_life_getinfo(struct whole_life *life);

/* Everything once. */
void whole_life_run(struct whole_life *life);

#endif /* FABTESTS_WHOLE_LIFE_H */
