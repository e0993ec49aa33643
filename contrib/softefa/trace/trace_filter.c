/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "trace/trace_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/queue_text.h"
#include "trace/trace_kind.h"

#define NS_PER_SECOND	1000000000ull
#define MAX_SECONDS	1000000000ull	/* more would not fit as ns */

void trace_filter_init(struct trace_filter *filter)
{
	*filter = (struct trace_filter) { .until_ns = UINT64_MAX };
}

/* ---- values ---- */

static int parse_kinds(const char *value, uint32_t *kinds)
{
	size_t length;
	uint16_t kind;

	for (;; value += length + 1) {
		length = strcspn(value, ",");
		kind = trace_kind_find(value, length);
		if (!kind)
			return -EINVAL;
		*kinds |= 1u << kind;
		if (!value[length])
			return 0;
	}
}

static int parse_number(const char *value, uint64_t max, uint64_t *number)
{
	char *end;

	if (*value < '0' || *value > '9')
		return -EINVAL;
	errno = 0;
	*number = strtoull(value, &end, 0);
	return *end || errno || *number > max ? -EINVAL : 0;
}

static int parse_seconds(const char *value, uint64_t *ns)
{
	uint64_t seconds, unit = NS_PER_SECOND;
	char *end;

	if (*value < '0' || *value > '9')
		return -EINVAL;
	errno = 0;
	seconds = strtoull(value, &end, 10);
	if (errno || seconds > MAX_SECONDS)
		return -EINVAL;
	*ns = seconds * NS_PER_SECOND;
	if (!*end)
		return 0;
	if (*end++ != '.' || !*end)
		return -EINVAL;
	for (; *end >= '0' && *end <= '9' && unit > 1; end++) {
		unit /= 10;
		*ns += (uint64_t)(*end - '0') * unit;
	}
	return *end ? -EINVAL : 0;
}

int trace_filter_set(struct trace_filter *filter, const char *option,
		     const char *value, const char **remedy)
{
	uint64_t number;
	int ret;

	if (!strcmp(option, "--kind")) {
		*remedy = "names separated by commas, of " TRACE_KIND_NAMES;
		return parse_kinds(value, &filter->kinds);
	}
	if (!strcmp(option, "--device")) {
		filter->device = value;
		return 0;
	}
	if (!strcmp(option, "--qp")) {
		*remedy = "a number, 0 to 4294967295";
		ret = parse_number(value, UINT32_MAX, &number);
		filter->qp = (uint32_t)number;
		filter->has_qp = true;
		return ret;
	}
	if (!strcmp(option, "--req-id")) {
		*remedy = "a number, decimal or 0x...";
		filter->has_req_id = true;
		return parse_number(value, UINT64_MAX, &filter->req_id);
	}
	*remedy = "seconds since the start of the trace, as 1.25";
	if (!strcmp(option, "--since"))
		return parse_seconds(value, &filter->since_ns);
	if (!strcmp(option, "--until"))
		return parse_seconds(value, &filter->until_ns);
	return -ENOENT;
}

/* ---- records ---- */

static struct efa_io_cdesc cqe_of(const struct trace_entry *entry)
{
	struct efa_io_cdesc cqe;

	memcpy(&cqe, entry->cqe.entry, sizeof(cqe));
	return cqe;
}

static bool is_of_qp(const struct trace_entry *entry, uint32_t qp)
{
	switch (entry->record.kind) {
	case TRACE_DOORBELL:
		return entry->doorbell.qpn == qp;
	case TRACE_WQE:
		return entry->wqe.qpn == qp;
	case TRACE_RECV:
		return entry->recv.qpn == qp;
	case TRACE_PACKET:
		return entry->packet.src_qpn == qp ||
			entry->packet.dst_qpn == qp;
	case TRACE_CQE:
		return cqe_of(entry).qp_num == (uint16_t)qp;
	case TRACE_COMMAND:
		return entry->command.command >= TRACE_CREATE_QP &&
			entry->command.command <= TRACE_DESTROY_QP &&
			entry->command.number == qp;
	default:
		return false;
	}
}

static bool has_req_id(const struct trace_entry *entry, uint64_t req_id)
{
	struct efa_io_tx_wqe wqe;
	struct efa_io_cdesc cqe;

	switch (entry->record.kind) {
	case TRACE_WQE:
		memcpy(&wqe.meta, &entry->wqe + 1, sizeof(wqe.meta));
		return queue_wqe_req_id(&wqe) == req_id;
	case TRACE_RECV:
		return entry->recv.req_id == req_id;
	case TRACE_PACKET:
		return entry->packet.req_id == req_id;
	case TRACE_CQE:
		cqe = cqe_of(entry);
		return queue_cqe_req_id(&cqe) == req_id;
	default:
		return false;
	}
}

bool trace_filter_passes(const struct trace_filter *filter,
			 const struct trace_entry *entry, const char *device,
			 uint64_t start_ns)
{
	const struct trace_record *record = &entry->record;
	uint64_t time_ns = record->time_ns - start_ns;

	if (record->kind == TRACE_LOST)
		return true;
	if (record->time_ns < start_ns)
		time_ns = 0;
	if (time_ns < filter->since_ns || time_ns > filter->until_ns)
		return false;
	if (filter->kinds &&
	    (record->kind > 31 || !(filter->kinds >> record->kind & 1)))
		return false;
	if (filter->device && (!device || strcmp(filter->device, device)))
		return false;
	if (filter->has_qp && !is_of_qp(entry, filter->qp))
		return false;
	return !filter->has_req_id || has_req_id(entry, filter->req_id);
}
