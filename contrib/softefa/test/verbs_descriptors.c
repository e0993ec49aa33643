/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Device contexts as descriptors: a program may duplicate, inherit, share
 * and close them in any order and from any thread, as those of the kernel.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define THREADS		8
#define CYCLES		200
#define VERBS_IOCTL	0xc0181b01ul

/* rdma_user_ioctl_cmds.h */
struct verbs_request {
	uint16_t length, object, method, num_attrs;
	uint64_t reserved1;
	uint32_t driver_id, reserved2;
	struct {
		uint16_t id, len, flags, reserved;
		uint64_t data;
	} attr[4];
};

#define REQUEST_LENGTH(attrs)	(24 + 16 * (attrs))
#define DRIVER_ID_EFA		17

/* QUERY_DEVICE, a write command in an ioctl: 0, or the errno. */
static int query_device(int fd)
{
	char core_out[176] = { 0 };
	uint32_t vendor;
	struct verbs_request query = {
		.length = REQUEST_LENGTH(3),
		.num_attrs = 3,
		.driver_id = DRIVER_ID_EFA,
		.attr = {
			{ 0, 8, 1, 0, 0 },
			{ 1, sizeof(core_out), 1, 0, (uintptr_t)core_out },
			{ 2, 8, 1, 0, 1 },
		},
	};

	if (ioctl(fd, VERBS_IOCTL, &query) < 0)
		return errno;
	memcpy(&vendor, core_out + 40, sizeof(vendor));
	EXPECT_EQ(vendor, 0x1d0f);
	return 0;
}

/* @times queries; how many of them failed. */
static unsigned count_failures(int fd, unsigned times)
{
	unsigned failures = 0;

	while (times--)
		failures += !!query_device(fd);
	return failures;
}

/* GET_CONTEXT: the first thing to ask of a new descriptor. */
static int get_context(int fd)
{
	uint32_t vectors = 0;
	uint64_t support = 0, response[3] = { 0 };
	struct verbs_request get = {
		.length = REQUEST_LENGTH(4),
		.method = 3,
		.num_attrs = 4,
		.driver_id = DRIVER_ID_EFA,
		.attr = {
			{ 0, 4, 0, 0, (uintptr_t)&vectors },
			{ 1, 8, 0, 0, (uintptr_t)&support },
			{ 0x1000, 8, 0, 0, 3 },
			{ 0x1001, 24, 0, 0, (uintptr_t)response },
		},
	};

	return ioctl(fd, VERBS_IOCTL, &get) < 0 ? errno : 0;
}

static int open_node(int flags)
{
	int fd = open("/dev/infiniband/uverbs0", O_RDWR | flags);

	REQUIRE(fd >= 0);
	REQUIRE_EQ(get_context(fd), 0);
	return fd;
}

static void check_is_node(const struct stat *st)
{
	EXPECT(S_ISCHR(st->st_mode));
	EXPECT_EQ(major(st->st_rdev), 231);
	EXPECT_EQ(minor(st->st_rdev), 192);
}

