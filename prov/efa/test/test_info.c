/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a made-up device is offered as, and which hints it fits. */
#include "fabric/info_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include "compat/fi_abi.h"
#include "compat/log.h"
#include "compat/nic_attr.h"
#include "fabric/address.h"

#define API	FI_VERSION(1, 17)

static const struct dev_device device = {
	.name = "efa_3",
	.attr = { .max_qp = 100, .max_cq = 200, .max_mr = 300,
		  .vendor_id = 0x1d0f, .vendor_part_id = 0xefa2,
		  .fw_ver = "1.2" },
	.port = { .state = IBV_PORT_ACTIVE },
	.efa = { .max_sq_wr = 5000, .max_rq_wr = 9000, .max_sq_sge = 2,
		 .max_rq_sge = 3 },
	.gid = { .raw = { 0xfe, 0x80, [15] = 9 } },
	.mtu = 8928,
	.inline_size = 32,
	.inline_size_wide = 80,
	.max_send_depth = 5000,
	.max_send_depth_wide = 2500,
	.speed_bps = 100000000000,
	.has_pci = true,
	.pci_domain = 1, .pci_bus = 0x1f, .pci_device = 2, .pci_function = 3,
	.driver = "efa",
};

static struct fi_info *offer, *hints;
static struct fabric_info_misfit misfit;

static int set_up_kind(enum fabric_info_kind kind)
{
	offer = fabric_info_offer(&device, kind, 0, 0);
	hints = compat_info_create();
	if (!offer || !hints)
		return -1;
	/* what every application of this kind says */
	hints->mode = FI_CONTEXT2 | FI_MSG_PREFIX;
	hints->caps = FI_MSG;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED;
	memset(&misfit, 0, sizeof(misfit));
	return 0;
}

static int set_up(void **state)
{
	return set_up_kind(FABRIC_INFO_DIRECT);
}

static int set_up_dgram(void **state)
{
	return set_up_kind(FABRIC_INFO_DGRAM);
}

static int tear_down(void **state)
{
	compat_info_destroy(offer);
	compat_info_destroy(hints);
	return 0;
}

static void assert_fits(void)
{
	if (!fabric_info_matches(offer, hints, API, &misfit))
		fail_msg("kept out by %s", misfit.what);
}

static void assert_kept_out_by(const char *what)
{
	assert_false(fabric_info_matches(offer, hints, API, &misfit));
	assert_string_equal(misfit.what, what);
}

static void offers_efa_direct(void **state)
{
	const struct fabric_address *address = offer->src_addr;

	assert_string_equal(offer->fabric_attr->name, "efa-direct");
	assert_string_equal(offer->domain_attr->name, "efa_3-rdm");
	assert_int_equal(offer->ep_attr->type, FI_EP_RDM);
	assert_int_equal(offer->ep_attr->protocol, FI_PROTO_EFA);
	assert_int_equal(offer->ep_attr->max_msg_size, 8928);
	assert_int_equal(offer->ep_attr->msg_prefix_size, 0);
	assert_true(offer->caps == (FI_MSG | FI_SEND | FI_RECV | FI_SOURCE |
				    FI_LOCAL_COMM | FI_REMOTE_COMM |
				    FI_HMEM));
	assert_true(offer->mode == FI_CONTEXT2);
	assert_int_equal(offer->tx_attr->size, 4096);
	assert_int_equal(offer->tx_attr->iov_limit, 2);
	assert_int_equal(offer->tx_attr->inject_size, 80);
	assert_int_equal(offer->rx_attr->iov_limit, 3);
	assert_int_equal(offer->rx_attr->size, 2048);
	assert_int_equal(offer->addr_format, FI_ADDR_EFA);
	assert_int_equal(offer->src_addrlen, 32);
	assert_memory_equal(address->gid, device.gid.raw, 16);
}

static void offers_datagrams(void **state)
{
	assert_string_equal(offer->fabric_attr->name, "efa");
	assert_string_equal(offer->domain_attr->name, "efa_3-dgrm");
	assert_int_equal(offer->ep_attr->type, FI_EP_DGRAM);
	assert_int_equal(offer->ep_attr->msg_prefix_size, 40);
	assert_true(offer->mode == (FI_CONTEXT2 | FI_MSG_PREFIX));
	assert_true(offer->rx_attr->mode & FI_MSG_PREFIX);
	assert_int_equal(offer->tx_attr->inject_size, 32);
	assert_false(offer->tx_attr->op_flags & FI_DELIVERY_COMPLETE);
}

