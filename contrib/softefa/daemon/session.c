/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/fault_control.h"
#include "daemon/fault_log.h"
#include "daemon/peer_message.h"
#include "daemon/rule_tally.h"
#include "daemon/session.h"
#include "daemon/text_page.h"
#include "daemon/uverbs_ioctl.h"
#include "protocol.h"

/* Beside SESSION_MAX, this many are let in to be told why not. */
#define SESSION_REFUSED_MAX	16u

enum session_kind {
	SESSION_NEW,
	SESSION_CONTROL,
	SESSION_UVERBS,
};

struct session {
	struct poll_source source;
	struct session_list *list;
	unsigned index;			/* in list->session */
	int fd;
	int refusal;			/* answer to its hello; 0: let in */
	struct client_quota *quota;	/* NULL for one refused */
	enum session_kind kind;
	struct uverbs_context *ctx;	/* SESSION_UVERBS only */
};

struct session_list {
	struct poll_source source;	/* of the listening socket */
	struct poll_loop *loop;
	struct emulated_devices *devices;
	const struct session_ops *ops;
	void *owner;
	int listen_fd;
	int spare_fd;		/* given up to refuse when all are used */
	bool stopping;
	struct client_quotas quotas;
	unsigned count;
	unsigned refused;	/* of those */
	struct session *session[SESSION_MAX + SESSION_REFUSED_MAX];
	struct softefa_text text;
};

static void session_close(struct session *session)
{
	struct session_list *list = session->list;
	struct session *last = list->session[--list->count];

	list->session[session->index] = last;
	last->index = session->index;
	poll_loop_remove(list->loop, session->fd);
	close(session->fd);
	if (session->ctx)
		uverbs_context_destroy(session->ctx);
	if (session->quota)
		client_quota_put(session->quota);
	else
		list->refused--;
	free(session);
}

/* Answers @request; a peer that cannot be answered is disconnected. */
static int session_send(struct session *session,
			const struct peer_request *request,
			const void *answer, size_t len_bytes,
			const int *fds, unsigned fd_count)
{
	int fd = request->reply_fd >= 0 ? request->reply_fd : session->fd;
	int ret = peer_answer_send(fd, answer, len_bytes, fds, fd_count);
	const struct softefa_answer full = { .result = -EMFILE };

	/* The user has too many in flight, wherever; not this client's fault. */
	if (ret == -ETOOMANYREFS)
		ret = peer_answer_send(fd, &full, sizeof(full), NULL, 0);
	/* A caller that went away while it waited is no reason to end. */
	if (fd != session->fd && (ret == -EPIPE || ret == -ECONNRESET))
		return 0;
	if (ret)
		fault_log("pid %d: no answer could be given (%s), disconnected",
			  (int)request->pid, strerror(-ret));
	return ret;
}

static int session_answer(struct session *session,
			  const struct peer_request *request, int result)
{
	const struct softefa_answer answer = { .result = result };

	return session_send(session, request, &answer, sizeof(answer), NULL,
			    0);
}

/* ---- hello ---- */

static int session_open_context(struct session *session,
				const struct softefa_request *msg)
{
	struct emulated_devices *devices = session->list->devices;
	struct client_process *client;
	int ret;

	if (msg->device >= devices->count)
		return -ENODEV;
	ret = client_process_open_peer(&client, session->fd);
	if (ret) {
		fault_log("open of %s: no access to the memory of the client "
			  "(%s); it must be of the daemon's user, dumpable, "
			  "visible from the daemon's PID name space, and "
			  "allow it by kernel.yama.ptrace_scope",
			  devices->device[msg->device].entry.ibdev,
			  strerror(-ret));
		return ret;
	}
	ret = client_process_watch(client, session->list->loop);
	if (!ret)
		ret = uverbs_context_create(&session->ctx,
					    &devices->device[msg->device],
					    client, session->quota,
					    session->list->loop);
	if (ret)
		client_process_close(client);
	return ret;
}

