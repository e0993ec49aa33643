/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "shim/netlink_rdma.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/client_env.h"
#include "shim/device_table.h"

/* rdma_netlink.h; headers of Debian 12 lack the newest names. */
#define RDMA_TYPE(op)	((5 << 10) + (op))	/* 5: RDMA_NL_NLDEV */
enum {
	CMD_GET = 1,
	CMD_SYS_GET = 6,
	CMD_GET_CHARDEV = 15,
};
enum {
	ATTR_DEV_INDEX = 1,		/* u32 */
	ATTR_DEV_NAME = 2,		/* string */
	ATTR_PORT_INDEX = 3,		/* u32: number of ports */
	ATTR_NODE_GUID = 6,		/* u64 */
	ATTR_SYS_IMAGE_GUID = 7,	/* u64 */
	ATTR_DEV_NODE_TYPE = 14,	/* u8 */
	ATTR_NETNS_MODE = 66,		/* u8 */
	ATTR_CHARDEV_TYPE = 69,		/* string */
	ATTR_CHARDEV_NAME = 70,		/* string */
	ATTR_CHARDEV_ABI = 71,		/* u64 */
	ATTR_CHARDEV = 72,		/* u64 */
	ATTR_UVERBS_DRIVER_ID = 73,	/* u32 */
	ATTR_COPY_ON_FORK = 93,		/* u8 */
};

#define NODE_TYPE_UNSPECIFIED	7
#define DRIVER_ID_EFA		17u
#define EFA_ABI			1u

/* An answer in the making: messages one after the other. */
struct writer {
	char *buf;
	size_t used;
	struct nlmsghdr *msg;
	const struct nlmsghdr *request;
	uint32_t port;
};

static void *put(struct writer *w, size_t len)
{
	char *at = w->buf + w->used;

	assert(w->used + NLMSG_ALIGN(len) <= NETLINK_RDMA_MAX_ANSWER);
	memset(at, 0, NLMSG_ALIGN(len));
	w->used += NLMSG_ALIGN(len);
	return at;
}

static void begin_message(struct writer *w, uint16_t type, uint16_t flags)
{
	w->msg = put(w, NLMSG_HDRLEN);
	w->msg->nlmsg_type = type;
	w->msg->nlmsg_flags = flags;
	w->msg->nlmsg_seq = w->request->nlmsg_seq;
	w->msg->nlmsg_pid = w->port;
}

static void end_message(struct writer *w)
{
	w->msg->nlmsg_len = (uint32_t)(w->buf + w->used - (char *)w->msg);
}

static void put_attr(struct writer *w, uint16_t type, const void *value,
		     size_t len)
{
	struct nlattr *attr = put(w, NLA_HDRLEN + len);

	attr->nla_type = type;
	attr->nla_len = (uint16_t)(NLA_HDRLEN + len);
	memcpy((char *)attr + NLA_HDRLEN, value, len);
}

static void put_u8(struct writer *w, uint16_t type, uint8_t value)
{
	put_attr(w, type, &value, sizeof(value));
}

static void put_u32(struct writer *w, uint16_t type, uint32_t value)
{
	put_attr(w, type, &value, sizeof(value));
}

static void put_u64(struct writer *w, uint16_t type, uint64_t value)
{
	put_attr(w, type, &value, sizeof(value));
}

static void put_string(struct writer *w, uint16_t type, const char *value)
{
	put_attr(w, type, value, strlen(value) + 1);
}

static void put_error(struct writer *w, int error)
{
	struct nlmsgerr *err;

	begin_message(w, NLMSG_ERROR, 0);
	err = put(w, sizeof(*err));
	err->error = error;
	err->msg = *w->request;
	end_message(w);
}

static void put_done(struct writer *w)
{
	begin_message(w, NLMSG_DONE, NLM_F_MULTI);
	put(w, sizeof(int));
	end_message(w);
}

/* "0123:4567:89ab:cdef" as the number that the kernel has it as. */
static uint64_t guid_number(const char *text)
{
	uint64_t number = 0;

	for (; *text; text++) {
		if (*text >= '0' && *text <= '9')
			number = number << 4 | (uint64_t)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			number = number << 4 | (uint64_t)(*text - 'a' + 10);
	}
	return number;
}

