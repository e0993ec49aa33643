/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The emulated devices of a daemon: their names in sysfs, their addresses,
 * and the engine's object behind each.
 */
#ifndef DAEMON_EMULATED_DEVICE_H
#define DAEMON_EMULATED_DEVICE_H

#include "engine/engine.h"
#include "protocol.h"

struct emulated_device {
	struct engine_device *engine;	/* lives as long as the engine */
	const struct device_profile *profile;
	struct softefa_device_entry entry;
	uint8_t gid[16];
	uint8_t guid[8];		/* network order */
};

struct emulated_devices {
	struct engine *owner;		/* the engine of all of them */
	unsigned count;
	uint32_t allowed_rules;		/* bits of enum engine_rule */
	struct emulated_device device[SOFTEFA_MAX_DEVICES];
};

/*
 * No rule is allowed to be broken until allowed_rules is set.
 *
 * Creates @count devices (1 .. SOFTEFA_MAX_DEVICES) in @engine, number i
 * after @profile[i], which must outlive the engine.
 * GID and GUID are random: a client that kept an address of a daemon that
 * is gone must not reach another one by it. -errno of getrandom or of
 * engine_device_create.
 */
int emulated_devices_init(struct emulated_devices *devices,
			  struct engine *engine,
			  const struct device_profile *profile,
			  unsigned count);

/* What the shim shows in sysfs and netlink. */
void emulated_devices_describe(const struct emulated_devices *devices,
			       struct softefa_devices *out);

#endif /* DAEMON_EMULATED_DEVICE_H */
