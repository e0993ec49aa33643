/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The receiving side of operations of other hosts: carries out one packet
 * and answers it. Keeps nothing between two packets.
 */
#ifndef ENGINE_REMOTE_TARGET_H
#define ENGINE_REMOTE_TARGET_H

#include "engine/packet.h"

struct engine_host;

/*
 * Carries out @packet, a request of @host. Its answer, if it has one, goes
 * to @host at once: the link takes a request only when it has room for that.
 */
void remote_target_serve(struct engine_host *host,
			 const struct packet *packet);

#endif /* ENGINE_REMOTE_TARGET_H */
