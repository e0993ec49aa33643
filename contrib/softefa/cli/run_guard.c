/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/run_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/client_command.h"
#include "cli/complaint.h"
#include "cli/control_client.h"
#include "cli/daemon_process.h"
#include "cli/process_tree.h"

static const int passed_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
				      SIGUSR1, SIGUSR2 };

/* For a machine under load; it has its clients' memory to give back. */
#define DAEMON_END_MS	20000

struct guard {
	const struct cli_options *options;
	sigset_t signals_before;	/* the mask that COMMAND gets */
	int relay_fd;			/* signal numbers from the front */
	struct daemon_process daemon;	/* pid 0: gone */
	pid_t command;
	int status;			/* of COMMAND, once it has ended */
	bool is_done;
	bool has_lost_daemon;
};

static int exit_status(int wait_status)
{
	return WIFSIGNALED(wait_status) ?
	       CLI_EXIT_SIGNALLED + WTERMSIG(wait_status) :
	       WEXITSTATUS(wait_status);
}

static void block_signals(sigset_t *before)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	/* Raised by a write to whoever is gone; ignored it would reach COMMAND. */
	sigaddset(&set, SIGPIPE);
	for (i = 0; i < sizeof(passed_signals) / sizeof(int); i++)
		sigaddset(&set, passed_signals[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

/* Random, so that no other run has it and nobody can guess it. */
static int random_socket(char socket[CONTROL_MAX_SOCKET])
{
	unsigned long long number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
		complain(NULL, "no random number: %s", strerror(errno));
		return -EIO;
	}
	snprintf(socket, CONTROL_MAX_SOCKET, "softefa/run/%d.%016llx",
		 (int)getpid(), number);
	return 0;
}

static pid_t start_command(const struct guard *guard)
{
	const pid_t parent = getpid();
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(CLI_EXIT_RUN_FAILED);
	sigprocmask(SIG_SETMASK, &guard->signals_before, NULL);
	_exit(client_command_exec(guard->options->command));
}

/* The daemon ended before COMMAND did. */
static void lose_daemon(struct guard *guard, int wait_status)
{
	guard->daemon.pid = 0;
	guard->has_lost_daemon = true;
	if (WIFSIGNALED(wait_status))
		complain("run it again; if softefa did it by itself, that is "
			 "a bug to report",
			 "the daemon was killed by signal %d (%s) while %s "
			 "ran: its devices are gone", WTERMSIG(wait_status),
			 strsignal(WTERMSIG(wait_status)),
			 guard->options->command[0]);
	else
		complain("stop it after the command, or use softefa start",
			 "the daemon ended (status %d) while %s ran: its "
			 "devices are gone", WEXITSTATUS(wait_status),
			 guard->options->command[0]);
}

/* Children have ended: COMMAND, the daemon, or orphans of COMMAND. */
static void reap(struct guard *guard)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == guard->command) {
			guard->status = exit_status(status);
			guard->is_done = true;
		} else if (pid == guard->daemon.pid) {
			lose_daemon(guard, status);
		}
	}
}

/* False when the front is gone. */
static bool pass_signal_on(const struct guard *guard)
{
	unsigned char number;

	if (read(guard->relay_fd, &number, 1) != 1)
		return false;
	if (!guard->is_done)
		kill(guard->command, number);
	return true;
}

/* Waits for the end of COMMAND; -EPIPE when the front was killed. */
static int watch(struct guard *guard, int child_fd)
{
	struct pollfd fds[] = {
		{ .fd = child_fd, .events = POLLIN },
		{ .fd = guard->relay_fd, .events = POLLIN },
	};
	struct signalfd_siginfo info;

	while (!guard->is_done) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[0].revents && read(child_fd, &info, sizeof(info)) > 0)
			reap(guard);
		if (fds[1].revents && !pass_signal_on(guard))
			return -EPIPE;
	}
	return 0;
}

