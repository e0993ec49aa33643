/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A link as a person writes it:
 *
 *	udp:ADDRESS:PORT[,peer=ADDRESS:PORT]...[,join=any|peers][,retry=TIME]
 *	unix:NAME[,peer=NAME]...[,join=any|peers][,retry=TIME]
 *
 * NAME is a path, or an abstract one after '@'. softefa(1) tells the rest.
 */
#ifndef DAEMON_LINK_SPEC_H
#define DAEMON_LINK_SPEC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define LINK_MAX_HOSTS		64u	/* others that one host knows */
#define LINK_RETRY_NS		3000000000ull	/* when not given */
#define LINK_SPEC_BYTES		8192u
#define LINK_ERROR_BYTES	512u

struct link_address {
	struct sockaddr_storage addr;
	socklen_t len;
};

struct link_spec {
	struct link_address local;
	struct link_address peer[LINK_MAX_HOSTS];
	unsigned peer_count;
	bool any_may_join;	/* beside the peers */
	uint64_t retry_ns;	/* no answer for so long: the host is lost */
};

/*
 * Reads @text. -EINVAL and in @error one line that names the word and what
 * is allowed.
 */
int link_spec_parse(const char *text, struct link_spec *spec,
		    char error[LINK_ERROR_BYTES]);

bool link_address_is_equal(const struct link_address *a,
			   const struct link_address *b);

/* As it was written, for people. */
#define LINK_ADDRESS_TEXT_BYTES	128u
void link_address_format(const struct link_address *address,
			 char text[LINK_ADDRESS_TEXT_BYTES]);

#endif /* DAEMON_LINK_SPEC_H */