static int session_hello(struct session *session,
			 const struct peer_request *request)
{
	const struct softefa_request *msg = &request->msg;
	int result = session->refusal, ret;

	if (!result && msg->version != SOFTEFA_PROTOCOL_VERSION)
		result = -EPROTO;
	if (!result && msg->type == SOFTEFA_HELLO_UVERBS) {
		session->kind = SESSION_UVERBS;
		result = session_open_context(session, msg);
	} else if (!result && msg->type == SOFTEFA_HELLO_CONTROL) {
		session->kind = SESSION_CONTROL;
	} else if (!result) {
		result = -EPROTO;
	}
	ret = session_answer(session, request, result);
	return ret ? ret : result;
}

/* ---- control ---- */

/* Room for SESSION_MAX clients, and for all devices and hosts twice. */
#define SHOW_BYTES	(512u * 1024)

static int session_send_text(struct session *session,
			     const struct peer_request *request)
{
	const struct softefa_text *text = &session->list->text;

	return session_send(session, request, text,
			    offsetof(struct softefa_text, text) + text->length,
			    NULL, 0);
}

static int session_answer_show(struct session *session,
			       const struct peer_request *request)
{
	struct session_list *list = session->list;
	struct softefa_text *text = &list->text;
	char *all = malloc(SHOW_BYTES);
	size_t len;

	if (!all)
		return -ENOMEM;
	len = list->ops->show(list->owner, all, SHOW_BYTES);
	text->result = 0;
	text->next = request->msg.addr;
	text->length = (uint32_t)text_page_write(all, len, &text->next,
						 text->text,
						 sizeof(text->text) - 1);
	free(all);
	return session_send_text(session, request);
}

/* What is no request of this file's. */
static int session_control_other(struct session *session,
				 const struct peer_request *request)
{
	struct session_list *list = session->list;

	if (fault_control_answer(list->devices->owner, request, &list->text))
		return session_send_text(session, request);
	return session_answer(session, request, -EPROTO) ?: -EPROTO;
}

static int session_answer_stop(struct session *session,
			       const struct peer_request *request)
{
	const struct softefa_answer answer = {
		.rule_breaks = rule_tally_forbidden(session->list->devices),
	};

	return session_send(session, request, &answer, sizeof(answer), NULL,
			    0);
}

static int session_answer_counters(struct session *session,
				   const struct peer_request *request)
{
	struct session_list *list = session->list;
	struct softefa_text *text = &list->text;

	text->result = 0;
	text->next = request->msg.addr;
	text->length = (uint32_t)list->ops->counters(list->owner, &text->next,
						     text->text,
						     sizeof(text->text));
	return session_send_text(session, request);
}

/* The descriptor that came with it is the file, not where to answer. */
static int session_trace_start(struct session *session,
			       struct peer_request *request)
{
	struct session_list *list = session->list;
	int fd = request->reply_fd, ret = -EBADF;

	request->reply_fd = -1;
	if (fd >= 0)
		ret = list->ops->trace_start(list->owner, fd);
	return session_answer(session, request, ret);
}

static int session_control(struct session *session,
			   struct peer_request *request)
{
	struct session_list *list = session->list;
	struct softefa_devices devices;

	switch (request->msg.type) {
	case SOFTEFA_DEVICES:
		emulated_devices_describe(session->list->devices, &devices);
		return session_send(session, request, &devices,
				    sizeof(devices), NULL, 0);
	case SOFTEFA_SHOW:
		return session_answer_show(session, request);
	case SOFTEFA_COUNTERS:
		return session_answer_counters(session, request);
	case SOFTEFA_STOP:
		session->list->stopping = true;
		return session_answer_stop(session, request);
	case SOFTEFA_TRACE_START:
		return session_trace_start(session, request);
	case SOFTEFA_TRACE_STOP:
		return session_answer(session, request,
				      list->ops->trace_stop(list->owner));
	default:
		return session_control_other(session, request);
	}
}

