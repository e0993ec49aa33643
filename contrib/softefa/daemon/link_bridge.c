/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/link_bridge.h"

#include <string.h>

#include "engine/packet.h"

static int bridge_host_up(void *owner, struct link_host *host, void **opaque)
{
	struct link_bridge *bridge = owner;
	struct engine_host *created;
	int ret;

	ret = engine_host_create(bridge->engine, host, &created);
	if (!ret)
		*opaque = created;
	return ret;
}

static void bridge_host_gone(void *owner, void *opaque)
{
	(void)owner;
	engine_host_destroy(opaque);
}

static void bridge_host_lost(void *owner, void *opaque)
{
	(void)owner;
	engine_host_lost(opaque);
}

static void bridge_host_ready(void *owner, void *opaque, unsigned packets)
{
	(void)owner;
	engine_host_ready(opaque, packets);
}

static bool bridge_packet(void *owner, void *opaque, const uint8_t *packet,
			  size_t len_bytes)
{
	const char *reason;

	(void)owner;
	return engine_host_receive(opaque, packet, len_bytes, &reason) == 0;
}

static struct fault_plan *bridge_faults(void *owner)
{
	return engine_fault_plan(((struct link_bridge *)owner)->engine);
}

static bool bridge_is_own_gid(void *owner, const uint8_t gid[16])
{
	const struct emulated_devices *devices =
		((struct link_bridge *)owner)->devices;

	for (unsigned i = 0; i < devices->count; i++)
		if (!memcmp(devices->device[i].gid, gid, 16))
			return true;
	return false;
}

static const struct host_link_ops bridge_ops = {
	.host_up = bridge_host_up,
	.host_gone = bridge_host_gone,
	.host_lost = bridge_host_lost,
	.host_ready = bridge_host_ready,
	.packet = bridge_packet,
	.faults = bridge_faults,
	.is_own_gid = bridge_is_own_gid,
};

int link_bridge_open(struct link_bridge *bridge, struct engine *engine,
		     const struct emulated_devices *devices,
		     struct poll_loop *loop, const struct link_spec *spec,
		     const char *name)
{
	struct host_identity identity = { .gid_count = devices->count };

	bridge->engine = engine;
	bridge->devices = devices;
	bridge->link = NULL;
	if (!spec)
		return 0;
	memcpy(identity.name, name, strnlen(name, sizeof(identity.name) - 1));
	for (unsigned i = 0; i < devices->count; i++)
		memcpy(identity.gid[i], devices->device[i].gid, 16);
	return host_link_create(&bridge->link, loop, spec, &identity,
				&bridge_ops, bridge);
}

void link_bridge_close(struct link_bridge *bridge)
{
	if (bridge->link)
		host_link_destroy(bridge->link);
	bridge->link = NULL;
}

struct engine_host *link_bridge_host_of(const struct link_bridge *bridge,
					const uint8_t gid[16])
{
	return bridge->link ? host_link_find(bridge->link, gid) : NULL;
}

static enum link_stream_kind stream_of(enum packet_type type)
{
	if (type == PACKET_DATAGRAM)
		return LINK_DATAGRAMS;
	return packet_is_answer(type) ? LINK_ANSWERS : LINK_REQUESTS;
}

int link_bridge_packet_send(struct link_bridge *bridge, void *host_opaque,
			    enum packet_type type, const void *packet,
			    size_t len_bytes)
{
	return host_link_send(bridge->link, host_opaque, stream_of(type),
			      packet, len_bytes);
}

unsigned link_bridge_poll(struct link_bridge *bridge, uint64_t now_ns)
{
	return bridge->link ? host_link_poll(bridge->link, now_ns) : 0;
}

uint64_t link_bridge_next_ns(const struct link_bridge *bridge,
			     uint64_t now_ns)
{
	return bridge->link ? host_link_next_ns(bridge->link, now_ns) :
		UINT64_MAX;
}
