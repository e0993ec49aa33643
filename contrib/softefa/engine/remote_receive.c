/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/remote_receive.h"

#include <errno.h>

#include "engine/remote_send.h"
#include "engine/remote_target.h"

int engine_host_receive(struct engine_host *host, const void *bytes,
			size_t len_bytes, const char **reason)
{
	struct engine *engine = host->engine;
	struct packet packet;
	int err;

	err = packet_decode(bytes, len_bytes, &packet, reason);
	if (err)
		return err;
	if (engine->ops->host_of(engine->owner, packet.src_gid) != host) {
		*reason = "a source GID that is not of that host";
		return -EPROTO;
	}
	if (packet_is_answer(packet.type))
		remote_send_answered(host, &packet);
	else
		remote_target_serve(host, &packet);
	return 0;
}
