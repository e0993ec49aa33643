/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a link consists of: for host_link.c and for what shows it. */
#ifndef DAEMON_HOST_LINK_STATE_H
#define DAEMON_HOST_LINK_STATE_H

#include "daemon/host_link.h"
#include "daemon/link_delay.h"
#include "daemon/link_host.h"

#define HOST_LINK_BUCKETS	64u
#define HOST_LINK_BUCKET(id)	((id) >> 32 & (HOST_LINK_BUCKETS - 1))

struct host_link {
	struct poll_source source;	/* of the socket; first member */
	struct poll_loop *loop;
	int fd;
	struct link_spec spec;
	struct host_identity identity;
	const struct host_link_ops *ops;
	void *owner;
	uint64_t id;
	/* The newest of ours; who asks to be let in has to name it. */
	uint32_t incarnation;
	uint64_t polled_ns;

	struct link_host *host[LINK_MAX_HOSTS];
	unsigned count;
	LIST_HEAD(, link_host) by_id[HOST_LINK_BUCKETS];
	struct gid_route route;

	struct link_delay delay;	/* faults */
	uint64_t malformed;	/* datagrams that are no frames */
	uint64_t foreign;	/* of nobody we know, or from before */
	uint64_t refused;	/* hosts with GIDs of others, or one too many */

	uint8_t in[LINK_FRAME_MAX_BYTES];
	uint8_t out[LINK_FRAME_MAX_BYTES];
};

#endif /* DAEMON_HOST_LINK_STATE_H */
