/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/cq_soft.h"

#include <stdlib.h>
#include <string.h>

#include <rdma/fi_errno.h>

int fabric_cq_soft_init(struct fabric_cq *cq)
{
	cq->done = malloc(sizeof(*cq->done));
	if (!cq->done)
		return -FI_ENOMEM;
	fabric_done_init(cq->done, cq->format, cq->lock_data_path);
	return 0;
}

ssize_t fabric_cq_soft_readfrom(struct fid_cq *fid, void *buf, size_t count,
				fi_addr_t *source)
{
	struct fabric_cq *cq = fabric_cq_of(fid);
	ssize_t ret;

	ret = fabric_done_read(cq->done, buf, count, source);
	if (ret != -FI_EAGAIN)
		return ret;
	fabric_cq_source_of(cq)->progress(cq);
	return fabric_done_read(cq->done, buf, count, source);
}

ssize_t fabric_cq_soft_read(struct fid_cq *fid, void *buf, size_t count)
{
	return fabric_cq_soft_readfrom(fid, buf, count, NULL);
}

ssize_t fabric_cq_soft_readerr(struct fid_cq *fid,
			       struct fi_cq_err_entry *entry, uint64_t flags)
{
	struct fabric_cq *cq = fabric_cq_of(fid);
	struct fabric_completion failed;

	if (!entry)
		return -FI_EINVAL;
	if (!fabric_done_take_error(cq->done, &failed))
		return -FI_EAGAIN;
	/* the text lives until the next call: error_text is the CQ's */
	fabric_cq_lock(cq);
	cq->error_text[0] = '\0';
	if (failed.text)
		strncat(cq->error_text, failed.text,
			sizeof(cq->error_text) - 1);
	free(failed.text);
	failed.text = cq->error_text;
	fabric_cq_write_error(cq, &failed, entry);
	fabric_cq_unlock(cq);
	return 1;
}
