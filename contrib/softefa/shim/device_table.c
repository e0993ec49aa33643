/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "shim/device_table.h"

#include <stdatomic.h>
#include <stddef.h>

#include "shim/client_env.h"
#include "shim/daemon_link.h"
#include "shim/thread_order.h"

enum table_state { TABLE_EMPTY, TABLE_IN_WORK, TABLE_READY };

static struct softefa_devices table;
static atomic_int table_state = TABLE_EMPTY;

/*
 * Whoever finds the table empty fills it; all others go on with their own
 * copy. A fork() in between leaves it in work in the child for ever, which
 * costs the child a question each time and nothing else.
 */
static void publish(const struct softefa_devices *devices)
{
	int expected = TABLE_EMPTY;

	if (!atomic_compare_exchange_strong(&table_state, &expected,
					    TABLE_IN_WORK))
		return;
	table = *devices;
	thread_order_releasing(&table_state);
	/* Pairs with the acquire of device_table_get(). */
	atomic_store_explicit(&table_state, TABLE_READY, memory_order_release);
}

const struct softefa_devices *device_table_get(struct softefa_devices *storage)
{
	if (atomic_load_explicit(&table_state, memory_order_acquire) ==
	    TABLE_READY) {
		thread_order_acquired(&table_state);
		return &table;
	}
	if (!client_env_is_active() || daemon_link_devices(storage))
		return NULL;
	publish(storage);
	return storage;
}