static void test_status(void)
{
	struct stat by_path, by_fd;
	struct statx stx;
	int fd = open_node(O_CLOEXEC);

	EXPECT_EQ(stat("/dev/infiniband/uverbs0", &by_path), 0);
	check_is_node(&by_path);
	EXPECT_EQ(fstat(fd, &by_fd), 0);
	check_is_node(&by_fd);
	EXPECT_EQ(by_fd.st_ino, by_path.st_ino);
	EXPECT_EQ(statx(fd, "", AT_EMPTY_PATH, STATX_ALL, &stx), 0);
	EXPECT_EQ(stx.stx_rdev_minor, 192);
	EXPECT_EQ(access("/dev/infiniband/uverbs0", R_OK | W_OK), 0);
	EXPECT_EQ(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
	fd = open_node(O_NONBLOCK);
	EXPECT_EQ(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
	EXPECT_EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	EXPECT_EQ(query_device(fd), 0);
	close(fd);
	EXPECT_EQ(open("/dev/infiniband/none", O_RDWR), -1);
	EXPECT_EQ(errno, ENOENT);
}

/* A number that was a context and is something else now is not ours. */
static void test_reuse(void)
{
	int fd = open_node(0), pipes[2];
	struct stat st;

	REQUIRE_EQ(pipe(pipes), 0);
	REQUIRE_EQ(dup2(pipes[0], fd), fd);
	EXPECT_EQ(query_device(fd), ENOTTY);
	EXPECT_EQ(fstat(fd, &st), 0);
	EXPECT(S_ISFIFO(st.st_mode));
	EXPECT(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	EXPECT_EQ(errno, ENODEV);
	close(fd);
	EXPECT_EQ(query_device(fd), EBADF);
	close(pipes[0]);
	close(pipes[1]);
}

static void test_duplicates(void)
{
	int fd = open_node(0), high, copy;
	struct stat st;

	copy = dup(fd);
	high = fcntl(fd, F_DUPFD_CLOEXEC, 500);
	EXPECT_EQ(high, 500);
	EXPECT_EQ(query_device(copy), 0);
	close(fd);
	EXPECT_EQ(query_device(copy), 0);
	EXPECT_EQ(query_device(high), 0);
	EXPECT_EQ(fstat(high, &st), 0);
	check_is_node(&st);
	EXPECT_EQ(dup3(high, 700, O_CLOEXEC), 700);
	close(high);
	close(copy);
	EXPECT_EQ(query_device(700), 0);
	close(700);
}

static void test_bad_requests(void)
{
	int fd = open_node(0);
	void *page;

	EXPECT_EQ(ioctl(fd, VERBS_IOCTL, NULL), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(ioctl(fd, 0xc0181b02ul, NULL), -1);
	EXPECT_EQ(errno, ENOTTY);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0x12345000);
	EXPECT(page == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	EXPECT(page == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(query_device(fd), 0);
	close(fd);
}

/* Both sides of a fork() use the context at the same time. */
static void test_fork(void)
{
	int fd = open_node(0);
	pid_t child[3];
	size_t c;

	for (c = 0; c < 3; c++) {
		child[c] = fork();
		REQUIRE(child[c] >= 0);
		if (child[c])
			continue;
		EXPECT_EQ(count_failures(fd, CYCLES), 0);
		expect_child_exit();
	}
	EXPECT_EQ(count_failures(fd, CYCLES), 0);
	for (c = 0; c < 3; c++)
		expect_child(child[c]);
	EXPECT_EQ(query_device(fd), 0);
	close(fd);
}

/* What a child killed in the midst of its requests leaves to its parent. */
static void test_fork_killed(void)
{
	int fd = open_node(0), i;
	pid_t child;

	for (i = 0; i < 20; i++) {
		child = fork();
		REQUIRE(child >= 0);
		while (!child)
			query_device(fd);
		usleep((useconds_t)(i * 100));
		kill(child, SIGKILL);
		EXPECT_EQ(waitpid(child, NULL, 0), child);
		EXPECT_EQ(query_device(fd), 0);
	}
	close(fd);
}

static void test_exec(const char *self)
{
	int fd = open_node(0);
	char number[16];
	pid_t child;

	snprintf(number, sizeof(number), "%d", fd);
	child = fork();
	if (!child) {
		execl(self, self, number, NULL);
		_exit(1);
	}
	expect_child(child);
	EXPECT_EQ(query_device(fd), 0);
	close(fd);
}

static int shared_fd;

static void *share(void *arg)
{
	int i, fd;

	for (i = 0; i < CYCLES; i++) {
		EXPECT_EQ(query_device(shared_fd), 0);
		fd = dup(shared_fd);
		EXPECT_EQ(query_device(fd), 0);
		close(fd);
		fd = open_node(O_CLOEXEC);
		EXPECT_EQ(query_device(fd), 0);
		close(fd);
	}
	return arg;
}

static void *look_around(void *arg)
{
	char path[300], text[64];
	struct dirent *entry;
	FILE *file;
	DIR *dir;
	int i, num;

	for (i = 0; i < CYCLES; i++) {
		dir = opendir("/sys/class/infiniband_verbs");
		REQUIRE(dir);
		for (num = 0; (entry = readdir(dir)); num++)
			;
		EXPECT(num >= 4);
		closedir(dir);
		file = fopen("/sys/class/infiniband/efa_0/node_type", "r");
		REQUIRE(file);
		EXPECT(fgets(text, sizeof(text), file));
		EXPECT_STR(text, "7: unspecified\n");
		fclose(file);
		EXPECT(realpath("/sys/class/infiniband/efa_0/device", path));
	}
	return arg;
}

static void test_threads(void)
{
	pthread_t thread[THREADS];
	size_t i;

	shared_fd = open_node(0);
	for (i = 0; i < THREADS; i++)
		REQUIRE_EQ(pthread_create(&thread[i], NULL,
					  i % 4 ? share : look_around, NULL),
			   0);
	for (i = 0; i < THREADS; i++)
		REQUIRE_EQ(pthread_join(thread[i], NULL), 0);
	close(shared_fd);
}

static volatile sig_atomic_t num_signals;

/* A handler may use the device in the midst of the program's own request. */
static void on_timer(int signal)
{
	int saved = errno;

	(void)signal;
	if (!query_device(shared_fd))
		num_signals++;
	errno = saved;
}

static void test_signals(void)
{
	const struct itimerspec soon = {
		.it_interval.tv_nsec = 300000,
		.it_value.tv_nsec = 300000,
	};
	struct sigaction action = { .sa_handler = on_timer };
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGALRM,
	};
	timer_t timer;

	shared_fd = open_node(0);
	REQUIRE_EQ(sigaction(SIGALRM, &action, NULL), 0);
	REQUIRE_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	REQUIRE_EQ(timer_settime(timer, 0, &soon, NULL), 0);
	while (num_signals < CYCLES)
		REQUIRE_EQ(query_device(shared_fd), 0);
	timer_delete(timer);
	signal(SIGALRM, SIG_DFL);
	close(shared_fd);
}

/* Event descriptors wait in poll() and epoll_wait() like any other. */
static void test_event_waits(void)
{
	struct ibv_context *ctx = device_open(0);
	struct ibv_comp_channel *channel = ibv_create_comp_channel(ctx);
	struct epoll_event event = { .events = EPOLLIN };
	struct pollfd fds[2];
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	REQUIRE(channel && epoll_fd >= 0);
	fds[0] = (struct pollfd){ .fd = channel->fd, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = ctx->async_fd, .events = POLLIN };
	EXPECT_EQ(poll(fds, 2, 0), 0);
	EXPECT_EQ(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, channel->fd, &event), 0);
	EXPECT_EQ(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, ctx->async_fd, &event),
		  0);
	EXPECT_EQ(epoll_wait(epoll_fd, &event, 1, 0), 0);
	close(epoll_fd);
	EXPECT_EQ(ibv_destroy_comp_channel(channel), 0);
	device_close(ctx);
}

/* No descriptor is left by all of this. */
static unsigned count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned num = 0;

	REQUIRE(dir);
	while (readdir(dir))
		num++;
	closedir(dir);
	return num;
}

int main(int argc, char **argv)
{
	unsigned fds_before;

	if (argc == 2)
		return query_device(atoi(argv[1])) ? 1 : 0;
	expect_deadline(120);
	fds_before = count_fds();
	test_status();
	test_reuse();
	test_duplicates();
	test_bad_requests();
	expect_stage("fork");
	test_fork();
	expect_stage("killed children");
	test_fork_killed();
	test_exec(argv[0]);
	expect_stage("threads");
	test_threads();
	expect_stage("signals");
	test_signals();
	test_event_waits();
	EXPECT_EQ(count_fds(), fds_before);
	return expect_result();
}
