/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completion queues as verbs objects: creation, the ring's place, the
 * completion channel. Reading the ring is hw/comp_queue's.
 */
#ifndef DEV_CQ_CREATE_H
#define DEV_CQ_CREATE_H

#include "dev/device_list.h"
#include "hw/work_queue.h"

struct dev_cq {
	const struct dev_device *device;
	struct ibv_cq_ex *verbs;
	struct ibv_comp_channel *channel;	/* NULL without wait object */
	struct hw_cq_geometry geometry;
	bool with_sgid;		/* entries of unknown senders carry the GID */
};

struct dev_cq_attr {
	uint32_t depth;		/* entries wanted; rounded up by the device */
	bool wait;		/* with a completion channel (an fd) */
	bool sgid;		/* ask for source GIDs, where offered */
	bool unsolicited;	/* ask for unsolicited write completions */
	int comp_vector;	/* below num_comp_vectors, else taken modulo */
};

/*
 * Returns 0; -EOPNOTSUPP when the queue cannot be given raw or the device
 * lacks what @attr asks for; -EINVAL when deeper than the device allows;
 * -ENOMEM; or what verbs says. Logged. A source GID is left out when the
 * device cannot give it: see with_sgid.
 */
int dev_cq_create(const struct dev_device *device,
		  const struct dev_cq_attr *attr, struct dev_cq *cq);
/* No QP may use it any more (-EBUSY). Pending events go with it. 0, or a
 * negative errno (logged): the CQ is then still there. */
int dev_cq_destroy(struct dev_cq *cq);

/*
 * Takes the pending completion event, if there is one: 1, 0 (none), or a
 * negative errno. Never blocks. The caller counts it into the doorbell's
 * sequence number with hw_cq_event_taken.
 */
int dev_cq_take_event(struct dev_cq *cq);

/*
 * For the discovery of devices: makes and destroys a CQ, to find out whether
 * queues come raw at all. 0 with *@wait_works; or as dev_cq_create, not
 * logged.
 */
int dev_cq_probe(const struct dev_device *device, bool *wait_works);

#endif /* DEV_CQ_CREATE_H */
