/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Between the engine of a daemon and its link: the hosts of the one are the
 * hosts of the other, and packets pass through.
 */
#ifndef DAEMON_LINK_BRIDGE_H
#define DAEMON_LINK_BRIDGE_H

#include "daemon/emulated_device.h"
#include "daemon/host_link.h"
#include "engine/engine.h"

struct link_bridge {
	struct engine *engine;
	const struct emulated_devices *devices;
	struct host_link *link;		/* NULL: the daemon has none */
};

/*
 * Opens the link @spec for the host @name. @engine and @devices outlive it.
 * NULL @spec: without a link; all below can be called nevertheless.
 */
int link_bridge_open(struct link_bridge *bridge, struct engine *engine,
		     const struct emulated_devices *devices,
		     struct poll_loop *loop, const struct link_spec *spec,
		     const char *name);
/* Before the engine is destroyed. */
void link_bridge_close(struct link_bridge *bridge);

/* What the daemon's engine_ops of the same names do. */
struct engine_host *link_bridge_host_of(const struct link_bridge *bridge,
					const uint8_t gid[16]);
int link_bridge_packet_send(struct link_bridge *bridge, void *host_opaque,
			    enum packet_type type, const void *packet,
			    size_t len_bytes);

/* As host_link_poll and host_link_next_ns. */
unsigned link_bridge_poll(struct link_bridge *bridge, uint64_t now_ns);
uint64_t link_bridge_next_ns(const struct link_bridge *bridge,
			     uint64_t now_ns);

#endif /* DAEMON_LINK_BRIDGE_H */