/* True when the daemon, as it ends, says that rules were broken. */
static bool end_daemon(struct guard *guard)
{
	int status = 0;

	close(guard->daemon.life_fd);
	if (!guard->daemon.pid)
		return false;
	if (process_tree_await(guard->daemon.pid, DAEMON_END_MS, &status)) {
		complain("run it again; if that does not help, it is a bug "
			 "to report", "the daemon does not end");
		guard->has_lost_daemon = true;
	}
	process_tree_end(0);
	return WIFEXITED(status) &&
		WEXITSTATUS(status) == CLI_EXIT_RULES_BROKEN;
}

/*
 * A broken rule comes before whatever the command says of itself: a test
 * that skips, or is expected to fail, must not pass over it.
 */
static int judge(const struct guard *guard, bool has_broken_rules)
{
	if (has_broken_rules) {
		complain("mend the driver; --allow RULE is for a test that "
			 "breaks it on purpose",
			 "%s broke rules of the device; its own exit status "
			 "was %d", guard->options->command[0], guard->status);
		return CLI_EXIT_RULES_BROKEN;
	}
	if (guard->has_lost_daemon && !guard->status)
		return CLI_EXIT_RUN_FAILED;
	return guard->status;
}

static int guard_command(struct guard *guard)
{
	sigset_t child;
	int child_fd;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	child_fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	guard->command = child_fd < 0 ? -1 : start_command(guard);
	if (guard->command < 0) {
		complain(NULL, "cannot start a process: %s", strerror(errno));
		guard->status = CLI_EXIT_RUN_FAILED;
	} else if (watch(guard, child_fd)) {
		process_tree_kill(0);
		return CLI_EXIT_RUN_FAILED;
	}
	process_tree_end(guard->daemon.pid);
	return judge(guard, end_daemon(guard));
}

_Noreturn static void be_guard(struct guard *guard)
{
	char socket[CONTROL_MAX_SOCKET];

	prctl(PR_SET_NAME, "softefa-guard");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (random_socket(socket) ||
	    daemon_process_start(guard->options, socket, &guard->daemon))
		_exit(CLI_EXIT_RUN_FAILED);
	if (client_command_prepare(socket)) {
		end_daemon(guard);
		_exit(CLI_EXIT_RUN_FAILED);
	}
	_exit(guard_command(guard));
}

/* A terminal has sent its signals to COMMAND as well as to the front. */
static bool is_for_us_alone(const siginfo_t *info)
{
	return info->si_code != SI_KERNEL;
}

/* Passes signals to the guard until it has ended; its wait status. */
static int watch_guard(pid_t guard, int relay_fd)
{
	unsigned char number;
	siginfo_t info;
	sigset_t set;
	ssize_t sent;
	int status;
	size_t i;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (i = 0; i < sizeof(passed_signals) / sizeof(int); i++)
		sigaddset(&set, passed_signals[i]);
	for (;;) {
		if (waitpid(guard, &status, WNOHANG) == guard)
			return status;
		if (sigwaitinfo(&set, &info) < 0 || info.si_signo == SIGCHLD ||
		    !is_for_us_alone(&info))
			continue;
		number = (unsigned char)info.si_signo;
		/* A guard that has just ended wants no signal. */
		sent = write(relay_fd, &number, 1);
		(void)sent;
	}
}

int run_guard(const struct cli_options *options)
{
	struct guard guard = { .options = options };
	int relay[2], status;
	pid_t pid;

	block_signals(&guard.signals_before);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (pipe2(relay, O_CLOEXEC) < 0) {
		complain(NULL, "cannot make a pipe: %s", strerror(errno));
		return CLI_EXIT_RUN_FAILED;
	}
	pid = fork();
	if (!pid) {
		close(relay[1]);
		guard.relay_fd = relay[0];
		be_guard(&guard);
	}
	close(relay[0]);
	if (pid < 0) {
		complain(NULL, "cannot start a process: %s", strerror(errno));
		return CLI_EXIT_RUN_FAILED;
	}
	status = watch_guard(pid, relay[1]);
	process_tree_kill(0);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	complain("run it again", "softefa's guard process was killed by "
		 "signal %d; the command was ended", WTERMSIG(status));
	return CLI_EXIT_RUN_FAILED;
}
