/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The entry symbol. Every process that uses libfabric loads the plugin,
 * with a device or without: nothing here touches a device.
 */
#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>

#include "compat/log.h"
#include "dev/device_list.h"
#include "direct/ep.h"
#include "fabric/domain.h"
#include "fabric/ep_type.h"
#include "fabric/fabric.h"
#include "fabric/iface_select.h"
#include "fabric/info.h"
#include "rdm/rdm_ep.h"
#include "rdm/settings.h"

/*
 * libfabric's own efa provider carries libfabric's version times a hundred
 * (2.6.0 is 206.0). Of two providers of one name the core takes the higher
 * version; this stays above whatever a release to come is given.
 */
#define PROVIDER_VERSION	FI_VERSION(9000, 1)

/*
 * Called while the process exits, when threads of the application may still
 * be reading their queues: those keep their devices until the end. (For the
 * same reason the plugin is linked so that it is never unmapped.)
 */
static void provider_cleanup(void)
{
	if (fabric_domain_any_is_open())
		return;
	dev_list_release();
	compat_log_init(NULL);
}

static struct fi_provider provider = {
	.name = "efa",
	.version = PROVIDER_VERSION,
	.getinfo = fabric_info_get,
	.fabric = fabric_fabric_open,
	.cleanup = provider_cleanup,
};

/* libfabric's headers declare it no more (2.6) */
struct fi_provider *fi_prov_ini(void);

FI_EXT_INI
{
	/* the core passes over a provider older than an application */
	provider.fi_version = fi_version();
	compat_log_init(&provider);
	fabric_iface_define(&provider);
	rdm_settings_define(&provider);
	fabric_ep_type_set(FABRIC_INFO_DIRECT, direct_ep_open);
	fabric_ep_type_set(FABRIC_INFO_RDM, rdm_ep_open);
	fabric_ep_type_set(FABRIC_INFO_DGRAM, direct_ep_open);
	return &provider;
}
