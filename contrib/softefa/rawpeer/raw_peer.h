/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A raw-packet peer, for tests: it joins the link of a daemon as a host of
 * its own and is an EFA endpoint of any GID and any QPN. It sends whatever
 * the test wants to any QP and gives the test what is sent to its GIDs;
 * nothing is answered unless the test answers.
 *
 * The link below is the real one, so packets arrive once, also over a lossy
 * link. One thread; calls that wait end at their deadline. All return 0 or a
 * negative errno, -ETIMEDOUT at the deadline.
 */
#ifndef RAWPEER_RAW_PEER_H
#define RAWPEER_RAW_PEER_H

#include "engine/packet.h"

struct raw_peer;

#define RAW_PEER_QUEUE	1024u	/* packets that wait to be taken */

/*
 * Joins by @link, as softefa --link has it, with @gid_count GIDs of 16 bytes
 * (1 to 16). -EINVAL after telling on stderr what is wrong with @link.
 */
int raw_peer_open(struct raw_peer **peer, const char *link,
		  const uint8_t *gids, unsigned gid_count);
/* Says goodbye: what was sent to it ends as unresponsive. */
void raw_peer_close(struct raw_peer *peer);

/* Waits until @gid, of another host, can be reached. */
int raw_peer_wait_for(struct raw_peer *peer, const uint8_t gid[16],
		      unsigned timeout_ms);

/*
 * Sends @packet, its payload included, to the host of its dst_gid; waits
 * while there is no room. Its source may be anybody: an engine takes only
 * packets from GIDs of the host that sends them.
 */
int raw_peer_send(struct raw_peer *peer, const struct packet *packet,
		  unsigned timeout_ms);

/* Sends any bytes in place of a packet; @is_answer: in that stream. */
int raw_peer_send_bytes(struct raw_peer *peer, const uint8_t to_gid[16],
			bool is_answer, const void *bytes, size_t len_bytes,
			unsigned timeout_ms);

/*
 * Waits until the host of @gid has taken all requests and answers that were
 * sent to it, or has left: raw_peer_close gives up what has not arrived.
 */
int raw_peer_flush(struct raw_peer *peer, const uint8_t gid[16],
		   unsigned timeout_ms);

/*
 * Takes the next packet that came. Its payload is good until the next call
 * with @peer.
 */
int raw_peer_receive(struct raw_peer *peer, struct packet *packet,
		     unsigned timeout_ms);

/* Answers @request, as it was received, with @status. */
int raw_peer_answer(struct raw_peer *peer, const struct packet *request,
		    enum efa_io_comp_status status, unsigned timeout_ms);

/*
 * A message from @from_qpn of the first GID, and its end: what the receiver
 * answered is in @status. Other packets that come meanwhile wait.
 */
int raw_peer_message(struct raw_peer *peer, uint32_t from_qpn,
		     const uint8_t to_gid[16], uint32_t to_qpn, uint32_t qkey,
		     const void *payload, size_t len_bytes,
		     enum efa_io_comp_status *status, unsigned timeout_ms);

#endif /* RAWPEER_RAW_PEER_H */
