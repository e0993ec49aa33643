/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "test/far_host.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void far_host_init(struct far_host *far, struct rig *rig)
{
	static const uint8_t gid[16] = { 0xfe, 0x80, [15] = 0xfa };

	memset(far, 0, sizeof(*far));
	memcpy(far->gid, gid, sizeof(gid));
	far->packet = calloc(FAR_HOST_PACKETS, sizeof(*far->packet));
	assert_non_null(far->packet);
	assert_int_equal(engine_host_create(rig->engine, far, &far->host), 0);
	rig->far = far;
}

void far_host_fini(struct far_host *far, struct rig *rig)
{
	rig->far = NULL;
	if (far->host)
		engine_host_destroy(far->host);
	free(far->packet);
}

void far_host_aim(struct efa_io_tx_wqe *wqe, const struct engine_ah *ah)
{
	wqe->meta.ah = engine_ah_number(ah);
	wqe->meta.dest_qp_num = FAR_HOST_QPN;
}

int far_host_note(struct far_host *far, enum packet_type type,
		  const void *packet, size_t len_bytes)
{
	struct far_packet *kept;

	if (far->is_full && !packet_is_answer(type))
		return -EAGAIN;
	assert_true(far->sent - far->taken < FAR_HOST_PACKETS);
	assert_true(len_bytes <= PACKET_MAX_BYTES);
	kept = &far->packet[far->sent++ % FAR_HOST_PACKETS];
	kept->len_bytes = len_bytes;
	memcpy(kept->bytes, packet, len_bytes);
	return 0;
}

struct packet far_host_take(struct far_host *far, enum packet_type type)
{
	const struct far_packet *kept;
	struct packet packet;
	const char *reason;

	assert_true(far->taken < far->sent);
	kept = &far->packet[far->taken++ % FAR_HOST_PACKETS];
	if (packet_decode(kept->bytes, kept->len_bytes, &packet, &reason))
		fail_msg("the engine sent %s", reason);
	assert_int_equal(packet.type, type);
	return packet;
}

void far_host_expect_none(const struct far_host *far)
{
	assert_int_equal(far->taken, far->sent);
}

struct packet far_host_packet(const struct far_host *far,
			      enum packet_type type, const struct rig_qp *to)
{
	const struct rig_guest *guest = to->guest;
	struct packet packet = {
		.type = type,
		.src_qpn = FAR_HOST_QPN,
		.dst_qpn = engine_qp_number(to->qp),
		.qkey = RIG_QKEY,
	};

	memcpy(packet.src_gid, far->gid, sizeof(packet.src_gid));
	memcpy(packet.dst_gid,
	       engine_device_gid(guest->rig->device[guest->device]),
	       sizeof(packet.dst_gid));
	return packet;
}

int far_host_say(struct far_host *far, const struct packet *packet)
{
	size_t len_bytes = PACKET_HEADER_BYTES;
	uint8_t bytes[PACKET_MAX_BYTES];
	const char *reason = NULL;
	int err;

	packet_encode_header(packet, bytes);
	if (packet->payload) {
		memcpy(bytes + len_bytes, packet->payload, packet->len_bytes);
		len_bytes += packet->len_bytes;
	}
	err = engine_host_receive(far->host, bytes, len_bytes, &reason);
	assert_true(!err == !reason);
	return err;
}

void far_host_answer(struct far_host *far, const struct packet *request,
		     enum efa_io_comp_status status)
{
	struct packet packet = {
		.type = PACKET_STATUS,
		.src_qpn = request->dst_qpn,
		.dst_qpn = request->src_qpn,
		.op_id = request->op_id,
		.status = status,
	};

	memcpy(packet.src_gid, request->dst_gid, sizeof(packet.src_gid));
	memcpy(packet.dst_gid, request->src_gid, sizeof(packet.dst_gid));
	assert_int_equal(far_host_say(far, &packet), 0);
}
