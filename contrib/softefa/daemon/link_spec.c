/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/link_spec.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "engine/fault_value.h"

#define UNIX_PATH_AT	offsetof(struct sockaddr_un, sun_path)

static int parse_unix(const char *name, struct link_address *address,
		      char *error)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&address->addr;
	size_t len = strlen(name);
	bool is_abstract = name[0] == '@';

	/* The daemon's working directory is not that of who wrote a path. */
	if (len < 1u + is_abstract || len >= sizeof(un->sun_path) ||
	    (!is_abstract && name[0] != '/')) {
		snprintf(error, LINK_ERROR_BYTES,
			 "'%s' is no name of a socket: an absolute path, or an abstract name after '@', of at most %zu bytes",
			 name, sizeof(un->sun_path) - 1);
		return -EINVAL;
	}
	memset(address, 0, sizeof(*address));
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, name, len);
	if (is_abstract)
		un->sun_path[0] = '\0';
	address->len = UNIX_PATH_AT + len + !is_abstract;
	return 0;
}

/* "ADDRESS:PORT" in two; an IPv6 address is in brackets. */
static int split_port(char *text, char **node, char **port)
{
	char *colon = strrchr(text, ':');

	if (!colon || !colon[1])
		return -EINVAL;
	*colon = '\0';
	*port = colon + 1;
	*node = text;
	if (text[0] != '[')
		return strchr(text, ':') || !*text ? -EINVAL : 0;
	if (colon - text < 3 || colon[-1] != ']')
		return -EINVAL;
	colon[-1] = '\0';
	*node = text + 1;
	return 0;
}

static int parse_udp(const char *text, struct link_address *address,
		     char *error)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM,
					.ai_flags = AI_NUMERICSERV };
	char copy[LINK_ADDRESS_TEXT_BYTES], *node, *port;
	struct addrinfo *found;
	uint64_t number;
	int ret;

	snprintf(copy, sizeof(copy), "%s", text);
	if (strlen(text) >= sizeof(copy) || split_port(copy, &node, &port) ||
	    fault_value_number(port, 1, UINT16_MAX, &number)) {
		snprintf(error, LINK_ERROR_BYTES,
			 "'%.*s' is not ADDRESS:PORT with a port of 1 to 65535 (an IPv6 address is written in brackets)",
			 (int)sizeof(copy), text);
		return -EINVAL;
	}
	ret = getaddrinfo(node, port, &hints, &found);
	if (ret) {
		snprintf(error, LINK_ERROR_BYTES, "'%s': %s", text,
			 gai_strerror(ret));
		return -EINVAL;
	}
	memset(address, 0, sizeof(*address));
	memcpy(&address->addr, found->ai_addr, found->ai_addrlen);
	address->len = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

static int parse_address(const char *text, bool is_unix,
			 struct link_address *address, char *error)
{
	return is_unix ? parse_unix(text, address, error) :
		parse_udp(text, address, error);
}

static int add_peer(const char *value, bool is_unix, struct link_spec *spec,
		    char *error)
{
	struct link_address *peer = &spec->peer[spec->peer_count];

	if (spec->peer_count == LINK_MAX_HOSTS) {
		snprintf(error, LINK_ERROR_BYTES,
			 "peer=%s: a host knows at most %u others", value,
			 LINK_MAX_HOSTS);
		return -EINVAL;
	}
	if (parse_address(value, is_unix, peer, error))
		return -EINVAL;
	if (peer->addr.ss_family != spec->local.addr.ss_family) {
		snprintf(error, LINK_ERROR_BYTES,
			 "peer=%s: not of the family of the link's own address",
			 value);
		return -EINVAL;
	}
	spec->peer_count++;
	return 0;
}

static int parse_word(const char *word, bool is_unix, struct link_spec *spec,
		      char *error)
{
	if (!strncmp(word, "peer=", 5))
		return add_peer(word + 5, is_unix, spec, error);
	if (!strcmp(word, "join=any") || !strcmp(word, "join=peers")) {
		spec->any_may_join = !strcmp(word, "join=any");
		return 0;
	}
	if (!strncmp(word, "retry=", 6) &&
	    !fault_value_time(word + 6, &spec->retry_ns) && spec->retry_ns)
		return 0;
	snprintf(error, LINK_ERROR_BYTES,
		 "'%.100s' is none of peer=ADDRESS, join=any, join=peers, retry=TIME (\"2s\", \"500ms\")",
		 word);
	return -EINVAL;
}

int link_spec_parse(const char *text, struct link_spec *spec,
		    char error[LINK_ERROR_BYTES])
{
	char copy[LINK_SPEC_BYTES], *rest = copy, *word;
	bool is_unix = !strncmp(text, "unix:", 5);

	memset(spec, 0, sizeof(*spec));
	spec->retry_ns = LINK_RETRY_NS;
	if ((!is_unix && strncmp(text, "udp:", 4)) ||
	    strlen(text) >= sizeof(copy)) {
		snprintf(error, LINK_ERROR_BYTES,
			 "'%.100s' is neither udp:ADDRESS:PORT nor unix:NAME",
			 text);
		return -EINVAL;
	}
	strcpy(copy, text + (is_unix ? 5 : 4));
	word = strsep(&rest, ",");
	if (parse_address(word, is_unix, &spec->local, error))
		return -EINVAL;
	while ((word = strsep(&rest, ",")))
		if (parse_word(word, is_unix, spec, error))
			return -EINVAL;
	return 0;
}

bool link_address_is_equal(const struct link_address *a,
			   const struct link_address *b)
{
	return a->len == b->len && !memcmp(&a->addr, &b->addr, a->len);
}

void link_address_format(const struct link_address *address,
			 char text[LINK_ADDRESS_TEXT_BYTES])
{
	const struct sockaddr_un *un = (const void *)&address->addr;
	char node[64], port[16];
	bool is_v6 = address->addr.ss_family == AF_INET6;

	if (address->addr.ss_family == AF_UNIX) {
		int len = address->len > UNIX_PATH_AT ?
			(int)(address->len - UNIX_PATH_AT) : 0;

		if (len && un->sun_path[0] == '\0')
			snprintf(text, LINK_ADDRESS_TEXT_BYTES, "@%.*s",
				 len - 1, un->sun_path + 1);
		else
			snprintf(text, LINK_ADDRESS_TEXT_BYTES, "%.*s", len,
				 un->sun_path);
		return;
	}
	if (getnameinfo((const struct sockaddr *)&address->addr, address->len,
			node, sizeof(node), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(text, LINK_ADDRESS_TEXT_BYTES, "?");
	else
		snprintf(text, LINK_ADDRESS_TEXT_BYTES,
			 is_v6 ? "[%s]:%s" : "%s:%s", node, port);
}
