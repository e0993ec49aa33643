/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/tag_match.h"

#include <assert.h>

/* So many searches for messages an idle kind is kept for at least: filling
 * the hash of another one takes as long as all unexpected messages. */
#define KEEP_SEARCHES	64u

void rdm_match_init(struct rdm_match *match, uint64_t seed)
{
	*match = (struct rdm_match) { .seed = seed };
	util_list_init(&match->listed_recvs);
	util_list_init(&match->arrivals);
}

static void kind_fini(struct rdm_match_kind *kind)
{
	util_hash_fini(&kind->recvs);
	util_hash_fini(&kind->messages);
}

void rdm_match_fini(struct rdm_match *match)
{
	while (match->num_kinds)
		kind_fini(&match->kind[--match->num_kinds]);
}

static uint64_t key_hash(const struct rdm_match *match, uint64_t source,
			 uint64_t tag)
{
	return util_hash_mix(source ^ match->seed, tag);
}

/* ---- queues of one key ---- */

static bool is_head(const struct rdm_match_link *link)
{
	return link->node.next != &link->node;
}

/* Puts @link behind @head, or, when that is NULL, at the head of a queue. */
static void link_add(struct util_hash_table *table,
		     struct rdm_match_link *head, struct rdm_match_link *link,
		     uint64_t hash)
{
	if (head) {
		util_list_append(&head->same_key, &link->same_key);
		link->node.next = &link->node;
	} else {
		util_list_init(&link->same_key);
		util_hash_insert(table, &link->node, hash);
	}
}

static void link_remove(struct util_hash_table *table,
			struct rdm_match_link *link)
{
	struct rdm_match_link *heir;

	if (!is_head(link)) {
		util_list_remove(&link->same_key);
	} else if (util_list_is_empty(&link->same_key)) {
		util_hash_remove(table, &link->node);
	} else {
		heir = util_list_entry(util_list_first(&link->same_key),
				       struct rdm_match_link, same_key);
		util_list_remove(&link->same_key);
		util_hash_replace(table, &link->node, &heir->node);
	}
}

/* ---- kinds ---- */

static int kind_init(struct rdm_match *match, struct rdm_match_kind *kind,
		     bool any_source, uint64_t ignore)
{
	*kind = (struct rdm_match_kind) {
		.ignore = ignore,
		.any_source = any_source,
		.last_hashed = &match->arrivals,
	};
	if (util_hash_init(&kind->recvs))
		return -1;
	if (util_hash_init(&kind->messages)) {
		util_hash_fini(&kind->recvs);
		return -1;
	}
	return 0;
}

/* The place for a new kind: that of one which is long idle, if there is no
 * free one; NULL: none. */
static struct rdm_match_kind *kind_place(struct rdm_match *match)
{
	struct rdm_match_kind *idle = NULL;

	if (match->num_kinds < RDM_MATCH_KINDS)
		return &match->kind[match->num_kinds];
	for (uint32_t i = 0; i < RDM_MATCH_KINDS; i++) {
		struct rdm_match_kind *kind = &match->kind[i];

		if (!kind->num_recvs &&
		    match->clock - kind->used_at >= KEEP_SEARCHES &&
		    (!idle || kind->used_at < idle->used_at))
			idle = kind;
	}
	return idle;
}

static struct rdm_match_kind *kind_create(struct rdm_match *match,
					  bool any_source, uint64_t ignore)
{
	struct rdm_match_kind *place = kind_place(match), kind;

	if (!place || kind_init(match, &kind, any_source, ignore))
		return NULL;
	if (place == &match->kind[match->num_kinds])
		match->num_kinds++;
	else
		kind_fini(place);
	*place = kind;
	return place;
}

