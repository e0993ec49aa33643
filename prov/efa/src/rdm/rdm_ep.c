/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/rdm_ep.h"

#include <stdlib.h>
#include <sys/random.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "fabric/ep_queue.h"
#include "fabric/unsupported.h"
#include "rdm/api_msg.h"
#include "rdm/api_rma.h"
#include "rdm/api_tagged.h"
#include "rdm/rdm_option.h"
#include "rdm/ep_state.h"
#include "rdm/progress.h"
#include "rdm/protocol_table.h"
#include "rdm/supply.h"
#include "util/cache_line.h"

/* What close waits for sends to leave. */
#define RDM_EP_CLOSE_MS		1000

#define RDM_EP_OPS_CHUNK	64u

static void rdm_ep_set_features(struct rdm_ep *ep)
{
	const struct dev_device *device = ep->base.domain->device;
	bool rdma = ep->settings.use_device_rdma;
	const struct rdm_device_traits traits = {
		/* who says so is sent messages to read */
		.rdma_read = rdma && device->caps.rdma_read &&
			     rdm_protocols[RDM_KIND_LONGREAD],
		.rdma_write = rdma && device->caps.rdma_write,
		/* what its queue pair is made with */
		.unsolicited_write = ep->base.unsolicited,
		.p2p = true,
		.device_version = device->attr.vendor_part_id,
	};

	ep->own = rdm_feature_set_own(&traits);
}

static int rdm_ep_init_tables(struct rdm_ep *ep)
{
	uint64_t seed = 0;
	int ret;

	/* without it the hashes are as good, but not a secret */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
		compat_debug(FI_LOG_EP_CTRL, "getrandom: no random seed");

	ret = rdm_peer_table_init(&ep->peers);
	if (ret)
		return ret;
	rdm_match_init(&ep->msg, seed);
	rdm_match_init(&ep->tagged, seed);
	util_list_init(&ep->claimed);
	util_pool_init(&ep->ops, sizeof(struct rdm_op), RDM_EP_OPS_CHUNK,
		       UTIL_ID_MAX_OBJECTS);
	util_id_table_init(&ep->ids);
	return 0;
}

static int rdm_ep_init(struct rdm_ep *ep, const struct fi_info *info)
{
	uint32_t mtu = ep->base.domain->device->mtu;

	util_lock_init(&ep->lock);
	pthread_mutex_init(&ep->pin_lock, NULL);
	pthread_cond_init(&ep->unpinned, NULL);
	rdm_settings_get(&ep->settings);
	ep->mtu = mtu < HW_RQ_MAX_SGE_LEN ? mtu : HW_RQ_MAX_SGE_LEN;
	ep->copy_max = 128;
	ep->rnr_fails = info->domain_attr &&
			info->domain_attr->resource_mgmt == FI_RM_DISABLED;
	ep->is_directed = info->caps & FI_DIRECTED_RECV;
	ep->tx_ops_max = ep->settings.tx_size ? ep->settings.tx_size
					      : ep->base.tx_size;
	ep->min_multi_recv = ep->mtu - FABRIC_RDM_HEADER_ROOM;
	rdm_outbox_init(&ep->outbox);
	rdm_packet_pool_init(&ep->tx_packets, ep->mtu, ep->base.tx_size);
	rdm_packet_pool_init(&ep->rx_packets, ep->mtu, ep->base.rx_size);
	return rdm_ep_init_tables(ep);
}

/* No work request of them is with the device any more. */
static void rdm_ep_forget_ops(struct rdm_ep *ep)
{
	struct rdm_op *op;
	uint32_t at = 0;

	while ((op = util_id_table_next(&ep->ids, &at)))
		rdm_op_forget(ep, op);
}

