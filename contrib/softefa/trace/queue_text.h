/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Queue entries by the names of their fields. Each adds " name=value ...";
 * bytes that are no such entry are shown as what they would mean.
 */
#ifndef TRACE_QUEUE_TEXT_H
#define TRACE_QUEUE_TEXT_H

#include <stdint.h>

#include "hw/efa_io_defs.h"
#include "trace/text_line.h"

/* "send", "rdma_read", "rdma_write", or NULL. */
const char *queue_op_name(unsigned op);
/* "OK", "LOCAL_ERROR_BAD_LENGTH"..., or NULL. */
const char *queue_status_name(unsigned status);

/* " op=NAME", " status=NAME"; a number where there is no name. */
void queue_text_add_op(struct text_line *line, unsigned op);
void queue_text_add_status(struct text_line *line, unsigned status);

/* The request ID of an entry; the wide part is 0 where IDs are narrow. */
uint64_t queue_wqe_req_id(const struct efa_io_tx_wqe *wqe);
uint64_t queue_cqe_req_id(const struct efa_io_cdesc *entry);

/* @wqe_bytes: 64 or 128, what lies beyond is not looked at. */
void queue_text_add_wqe(struct text_line *line,
			const struct efa_io_tx_wqe *wqe, uint32_t wqe_bytes);
void queue_text_add_cqe(struct text_line *line,
			const struct efa_io_cdesc *entry);

#endif /* TRACE_QUEUE_TEXT_H */
