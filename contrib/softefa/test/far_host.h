/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Another host for the engine of a rig, played by the test: what the engine
 * sends there lies here, in order, and what the test says arrives at the
 * engine. Its GID is of no device of the rig.
 */
#ifndef SOFTEFA_TEST_FAR_HOST_H
#define SOFTEFA_TEST_FAR_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/packet.h"
#include "test/engine_rig.h"

#define FAR_HOST_PACKETS	64u	/* kept until they are taken */
#define FAR_HOST_QPN		77u

struct far_packet {
	uint32_t len_bytes;
	uint8_t bytes[PACKET_MAX_BYTES];
};

struct far_host {
	struct engine_host *host;
	uint8_t gid[16];
	bool is_full;		/* requests and datagrams find no room */
	unsigned sent, taken;
	struct far_packet *packet;	/* FAR_HOST_PACKETS */
};

/* Becomes the one other host of @rig. */
void far_host_init(struct far_host *far, struct rig *rig);
/* The engine's object, unless the test has destroyed it; before rig_fini. */
void far_host_fini(struct far_host *far, struct rig *rig);

/* @wqe goes to QP FAR_HOST_QPN of @far instead, by address handle @ah. */
void far_host_aim(struct efa_io_tx_wqe *wqe, const struct engine_ah *ah);

/* The next packet that was sent, which must be one of @type. */
struct packet far_host_take(struct far_host *far, enum packet_type type);
/* Nothing was sent that is not taken. */
void far_host_expect_none(const struct far_host *far);

/* A packet from QP FAR_HOST_QPN to @to; its other members may be changed. */
struct packet far_host_packet(const struct far_host *far,
			      enum packet_type type, const struct rig_qp *to);
/* @packet with @packet->payload arrives; what engine_host_receive returns. */
int far_host_say(struct far_host *far, const struct packet *packet);
/* The answer to @request, which is of the engine. */
void far_host_answer(struct far_host *far, const struct packet *request,
		     enum efa_io_comp_status status);

/* For the rig, in the place of a daemon's link. */
int far_host_note(struct far_host *far, enum packet_type type,
		  const void *packet, size_t len_bytes);

#endif /* SOFTEFA_TEST_FAR_HOST_H */
