/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/complaint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 3, 0)))
static void say(const char *kind, const char *remedy, const char *format,
		va_list args)
{
	char what[512], text[1024];
	ssize_t ignored;

	vsnprintf(what, sizeof(what), format, args);
	snprintf(text, sizeof(text), "softefa: %s: %s\n%s%s%s", kind, what,
		 remedy ? "  remedy: " : "", remedy ? remedy : "",
		 remedy ? "\n" : "");
	/* Nobody is left to be told when stderr does not take it. */
	ignored = write(STDERR_FILENO, text, strlen(text));
	(void)ignored;
}

void complain(const char *remedy, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("error", remedy, format, args);
	va_end(args);
}

void warn_of(const char *remedy, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("warning", remedy, format, args);
	va_end(args);
}
