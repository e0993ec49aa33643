/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "protocol.h"
#include "test/fault_setting.h"

static struct softefa_text answer;

static int connect_daemon(void)
{
	struct softefa_request hello = {
		.type = SOFTEFA_HELLO_CONTROL,
		.version = SOFTEFA_PROTOCOL_VERSION,
	};
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const char *name = getenv(SOFTEFA_ENV_SOCKET);
	struct softefa_answer welcome;
	int fd;

	if (!name)
		expect_skip("emulated devices (run it by `softefa run --`): faults are theirs");
	REQUIRE(strlen(name) < sizeof(addr.sun_path));
	memcpy(addr.sun_path + 1, name, strlen(name));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	REQUIRE(fd >= 0);
	REQUIRE_EQ(connect(fd, (struct sockaddr *)&addr,
			   (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				       1 + strlen(name))), 0);
	REQUIRE_EQ(send(fd, &hello, sizeof(hello), 0), sizeof(hello));
	REQUIRE_EQ(recv(fd, &welcome, sizeof(welcome), 0), sizeof(welcome));
	REQUIRE_EQ(welcome.result, 0);
	return fd;
}

/* One connection a request: the daemon has room, and forks are no matter. */
static int ask(const struct softefa_text_request *request)
{
	size_t len = sizeof(request->request);
	int fd = connect_daemon();

	if (request->text[0])
		len += strlen(request->text) + 1;
	REQUIRE_EQ(send(fd, request, len, 0), len);
	REQUIRE(recv(fd, &answer, sizeof(answer), 0) >=
		(ssize_t)offsetof(struct softefa_text, text));
	close(fd);
	return answer.result;
}

int fault_set(const char *format, ...)
{
	struct softefa_text_request request = {
		.request.type = SOFTEFA_FAULT_ADD,
	};
	va_list args;
	int id;

	va_start(args, format);
	vsnprintf(request.text, sizeof(request.text), format, args);
	va_end(args);
	id = ask(&request);
	if (id <= 0)
		fprintf(stderr, "%s: %.*s\n", request.text,
			(int)answer.length, answer.text);
	REQUIRE(id > 0);
	return id;
}

void fault_clear(void)
{
	struct softefa_text_request request = {
		.request.type = SOFTEFA_FAULT_CLEAR,
	};

	REQUIRE_EQ(ask(&request), 0);
}

/* Copies the lines of the answer without the number that starts each. */
static size_t take_lines(char *text, size_t text_bytes)
{
	const char *line = answer.text, *end;
	size_t used = 0, len;

	while (line < answer.text + answer.length) {
		end = memchr(line, '\n', answer.text + answer.length - line);
		REQUIRE(end);
		line = memchr(line, ' ', end - line);
		REQUIRE(line);
		len = end + 1 - line;
		REQUIRE(used + len < text_bytes);
		memcpy(text + used, line, len);
		used += len;
		line = end + 1;
	}
	return used;
}

void fault_log_read(unsigned long long *mark, char *text, size_t text_bytes)
{
	struct softefa_text_request request = {
		.request.type = SOFTEFA_FAULT_LOG,
		.request.addr = *mark,
	};
	size_t used = 0;

	do {
		REQUIRE_EQ(ask(&request), 0);
		used += take_lines(text + used, text_bytes - used);
		request.request.addr = answer.next;
	} while (answer.length);
	text[used] = '\0';
	*mark = answer.next;
}
