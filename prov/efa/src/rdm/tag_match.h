/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Matching: which posted receive takes a message, and which unexpected
 * message a receive takes. A receive takes a message when its source is the
 * message's or any, and their tags differ only in bits of the receive's
 * ignore mask. Of several receives the one posted first takes it; of several
 * messages the one that came first is taken. So is MPI's order kept.
 *
 * Each of these costs the same, however many receives, messages, sources and
 * tags there are. MPI puts control bits into every ignore mask, so that an
 * ignore mask of 0 is the exception; what programs do have is few kinds of
 * receive. A kind is an ignore mask, together with "from one source" or "from
 * any". Within a kind all is exact: what a receive takes is one key, the
 * source (or any) and the tag without the ignored bits. Hence, for each kind,
 *
 *	receives	a hash of queues, by key. A message looks into one queue
 *			of each kind that has receives, and takes, of the heads,
 *			the one posted first
 *	messages	the same, filled when a receive of the kind asks: with
 *			the messages that came since the last one asked
 *
 * Kinds have a limit, RDM_MATCH_KINDS. Of more, one without receives that has
 * not been asked for longest gives way; while all are in use the rest, alone,
 * stands in one list that is searched in order. The answers are the same.
 *
 * Receives and messages are entries in the caller's objects; nothing is
 * called back, nothing is owned but the hashes. One of these is one space:
 * tagged and untagged messages have one each, untagged ones with tag and
 * ignore 0. No lock inside. No function fails: without memory for a hash its
 * kind is searched in order.
 */
#ifndef RDM_TAG_MATCH_H
#define RDM_TAG_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash_table.h"
#include "util/list.h"

#define RDM_MATCH_KINDS		6u
#define RDM_MATCH_ANY_SOURCE	UINT64_MAX

/*
 * A place in a queue of one key. The head of the queue is in the hash, the
 * others only in the head's ring; of those, node.next is the node itself.
 */
struct rdm_match_link {
	struct util_hash_node node;
	struct util_list same_key;
};

struct rdm_match_recv {
	struct rdm_match_link link;
	uint64_t source;	/* or RDM_MATCH_ANY_SOURCE */
	uint64_t tag;		/* without the ignored bits */
	uint64_t ignore;
	uint64_t number;	/* in the order of posting */
	uint32_t kind;		/* RDM_MATCH_KINDS: in the list */
};

struct rdm_match_message {
	struct rdm_match_link link[RDM_MATCH_KINDS];
	struct util_list arrival;
	uint64_t source;
	uint64_t tag;
	uint64_t number;	/* in the order of arrival */
};

struct rdm_match_kind {
	uint64_t ignore;
	bool any_source;
	uint32_t num_recvs;
	uint64_t used_at;	/* of rdm_match.clock */
	struct util_hash_table recvs;
	struct util_hash_table messages;
	/* messages below this number are in the hash; the last of them in the
	 * list of arrivals, or the list itself */
	uint64_t hashed_below;
	struct util_list *last_hashed;
};

struct rdm_match {
	uint32_t kinds_with_recvs;	/* bit mask */
	uint32_t num_kinds;
	uint64_t seed;
	uint64_t next_number;
	uint64_t clock;			/* searches for a message */
	struct util_list listed_recvs;	/* of no kind, in order */
	struct util_list arrivals;	/* all messages, in order */
	struct rdm_match_kind kind[RDM_MATCH_KINDS];
};

/* An empty space; allocates nothing. @seed is random, so that no peer can
 * know which tags share a bucket. */
void rdm_match_init(struct rdm_match *match, uint64_t seed);
/* Frees the hashes. Entries still in the space are forgotten. */
void rdm_match_fini(struct rdm_match *match);

/*
 * Says what @recv takes. A source is any 64 bits that stand for one sender as
 * long as an entry has them: what does not change when an unknown sender
 * becomes a known one. Bits of @tag that are in @ignore do not count.
 */
static inline void rdm_match_recv_set(struct rdm_match_recv *recv,
				      uint64_t source, uint64_t tag,
				      uint64_t ignore)
{
	recv->source = source;
	recv->tag = tag & ~ignore;
	recv->ignore = ignore;
}

/*
 * The message that @recv takes, or NULL. @recv has been set, and is not in
 * the space: it may be about to be posted, or be there only to ask (peek).
 * The message stays in the space: rdm_match_remove_message takes it out.
 */
struct rdm_match_message *rdm_match_find_message(struct rdm_match *match,
						 struct rdm_match_recv *recv);

/* Posts @recv, which has been set, behind all others. Its members are not to
 * be written until it is removed. Assumes that no message is there for it. */
void rdm_match_add_recv(struct rdm_match *match, struct rdm_match_recv *recv);

/*
 * The receive that takes a message of @source with @tag, or NULL. It stays
 * posted, in its place: rdm_match_remove_recv takes it out, unless it is for
 * several messages and has room for more.
 */
struct rdm_match_recv *rdm_match_find_recv(struct rdm_match *match,
					   uint64_t source, uint64_t tag);

/* Takes out @recv, which must be posted: a message has come, or it is
 * cancelled. */
void rdm_match_remove_recv(struct rdm_match *match,
			   struct rdm_match_recv *recv);

/* Adds @message, whose source and tag are set, behind all others. Assumes
 * that no receive is there for it. */
void rdm_match_add_message(struct rdm_match *match,
			   struct rdm_match_message *message);

/* Takes out @message, which must be in the space. */
void rdm_match_remove_message(struct rdm_match *match,
			      struct rdm_match_message *message);

/* The message that came first of all, or NULL: to empty the space. */
struct rdm_match_message *
rdm_match_first_message(const struct rdm_match *match);

#endif /* RDM_TAG_MATCH_H */
