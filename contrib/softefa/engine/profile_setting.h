/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Changes to a device profile by name: capabilities, limits, habits. What
 * `softefa --caps`, `--limit` and the like take, and what `show` prints.
 *
 * The lists come from a command line: each error says what is wrong and what
 * would be right.
 */
#ifndef ENGINE_PROFILE_SETTING_H
#define ENGINE_PROFILE_SETTING_H

#include <stddef.h>
#include <stdint.h>

#include "engine/profile.h"

struct setting_error {
	char what[160];
	char remedy[640];
};

/*
 * Applies "+name,-name..." to @profile; without a sign it means '+'.
 * -EINVAL with @error filled for a name there is not; @profile is then
 * undefined.
 */
int profile_set_caps(struct device_profile *profile, const char *list,
		     struct setting_error *error);

/* The same for "name=number,...". -EINVAL, also for a number out of range. */
int profile_set_limits(struct device_profile *profile, const char *list,
		       struct setting_error *error);

/* The same for "name=on|off,...": the rules of a device that can be off. */
int profile_set_rules(struct device_profile *profile, const char *list,
		      struct setting_error *error);

/* What profile_set_* cannot see in one value. -EINVAL with @error filled. */
int profile_check(const struct device_profile *profile,
		  struct setting_error *error);

/*
 * The names of the capabilities in @caps, or the limits as "name=number",
 * separated by blanks, in @text. Cut off at @text_bytes, always terminated.
 */
void profile_print_caps(uint32_t caps, char *text, size_t text_bytes);
void profile_print_limits(const struct device_profile *profile, char *text,
			  size_t text_bytes);

#endif /* ENGINE_PROFILE_SETTING_H */
