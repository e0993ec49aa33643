/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the preload shim and the command line say to the daemon.
 *
 * Transport: AF_UNIX SOCK_SEQPACKET on an abstract name, so that nothing is
 * left in a file system and chroots reach it. Each message is one struct
 * below; each request has exactly one answer. A connection starts with
 * SOFTEFA_HELLO_*; its kind never changes.
 *
 * HELLO and the CONTROL requests are answered on the connection. IOCTL and
 * MMAP bring one descriptor (SCM_RIGHTS), the daemon's end of a SEQPACKET
 * socketpair: the answer, with its descriptors, is sent there and the end is
 * closed; a request without it is answered on the connection. So threads,
 * signal handlers and the two sides of a fork() use one connection at the
 * same time without a lock, and none can get the answer of another.
 *
 *	CONTROL  one per client process and use: the device table, the
 *	         virtual sysfs; also `softefa stop`, `show`, `trace` and
 *	         `fault`
 *	UVERBS   one per open of /dev/infiniband/uverbsN; the connected
 *	         socket itself is the fd that libibverbs gets. Closing it
 *	         (or dying) destroys the context.
 *
 * The daemon trusts only what the kernel says of the peer (SO_PEERCRED);
 * it serves root and its own user. So does a client: it talks to no daemon
 * but one of its own user or of root. The daemon reads and writes the memory
 * of the client like copy_from_user and copy_to_user would, so an IOCTL
 * carries the address of the ioctl header and nothing of what that points to.
 * What else a request brings comes in the message: the words of struct
 * softefa_request, FAULT_ADD's text behind it, TRACE_START's file.
 */
#ifndef SOFTEFA_PROTOCOL_H
#define SOFTEFA_PROTOCOL_H

#include <assert.h>
#include <stdint.h>

/* Environment: abstract socket name, without the leading NUL. */
#define SOFTEFA_ENV_SOCKET	"SOFTEFA_SOCKET"

#define SOFTEFA_PROTOCOL_VERSION	1u
#define SOFTEFA_MAX_DEVICES		16u
#define SOFTEFA_MAX_TEXT		32768u	/* longest TEXT answer */
#define SOFTEFA_MAX_REQUEST_TEXT	256u	/* with its NUL */
#define SOFTEFA_UVERBS_MAJOR		231u
#define SOFTEFA_UVERBS_MINOR		192u	/* of uverbs0 */

enum softefa_request_type {
	/* first message of a connection */
	SOFTEFA_HELLO_CONTROL = 1,
	SOFTEFA_HELLO_UVERBS = 2,	/* device = index */
	/* CONTROL */
	SOFTEFA_DEVICES = 3,		/* answer: struct softefa_devices */
	SOFTEFA_SHOW = 4,		/* addr = number of the first line;
					 * answer: struct softefa_text */
	SOFTEFA_STOP = 5,		/* answered, then the daemon ends */
	/* UVERBS */
	SOFTEFA_IOCTL = 6,		/* addr = ioctl header in the client */
	SOFTEFA_MMAP = 7,		/* addr = key, length, prot */
	/* CONTROL */
	SOFTEFA_TRACE_START = 16,	/* brings the file to write to */
	SOFTEFA_TRACE_STOP = 17,	/* answered when it is complete */
	/* CONTROL; answer: struct softefa_text */
	SOFTEFA_FAULT_ADD = 32,		/* text follows; result = its ID */
	SOFTEFA_FAULT_LIST = 33,
	SOFTEFA_FAULT_CLEAR = 34,	/* device = ID, 0: all */
	SOFTEFA_FAULT_LOG = 35,		/* addr = number of the first line */
	SOFTEFA_COUNTERS = 36,		/* addr = 0, or where to go on */
};

struct softefa_request {
	uint32_t type;			/* enum softefa_request_type */
	uint32_t version;		/* HELLO: SOFTEFA_PROTOCOL_VERSION */
	uint32_t device;
	uint32_t prot;			/* MMAP: PROT_* as asked */
	uint64_t addr;
	uint64_t length;
};

static_assert(sizeof(struct softefa_request) == 32, "request size");

/* A request that a text follows: as long as it is, its NUL included. */
struct softefa_text_request {
	struct softefa_request request;
	char text[SOFTEFA_MAX_REQUEST_TEXT];
};

/*
 * Answer to HELLO, STOP, TRACE_*, IOCTL and MMAP.
 *
 * IOCTL: up to two new descriptors come with it (SCM_RIGHTS); the shim
 * stores the number that descriptor i got in the client at fd_addr[i], as
 * fd_width[i] (4 or 8) bytes. The shim sets FD_CLOEXEC on them.
 * MMAP: one descriptor comes with it; the shim maps it at @offset with the
 * length and the protection it asked for, and closes it.
 */
struct softefa_answer {
	int32_t result;			/* 0 or a negative errno */
	uint32_t fd_count;
	uint64_t fd_addr[2];
	uint32_t fd_width[2];
	union {
		uint64_t offset;	/* MMAP */
		uint64_t rule_breaks;	/* STOP: of rules not allowed */
	};
};

static_assert(sizeof(struct softefa_answer) == 40, "answer size");

/* One emulated device, as sysfs and netlink present it. */
struct softefa_device_entry {
	char ibdev[32];			/* "efa_0" */
	char uverbs[32];		/* "uverbs0" */
	char pci[32];			/* "0000:10:1b.0" */
	char node_guid[32];		/* "xxxx:xxxx:xxxx:xxxx" */
	char gid[40];			/* 8 groups of 4 hex digits */
	uint32_t vendor_id;
	uint32_t device_id;
	uint32_t minor;
	uint32_t numa_node;
};

struct softefa_devices {
	int32_t result;
	uint32_t count;
	struct softefa_device_entry entry[SOFTEFA_MAX_DEVICES];
};

struct softefa_text {
	int32_t result;			/* negative: text says what is wrong */
	uint32_t length;		/* of text, without a NUL */
	uint64_t next;			/* SHOW, FAULT_LOG, COUNTERS: the addr to
					 * go on with; 0 at the end, but of
					 * FAULT_LOG */
	char text[SOFTEFA_MAX_TEXT];
};

#endif /* SOFTEFA_PROTOCOL_H */
