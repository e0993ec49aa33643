/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The options that say what the emulated devices are like: a preset, and
 * changes to it. Each is for all devices, or for number N when its value
 * starts with "N:". The preset comes first wherever it was given, then the
 * changes, those by one option in their order.
 */
#ifndef CLI_DEVICE_OPTIONS_H
#define CLI_DEVICE_OPTIONS_H

#include <stdbool.h>

#include "engine/profile.h"

#define DEVICE_OPTIONS_MAX	64

struct device_options {
	struct {
		const char *option, *value;	/* --caps, [N:]+rdma-read */
	} change[DEVICE_OPTIONS_MAX];
	unsigned count;
};

/* Whether @len bytes of @word are one of these options. */
bool device_options_know(const char *word, unsigned len);

/*
 * Notes one of them; the texts stay the caller's. 0, or -EINVAL after a
 * complaint, as all below.
 */
int device_options_take(struct device_options *options, const char *option,
			unsigned len, const char *value);

/* What each of @count devices is like by all that was noted. */
int device_options_apply(const struct device_options *options,
			 struct device_profile *profile, unsigned count);

/* The lines about these options in --help. */
extern const char device_options_help[];

#endif /* CLI_DEVICE_OPTIONS_H */