/* What the endpoint holds; its queues are closed. */
static void rdm_ep_fini(struct rdm_ep *ep)
{
	rdm_match_fini(&ep->msg);
	rdm_match_fini(&ep->tagged);
	rdm_ep_forget_ops(ep);
	rdm_peer_table_fini(ep);
	rdm_packet_pool_fini(&ep->tx_packets);
	rdm_packet_pool_fini(&ep->rx_packets);
	util_id_table_fini(&ep->ids);
	util_pool_fini(&ep->ops);
	pthread_cond_destroy(&ep->unpinned);
	pthread_mutex_destroy(&ep->pin_lock);
	fabric_ep_fini(&ep->base);
	free(ep);
}

/* ---- enable and close ---- */

static int rdm_ep_open_queues(struct rdm_ep *ep)
{
	int ret = 0;

	if (!ep->is_joined)
		ret = rdm_progress_join(ep);
	if (ret)
		return ret;
	ret = fabric_ep_queue_open(&ep->base, &rdm_progress_source);
	if (ret)
		return ret;
	rdm_ep_lock(ep);
	rdm_supply_post_receives(ep);
	rdm_ep_unlock(ep);
	return 0;
}

static int rdm_ep_enable(struct rdm_ep *ep)
{
	int ret;

	ret = fabric_ep_complete_binding(&ep->base);
	if (ret)
		return ret;
	if (!ep->base.tx_cq->done || !ep->base.rx_cq->done) {
		compat_warn(FI_LOG_EP_CTRL,
			    "fi_enable: the domain was opened for another fabric; open it with the fi_info of the endpoint");
		return -FI_EINVAL;
	}
	ep->tx_rights.list = ep->base.tx_cq->done;
	ep->rx_rights.list = ep->base.rx_cq->done;
	/* options before now may have taken some away */
	rdm_ep_set_features(ep);
	if (!ep->rx_packets.total)
		ret = rdm_supply_open(ep);
	if (!ret)
		ret = rdm_ep_open_queues(ep);
	if (ret)
		return ret;
	ep->base.enabled = true;
	ep->base.fid.msg = &rdm_msg_ops;
	ep->base.fid.tagged = &rdm_tagged_ops;
	if (ep->base.rma)
		ep->base.fid.rma = &rdm_rma_ops;
	return 0;
}

static int rdm_ep_control(struct fid *fid, int command, void *arg)
{
	if (command == FI_ENABLE)
		return rdm_ep_enable(rdm_ep_of((struct fid_ep *)fid));
	return fabric_ep_control(fid, command, arg);
}

static int rdm_ep_close(struct fid *fid)
{
	struct rdm_ep *ep = rdm_ep_of((struct fid_ep *)fid);
	int ret;

	if (ep->base.enabled)
		rdm_progress_settle(ep, RDM_EP_CLOSE_MS);
	/* threads that read its CQs are to be out of the queues before
	 * these go */
	if (ep->is_joined)
		rdm_progress_leave(ep);
	rdm_supply_wait(ep);
	ret = fabric_ep_queue_close(&ep->base);
	if (ret)
		return ret;
	rdm_rights_release(&ep->tx_rights);
	rdm_rights_release(&ep->rx_rights);
	rdm_ep_fini(ep);
	return 0;
}

static struct fi_ops rdm_ep_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = rdm_ep_close,
	.bind = fabric_ep_bind,
	.control = rdm_ep_control,
	.ops_open = fabric_no_ops_open,
	.tostr = fabric_no_tostr,
	.ops_set = fabric_no_ops_set,
};

int rdm_ep_open(struct fabric_domain *domain, const struct fi_info *info,
		enum fabric_info_kind kind, struct fid_ep **fid, void *context)
{
	struct rdm_ep *ep = util_cache_line_calloc(sizeof(*ep));
	int ret;

	if (!ep)
		return -FI_ENOMEM;
	fabric_ep_init(&ep->base, domain, info, kind, context);
	ret = rdm_ep_init(ep, info);
	if (ret) {
		fabric_ep_fini(&ep->base);
		free(ep);
		return ret;
	}
	ep->base.fid.fid.ops = &rdm_ep_fid_ops;
	ep->base.fid.ops = &rdm_option_ops;
	*fid = &ep->base.fid;
	return 0;
}