static void describes_the_nic(void **state)
{
	const struct fid_nic *nic = offer->nic;

	assert_string_equal(nic->device_attr->name, "efa_3");
	assert_string_equal(nic->device_attr->device_id, "0xefa2");
	assert_string_equal(nic->device_attr->vendor_id, "0x1d0f");
	assert_string_equal(nic->device_attr->driver, "efa");
	assert_string_equal(nic->device_attr->firmware, "1.2");
	assert_int_equal(nic->bus_attr->bus_type, FI_BUS_PCI);
	assert_int_equal(nic->bus_attr->attr.pci.bus_id, 0x1f);
	assert_int_equal(nic->link_attr->state, FI_LINK_UP);
	assert_int_equal(nic->link_attr->speed, 100000000000);
	assert_string_equal(nic->link_attr->address, "EFA-fe80::9");
}

static void fits_no_hints_and_empty_hints(void **state)
{
	struct fi_info nothing = { .mode = FI_CONTEXT2 | FI_MSG_PREFIX };
	struct fid_nic zero_nic = { .prov_attr = NULL };

	assert_true(fabric_info_matches(offer, NULL, API, &misfit));
	nothing.nic = &zero_nic;
	assert_true(fabric_info_matches(offer, &nothing, API, &misfit));
	assert_fits();
}

/* What getinfo gave can be given back, by every kind. */
static void fits_itself(void **state)
{
	enum fabric_info_kind kind, found;

	for (kind = 0; kind < FABRIC_INFO_KINDS; kind++) {
		struct fi_info *info = fabric_info_offer(&device, kind, 0, 0);

		info->tx_attr->inject_size = 32;
		assert_int_equal(fabric_info_check(&device, API, info,
						   &found), 0);
		assert_int_equal(found, kind);
		compat_info_destroy(info);
	}
}

/* RDMA both ways, and writes with data that come by themselves or, with
 * @rx_cq_data, take a receive. */
static struct fi_info *rma_offer(bool unsolicited, uint64_t caps,
				 uint64_t mode)
{
	struct dev_device other = device;
	struct fi_info *info;

	other.caps.rdma_read = true;
	other.caps.rdma_write = true;
	other.caps.unsolicited_write_recv = unsolicited;
	other.max_rdma_size = 1 << 30;
	info = fabric_info_offer(&other, FABRIC_INFO_DIRECT, caps, mode);
	assert_non_null(info);
	return info;
}

static void offers_rma_where_the_device_has_it(void **state)
{
	const uint64_t rma = FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ |
			     FI_REMOTE_WRITE;
	struct fi_info *info = rma_offer(true, 0, 0);

	assert_true((info->caps & rma) == rma);
	assert_true(info->tx_attr->caps == (FI_MSG | FI_SEND | FI_RMA |
					    FI_READ | FI_WRITE | FI_HMEM));
	assert_true((info->rx_attr->caps & rma) ==
		    (FI_RMA | FI_REMOTE_READ | FI_REMOTE_WRITE));
	assert_int_equal(info->tx_attr->rma_iov_limit, 1);
	assert_int_equal(info->ep_attr->max_msg_size, 1 << 30);
	assert_false(info->mode & FI_RX_CQ_DATA);
	hints->caps = FI_MSG | FI_RMA;
	hints->ep_attr->max_msg_size = 1 << 30;
	hints->domain_attr->mr_mode |= FI_MR_VIRT_ADDR | FI_MR_PROV_KEY;
	assert_true(fabric_info_matches(info, hints, API, &misfit));
	/* a remote key and an address need their modes */
	hints->domain_attr->mr_mode &= ~FI_MR_PROV_KEY;
	assert_false(fabric_info_matches(info, hints, API, &misfit));
	hints->caps = FI_MSG | FI_RMA | FI_READ | FI_WRITE;
	assert_true(fabric_info_matches(info, hints, API, &misfit));
	compat_info_destroy(info);
}