/* NULL: @recv is of none, and there cannot be one more. */
static struct rdm_match_kind *kind_of(struct rdm_match *match,
				      const struct rdm_match_recv *recv)
{
	bool any_source = recv->source == RDM_MATCH_ANY_SOURCE;
	struct rdm_match_kind *kind = match->kind;
	struct rdm_match_kind *end = kind + match->num_kinds;

	while (kind < end && (kind->ignore != recv->ignore ||
			      kind->any_source != any_source))
		kind++;
	if (__builtin_expect(kind == end, 0))
		kind = kind_create(match, any_source, recv->ignore);
	if (__builtin_expect(kind != NULL, 1))
		kind->used_at = match->clock;
	return kind;
}

/* ---- receives ---- */

static struct rdm_match_recv *head_recv(const struct rdm_match_kind *kind,
					uint64_t source, uint64_t tag,
					uint64_t hash)
{
	struct util_hash_node *node;

	for (node = util_hash_first(&kind->recvs, hash); node;
	     node = util_hash_next(node)) {
		struct rdm_match_recv *recv = util_list_entry(
			node, struct rdm_match_recv, link.node);

		if (recv->source == source && recv->tag == tag)
			return recv;
	}
	return NULL;
}

void rdm_match_add_recv(struct rdm_match *match, struct rdm_match_recv *recv)
{
	struct rdm_match_kind *kind = kind_of(match, recv);
	struct rdm_match_recv *head;
	uint64_t hash;

	recv->number = match->next_number++;
	if (__builtin_expect(!kind, 0)) {
		recv->kind = RDM_MATCH_KINDS;
		util_list_append(&match->listed_recvs, &recv->link.same_key);
		return;
	}
	recv->kind = kind - match->kind;
	hash = key_hash(match, recv->source, recv->tag);
	head = head_recv(kind, recv->source, recv->tag, hash);
	link_add(&kind->recvs, head ? &head->link : NULL, &recv->link, hash);
	kind->num_recvs++;
	match->kinds_with_recvs |= 1u << recv->kind;
}

void rdm_match_remove_recv(struct rdm_match *match,
			   struct rdm_match_recv *recv)
{
	struct rdm_match_kind *kind;

	if (__builtin_expect(recv->kind == RDM_MATCH_KINDS, 0)) {
		util_list_remove(&recv->link.same_key);
		return;
	}
	kind = &match->kind[recv->kind];
	assert(kind->num_recvs);
	link_remove(&kind->recvs, &recv->link);
	if (--kind->num_recvs == 0)
		match->kinds_with_recvs &= ~(1u << recv->kind);
}

static bool takes(const struct rdm_match_recv *recv, uint64_t source,
		  uint64_t tag)
{
	return (tag & ~recv->ignore) == recv->tag &&
	       (recv->source == RDM_MATCH_ANY_SOURCE ||
		recv->source == source);
}

/* The first of @best and the listed receives that takes the message. */
static struct rdm_match_recv *first_listed(const struct rdm_match *match,
					   uint64_t source, uint64_t tag,
					   struct rdm_match_recv *best)
{
	struct util_list *node;

	for (node = util_list_first(&match->listed_recvs);
	     node != &match->listed_recvs; node = node->next) {
		struct rdm_match_recv *recv = util_list_entry(
			node, struct rdm_match_recv, link.same_key);

		if (best && best->number < recv->number)
			break;
		if (takes(recv, source, tag))
			return recv;
	}
	return best;
}

struct rdm_match_recv *rdm_match_find_recv(struct rdm_match *match,
					   uint64_t source, uint64_t tag)
{
	struct rdm_match_recv *best = NULL;

	for (uint32_t kinds = match->kinds_with_recvs; kinds;
	     kinds &= kinds - 1) {
		const struct rdm_match_kind *kind =
			&match->kind[__builtin_ctz(kinds)];
		uint64_t from = kind->any_source ? RDM_MATCH_ANY_SOURCE
						 : source;
		uint64_t key_tag = tag & ~kind->ignore;
		struct rdm_match_recv *recv =
			head_recv(kind, from, key_tag,
				  key_hash(match, from, key_tag));

		if (recv && (!best || recv->number < best->number))
			best = recv;
	}
	if (__builtin_expect(!util_list_is_empty(&match->listed_recvs), 0))
		best = first_listed(match, source, tag, best);
	return best;
}