/* ---- uverbs ---- */

static int session_ioctl(struct session *session,
			 const struct peer_request *request,
			 struct client_process *caller)
{
	struct softefa_answer answer = { 0 };
	struct gate_call call;
	int fds[GATE_MAX_FDS];
	int ret;

	answer.result = uverbs_ioctl(session->ctx, caller,
				     request->msg.addr, &call);
	if (!answer.result) {
		answer.fd_count = call.fd_count;
		for (unsigned i = 0; i < call.fd_count; i++) {
			fds[i] = call.fd[i].fd;
			answer.fd_addr[i] = call.fd[i].addr;
			answer.fd_width[i] = call.fd[i].width;
		}
	}
	ret = session_send(session, request, &answer, sizeof(answer), fds,
			   answer.fd_count);
	gate_call_fini(&call);
	return ret;
}

static int session_mmap(struct session *session,
			const struct peer_request *request)
{
	struct region_file *regions = session->ctx->regions;
	struct softefa_answer answer = { .fd_count = 1 };
	const struct mmap_region *region;
	int fd = region_file_fd(regions);

	region = mmap_region_find(regions, request->msg.addr,
				  request->msg.length);
	if (!region) {
		uverbs_context_fault(session->ctx, "mmap of key 0x%llx, "
				     "length %llu: no region is exactly so",
				     (unsigned long long)request->msg.addr,
				     (unsigned long long)request->msg.length);
		return session_answer(session, request, -EINVAL);
	}
	answer.offset = region->key;
	return session_send(session, request, &answer, sizeof(answer), &fd,
			    1);
}

/* A fork shares the descriptor: the ioctl is about the caller's memory. */
static int session_uverbs(struct session *session,
			  const struct peer_request *request)
{
	struct client_process *caller = session->ctx->client;
	int ret;

	if (request->msg.type == SOFTEFA_MMAP)
		return session_mmap(session, request);
	if (request->msg.type != SOFTEFA_IOCTL)
		return session_answer(session, request, -EPROTO) ?: -EPROTO;
	if (request->pid == caller->pid)
		return session_ioctl(session, request, caller);
	ret = client_process_open_sender(&caller, request->pid,
					 request->pidfd);
	if (ret)
		return session_answer(session, request, ret);
	ret = session_ioctl(session, request, caller);
	client_process_close(caller);
	return ret;
}

/* ---- connections ---- */

static int session_serve(struct session *session,
			 struct peer_request *request)
{
	switch (session->kind) {
	case SESSION_CONTROL:
		return session_control(session, request);
	case SESSION_UVERBS:
		return session_uverbs(session, request);
	default:
		return session_hello(session, request);
	}
}

static void session_ready(struct poll_source *source, uint32_t events)
{
	struct session *session = (struct session *)source;
	struct peer_request request;
	int ret;

	ret = peer_request_receive(session->fd, &request);
	if (ret == -EAGAIN || ret == -EINTR)
		return;
	if (ret == 1) {
		ret = session_serve(session, &request);
		peer_request_fini(&request);
		if (!ret)
			return;
	}
	session_close(session);
}

/* Only root and the user of the daemon, whatever the socket's name says. */
static int check_user(const struct ucred *cred)
{
	if (cred->uid == 0 || cred->uid == geteuid())
		return 0;
	fault_log("pid %d of user %u refused: the daemon serves root and user "
		  "%u", (int)cred->pid, cred->uid, geteuid());
	return -EACCES;
}

