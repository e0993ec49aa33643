/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "daemon/daemon.h"
#include "daemon/efa_abi.h"
#include "wire_client.h"

#define MANDATORY	1u

static void run_daemon(int listen_fd, int life[2], int ready[2],
		       unsigned num_devices)
{
	struct device_profile profile[SOFTEFA_MAX_DEVICES];
	struct daemon_options options = {
		.trace_fd = -1,
		.listen_fd = listen_fd,
		.life_fd = life[0],
		.ready_fd = ready[1],
		.num_devices = num_devices,
		.profile = profile,
		.rule_fd = -1,
	};

	for (unsigned i = 0; i < num_devices; i++)
		profile[i] = *profile_at(0);
	close(life[1]);
	close(ready[0]);
	exit(daemon_run(&options) ? 1 : 0);
}

void wire_daemon_start(struct wire_daemon *daemon, unsigned num_devices)
{
	static unsigned number;
	int listen_fd, life[2], ready[2];
	char byte = 0;

	snprintf(daemon->name, sizeof(daemon->name), "softefa-test-%d-%u",
		 (int)getpid(), number++);
	listen_fd = daemon_listen(daemon->name);
	assert_true(listen_fd >= 0);
	assert_int_equal(pipe(life), 0);
	assert_int_equal(pipe(ready), 0);
	daemon->pid = fork();
	assert_true(daemon->pid >= 0);
	if (daemon->pid == 0)
		run_daemon(listen_fd, life, ready, num_devices);
	close(listen_fd);
	close(life[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 'R');
	close(ready[0]);
	daemon->life_fd = life[1];
}

int wire_daemon_wait(struct wire_daemon *daemon)
{
	int status;

	assert_int_equal(waitpid(daemon->pid, &status, 0), daemon->pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) :
	       128 + WTERMSIG(status);
}

int wire_connect(const struct wire_daemon *daemon)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t len = strlen(daemon->name);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	memcpy(addr.sun_path + 1, daemon->name, len);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr,
				 offsetof(struct sockaddr_un, sun_path) + 1 +
				 len), 0);
	return fd;
}

static int wire_open(const struct wire_daemon *daemon, uint32_t type,
		     uint32_t device)
{
	const struct softefa_request hello = {
		.type = type,
		.version = SOFTEFA_PROTOCOL_VERSION,
		.device = device,
	};
	int fd = wire_connect(daemon);

	assert_int_equal(wire_ask(fd, &hello, NULL, NULL), 0);
	return fd;
}

int wire_open_control(const struct wire_daemon *daemon)
{
	return wire_open(daemon, SOFTEFA_HELLO_CONTROL, 0);
}

int wire_open_uverbs(const struct wire_daemon *daemon, uint32_t device)
{
	return wire_open(daemon, SOFTEFA_HELLO_UVERBS, device);
}

static int take_fd(struct msghdr *hdr)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(hdr);
	int fd;

	if (!cmsg || cmsg->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	return fd;
}

int wire_ask(int fd, const struct softefa_request *request,
	     struct softefa_answer *answer, int *answer_fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct softefa_answer mine;
	struct iovec iov = { &mine, sizeof(mine) };
	struct msghdr hdr = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;
	int got;

	if (send(fd, request, sizeof(*request), MSG_NOSIGNAL) < 0)
		return -ENODATA;
	n = recvmsg(fd, &hdr, 0);
	if (n <= 0)
		return -ENODATA;
	assert_int_equal(n, sizeof(mine));
	got = take_fd(&hdr);
	if (answer_fd)
		*answer_fd = got;
	else if (got >= 0)
		close(got);
	if (answer)
		*answer = mine;
	return mine.result;
}

void wire_send_with_fd(int fd, const struct softefa_request *request,
		       int passed)
{
	union {
		struct cmsghdr cmsg;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec iov = { (void *)(uintptr_t)request, sizeof(*request) };
	struct msghdr hdr = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	control.cmsg.cmsg_level = SOL_SOCKET;
	control.cmsg.cmsg_type = SCM_RIGHTS;
	control.cmsg.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.cmsg), &passed, sizeof(passed));
	assert_int_equal(sendmsg(fd, &hdr, MSG_NOSIGNAL), sizeof(*request));
}

const char *wire_text(int control, uint32_t type, uint64_t addr)
{
	static struct softefa_text text;
	const struct softefa_request request = { .type = type, .addr = addr };
	ssize_t n;

	assert_int_equal(send(control, &request, sizeof(request), 0),
			 sizeof(request));
	n = recv(control, &text, sizeof(text), 0);
	assert_int_equal(n, offsetof(struct softefa_text, text) +
			 text.length);
	assert_true(text.length < sizeof(text.text));
	text.text[text.length] = '\0';
	return text.text;
}

const char *wire_show(int control)
{
	return wire_text(control, SOFTEFA_SHOW, 0);
}

void wire_frame_begin(struct wire_frame *frame, uint16_t object,
		      uint16_t method)
{
	memset(frame, 0, sizeof(*frame));
	frame->length = offsetof(struct wire_frame, attr);
	frame->object = object;
	frame->method = method;
	frame->driver_id = EFA_ABI_DRIVER_ID;
}

void wire_frame_add(struct wire_frame *frame, uint16_t id, uint16_t length,
		    uint64_t data)
{
	unsigned i = frame->num_attrs++;

	assert_true(i < WIRE_MAX_ATTRS);
	frame->attr[i].id = id;
	frame->attr[i].length = length;
	frame->attr[i].flags = MANDATORY;
	frame->attr[i].data = data;
	frame->length += sizeof(frame->attr[0]);
}

