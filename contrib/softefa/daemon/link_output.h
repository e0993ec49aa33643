/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Frames of a link on their way out: the last steps, and the faults there. */
#ifndef DAEMON_LINK_OUTPUT_H
#define DAEMON_LINK_OUTPUT_H

#include "daemon/host_link_state.h"

uint64_t link_output_clock_ns(void);

/*
 * Sends @frame to @host with the ends and acknowledgements as they are now.
 * -EAGAIN: the socket has no room; another -errno: it is lost.
 */
int link_output_frame(struct host_link *link, struct link_host *host,
		      struct link_frame *frame);

/* Sends an acknowledgement, if one is owed that no frame has taken along. */
void link_output_ack(struct host_link *link, struct link_host *host);

/* Sends a hello to @to, where @end is; @host: NULL if it is no known host. */
void link_output_hello(struct host_link *link, const struct link_address *to,
		       const struct link_host *host, struct link_end end,
		       bool is_reply);
/* The same to a host, or an address where nobody has answered. */
void link_output_greet(struct host_link *link, struct link_host *host,
		       bool is_reply);

/* Sends what a fault has kept until now. Returns the number of frames. */
unsigned link_output_delayed(struct host_link *link, uint64_t now_ns);

#endif /* DAEMON_LINK_OUTPUT_H */