/* Counts the peer in; what it is refused with, or 0. */
static int session_admit(struct session_list *list, struct session *session)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	int ret;

	if (getsockopt(session->fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return -errno;
	ret = check_user(&cred);
	if (ret)
		return ret;
	if (list->count - list->refused >= SESSION_MAX) {
		fault_log("connection refused: %u are open", SESSION_MAX);
		return -ENFILE;
	}
	ret = client_quota_get(&list->quotas, cred.pid, &session->quota);
	if (ret == -EMFILE)
		fault_log("connection of pid %d refused: it has %u, or too "
			  "many descriptors", (int)cred.pid,
			  CLIENT_QUOTA_CONNECTIONS);
	return ret;
}

/* Takes @fd over. */
static void session_open(struct session_list *list, int fd)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session || fcntl(fd, F_SETFL, O_NONBLOCK))
		goto err;
	session->source.ready = session_ready;
	session->list = list;
	session->fd = fd;
	session->refusal = session_admit(list, session);
	/* Whoever is not let in must not keep others out by his number. */
	if (session->refusal && list->refused == SESSION_REFUSED_MAX)
		goto err;
	if (poll_loop_add(list->loop, fd, &session->source, EPOLLIN))
		goto err_put;
	session->index = list->count;
	list->session[list->count++] = session;
	if (session->refusal)
		list->refused++;
	return;

err_put:
	if (session->quota)
		client_quota_put(session->quota);
err:
	free(session);
	close(fd);
}

static int open_spare(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static rlim_t open_descriptors_limit(void)
{
	struct rlimit files;

	return getrlimit(RLIMIT_NOFILE, &files) ? 0 : files.rlim_cur;
}

/* Out of descriptors: drop the peer rather than let it wait for ever. */
static void refuse_without_descriptor(struct session_list *list)
{
	int fd;

	fault_log("connection refused: no descriptor is free (ulimit -n)");
	close(list->spare_fd);
	fd = accept(list->listen_fd, NULL, NULL);
	if (fd >= 0)
		close(fd);
	list->spare_fd = open_spare();
}

static void session_list_ready(struct poll_source *source, uint32_t events)
{
	struct session_list *list = (struct session_list *)source;
	int fd = accept4(list->listen_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0)
		session_open(list, fd);
	else if (errno == EMFILE || errno == ENFILE)
		refuse_without_descriptor(list);
}

int session_list_create(struct session_list **list, struct poll_loop *loop,
			struct emulated_devices *devices, int listen_fd,
			const struct session_ops *ops, void *owner)
{
	struct session_list *l = calloc(1, sizeof(*l));
	int ret;

	if (!l) {
		close(listen_fd);
		return -ENOMEM;
	}
	l->source.ready = session_list_ready;
	l->loop = loop;
	l->devices = devices;
	l->listen_fd = listen_fd;
	l->ops = ops;
	l->owner = owner;
	l->spare_fd = open_spare();
	client_quotas_init(&l->quotas, open_descriptors_limit());
	ret = peer_message_name_senders(listen_fd);
	if (ret)
		goto err;
	if (fcntl(listen_fd, F_SETFL, O_NONBLOCK)) {
		ret = -errno;
		goto err;
	}
	ret = poll_loop_add(loop, listen_fd, &l->source, EPOLLIN);
	if (ret)
		goto err;
	*list = l;
	return 0;
err:
	close(l->spare_fd);
	close(listen_fd);
	free(l);
	return ret;
}

void session_list_destroy(struct session_list *list)
{
	poll_loop_remove(list->loop, list->listen_fd);
	close(list->listen_fd);
	for (unsigned i = 0; i < list->count; i++) {
		if (list->session[i]->ctx)
			uverbs_context_tell_fatal(list->session[i]->ctx);
	}
	while (list->count)
		session_close(list->session[list->count - 1]);
	close(list->spare_fd);
	free(list);
}

bool session_list_is_stopping(const struct session_list *list)
{
	return list->stopping;
}

unsigned session_list_count(const struct session_list *list)
{
	return list->count;
}

const struct uverbs_context *
session_list_context(const struct session_list *list, unsigned index)
{
	for (unsigned i = 0; i < list->count; i++) {
		if (list->session[i]->ctx && index-- == 0)
			return list->session[i]->ctx;
	}
	return NULL;
}
