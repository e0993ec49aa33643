/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A doubly linked list whose nodes lie in the caller's objects. The list and
 * its nodes are of one type: a ring through a head that is no object. Adding
 * and taking out are O(1). No lock inside.
 *
 *	for (node = util_list_first(&list); node != &list; node = node->next)
 *		object = util_list_entry(node, struct object, member)
 */
#ifndef UTIL_LIST_H
#define UTIL_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct util_list {
	struct util_list *next, *prev;
};

/* The object of @type whose @member is *@node. */
#define util_list_entry(node, type, member)				\
	((type *)(void *)((char *)(node) - offsetof(type, member)))

/* Empties a list; of a node: a ring of its own, so that taking it out is
 * allowed and changes nothing. */
static inline void util_list_init(struct util_list *list)
{
	list->next = list->prev = list;
}

static inline bool util_list_is_empty(const struct util_list *list)
{
	return list->next == list;
}

/* The first node, or the list itself when it is empty. */
static inline struct util_list *util_list_first(const struct util_list *list)
{
	return list->next;
}

/* Adds @node, which must be in no list, before @place: with the list itself
 * for @place, at the end. */
static inline void util_list_append(struct util_list *place,
				    struct util_list *node)
{
	node->next = place;
	node->prev = place->prev;
	place->prev->next = node;
	place->prev = node;
}

/* Adds @node, which must be in no list, at the beginning. */
static inline void util_list_push(struct util_list *list,
				  struct util_list *node)
{
	util_list_append(list->next, node);
}

/* Takes out @node, which must be in a list; its links are then undefined. */
static inline void util_list_remove(struct util_list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
}

/* Takes out the first node and returns it; the list must not be empty. */
static inline struct util_list *util_list_pop(struct util_list *list)
{
	struct util_list *node = list->next;

	util_list_remove(node);
	return node;
}

/* Moves all nodes of @from to the end of @list; @from is then empty. */
static inline void util_list_append_all(struct util_list *list,
					struct util_list *from)
{
	if (util_list_is_empty(from))
		return;
	from->next->prev = list->prev;
	list->prev->next = from->next;
	from->prev->next = list;
	list->prev = from->prev;
	util_list_init(from);
}

#endif /* UTIL_LIST_H */
