/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/device_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complaint.h"
#include "engine/profile_setting.h"

const char device_options_help[] =
"  --profile NAME  what they are like (default: the first of profiles);\n"
"                  this and the following as N:VALUE for device N alone\n"
"  --caps LIST     capabilities on or off, as +rdma-write,-rnr-retry\n"
"  --limit LIST    their limits, as max_qp=4,max_mr=8\n"
"  --rule LIST     target-ah=on or off: RDMA only between known peers\n"
"  --qpn-start N   the QP number that is given first\n"
"  --qpn-reuse WAY round-robin or first: when a QP number comes back\n";

static int set_qpn_start(struct device_profile *profile, const char *value)
{
	char *end;
	unsigned long number = strtoul(value, &end, 0);

	if (*value < '0' || *value > '9' || *end || !number ||
	    number >= UINT16_MAX) {
		complain("a number from 1 to 65534", "bad QP number '%s'",
			 value);
		return -EINVAL;
	}
	profile->qpn_start = (uint32_t)number;
	return 0;
}

static int set_qpn_reuse(struct device_profile *profile, const char *value)
{
	profile->qpn_reuse_first = !strcmp(value, "first");
	if (profile->qpn_reuse_first || !strcmp(value, "round-robin"))
		return 0;
	complain("--qpn-reuse first or round-robin",
		 "no way to reuse QP numbers is called '%s'", value);
	return -EINVAL;
}

static int complain_of(int err, const struct setting_error *error)
{
	if (err)
		complain(error->remedy, "%s", error->what);
	return err;
}

static int set_caps(struct device_profile *profile, const char *value)
{
	struct setting_error error;

	return complain_of(profile_set_caps(profile, value, &error), &error);
}

static int set_limits(struct device_profile *profile, const char *value)
{
	struct setting_error error;

	return complain_of(profile_set_limits(profile, value, &error), &error);
}

static int set_rules(struct device_profile *profile, const char *value)
{
	struct setting_error error;

	return complain_of(profile_set_rules(profile, value, &error), &error);
}

static int set_preset(struct device_profile *profile, const char *value)
{
	const struct device_profile *preset = profile_find(value);

	if (!preset) {
		complain("softefa profiles lists them", "no profile '%s'",
			 value);
		return -EINVAL;
	}
	*profile = *preset;
	return 0;
}

static const struct device_option {
	const char *word;
	int (*set)(struct device_profile *profile, const char *value);
} words[] = {
	{ "--profile", set_preset },
	{ "--caps", set_caps },
	{ "--limit", set_limits },
	{ "--rule", set_rules },
	{ "--qpn-start", set_qpn_start },
	{ "--qpn-reuse", set_qpn_reuse },
};

static const struct device_option *find_word(const char *word, unsigned len)
{
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == len &&
		    !memcmp(words[i].word, word, len))
			return &words[i];
	return NULL;
}

bool device_options_know(const char *word, unsigned len)
{
	return find_word(word, len);
}

int device_options_take(struct device_options *options, const char *option,
			unsigned len, const char *value)
{
	if (options->count == DEVICE_OPTIONS_MAX) {
		complain("--caps and --limit take lists",
			 "more than %d changes to the devices",
			 DEVICE_OPTIONS_MAX);
		return -EINVAL;
	}
	options->change[options->count].option = find_word(option, len)->word;
	options->change[options->count].value = value;
	options->count++;
	return 0;
}

/* Takes "N:" off @value; the device number, -1 without it. */
static int take_number(const char **value)
{
	size_t len = strspn(*value, "0123456789");
	int number;

	if (!len || len > 3 || (*value)[len] != ':')
		return -1;
	number = atoi(*value);
	*value += len + 1;
	return number;
}

/* All changes by one option. */
static int apply(const struct device_options *options,
		 const struct device_option *known,
		 struct device_profile *profile, unsigned count)
{
	const char *value;
	unsigned i, at;
	int number;

	for (i = 0; i < options->count; i++) {
		if (options->change[i].option != known->word)
			continue;
		value = options->change[i].value;
		number = take_number(&value);
		if (number >= (int)count) {
			complain("they count from 0; --devices says how many",
				 "%s: no device %d", known->word, number);
			return -EINVAL;
		}
		for (at = 0; at < count; at++) {
			if ((number < 0 || (int)at == number) &&
			    known->set(&profile[at], value))
				return -EINVAL;
		}
	}
	return 0;
}

/* By the order of @words, in which the preset is the first. */
int device_options_apply(const struct device_options *options,
			 struct device_profile *profile, unsigned count)
{
	struct setting_error error;
	unsigned i;

	for (i = 0; i < count; i++)
		profile[i] = *profile_at(0);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (apply(options, &words[i], profile, count))
			return -EINVAL;
	for (i = 0; i < count; i++)
		if (complain_of(profile_check(&profile[i], &error), &error))
			return -EINVAL;
	return 0;
}
