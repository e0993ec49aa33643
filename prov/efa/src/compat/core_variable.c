/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "compat/core_variable.h"

#include <stddef.h>
#include <stdlib.h>
#include <strings.h>

bool compat_core_variable(const char *name, bool otherwise)
{
	static const struct {
		const char *text;
		bool value;
	} words[] = {
		{ "1", true }, { "yes", true }, { "true", true },
		{ "on", true }, { "0", false }, { "no", false },
		{ "false", false }, { "off", false },
	};
	const char *text = getenv(name);

	for (size_t i = 0; text && i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcasecmp(text, words[i].text))
			return words[i].value;
	}
	return otherwise;
}