static void put_device(struct writer *w,
		       const struct softefa_devices *devices, uint32_t index,
		       uint16_t flags)
{
	const struct softefa_device_entry *entry = &devices->entry[index];
	uint64_t guid = guid_number(entry->node_guid);

	begin_message(w, RDMA_TYPE(CMD_GET), flags);
	put_u32(w, ATTR_DEV_INDEX, index);
	put_string(w, ATTR_DEV_NAME, entry->ibdev);
	put_u32(w, ATTR_PORT_INDEX, 1);
	put_u64(w, ATTR_NODE_GUID, guid);
	put_u64(w, ATTR_SYS_IMAGE_GUID, guid);
	put_u8(w, ATTR_DEV_NODE_TYPE, NODE_TYPE_UNSPECIFIED);
	end_message(w);
}

/* huge_encode_dev() of the kernel */
static uint64_t encode_dev(uint64_t major, uint64_t minor)
{
	return (minor & 0xff) | major << 8 | (minor & ~0xffull) << 12;
}

static void put_chardev(struct writer *w,
			const struct softefa_devices *devices, uint32_t index)
{
	const struct softefa_device_entry *entry = &devices->entry[index];

	begin_message(w, RDMA_TYPE(CMD_GET_CHARDEV), 0);
	put_string(w, ATTR_CHARDEV_NAME, entry->uverbs);
	put_u64(w, ATTR_CHARDEV_ABI, EFA_ABI);
	put_u64(w, ATTR_CHARDEV, encode_dev(SOFTEFA_UVERBS_MAJOR,
					    entry->minor));
	put_u32(w, ATTR_UVERBS_DRIVER_ID, DRIVER_ID_EFA);
	end_message(w);
}

static void put_system(struct writer *w)
{
	begin_message(w, RDMA_TYPE(CMD_SYS_GET), 0);
	put_u8(w, ATTR_NETNS_MODE, 1);
	put_u8(w, ATTR_COPY_ON_FORK, 1);
	end_message(w);
}

/* The attribute @type of the request, at least @len bytes long, or NULL. */
static const void *find_attr(const struct nlmsghdr *request, uint16_t type,
			     size_t len)
{
	const char *at = (const char *)request + NLMSG_HDRLEN;
	const char *end = (const char *)request + request->nlmsg_len;
	const struct nlattr *attr;

	while (end - at >= (ptrdiff_t)sizeof(*attr)) {
		attr = (const void *)at;
		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > end - at)
			return NULL;
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr->nla_len - NLA_HDRLEN >= (int)len ?
			       at + NLA_HDRLEN : NULL;
		at += NLA_ALIGN(attr->nla_len);
	}
	return NULL;
}

/* The device that the request names; the count of devices when none. */
static uint32_t wanted_device(const struct softefa_devices *devices,
			      const struct nlmsghdr *request)
{
	const uint32_t *index = find_attr(request, ATTR_DEV_INDEX,
					  sizeof(*index));

	return index && *index < devices->count ? *index : devices->count;
}

