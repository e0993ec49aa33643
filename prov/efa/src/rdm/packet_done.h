/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The end of a packet that was given to the outbox: the device is done with
 * it, or it will never go there.
 */
#ifndef RDM_PACKET_DONE_H
#define RDM_PACKET_DONE_H

#include <stdint.h>

struct rdm_ep;
struct rdm_packet;

/*
 * Puts @packet back and tells its operation, if it has one, how it ended:
 * with @status, an enum efa_io_comp_status. What the operation waited for may
 * be complete with it, and the operation be ended. Under the endpoint's lock.
 */
void rdm_packet_done(struct rdm_ep *ep, struct rdm_packet *packet,
		     uint8_t status);

#endif /* RDM_PACKET_DONE_H */