static void offers_messages_alone_to_who_asks_for_them(void **state)
{
	struct fi_info *info = rma_offer(true, FI_MSG | FI_SEND, 0);

	assert_true(info->caps == (offer->caps & ~FI_HMEM));
	assert_false(info->domain_attr->mr_mode & FI_MR_HMEM);
	assert_int_equal(info->ep_attr->max_msg_size, 8928);
	assert_int_equal(info->tx_attr->rma_iov_limit, 0);
	hints->ep_attr->max_msg_size = 8929;
	assert_false(fabric_info_matches(info, hints, API, &misfit));
	compat_info_destroy(info);
	info = rma_offer(true, FI_MSG, FI_RX_CQ_DATA);
	assert_true(info->mode == FI_CONTEXT2);
	compat_info_destroy(info);
}

static void data_of_writes_needs_a_way(void **state)
{
	struct fi_info *info = rma_offer(false, 0, 0);

	assert_false(info->caps & FI_RMA);
	compat_info_destroy(info);
	for (int unsolicited = 0; unsolicited < 2; unsolicited++) {
		info = rma_offer(unsolicited, FI_MSG | FI_RMA,
				 FI_CONTEXT2 | FI_RX_CQ_DATA);
		assert_true(info->caps & FI_RMA);
		assert_true(info->mode == (FI_CONTEXT2 | FI_RX_CQ_DATA));
		assert_true(info->rx_attr->mode & FI_RX_CQ_DATA);
		assert_false(info->tx_attr->mode & FI_RX_CQ_DATA);
		hints->mode = FI_CONTEXT2 | FI_RX_CQ_DATA;
		hints->rx_attr->mode = FI_CONTEXT2;
		assert_true(fabric_info_matches(info, hints, API, &misfit));
		compat_info_destroy(info);
	}
}

static void limits_are_limits(void **state)
{
	const struct {
		size_t *hint;
		const char *what;
		size_t most;
	} limits[] = {
		{ &hints->ep_attr->max_msg_size, "ep_attr->max_msg_size",
		  8928 },
		{ &hints->ep_attr->tx_ctx_cnt, "ep_attr->tx_ctx_cnt", 1 },
		{ &hints->tx_attr->size, "tx_attr->size", 4096 },
		{ &hints->tx_attr->iov_limit, "tx_attr->iov_limit", 2 },
		{ &hints->tx_attr->inject_size, "tx_attr->inject_size", 80 },
		{ &hints->tx_attr->rma_iov_limit, "tx_attr->rma_iov_limit",
		  0 },
		{ &hints->rx_attr->size, "rx_attr->size", 2048 },
		{ &hints->rx_attr->iov_limit, "rx_attr->iov_limit", 3 },
		{ &hints->domain_attr->cq_data_size,
		  "domain_attr->cq_data_size", 4 },
		{ &hints->domain_attr->mr_iov_limit,
		  "domain_attr->mr_iov_limit", 1 },
		{ &hints->domain_attr->mr_cnt, "domain_attr->mr_cnt", 300 },
		{ &hints->domain_attr->auth_key_size,
		  "domain_attr->auth_key_size", 0 },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		*limits[i].hint = limits[i].most;
		assert_fits();
		*limits[i].hint = limits[i].most + 1;
		assert_kept_out_by(limits[i].what);
		*limits[i].hint = 0;
	}
}

static void wide_inline_data_halves_the_queue(void **state)
{
	hints->tx_attr->inject_size = 33;
	hints->tx_attr->size = 2048;
	assert_fits();
	hints->tx_attr->size = 2049;
	assert_kept_out_by("tx_attr->size");
	hints->tx_attr->inject_size = 32;
	assert_fits();
}

static void capabilities_that_are_not_there_keep_it_out(void **state)
{
	const uint64_t missing[] = {
		FI_TAGGED, FI_RMA, FI_ATOMIC, FI_MULTI_RECV,
		FI_DIRECTED_RECV, FI_FENCE,
	};

	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
		hints->caps = FI_MSG | missing[i];
		assert_kept_out_by("caps");
	}
	hints->caps = FI_MSG | FI_SEND | FI_RECV | FI_SOURCE | FI_LOCAL_COMM |
		      FI_REMOTE_COMM;
	assert_fits();
	hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE | FI_INJECT;
	assert_fits();
	hints->tx_attr->msg_order = FI_ORDER_SAS;
	assert_kept_out_by("tx_attr->msg_order");
}

