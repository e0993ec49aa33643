/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* softefa-rawpeer: the raw-packet peer for scripts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rawpeer/raw_options.h"
#include "rawpeer/raw_peer.h"
#include "rawpeer/raw_text.h"

enum raw_exit {
	RAW_EXIT_FAILED = 1,
	RAW_EXIT_USAGE = 2,
	RAW_EXIT_TIMEOUT = 3,
	RAW_EXIT_STATUS = 4,	/* an answer was another one than OK */
};

struct raw_run {
	const struct raw_options *options;
	struct raw_peer *peer;
	uint64_t deadline_ms;
	uint32_t sent;		/* messages; their operation IDs count them */
	uint32_t answered;
	unsigned received;
	bool has_error_answer;
	uint8_t bytes[PACKET_MAX_BYTES];
};

static uint64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static unsigned left_ms(const struct raw_run *run)
{
	uint64_t now = clock_ms();

	return now < run->deadline_ms ? (unsigned)(run->deadline_ms - now) : 0;
}

static int send_packet(struct raw_run *run, size_t len_bytes)
{
	const struct raw_options *options = run->options;
	struct packet packet = {
		.type = options->kind == RAW_DATAGRAM ? PACKET_DATAGRAM :
			PACKET_SEND,
		.src_qpn = options->qpn,
		.dst_qpn = options->to_qpn,
		.qkey = options->qkey,
		.imm = options->imm,
		.has_imm = options->has_imm,
		.len_bytes = (uint32_t)len_bytes,
		.payload = run->bytes,
	};

	memcpy(packet.src_gid, options->gid, sizeof(packet.src_gid));
	memcpy(packet.dst_gid, options->to_gid, sizeof(packet.dst_gid));
	if (options->kind == RAW_SEND)
		packet.op_id = ++run->sent;
	return raw_peer_send(run->peer, &packet, left_ms(run));
}

static int send_hex(struct raw_run *run, const char *text)
{
	size_t len_bytes;

	if (raw_options_hex(text, run->options->kind, run->bytes, &len_bytes))
		return -EINVAL;
	if (run->options->kind != RAW_BYTES)
		return send_packet(run, len_bytes);
	return raw_peer_send_bytes(run->peer, run->options->to_gid, false,
				   run->bytes, len_bytes, left_ms(run));
}

static int send_lines(struct raw_run *run)
{
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	while (!ret && getline(&line, &size, stdin) >= 0)
		ret = send_hex(run, line);
	if (!ret && ferror(stdin)) {
		raw_complain(NULL, "cannot read stdin: %s", strerror(errno));
		ret = -EINVAL;
	}
	free(line);
	return ret;
}

static int send_all(struct raw_run *run)
{
	char **hex;
	int ret = 0;

	if (*run->options->hex)
		ret = raw_peer_wait_for(run->peer, run->options->to_gid,
					left_ms(run));
	for (hex = run->options->hex; !ret && *hex; hex++)
		ret = strcmp(*hex, "-") ? send_hex(run, *hex) :
			send_lines(run);
	/* Answers say more. */
	if (!ret && *run->options->hex && run->options->kind != RAW_SEND)
		ret = raw_peer_flush(run->peer, run->options->to_gid,
				     left_ms(run));
	return ret;
}

static void print(const struct raw_run *run, const struct packet *packet)
{
	static struct text_line line;

	raw_text(&line, packet, run->options->payload);
	puts(line.text);
	fflush(stdout);
}

static int take_request(struct raw_run *run, const struct packet *request)
{
	int answer = run->options->answer, ret;

	run->received++;
	if (answer == RAW_NO_ANSWER || request->type == PACKET_DATAGRAM)
		return 0;
	ret = raw_peer_answer(run->peer, request,
			      (enum efa_io_comp_status)answer, left_ms(run));
	/* Before it can be the last, after which we leave. */
	return ret ? ret : raw_peer_flush(run->peer, request->src_gid,
					  left_ms(run));
}

static int take_next(struct raw_run *run)
{
	struct packet packet;
	int ret = raw_peer_receive(run->peer, &packet, left_ms(run));

	if (ret == -EPROTO) {
		puts("malformed");
		fflush(stdout);
		run->received++;
		return 0;
	}
	if (ret)
		return ret;
	print(run, &packet);
	if (!packet_is_answer(packet.type))
		return take_request(run, &packet);
	run->answered++;
	run->has_error_answer |= packet.status != EFA_IO_COMP_STATUS_OK;
	return 0;
}

static int run_all(struct raw_run *run)
{
	int ret = send_all(run);

	while (!ret && (run->answered < run->sent ||
			run->received < run->options->receive))
		ret = take_next(run);
	return ret;
}

static int tell_result(const struct raw_run *run, int ret)
{
	if (!ret)
		return run->has_error_answer ? RAW_EXIT_STATUS : 0;
	if (ret == -EINVAL)
		return RAW_EXIT_FAILED;
	if (ret != -ETIMEDOUT) {
		raw_complain(NULL, "%s", strerror(-ret));
		return RAW_EXIT_FAILED;
	}
	raw_complain("check LINK, --to and the peer, or give more --timeout",
		     "time is up: %u of %u messages answered, %u of %u "
		     "requests received", run->answered, run->sent,
		     run->received, run->options->receive);
	return RAW_EXIT_TIMEOUT;
}

int main(int argc, char **argv)
{
	static struct raw_run run;
	struct raw_options options;
	int ret;

	if (argc < 1 || raw_options_parse(argv + 1, &options))
		return RAW_EXIT_USAGE;
	if (options.wants_help) {
		raw_options_help();
		return 0;
	}
	run.options = &options;
	run.deadline_ms = clock_ms() + options.timeout_ms;
	ret = raw_peer_open(&run.peer, options.link, options.gid, 1);
	if (ret)
		return ret == -EINVAL ? RAW_EXIT_USAGE : RAW_EXIT_FAILED;
	ret = run_all(&run);
	raw_peer_close(run.peer);
	return tell_result(&run, ret);
}
