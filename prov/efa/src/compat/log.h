/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The way into libfabric's log, for every layer. The provider tells once
 * under whose name lines appear; before that, and in a unit test, a line at
 * warn level goes to stderr and the others nowhere.
 *
 * Who detects a failure logs it, once, naming the object, the cause and the
 * remedy. Nothing above debug level may be logged from the data path. The
 * calls keep errno.
 */
#ifndef COMPAT_LOG_H
#define COMPAT_LOG_H

#include <stdatomic.h>
#include <stdbool.h>

#include <rdma/fabric.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>

/* Lines go to fi_log in the name of @provider, which must have been
 * registered by the core; NULL undoes it. */
void compat_log_init(const struct fi_provider *provider);

/*
 * For tests: @write gets each line, of whatever level, instead of the log;
 * NULL undoes it. @text lives only during the call.
 */
void compat_log_redirect(void (*write)(enum fi_log_level level,
				       const char *text));

/* Would such a line appear? For work that only serves a log line. */
bool compat_log_on(enum fi_log_level level, enum fi_log_subsys subsys);

void compat_log_line(enum fi_log_level level, enum fi_log_subsys subsys,
		     const char *function, int line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#define compat_log(level, subsys, ...)					\
	do {								\
		if (compat_log_on(level, subsys))			\
			compat_log_line(level, subsys, __func__,	\
					__LINE__, __VA_ARGS__);		\
	} while (0)

/* @subsys is an FI_LOG_* subsystem, the rest as for printf, no newline. */
#define compat_warn(subsys, ...)					\
	compat_log(FI_LOG_WARN, subsys, __VA_ARGS__)
#define compat_info(subsys, ...)					\
	compat_log(FI_LOG_INFO, subsys, __VA_ARGS__)
#define compat_debug(subsys, ...)					\
	compat_log(FI_LOG_DEBUG, subsys, __VA_ARGS__)

/* At most once per place in the code and process. */
#define compat_warn_once(subsys, ...)					\
	do {								\
		static atomic_flag said_ = ATOMIC_FLAG_INIT;		\
		if (!atomic_flag_test_and_set(&said_))			\
			compat_warn(subsys, __VA_ARGS__);		\
	} while (0)

#endif /* COMPAT_LOG_H */
