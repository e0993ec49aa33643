/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/daemon_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/complaint.h"
#include "cli/trace_file.h"
#include "daemon/daemon.h"

/* What the child needs of its parent; -1: does not apply. */
struct birth {
	const struct cli_options *options;
	const char *socket;
	int ready_fd;
	int life_fd;
	int stderr_fd;		/* becomes its stderr */
	int trace_fd;
	int rule_fd;		/* where it tells of broken rules */
	pid_t parent;		/* it dies with it; 0: it does not */
};

static void default_signals(void)
{
	sigset_t none;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Standard descriptors that keep nobody's terminal or pipe open. */
static int set_standard_fds(const struct birth *birth)
{
	const char *log = birth->options->log;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int log_fd = birth->stderr_fd;

	if (log && strcmp(log, "-"))
		log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			      0666);
	if (log_fd < 0 && log && strcmp(log, "-")) {
		complain("name a file that you may write",
			 "cannot open the log %s: %s", log, strerror(errno));
		return -EIO;
	}
	if (null < 0)
		return -errno;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (log_fd >= 0)
		dup2(log_fd, STDERR_FILENO);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Closes what was inherited but the standard descriptors and @kept. */
static void close_inherited(int *kept, size_t num_kept)
{
	unsigned first = 3;
	size_t i;

	qsort(kept, num_kept, sizeof(*kept), by_number);
	for (i = 0; i < num_kept; i++) {
		if (kept[i] < (int)first)
			continue;
		if (kept[i] > (int)first)
			close_range(first, (unsigned)kept[i] - 1, 0);
		first = (unsigned)kept[i] + 1;
	}
	close_range(first, ~0u, 0);
}

static int listen_on(const char *socket)
{
	int fd = daemon_listen(socket);

	if (fd == -EADDRINUSE)
		complain("softefa stop ends it, --name gives another name",
			 "a daemon of this name runs already (socket @%s)",
			 socket);
	else if (fd < 0)
		complain(NULL, "cannot listen on the socket @%s: %s", socket,
			 strerror(-fd));
	return fd;
}

/* The daemon's process; listening here makes it the peer of its clients. */
_Noreturn static void be_daemon(const struct birth *birth)
{
	struct daemon_options options = {
		.life_fd = birth->life_fd,
		.ready_fd = birth->ready_fd,
		.num_devices = birth->options->num_devices,
		.profile = birth->options->profile,
		.faults = (const char *const *)birth->options->faults.text,
		.fault_count = birth->options->faults.count,
		.log = birth->options->log,
		.trace_fd = birth->trace_fd,
		.link = birth->options->has_link ? &birth->options->link :
			NULL,
		.host_name = birth->options->name ? birth->options->name :
			"default",
		.rule_fd = birth->rule_fd,
		.allowed_rules = birth->options->allowed_rules,
	};
	int kept[5], ret;

	setsid();
	default_signals();
	prctl(PR_SET_NAME, "softefa-daemon");
	if (birth->parent) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != birth->parent)
			_exit(0);
	}
	if (set_standard_fds(birth))
		_exit(1);
	/* Not before the log is open: its name may be a relative one. */
	if (!birth->parent && chdir("/") < 0)
		_exit(1);
	options.listen_fd = listen_on(birth->socket);
	if (options.listen_fd < 0)
		_exit(1);
	kept[0] = options.listen_fd;
	kept[1] = options.life_fd;
	kept[2] = options.ready_fd;
	kept[3] = options.trace_fd;
	kept[4] = options.rule_fd;
	close_inherited(kept, 5);
	ret = daemon_run(&options);
	_exit(ret == DAEMON_RULES_BROKEN ? CLI_EXIT_RULES_BROKEN : !!ret);
}

/* In the name and the directory of whoever started it; -1: no trace. */
static int open_trace(const struct cli_options *options, int *fd)
{
	*fd = -1;
	return options->trace ? trace_file_open(options->trace, fd) : 0;
}

static void close_trace(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* True once the daemon has said that it serves. */
static bool wait_until_ready(int ready_fd)
{
	ssize_t len;
	char byte;

	do {
		len = read(ready_fd, &byte, 1);
	} while (len < 0 && errno == EINTR);
	return len == 1 && byte == 'R';
}

int daemon_process_start(const struct cli_options *options,
			 const char *socket, struct daemon_process *daemon)
{
	struct birth birth = {
		.options = options,
		.socket = socket,
		.stderr_fd = -1,
		.rule_fd = -1,
		.parent = getpid(),
	};
	int ready[2], life[2];
	bool is_ready;

	if (open_trace(options, &birth.trace_fd))
		return -EIO;
	/* Our stderr, unless that is the log. */
	if (!options->log || strcmp(options->log, "-"))
		birth.rule_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (pipe2(ready, O_CLOEXEC) < 0 || pipe2(life, O_CLOEXEC) < 0) {
		complain(NULL, "cannot make a pipe: %s", strerror(errno));
		return -EIO;
	}
	birth.ready_fd = ready[1];
	birth.life_fd = life[0];
	daemon->pid = fork();
	if (!daemon->pid)
		be_daemon(&birth);
	close(ready[1]);
	close(life[0]);
	close_trace(birth.trace_fd);
	if (birth.rule_fd >= 0)
		close(birth.rule_fd);
	daemon->life_fd = life[1];
	if (daemon->pid < 0)
		complain(NULL, "cannot start a process: %s", strerror(errno));
	is_ready = wait_until_ready(ready[0]);
	close(ready[0]);
	if (is_ready)
		return 0;
	close(life[1]);
	if (daemon->pid > 0)
		waitpid(daemon->pid, NULL, 0);
	return -EIO;
}

/* Passes on what the daemon says on stderr until it serves or ends. */
static void pass_on_errors(int from)
{
	char text[512];
	ssize_t len, ignored;

	while ((len = read(from, text, sizeof(text))) > 0) {
		ignored = write(STDERR_FILENO, text, (size_t)len);
		(void)ignored;
	}
}

/*
 * The daemon's stderr is a pipe that only the parent reads, and not after it
 * has said that it serves: what comes later goes to the log, if any.
 */
int daemon_process_detach(const struct cli_options *options,
			  const char *socket)
{
	struct birth birth = {
		.options = options,
		.socket = socket,
		.life_fd = -1,
		.rule_fd = -1,
	};
	int ready[2], errors[2];
	bool is_ready;
	pid_t child;

	if (open_trace(options, &birth.trace_fd))
		return -EIO;
	if (pipe2(ready, O_CLOEXEC) < 0 || pipe2(errors, O_CLOEXEC) < 0) {
		complain(NULL, "cannot make a pipe: %s", strerror(errno));
		return -EIO;
	}
	birth.ready_fd = ready[1];
	birth.stderr_fd = errors[1];
	child = fork();
	if (!child) {
		/* Its parent ends at once, so init becomes it. */
		child = fork();
		if (!child)
			be_daemon(&birth);
		if (child < 0)
			complain(NULL, "cannot start a process: %s",
				 strerror(errno));
		_exit(0);
	}
	close(ready[1]);
	close(errors[1]);
	close_trace(birth.trace_fd);
	if (child < 0)
		complain(NULL, "cannot start a process: %s", strerror(errno));
	else
		waitpid(child, NULL, 0);
	is_ready = wait_until_ready(ready[0]);
	if (!is_ready)
		pass_on_errors(errors[0]);
	close(ready[0]);
	close(errors[0]);
	return is_ready ? 0 : -EIO;
}