/* Whoever asks for it says by FI_MR_HMEM that registrations will tell. */
static void accelerators_memory_needs_its_mode(void **state)
{
	assert_true(offer->domain_attr->mr_mode & FI_MR_HMEM);
	assert_true(offer->tx_attr->caps & offer->rx_attr->caps & FI_HMEM);
	hints->caps = FI_MSG | FI_HMEM;
	assert_kept_out_by("domain_attr->mr_mode");
	hints->domain_attr->mr_mode |= FI_MR_HMEM;
	assert_fits();
	hints->caps = FI_MSG;
	assert_fits();
	/* the old ways to say mr_mode have no place for it */
	hints->caps = FI_MSG | FI_HMEM;
	hints->mode |= COMPAT_LOCAL_MR;
	hints->domain_attr->mr_mode = 0;
	assert_kept_out_by("domain_attr->mr_mode");
	hints->domain_attr->mr_mode = COMPAT_MR_BASIC;
	assert_kept_out_by("domain_attr->mr_mode");
}

static void peer_access_can_be_forbidden(void **state)
{
	struct fi_info *info;

	setenv("FI_HMEM_DISABLE_P2P", "1", 1);
	info = fabric_info_offer(&device, FABRIC_INFO_DIRECT, 0, 0);
	assert_false(info->caps & FI_HMEM);
	assert_false(info->domain_attr->mr_mode & FI_MR_HMEM);
	compat_info_destroy(info);
	setenv("FI_HMEM_DISABLE_P2P", "0", 1);
	info = fabric_info_offer(&device, FABRIC_INFO_DIRECT, FI_HMEM, 0);
	assert_true(info->caps & FI_HMEM);
	compat_info_destroy(info);
	unsetenv("FI_HMEM_DISABLE_P2P");
}

/* Taken away in caps alone it is still there in what is nested. */
static void an_info_that_lost_hmem_fits(void **state)
{
	struct fi_info *again;

	assert_true(fabric_info_wanted_caps(offer, API) & FI_HMEM);
	offer->caps &= ~FI_HMEM;
	offer->tx_attr->inject_size = 32;
	assert_true(fabric_info_wanted_caps(offer, API) & FI_HMEM);
	again = fabric_info_offer(&device, FABRIC_INFO_DIRECT,
				  fabric_info_wanted_caps(offer, API), 0);
	assert_true(fabric_info_matches(again, offer, API, &misfit));
	compat_info_destroy(again);
	offer->tx_attr->caps &= ~FI_HMEM;
	offer->rx_attr->caps &= ~FI_HMEM;
	assert_false(fabric_info_wanted_caps(offer, API) & FI_HMEM);
}

static void datagrams_are_of_system_memory(void **state)
{
	assert_false(offer->caps & FI_HMEM);
	hints->caps = FI_MSG | FI_HMEM;
	assert_kept_out_by("caps");
}

static void modes_must_be_given(void **state)
{
	hints->mode = FI_MSG_PREFIX;
	assert_kept_out_by("mode");
	hints->mode = FI_CONTEXT2;
	hints->tx_attr->mode = FI_MSG_PREFIX;
	assert_kept_out_by("tx_attr->mode");
	hints->tx_attr->mode = FI_CONTEXT2;
	assert_fits();
}

/* The application names what it wants, and nothing is kept at its contexts. */
static void who_names_efa_direct_needs_no_contexts(void **state)
{
	hints->mode = 0;
	fabric_info_waive_context(offer, hints);
	assert_kept_out_by("mode");
	hints->fabric_attr->name = strdup("efa-direct");
	hints->mode = FI_CONTEXT2;
	fabric_info_waive_context(offer, hints);
	assert_true(offer->mode & FI_CONTEXT2);
	hints->mode = FI_CONTEXT;
	fabric_info_waive_context(offer, hints);
	assert_fits();
	assert_int_equal(offer->mode | offer->tx_attr->mode |
			 offer->rx_attr->mode, 0);
}

static void naming_the_other_fabric_waives_nothing(void **state)
{
	hints->mode = FI_MSG_PREFIX;
	hints->fabric_attr->name = strdup("efa");
	fabric_info_waive_context(offer, hints);
	assert_kept_out_by("mode");
}

