/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "dev/comp_counter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compat/log.h"
#include "compat/verbs_symbols.h"
#include "util/cache_line.h"

/* Where one count is to lie, in verbs' words; its address for the CPU. */
static const uint64_t *
place_count(const struct compat_efadv_memory_location *wanted, uint64_t *own,
	    struct compat_efadv_memory_location *place)
{
	if (wanted)
		*place = *wanted;
	else
		place->ptr = (uint8_t *)own;
	return (const uint64_t *)place->ptr;
}

int dev_counter_create(const struct dev_device *device,
		       const struct compat_efadv_memory_location *good,
		       const struct compat_efadv_memory_location *bad,
		       struct dev_counter *counter)
{
	struct compat_comp_cntr_init_attr attr = { 0 };
	struct compat_efadv_comp_cntr_init_attr efa_attr = {
		.flags = COMPAT_EFADV_COMP_CNTR_COUNT_AT |
			 COMPAT_EFADV_COMP_CNTR_ERRORS_AT,
	};
	struct dev_counter made = { .device = device };
	int ret;

	if (!device->comp_cntr_ops)
		return -EOPNOTSUPP;
	/* a line of its own: the device writes whenever it likes */
	made.counts = util_cache_line_calloc(sizeof(*made.counts));
	if (!made.counts)
		return -ENOMEM;
	made.good = place_count(good, &made.counts->good, &efa_attr.count);
	made.bad = place_count(bad, &made.counts->bad, &efa_attr.errors);
	errno = 0;
	made.verbs = compat_verbs()->efadv_create_comp_cntr(
		device->verbs, &attr, &efa_attr, sizeof(efa_attr));
	if (!made.verbs) {
		ret = -(errno ? errno : ENOMEM);
		free(made.counts);
		return ret;
	}
	*counter = made;
	return 0;
}

int dev_counter_destroy(struct dev_counter *counter)
{
	int err = compat_verbs()->destroy_comp_cntr(counter->verbs);

	if (err) {
		compat_warn(FI_LOG_CNTR, "%s: a completion counter stays: %s",
			    counter->device->name, strerror(err));
		return -err;
	}
	free(counter->counts);
	*counter = (struct dev_counter) { 0 };
	return 0;
}

int dev_counter_attach(const struct dev_counter *counter, struct dev_qp *qp,
		       uint32_t ops)
{
	struct compat_comp_cntr_attach_attr attr = { .op_mask = ops };

	if (ops & ~counter->device->comp_cntr_ops)
		return -EOPNOTSUPP;
	return -compat_verbs()->qp_attach_comp_cntr(qp->verbs, counter->verbs,
						    &attr);
}

static int modified(const struct dev_counter *counter, int err)
{
	if (err)
		compat_warn(FI_LOG_CNTR, "%s: a completion counter keeps its "
			    "value: %s", counter->device->name, strerror(err));
	return -err;
}

int dev_counter_set(const struct dev_counter *counter, enum dev_count which,
		    uint64_t value)
{
	const struct compat_verbs *verbs = compat_verbs();
	int (*set)(struct compat_comp_cntr *cntr, uint64_t value) =
		which == DEV_COUNT_GOOD ? verbs->set_comp_cntr
					: verbs->set_err_comp_cntr;

	return modified(counter, set ? set(counter->verbs, value)
				     : EOPNOTSUPP);
}

int dev_counter_add(const struct dev_counter *counter, enum dev_count which,
		    uint64_t amount)
{
	const struct compat_verbs *verbs = compat_verbs();
	int (*add)(struct compat_comp_cntr *cntr, uint64_t amount) =
		which == DEV_COUNT_GOOD ? verbs->inc_comp_cntr
					: verbs->inc_err_comp_cntr;

	return modified(counter, add ? add(counter->verbs, amount)
				     : EOPNOTSUPP);
}
