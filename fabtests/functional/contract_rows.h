/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the known applications need of an EFA provider, one numbered row for
 * each requirement; a program checks those of one subject. Rows of tagged
 * messages, atomic operations and other parts of the reliable endpoint of
 * fabric efa are not among them.
 */
#ifndef FABTESTS_CONTRACT_ROWS_H
#define FABTESTS_CONTRACT_ROWS_H

#include <stddef.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

struct contract_row {
	int number;
	const char *text;
	void (*check)(void);
};

static inline void contract_check(const struct contract_row *rows,
				  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		expect_stage(rows[i].text);
		rows[i].check();
	}
}

/* The rows are this provider's: libfabric's own differs in some. */
static inline void contract_needs_ours(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints = fab_hints(&wish), *info = fab_getinfo(hints);

	if (fab_is_in_tree(info))
		expect_skip("this provider: another one was loaded");
	fi_freeinfo(info);
	fi_freeinfo(hints);
}

#endif /* FABTESTS_CONTRACT_ROWS_H */