/* Taken away in caps alone, RDMA is still there in what is nested. */
static void an_info_that_lost_rma_is_known(void **state)
{
	struct fi_info *info = rma_offer(true, 0, 0);

	assert_false(fabric_info_lost_rma(NULL));
	assert_false(fabric_info_lost_rma(info));
	info->caps &= ~(FI_RMA | FI_READ);
	assert_true(fabric_info_lost_rma(info));
	fabric_info_drop_rma(info, &device);
	assert_false(fabric_info_lost_rma(info));
	assert_true(info->caps == offer->caps);
	assert_true(info->tx_attr->caps == offer->tx_attr->caps);
	assert_true(info->rx_attr->caps == offer->rx_attr->caps);
	assert_int_equal(info->ep_attr->max_msg_size, 8928);
	assert_int_equal(info->tx_attr->rma_iov_limit, 0);
	/* hints that ask for everything have lost nothing */
	info->caps = 0;
	info->tx_attr->caps |= FI_RMA;
	assert_false(fabric_info_lost_rma(info));
	compat_info_destroy(info);
}

/* Where receives are described, what takes one may be said. */
static void receive_attributes_may_grant_receives_for_data(void **state)
{
	struct fi_info *info;

	assert_true(fabric_info_given_mode(NULL) == 0);
	hints->caps = FI_MSG | FI_RMA;
	hints->mode = FI_CONTEXT2;
	hints->rx_attr->mode = FI_CONTEXT2 | FI_RX_CQ_DATA;
	hints->domain_attr->mr_mode |= FI_MR_VIRT_ADDR | FI_MR_PROV_KEY;
	info = rma_offer(false, hints->caps, fabric_info_given_mode(hints));
	assert_true(info->rx_attr->mode & FI_RX_CQ_DATA);
	assert_true(fabric_info_matches(info, hints, API, &misfit));
	compat_info_destroy(info);
}

static void datagrams_need_the_prefix(void **state)
{
	assert_fits();
	hints->mode = FI_CONTEXT2;
	assert_kept_out_by("mode");
}

static void memory_registration_modes(void **state)
{
	const char *what = "domain_attr->mr_mode";

	hints->domain_attr->mr_mode = 0;
	assert_kept_out_by(what);
	hints->domain_attr->mr_mode = FI_MR_ALLOCATED;
	assert_kept_out_by(what);
	hints->domain_attr->mr_mode = FI_MR_LOCAL;
	assert_kept_out_by(what);
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED |
				      FI_MR_VIRT_ADDR | FI_MR_PROV_KEY |
				      FI_MR_ENDPOINT;
	assert_fits();
	/* the mode bits of applications before API 1.5 */
	hints->mode |= COMPAT_LOCAL_MR;
	hints->domain_attr->mr_mode = 0;
	assert_fits();
	hints->domain_attr->mr_mode = COMPAT_MR_BASIC;
	assert_fits();
	hints->domain_attr->mr_mode = COMPAT_MR_SCALABLE;
	assert_kept_out_by(what);
	assert_false(fabric_info_matches(offer, hints, FI_VERSION(1, 4),
					 &misfit));
	hints->domain_attr->mr_mode = COMPAT_MR_BASIC;
	assert_true(fabric_info_matches(offer, hints, FI_VERSION(1, 4),
					&misfit));
}

static void names_and_types_must_be_the_same(void **state)
{
	hints->ep_attr->type = FI_EP_DGRAM;
	assert_kept_out_by("ep_attr->type");
	hints->ep_attr->type = FI_EP_RDM;
	hints->ep_attr->protocol = FI_PROTO_RXD;
	assert_kept_out_by("ep_attr->protocol");
	hints->ep_attr->protocol = FI_PROTO_EFA;
	hints->addr_format = FI_SOCKADDR_IN;
	assert_kept_out_by("addr_format");
	hints->addr_format = FI_ADDR_EFA;
	hints->fabric_attr->name = strdup("efa");
	assert_kept_out_by("fabric_attr->name");
	free(hints->fabric_attr->name);
	hints->fabric_attr->name = strdup("efa-direct");
	hints->domain_attr->name = strdup("efa_3");
	assert_kept_out_by("domain_attr->name");
	free(hints->domain_attr->name);
	hints->domain_attr->name = strdup("efa_3-rdm");
	assert_fits();
}

static void a_misfit_is_told_in_words(void **state)
{
	char text[FABRIC_INFO_MISFIT_SIZE];

	hints->tx_attr->size = 0x2000;
	assert_kept_out_by("tx_attr->size");
	fabric_info_misfit_text(&misfit, text, sizeof(text));
	assert_string_equal(text, "tx_attr->size is 0x2000, there is 0x1000");
	hints->domain_attr->name = strdup("eth0");
	assert_kept_out_by("domain_attr->name");
	fabric_info_misfit_text(&misfit, text, sizeof(text));
	assert_string_equal(text, "domain_attr->name is \"eth0\", "
			    "there is \"efa_3-rdm\"");
}

