/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/ep_cm.h"

#include <string.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "fabric/ep_base.h"

static int fabric_ep_getname(struct fid *fid, void *addr, size_t *addrlen)
{
	struct fabric_ep *ep = fabric_ep_of_fid(fid);
	size_t room = *addrlen;

	*addrlen = sizeof(ep->address);
	if (room < sizeof(ep->address))
		return -FI_ETOOSMALL;
	if (!ep->enabled) {
		compat_warn(FI_LOG_EP_CTRL,
			    "fi_getname: an endpoint has an address once it is enabled");
		return -FI_EOPBADSTATE;
	}
	memcpy(addr, &ep->address, sizeof(ep->address));
	return 0;
}

static int fabric_ep_no_setname(struct fid *fid, void *addr, size_t addrlen)
{
	return -FI_ENOSYS;
}

static int fabric_ep_no_getpeer(struct fid_ep *ep, void *addr,
				size_t *addrlen)
{
	return -FI_ENOSYS;
}

static int fabric_ep_no_connect(struct fid_ep *ep, const void *addr,
				const void *param, size_t paramlen)
{
	return -FI_ENOSYS;
}

static int fabric_ep_no_listen(struct fid_pep *pep)
{
	return -FI_ENOSYS;
}

static int fabric_ep_no_accept(struct fid_ep *ep, const void *param,
			       size_t paramlen)
{
	return -FI_ENOSYS;
}

static int fabric_ep_no_reject(struct fid_pep *pep, fid_t handle,
			       const void *param, size_t paramlen)
{
	return -FI_ENOSYS;
}

static int fabric_ep_no_shutdown(struct fid_ep *ep, uint64_t flags)
{
	return -FI_ENOSYS;
}

static int fabric_ep_no_join(struct fid_ep *ep, const void *addr,
			     uint64_t flags, struct fid_mc **mc, void *context)
{
	return -FI_ENOSYS;
}

struct fi_ops_cm fabric_ep_cm_ops = {
	.size = sizeof(struct fi_ops_cm),
	.setname = fabric_ep_no_setname,
	.getname = fabric_ep_getname,
	.getpeer = fabric_ep_no_getpeer,
	.connect = fabric_ep_no_connect,
	.listen = fabric_ep_no_listen,
	.accept = fabric_ep_no_accept,
	.reject = fabric_ep_no_reject,
	.shutdown = fabric_ep_no_shutdown,
	.join = fabric_ep_no_join,
};
