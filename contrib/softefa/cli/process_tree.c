/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/process_tree.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The parent of process @pid, 0 when it is gone; proc(5), stat. */
static pid_t parent_of(pid_t pid)
{
	char path[32], text[512];
	const char *after_name;
	size_t len;
	FILE *file;
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	/* "pid (name) state ppid"; the name may hold anything. */
	after_name = strrchr(text, ')');
	if (!after_name || sscanf(after_name + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

/*
 * Reaps the children that have ended and sends @signal (0: nothing) to the
 * others but @spared. Returns how many those are.
 */
static unsigned visit_children(int signal, pid_t spared)
{
	const pid_t self = getpid();
	const struct dirent *entry;
	DIR *proc = opendir("/proc");
	unsigned num = 0;
	pid_t pid;

	if (!proc)
		return 0;
	while ((entry = readdir(proc))) {
		pid = atoi(entry->d_name);
		if (pid <= 0 || pid == spared || parent_of(pid) != self)
			continue;
		if (waitpid(pid, NULL, WNOHANG) == pid)
			continue;
		kill(pid, signal);
		num++;
	}
	closedir(proc);
	return num;
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/*
 * Waits for the children to end; those that appear meanwhile, because their
 * parent has ended, get @signal too. 0, or -ETIMEDOUT after @timeout_ms.
 */
static int wait_for_children(int signal, pid_t spared, int timeout_ms)
{
	const long long end = now_ms() + timeout_ms;
	struct timespec wait;
	long long left;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	while (visit_children(signal, spared)) {
		left = end - now_ms();
		if (left <= 0)
			return -ETIMEDOUT;
		/* A child that moves up raises no signal: look again. */
		if (left > 50)
			left = 50;
		wait.tv_sec = 0;
		wait.tv_nsec = (long)left * 1000000;
		sigtimedwait(&set, NULL, &wait);
	}
	return 0;
}

int process_tree_await(pid_t pid, int timeout_ms, int *wait_status)
{
	const long long end = now_ms() + timeout_ms;
	struct timespec wait;
	long long left;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	while (waitpid(pid, wait_status, WNOHANG) != pid) {
		left = end - now_ms();
		if (left <= 0)
			return -ETIMEDOUT;
		wait.tv_sec = left / 1000;
		wait.tv_nsec = (long)(left % 1000) * 1000000;
		sigtimedwait(&set, NULL, &wait);
	}
	return 0;
}

void process_tree_end(pid_t spared)
{
	if (!wait_for_children(0, spared, 200) ||
	    !wait_for_children(SIGTERM, spared, 2000))
		return;
	process_tree_kill(spared);
}

void process_tree_kill(pid_t spared)
{
	while (wait_for_children(SIGKILL, spared, 1000))
		;
}