static void the_nic_can_be_chosen(void **state)
{
	struct fi_pci_attr *pci;

	hints->nic = compat_nic_create();
	assert_non_null(hints->nic);
	assert_fits();
	hints->nic->bus_attr->bus_type = FI_BUS_PCI;
	pci = &hints->nic->bus_attr->attr.pci;
	*pci = offer->nic->bus_attr->attr.pci;
	assert_fits();
	pci->bus_id++;
	assert_kept_out_by("nic->bus_attr (PCI bus)");
	pci->bus_id--;
	hints->nic->device_attr->name = strdup("efa_4");
	assert_kept_out_by("nic->device_attr->name");
}

/* A newer application's tail is read by the version it asks for. */
static void authorization_keys_are_not_there(void **state)
{
	compat_domain_tail(hints->domain_attr)->max_ep_auth_key = 1;
	assert_fits();
	assert_false(fabric_info_matches(offer, hints, FI_VERSION(1, 20),
					 &misfit));
}

static void swallow(enum fi_log_level level, const char *text)
{
}

static void an_endpoint_asks_no_more_than_there_is(void **state)
{
	enum fabric_info_kind kind;

	compat_log_redirect(swallow);
	offer->caps |= FI_RMA;
	assert_int_equal(fabric_info_check(&device, API, offer, &kind),
			 -FI_EINVAL);
	offer->caps = FI_MSG | FI_SEND;
	offer->tx_attr->inject_size = 0;
	assert_int_equal(fabric_info_check(&device, API, offer, &kind), 0);
	offer->ep_attr->type = FI_EP_MSG;
	assert_int_equal(fabric_info_check(&device, API, offer, &kind),
			 -FI_EINVAL);
	compat_log_redirect(NULL);
}

/* Receives of all the buffers promised need a ring that can be had: it is a
 * power of two, within the device's limit and that of 16-bit counters. */
static void a_receive_queue_of_full_size_has_a_ring(void **state)
{
	static const uint32_t most[] = {
		1000, 4096, 7000, 9000, 32768, 65536, 100000,
	};

	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
		for (uint16_t sge = 1; sge <= 4; sge++) {
			struct dev_device other = device;
			size_t buffers, ring = 1;
			struct fi_info *info;

			other.efa.max_rq_wr = most[i];
			other.efa.max_rq_sge = sge;
			info = fabric_info_offer(&other, FABRIC_INFO_DIRECT,
						 0, 0);
			assert_non_null(info);
			buffers = info->rx_attr->size *
				  info->rx_attr->iov_limit;
			while (ring < buffers)
				ring *= 2;
			assert_true(buffers * 4 > most[i] || ring == 32768);
			assert_true(ring <= most[i] && ring <= 32768);
			compat_info_destroy(info);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define DGRAM(name) \
	cmocka_unit_test_setup_teardown(name, set_up_dgram, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_receive_queue_of_full_size_has_a_ring),
		TEST(offers_efa_direct),
		DGRAM(offers_datagrams),
		TEST(describes_the_nic),
		TEST(fits_no_hints_and_empty_hints),
		DGRAM(fits_no_hints_and_empty_hints),
		TEST(fits_itself),
		TEST(offers_rma_where_the_device_has_it),
		TEST(offers_messages_alone_to_who_asks_for_them),
		TEST(data_of_writes_needs_a_way),
		TEST(limits_are_limits),
		TEST(wide_inline_data_halves_the_queue),
		TEST(capabilities_that_are_not_there_keep_it_out),
		TEST(accelerators_memory_needs_its_mode),
		TEST(peer_access_can_be_forbidden),
		TEST(an_info_that_lost_hmem_fits),
		DGRAM(datagrams_are_of_system_memory),
		TEST(modes_must_be_given),
		TEST(who_names_efa_direct_needs_no_contexts),
		DGRAM(naming_the_other_fabric_waives_nothing),
		TEST(an_info_that_lost_rma_is_known),
		TEST(receive_attributes_may_grant_receives_for_data),
		DGRAM(datagrams_need_the_prefix),
		TEST(memory_registration_modes),
		TEST(names_and_types_must_be_the_same),
		TEST(a_misfit_is_told_in_words),
		TEST(the_nic_can_be_chosen),
		TEST(authorization_keys_are_not_there),
		TEST(an_endpoint_asks_no_more_than_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
