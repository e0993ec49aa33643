/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "direct/ep.h"

#include <stdlib.h>

#include <rdma/fi_errno.h>

#include "direct/complete.h"
#include "direct/msg.h"
#include "direct/rma.h"
#include "fabric/ep_base.h"
#include "fabric/ep_queue.h"
#include "fabric/unsupported.h"
#include "util/cache_line.h"

static int direct_ep_enable(struct fabric_ep *ep)
{
	int ret;

	ret = fabric_ep_complete_binding(ep);
	if (ret)
		return ret;
	ret = fabric_ep_queue_open(ep, &direct_complete_source);
	if (ret)
		return ret;
	ep->enabled = true;
	ep->fid.msg = &direct_msg_ops;
	if (ep->rma)
		ep->fid.rma = &direct_rma_ops;
	return 0;
}

static int direct_ep_control(struct fid *fid, int command, void *arg)
{
	if (command == FI_ENABLE)
		return direct_ep_enable(fabric_ep_of_fid(fid));
	return fabric_ep_control(fid, command, arg);
}

static int direct_ep_close(struct fid *fid)
{
	struct fabric_ep *ep = fabric_ep_of_fid(fid);
	int ret;

	if (ep->qp.verbs) {
		ret = fabric_ep_queue_close(ep);
		if (ret)
			return ret;
	}
	fabric_ep_fini(ep);
	free(ep);
	return 0;
}

static struct fi_ops direct_ep_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = direct_ep_close,
	.bind = fabric_ep_bind,
	.control = direct_ep_control,
	.ops_open = fabric_no_ops_open,
	.tostr = fabric_no_tostr,
	.ops_set = fabric_no_ops_set,
};

int direct_ep_open(struct fabric_domain *domain, const struct fi_info *info,
		   enum fabric_info_kind kind, struct fid_ep **fid,
		   void *context)
{
	struct fabric_ep *ep = util_cache_line_calloc(sizeof(*ep));

	if (!ep)
		return -FI_ENOMEM;
	fabric_ep_init(ep, domain, info, kind, context);
	ep->fid.fid.ops = &direct_ep_fid_ops;
	*fid = &ep->fid;
	return 0;
}
