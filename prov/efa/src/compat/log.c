/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "compat/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* What the core itself cuts a line to. */
#define LOG_LINE_BYTES 1024

/* Written at start-up and by tests, before other threads log. */
static const struct fi_provider *log_provider;
static void (*log_write)(enum fi_log_level level, const char *text);

void compat_log_init(const struct fi_provider *provider)
{
	log_provider = provider;
}

void compat_log_redirect(void (*write)(enum fi_log_level level,
				       const char *text))
{
	log_write = write;
}

bool compat_log_on(enum fi_log_level level, enum fi_log_subsys subsys)
{
	if (log_write)
		return true;
	if (!log_provider)
		return level == FI_LOG_WARN;
	return fi_log_enabled(log_provider, level, subsys);
}

void compat_log_line(enum fi_log_level level, enum fi_log_subsys subsys,
		     const char *function, int line, const char *format, ...)
{
	int saved_errno = errno;
	char text[LOG_LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);

	if (log_write)
		log_write(level, text);
	else if (log_provider)
		fi_log(log_provider, level, subsys, function, line, "%s\n",
		       text);
	else
		fprintf(stderr, "efa: %s: %s\n", function, text);
	errno = saved_errno;
}
