/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One fault as a person writes it:
 *
 *	KIND [WORD[=VALUE]]...
 *
 * on the command line, in a scenario file and at run time. This is the one
 * gate: text in, a spec that the engine trusts out. Pure. softefa(1) has the
 * meaning of each kind and word.
 *
 * A fault watches events: requests, completions, commands, CQ events. Words
 * of all kinds select some of them (device= qp= peer= op= type= ...) and
 * then choose among these by count and by chance (nth= after= every= count=
 * prob= seed=). The others say what happens then.
 */
#ifndef ENGINE_FAULT_SPEC_H
#define ENGINE_FAULT_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#define FAULT_SPEC_BYTES	256u	/* longest text, with its NUL */
#define FAULT_ERROR_BYTES	512u	/* longest complaint, with its NUL */
#define FAULT_MAX_WINDOW	256u
#define FAULT_ANY		UINT32_MAX	/* of a selector */
#define FAULT_HOST_BYTES	128u	/* longest address, with its NUL */

enum fault_kind {
	FAULT_REORDER,		/* a request is carried out later */
	FAULT_DROP,		/* a datagram vanishes */
	FAULT_DUPLICATE,	/* a datagram arrives twice */
	FAULT_HOLD_CQE,		/* a completion is written later */
	FAULT_STATUS,		/* a request ends with another status */
	FAULT_RNR,		/* a receiver seems to have no receive */
	FAULT_COMMAND,		/* a control command fails */
	FAULT_KILL_QP,		/* a QP is gone while its owner has it */
	FAULT_BLACKHOLE,	/* packets vanish, nobody answers */
	FAULT_LATE_PACKETS,	/* arrive after their QP was destroyed */
	FAULT_INVALIDATE_MR,	/* a region goes away while it is in use */
	FAULT_CQ_EVENT,		/* completion events: spurious, late, few */
	FAULT_LINK_LOSS,	/* of datagrams to other hosts */
	FAULT_LINK_DELAY,
	FAULT_LINK_DUPLICATE,
	FAULT_PARTITION,	/* the host is cut off */
	FAULT_KINDS
};

#define FAULT_BIT(kind)		(1u << (kind))

/* Operations, as bits. */
#define FAULT_OP_SEND		1u	/* with and without immediate */
#define FAULT_OP_READ		2u
#define FAULT_OP_WRITE		4u
#define FAULT_OP_WRITE_IMM	8u

enum fault_queue { FAULT_QUEUE_SEND, FAULT_QUEUE_RECV };
enum fault_side { FAULT_SIDE_REMOTE, FAULT_SIDE_LOCAL };

/* What ends the hold of a completion, beside its time. */
enum fault_until {
	FAULT_UNTIL_TIME,	/* nothing else */
	FAULT_UNTIL_SEND,	/* a send completion of the QP */
	FAULT_UNTIL_RECV,
	FAULT_UNTIL_DESTROY,	/* then the time starts to run */
};

/* The control commands that can be told apart. */
enum fault_command {
	FAULT_CMD_ALLOC_PD,
	FAULT_CMD_CREATE_AH,
	FAULT_CMD_CREATE_COMP_CHANNEL,
	FAULT_CMD_CREATE_CQ,
	FAULT_CMD_CREATE_QP,
	FAULT_CMD_DEALLOC_PD,
	FAULT_CMD_DEREG_MR,
	FAULT_CMD_DESTROY_AH,
	FAULT_CMD_DESTROY_CQ,
	FAULT_CMD_DESTROY_QP,
	FAULT_CMD_MODIFY_QP,
	FAULT_CMD_OPEN,			/* get_context */
	FAULT_CMD_QUERY_DEVICE,
	FAULT_CMD_QUERY_GID,
	FAULT_CMD_QUERY_MR,
	FAULT_CMD_QUERY_PORT,
	FAULT_CMD_QUERY_QP,
	FAULT_CMD_REG_DMABUF_MR,
	FAULT_CMD_REG_MR,
	FAULT_CMD_OTHER,
	FAULT_COMMANDS
};

struct fault_spec {
	enum fault_kind kind;

	/* which events; FAULT_ANY: all */
	uint32_t device;		/* its index */
	uint32_t qp;			/* whose request or completion it is */
	uint32_t peer;			/* QPN at the other end */
	uint32_t cq;
	uint32_t type;			/* first byte of the payload */
	uint32_t ops;			/* FAULT_OP_*, one at least */
	enum fault_queue queue;
	uint32_t command;		/* enum fault_command or FAULT_ANY */
	char host[FAULT_HOST_BYTES];	/* the other end's address; "": any */

	/* which of those */
	uint64_t after;			/* the first ones are let pass */
	uint64_t every;			/* then one of so many, 1: each */
	uint64_t count;			/* at most, UINT64_MAX: no limit */
	uint64_t chance;		/* of RANDOM_SEQUENCE_CERTAIN */
	uint64_t seed;

	/* what happens; of each kind those that it takes */
	uint64_t delay_min_ns, delay_max_ns;
	uint64_t time_ns;		/* UINT64_MAX: not given */
	uint32_t window;		/* 0: not given */
	uint32_t coalesce;		/* 0: not given */
	uint32_t times;
	uint64_t at_bytes;
	uint8_t status;
	int error;			/* errno, positive */
	enum fault_until until;
	enum fault_side side;
	bool is_delivered, is_spurious;
};

/*
 * Reads @text, with any blanks between its words. 0 and @spec complete, or
 * -EINVAL and in @error one line: which word is wrong and what is allowed.
 */
int fault_spec_parse(const char *text, struct fault_spec *spec,
		     char error[FAULT_ERROR_BYTES]);

const char *fault_kind_name(enum fault_kind kind);
const char *fault_command_name(enum fault_command command);

#endif /* ENGINE_FAULT_SPEC_H */
