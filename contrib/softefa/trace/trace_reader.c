/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "trace/trace_reader.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define WQE_BYTES_NARROW	64u
#define WQE_BYTES_WIDE		128u

/* Reads and drops, since the file may be a pipe. */
static int skip(FILE *file, uint32_t length)
{
	while (length--)
		if (getc(file) == EOF)
			return -EBADMSG;
	return 0;
}

int trace_reader_init(struct trace_reader *reader, FILE *file)
{
	struct trace_file_header *header = &reader->header;

	reader->file = file;
	if (fread(header, sizeof(*header), 1, file) != 1)
		return ferror(file) ? -EIO : -EBADMSG;
	if (memcmp(header->magic, TRACE_MAGIC, sizeof(header->magic)))
		return -EBADMSG;
	if (header->major != TRACE_MAJOR)
		return -EPROTO;
	if (header->header_bytes < sizeof(*header) ||
	    header->header_bytes > TRACE_MAX_BODY)
		return -EBADMSG;
	reader->offset = header->header_bytes;
	return skip(file, header->header_bytes - sizeof(*header));
}

/* The fixed part of each kind; 0: there is none. */
static uint32_t fixed_bytes(uint16_t kind)
{
	switch (kind) {
	case TRACE_DEVICE: return sizeof(struct trace_device);
	case TRACE_DOORBELL: return sizeof(struct trace_doorbell);
	case TRACE_WQE: return sizeof(struct trace_wqe);
	case TRACE_RECV: return sizeof(struct trace_recv);
	case TRACE_PACKET: return sizeof(struct trace_packet);
	case TRACE_CQE: return sizeof(struct trace_cqe);
	case TRACE_COMMAND: return sizeof(struct trace_command);
	case TRACE_LOST: return sizeof(struct trace_lost);
	case TRACE_END: return sizeof(struct trace_end);
	default: return 0;
	}
}

/* What the body counts behind its fixed part must be there. */
static bool has_its_tail(const struct trace_entry *entry, uint32_t tail_bytes)
{
	switch (entry->record.kind) {
	case TRACE_WQE:
		return (entry->wqe.wqe_bytes == WQE_BYTES_NARROW ||
			entry->wqe.wqe_bytes == WQE_BYTES_WIDE) &&
			entry->wqe.wqe_bytes <= tail_bytes;
	case TRACE_RECV:
		return entry->recv.sge_count <=
			tail_bytes / sizeof(struct trace_recv_sge);
	case TRACE_PACKET:
		return entry->packet.payload_bytes <= TRACE_MAX_PAYLOAD &&
			entry->packet.payload_bytes <= tail_bytes;
	default:
		return true;
	}
}

static bool is_sound(const struct trace_entry *entry)
{
	uint32_t fixed = fixed_bytes(entry->record.kind);

	/* Zeros are what a file has where nothing was written. */
	return entry->record.kind && entry->record.length_bytes >= fixed &&
		has_its_tail(entry, entry->record.length_bytes - fixed);
}

static enum trace_read ended(FILE *file, bool is_between)
{
	if (ferror(file))
		return TRACE_READ_FAILED;
	return is_between ? TRACE_READ_OVER : TRACE_READ_CUT;
}

enum trace_read trace_reader_next(struct trace_reader *reader,
				  struct trace_entry *entry)
{
	struct trace_record *record = &entry->record;
	size_t length;

	length = fread(record, 1, sizeof(*record), reader->file);
	if (length != sizeof(*record))
		return ended(reader->file, !length);
	length = record->length_bytes;
	if (length > TRACE_MAX_BODY)
		return TRACE_READ_BAD;
	if (length && fread(entry->bytes, length, 1, reader->file) != 1)
		return ended(reader->file, false);
	if (!is_sound(entry))
		return TRACE_READ_BAD;
	reader->offset += sizeof(*record) + length;
	return TRACE_READ_RECORD;
}