/* ---- messages ---- */

static struct rdm_match_message *arrival_message(struct util_list *node)
{
	return util_list_entry(node, struct rdm_match_message, arrival);
}

/* The first message in the hash of kind @index with this key, or NULL. */
static struct rdm_match_message *
head_message(const struct rdm_match *match, uint32_t index, uint64_t source,
	     uint64_t tag, uint64_t hash)
{
	const struct rdm_match_kind *kind = &match->kind[index];
	struct util_hash_node *node;

	for (node = util_hash_first(&kind->messages, hash); node;
	     node = util_hash_next(node)) {
		struct rdm_match_link *link = util_list_entry(
			node, struct rdm_match_link, node);
		struct rdm_match_message *message = util_list_entry(
			link - index, struct rdm_match_message, link);

		if ((message->tag & ~kind->ignore) == tag &&
		    (kind->any_source || message->source == source))
			return message;
	}
	return NULL;
}

/* Puts the messages into the hash of kind @index that are not there yet. */
static void hash_messages(struct rdm_match *match, uint32_t index)
{
	struct rdm_match_kind *kind = &match->kind[index];

	while (kind->last_hashed != match->arrivals.prev) {
		struct util_list *node = kind->last_hashed->next;
		struct rdm_match_message *message = arrival_message(node);
		uint64_t source = kind->any_source ? RDM_MATCH_ANY_SOURCE
						   : message->source;
		uint64_t tag = message->tag & ~kind->ignore;
		uint64_t hash = key_hash(match, source, tag);
		struct rdm_match_message *head =
			head_message(match, index, source, tag, hash);

		link_add(&kind->messages, head ? &head->link[index] : NULL,
			 &message->link[index], hash);
		kind->last_hashed = node;
		kind->hashed_below = message->number + 1;
	}
}

/* For a receive of no kind. */
static struct rdm_match_message *
search_arrivals(const struct rdm_match *match,
		const struct rdm_match_recv *recv)
{
	struct util_list *node;

	for (node = util_list_first(&match->arrivals);
	     node != &match->arrivals; node = node->next) {
		struct rdm_match_message *message = arrival_message(node);

		if (takes(recv, message->source, message->tag))
			return message;
	}
	return NULL;
}

struct rdm_match_message *rdm_match_find_message(struct rdm_match *match,
						 struct rdm_match_recv *recv)
{
	struct rdm_match_kind *kind;
	uint32_t index;

	match->clock++;
	if (util_list_is_empty(&match->arrivals))
		return NULL;
	kind = kind_of(match, recv);
	if (__builtin_expect(!kind, 0))
		return search_arrivals(match, recv);
	index = kind - match->kind;
	hash_messages(match, index);
	return head_message(match, index, recv->source, recv->tag,
			    key_hash(match, recv->source, recv->tag));
}

void rdm_match_add_message(struct rdm_match *match,
			   struct rdm_match_message *message)
{
	message->number = match->next_number++;
	util_list_append(&match->arrivals, &message->arrival);
}

void rdm_match_remove_message(struct rdm_match *match,
			      struct rdm_match_message *message)
{
	for (uint32_t i = 0; i < match->num_kinds; i++) {
		struct rdm_match_kind *kind = &match->kind[i];

		if (message->number >= kind->hashed_below)
			continue;
		link_remove(&kind->messages, &message->link[i]);
		if (kind->last_hashed == &message->arrival)
			kind->last_hashed = message->arrival.prev;
	}
	util_list_remove(&message->arrival);
}

struct rdm_match_message *
rdm_match_first_message(const struct rdm_match *match)
{
	if (util_list_is_empty(&match->arrivals))
		return NULL;
	return arrival_message(util_list_first(&match->arrivals));
}