void wire_frame_add_ptr(struct wire_frame *frame, uint16_t id,
			uint16_t length, const void *data)
{
	wire_frame_add(frame, id, length, (uintptr_t)data);
}

int wire_ioctl(int fd, struct wire_frame *frame, int *answer_fd)
{
	const struct softefa_request request = {
		.type = SOFTEFA_IOCTL,
		.addr = (uintptr_t)frame,
	};

	return wire_ask(fd, &request, NULL, answer_fd);
}

int wire_get_context(int fd)
{
	struct wire_frame frame;

	wire_frame_begin(&frame, UVERBS_OBJECT_DEVICE,
			 UVERBS_METHOD_GET_CONTEXT);
	wire_frame_add(&frame, UVERBS_ATTR_UHW_IN, 8, 3);
	return wire_ioctl(fd, &frame, NULL);
}

static void begin_write(struct wire_frame *frame, uint32_t command)
{
	wire_frame_begin(frame, UVERBS_OBJECT_DEVICE,
			 UVERBS_METHOD_INVOKE_WRITE);
	wire_frame_add(frame, UVERBS_ATTR_WRITE_CMD, 8, command);
}

void wire_frame_alloc_pd(struct wire_frame *frame, uint32_t *pd)
{
	begin_write(frame, IB_USER_VERBS_CMD_ALLOC_PD);
	wire_frame_add(frame, UVERBS_ATTR_CORE_IN, 8, 0);
	wire_frame_add_ptr(frame, UVERBS_ATTR_CORE_OUT, 4, pd);
}

int wire_alloc_pd(int fd, uint32_t *pd)
{
	struct wire_frame frame;

	wire_frame_alloc_pd(&frame, pd);
	return wire_ioctl(fd, &frame, NULL);
}

int wire_destroy_pd(int fd, uint32_t pd)
{
	struct wire_frame frame;

	wire_frame_begin(&frame, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY);
	wire_frame_add(&frame, UVERBS_ATTR_DESTROY_PD_HANDLE, 0, pd);
	return wire_ioctl(fd, &frame, NULL);
}

int wire_reg_mr(int fd, uint32_t pd, const void *addr, uint64_t length,
		uint32_t *mr)
{
	struct ib_uverbs_reg_mr cmd = {
		.start = (uintptr_t)addr,
		.length = length,
		.hca_va = (uintptr_t)addr,
		.pd_handle = pd,
		.access_flags = 1,
	};
	struct ib_uverbs_reg_mr_resp resp;
	struct wire_frame frame;
	int ret;

	begin_write(&frame, IB_USER_VERBS_CMD_REG_MR);
	wire_frame_add_ptr(&frame, UVERBS_ATTR_CORE_IN, 40, &cmd);
	wire_frame_add_ptr(&frame, UVERBS_ATTR_CORE_OUT, 12, &resp);
	ret = wire_ioctl(fd, &frame, NULL);
	if (!ret)
		*mr = resp.mr_handle;
	return ret;
}

int wire_create_cq_of(int fd, uint32_t depth, int channel, uint16_t sub_cqs,
		      struct wire_cq *cq)
{
	struct efa_abi_create_cq cmd = {
		.cq_entry_size = 32,
		.num_sub_cqs = sub_cqs,
		.flags = channel < 0 ? 0 : EFA_ABI_CQ_COMP_CHANNEL,
	};
	struct efa_abi_create_cq_resp resp;
	struct wire_frame frame;
	uint32_t resp_depth;
	int ret;

	wire_frame_begin(&frame, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	wire_frame_add(&frame, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
	wire_frame_add(&frame, UVERBS_ATTR_CREATE_CQ_CQE, 4, depth);
	wire_frame_add(&frame, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8, 0xc0ffee);
	wire_frame_add(&frame, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4, 0);
	wire_frame_add_ptr(&frame, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4,
			   &resp_depth);
	wire_frame_add_ptr(&frame, UVERBS_ATTR_UHW_IN, sizeof(cmd), &cmd);
	wire_frame_add_ptr(&frame, UVERBS_ATTR_UHW_OUT, sizeof(resp), &resp);
	if (channel >= 0)
		wire_frame_add(&frame, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, 0,
			       channel);
	ret = wire_ioctl(fd, &frame, NULL);
	if (ret)
		return ret;
	cq->handle = frame.attr[0].data;
	cq->ring_key = resp.q_mmap_key;
	cq->ring_bytes = resp.q_mmap_size;
	cq->doorbell_key = resp.db_mmap_key;
	return 0;
}

int wire_create_cq(int fd, uint32_t depth, int channel, struct wire_cq *cq)
{
	return wire_create_cq_of(fd, depth, channel, 1, cq);
}

int wire_try_channel(int fd)
{
	struct wire_frame frame;
	uint32_t number;
	int channel, ret;

	wire_frame_begin(&frame, UVERBS_OBJECT_DEVICE,
			 UVERBS_METHOD_INVOKE_WRITE);
	wire_frame_add(&frame, UVERBS_ATTR_WRITE_CMD, 8,
		       IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL);
	wire_frame_add(&frame, UVERBS_ATTR_CORE_IN, 8, 0);
	wire_frame_add_ptr(&frame, UVERBS_ATTR_CORE_OUT, 4, &number);
	ret = wire_ioctl(fd, &frame, &channel);
	return ret ? ret : channel;
}

int wire_create_channel(int fd)
{
	int channel = wire_try_channel(fd);

	assert_true(channel >= 0);
	return channel;
}