static void answer_get(struct writer *w, const struct softefa_devices *devices)
{
	uint32_t i;

	if ((w->request->nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP) {
		i = wanted_device(devices, w->request);
		if (i == devices->count)
			put_error(w, -ENODEV);
		else
			put_device(w, devices, i, 0);
		return;
	}
	for (i = 0; i < devices->count; i++)
		put_device(w, devices, i, NLM_F_MULTI);
	put_done(w);
}

/* What a request other than a dump may ask for beside its answer. */
static void put_acknowledgement(struct writer *w)
{
	if ((w->request->nlmsg_flags & NLM_F_ACK) &&
	    (w->request->nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP &&
	    w->msg->nlmsg_type != NLMSG_ERROR)
		put_error(w, 0);
}

static void answer_get_chardev(struct writer *w,
			       const struct softefa_devices *devices)
{
	const char *type = find_attr(w->request, ATTR_CHARDEV_TYPE,
				     sizeof("uverbs"));
	uint32_t device = wanted_device(devices, w->request);

	if (device == devices->count)
		put_error(w, -ENODEV);
	else if (!type || memcmp(type, "uverbs", sizeof("uverbs")))
		put_error(w, -EOPNOTSUPP);
	else
		put_chardev(w, devices, device);
}

size_t netlink_rdma_answer(const struct softefa_devices *devices,
			   const void *request, size_t len, uint32_t port,
			   void *answer)
{
	struct writer w = { .buf = answer, .request = request, .port = port };

	if (len < NLMSG_HDRLEN || w.request->nlmsg_len < NLMSG_HDRLEN ||
	    w.request->nlmsg_len > len)
		return 0;
	switch (w.request->nlmsg_type) {
	case RDMA_TYPE(CMD_GET):
		answer_get(&w, devices);
		break;
	case RDMA_TYPE(CMD_GET_CHARDEV):
		answer_get_chardev(&w, devices);
		break;
	case RDMA_TYPE(CMD_SYS_GET):
		put_system(&w);
		break;
	default:
		if (w.request->nlmsg_type >> 10 != RDMA_TYPE(0) >> 10)
			return 0;
		put_error(&w, -EOPNOTSUPP);
	}
	put_acknowledgement(&w);
	return w.used;
}

/* The port of @fd, bound now if it is not yet; 0 if it is no such socket. */
static uint32_t own_port(int fd)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int protocol = -1;
	socklen_t len = sizeof(protocol);

	if (syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PROTOCOL, &protocol,
		    &len) < 0 || protocol != NETLINK_USERSOCK)
		return 0;
	len = sizeof(addr);
	if (syscall(SYS_getsockname, fd, &addr, &len) < 0 ||
	    addr.nl_family != AF_NETLINK)
		return 0;
	if (addr.nl_pid)
		return addr.nl_pid;
	/* -EINVAL when another thread was faster: it has a port then. */
	syscall(SYS_bind, fd, &addr, sizeof(addr));
	len = sizeof(addr);
	syscall(SYS_getsockname, fd, &addr, &len);
	return addr.nl_pid;
}

static int deliver(const void *answer, size_t len, uint32_t port)
{
	const struct sockaddr_nl to = {
		.nl_family = AF_NETLINK,
		.nl_pid = port,
	};
	int ret = 0;
	int fd = (int)syscall(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
			      NETLINK_USERSOCK);

	if (fd < 0)
		return -errno;
	if (syscall(SYS_sendto, fd, answer, len, 0, &to, sizeof(to)) < 0)
		ret = -errno;
	syscall(SYS_close, fd);
	return ret;
}

static size_t gather(const struct msghdr *msg, char *buf, size_t size)
{
	size_t i, part, used = 0;

	for (i = 0; i < msg->msg_iovlen; i++) {
		part = msg->msg_iov[i].iov_len;
		if (part > size - used)
			part = size - used;
		memcpy(buf + used, msg->msg_iov[i].iov_base, part);
		used += part;
	}
	return used;
}

__attribute__((noinline))
static bool take_request(const struct msghdr *msg, uint32_t port,
			 ssize_t *sent)
{
	struct softefa_devices storage;
	static const struct softefa_devices none;
	const struct softefa_devices *devices = device_table_get(&storage);
	char answer[NETLINK_RDMA_MAX_ANSWER] __attribute__((aligned(8)));
	char request[512] __attribute__((aligned(8)));
	size_t len = gather(msg, request, sizeof(request));
	int ret;

	len = netlink_rdma_answer(devices ? devices : &none, request, len,
				  port, answer);
	if (!len)
		return false;
	ret = deliver(answer, len, port);
	*sent = ret ? ret : (ssize_t)((struct nlmsghdr *)request)->nlmsg_len;
	return true;
}

bool netlink_rdma_take(int fd, const struct msghdr *msg, ssize_t *sent)
{
	const struct sockaddr *to = msg->msg_name;
	uint32_t port;

	/* Few programs get past this line, and never on a data path. */
	if (!to || msg->msg_namelen < sizeof(struct sockaddr_nl) ||
	    to->sa_family != AF_NETLINK || !client_env_has_netlink())
		return false;
	port = own_port(fd);
	return port && take_request(msg, port, sent);
}
