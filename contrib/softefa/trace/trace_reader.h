/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads a trace file. The gate for its bytes: what a record handed out says
 * of its own length is true, whatever the file holds.
 */
#ifndef TRACE_TRACE_READER_H
#define TRACE_TRACE_READER_H

#include <stdint.h>
#include <stdio.h>

#include "trace_file_defs.h"

/* A record. The body is the struct of its kind, complete, and what the
 * struct counts behind it; of an unknown kind just bytes. */
struct trace_entry {
	struct trace_record record;
	union {
		struct trace_device device;
		struct trace_doorbell doorbell;
		struct trace_wqe wqe;
		struct trace_recv recv;
		struct trace_packet packet;
		struct trace_cqe cqe;
		struct trace_command command;
		struct trace_lost lost;
		struct trace_end end;
		uint8_t bytes[TRACE_MAX_BODY];
	};
};

struct trace_reader {
	FILE *file;			/* the caller's */
	struct trace_file_header header;
	uint64_t offset;		/* of the next record */
};

enum trace_read {
	TRACE_READ_RECORD,
	TRACE_READ_OVER,	/* the file ends behind a record */
	TRACE_READ_CUT,		/* or in the middle of one */
	TRACE_READ_BAD,		/* what is at offset is no record */
	TRACE_READ_FAILED,	/* the read failed: errno */
};

/*
 * Starts at the beginning of @file, which need not be seekable. 0, or
 * -EBADMSG: no trace file, -EPROTO: of another major version, -EIO.
 */
int trace_reader_init(struct trace_reader *reader, FILE *file);

/* The next record, into @entry with TRACE_READ_RECORD. */
enum trace_read trace_reader_next(struct trace_reader *reader,
				  struct trace_entry *entry);

#endif /* TRACE_TRACE_READER_H */
