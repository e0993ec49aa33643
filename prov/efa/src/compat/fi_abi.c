/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "compat/fi_abi.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_ext.h>

#include "compat/nic_attr.h"

#define HEADERS_HAVE(major, minor)					\
	(FI_MAJOR_VERSION > (major) ||					\
	 (FI_MAJOR_VERSION == (major) && FI_MINOR_VERSION >= (minor)))

/*
 * Bytes given to fi_info and to each of its attribute structures: the
 * largest one known takes 232, and members are only ever appended.
 */
#define INFO_PART_BYTES 512

static_assert(sizeof(struct fi_info) <= INFO_PART_BYTES &&
	      sizeof(struct fi_tx_attr) <= INFO_PART_BYTES &&
	      sizeof(struct fi_rx_attr) <= INFO_PART_BYTES &&
	      sizeof(struct fi_ep_attr) <= INFO_PART_BYTES &&
	      sizeof(struct fi_domain_attr) <= INFO_PART_BYTES &&
	      sizeof(struct fi_fabric_attr) <= INFO_PART_BYTES, "too small");

static_assert(sizeof(struct compat_domain_tail) == 40, "tail size");
static_assert(offsetof(struct fi_domain_attr, tclass) ==
	      COMPAT_DOMAIN_TAIL_OFFSET - 8, "fi_domain_attr up to 1.17");
static_assert(offsetof(struct fi_cq_err_entry, err_data_size) == 72,
	      "fi_cq_err_entry up to 1.17");
static_assert(offsetof(struct fi_mr_attr, device) == 72,
	      "fi_mr_attr up to 1.17");

/* The members after those of 1.17, by the release that appended them. */
struct mr_attr_tail {
	void *hmem_data;		/* 1.19 */
	size_t page_size;		/* 1.22 */
	const struct fid_mr *base_mr;	/* 2.0 */
	size_t sub_mr_cnt;		/* 2.0 */
};
#define MR_ATTR_TAIL_OFFSET	80
#define CQ_ERR_SRC_ADDR_OFFSET	80	/* 1.20 */

#if HEADERS_HAVE(1, 20)
static_assert(offsetof(struct fi_domain_attr, max_ep_auth_key) ==
	      COMPAT_DOMAIN_TAIL_OFFSET, "max_ep_auth_key");
static_assert(offsetof(struct fi_cq_err_entry, src_addr) ==
	      CQ_ERR_SRC_ADDR_OFFSET, "src_addr");
static_assert(sizeof(struct fi_mr_dmabuf) == sizeof(struct compat_mr_dmabuf),
	      "fi_mr_dmabuf");
static_assert(COMPAT_MR_DMABUF == FI_MR_DMABUF, "FI_MR_DMABUF");
static_assert((int)COMPAT_ENOMR == (int)FI_ENOMR, "FI_ENOMR");
static_assert(COMPAT_OPT_CUDA_API_PERMITTED ==
	      (int)FI_OPT_CUDA_API_PERMITTED, "options");
#endif
#if HEADERS_HAVE(2, 0)
static_assert(offsetof(struct fi_domain_attr, max_group_id) ==
	      COMPAT_DOMAIN_TAIL_OFFSET +
	      offsetof(struct compat_domain_tail, max_group_id), "group");
static_assert(offsetof(struct fi_mr_attr, base_mr) == MR_ATTR_TAIL_OFFSET +
	      offsetof(struct mr_attr_tail, base_mr), "base_mr");
static_assert(COMPAT_OPT_INJECT_ATOMIC_SIZE ==
	      (int)FI_OPT_INJECT_ATOMIC_SIZE, "options");
static_assert((int)COMPAT_CNTR_EVENTS_BYTES == (int)FI_CNTR_EVENTS_BYTES &&
	      (int)COMPAT_PROGRESS_CONTROL_UNIFIED ==
	      (int)FI_PROGRESS_CONTROL_UNIFIED, "enumerators");
static_assert(COMPAT_MR_SINGLE_USE == FI_MR_SINGLE_USE, "FI_MR_SINGLE_USE");
#endif
#if HEADERS_HAVE(2, 5)
static_assert(offsetof(struct fi_domain_attr, max_err_cntr_value) ==
	      COMPAT_DOMAIN_TAIL_OFFSET +
	      offsetof(struct compat_domain_tail, max_err_cntr_value), "cntr");
static_assert(COMPAT_OPT_FIREWALL_ADDR == (int)FI_OPT_FIREWALL_ADDR &&
	      COMPAT_OPT_EFA_USE_UNSOLICITED_WRITE_RECV ==
	      (int)FI_OPT_EFA_USE_UNSOLICITED_WRITE_RECV, "options");
#endif
static_assert(COMPAT_OPT_EFA_RNR_RETRY == (int)FI_OPT_EFA_RNR_RETRY,
	      "EFA options");

/* ---- fi_info trees ---- */

void compat_info_destroy(struct fi_info *info)
{
	struct fi_info *next;

	for (; info; info = next) {
		next = info->next;
		free(info->src_addr);
		free(info->dest_addr);
		free(info->tx_attr);
		free(info->rx_attr);
		if (info->ep_attr)
			free(info->ep_attr->auth_key);
		free(info->ep_attr);
		if (info->domain_attr) {
			free(info->domain_attr->auth_key);
			free(info->domain_attr->name);
		}
		free(info->domain_attr);
		if (info->fabric_attr) {
			free(info->fabric_attr->name);
			free(info->fabric_attr->prov_name);
		}
		free(info->fabric_attr);
		if (info->nic)
			info->nic->fid.ops->close(&info->nic->fid);
		free(info);
	}
}

struct fi_info *compat_info_create(void)
{
	struct fi_info *info = calloc(1, INFO_PART_BYTES);

	if (!info)
		return NULL;
	info->tx_attr = calloc(1, INFO_PART_BYTES);
	info->rx_attr = calloc(1, INFO_PART_BYTES);
	info->ep_attr = calloc(1, INFO_PART_BYTES);
	info->domain_attr = calloc(1, INFO_PART_BYTES);
	info->fabric_attr = calloc(1, INFO_PART_BYTES);
	if (!info->tx_attr || !info->rx_attr || !info->ep_attr ||
	    !info->domain_attr || !info->fabric_attr) {
		compat_info_destroy(info);
		return NULL;
	}
	return info;
}

/* *@copy is a malloc'ed copy of @bytes at @data, or NULL as @data is. */
static bool copy_bytes(const void *data, size_t bytes, void **copy)
{
	*copy = NULL;
	if (!data)
		return true;
	*copy = malloc(bytes ? bytes : 1);
	if (*copy)
		memcpy(*copy, data, bytes);
	return *copy;
}

static bool copy_text(const char *text, char **copy)
{
	void *bytes;
	bool done = copy_bytes(text, text ? strlen(text) + 1 : 0, &bytes);

	*copy = bytes;
	return done;
}

/* Copies what the parts of @from point to into @to, whose pointers are
 * still those of @from. Those not yet copied end up NULL. */
static bool copy_owned(struct fi_info *to, const struct fi_info *from)
{
	void *ep_key, *domain_key;
	bool done;

	done = copy_bytes(from->src_addr, from->src_addrlen, &to->src_addr);
	done &= copy_bytes(from->dest_addr, from->dest_addrlen,
			   &to->dest_addr);
	done &= copy_bytes(from->ep_attr->auth_key,
			   from->ep_attr->auth_key_size, &ep_key);
	to->ep_attr->auth_key = ep_key;
	done &= copy_bytes(from->domain_attr->auth_key,
			   from->domain_attr->auth_key_size, &domain_key);
	to->domain_attr->auth_key = domain_key;
	done &= copy_text(from->domain_attr->name, &to->domain_attr->name);
	done &= copy_text(from->fabric_attr->name, &to->fabric_attr->name);
	done &= copy_text(from->fabric_attr->prov_name,
			  &to->fabric_attr->prov_name);
	to->nic = NULL;
	if (from->nic) {
		to->nic = compat_nic_dup(from->nic);
		done &= to->nic != NULL;
	}
	return done;
}

/* The plain members, and not the pointers between the parts. */
static void copy_parts(struct fi_info *to, const struct fi_info *from)
{
	struct fi_info parts = *to;

	memcpy(to, from, INFO_PART_BYTES);
	to->next = NULL;
	to->tx_attr = parts.tx_attr;
	to->rx_attr = parts.rx_attr;
	to->ep_attr = parts.ep_attr;
	to->domain_attr = parts.domain_attr;
	to->fabric_attr = parts.fabric_attr;
	memcpy(to->tx_attr, from->tx_attr, INFO_PART_BYTES);
	memcpy(to->rx_attr, from->rx_attr, INFO_PART_BYTES);
	memcpy(to->ep_attr, from->ep_attr, INFO_PART_BYTES);
	memcpy(to->domain_attr, from->domain_attr, INFO_PART_BYTES);
	memcpy(to->fabric_attr, from->fabric_attr, INFO_PART_BYTES);
}

struct fi_info *compat_info_dup(const struct fi_info *info)
{
	struct fi_info *dup = compat_info_create();

	if (!dup)
		return NULL;
	copy_parts(dup, info);
	if (!copy_owned(dup, info)) {
		compat_info_destroy(dup);
		return NULL;
	}
	return dup;
}

/* ---- structures of the application ---- */

void compat_mr_attr_read(const struct fi_mr_attr *attr, uint64_t flags,
			 bool hmem, uint32_t api_version,
			 struct compat_mr_attr *out)
{
	const struct mr_attr_tail *tail = (const void *)
		((const char *)attr + MR_ATTR_TAIL_OFFSET);

	*out = (struct compat_mr_attr) {
		.iov_count = attr->iov_count,
		.access = attr->access,
		.offset = attr->offset,
		.requested_key = attr->requested_key,
		.context = attr->context,
		.iface = FI_HMEM_SYSTEM,
	};
	/* the two pointers share their place since 1.20 */
	if ((flags & COMPAT_MR_DMABUF) && compat_api_has(api_version, 1, 20))
		out->dmabuf = (const void *)attr->mr_iov;
	else
		out->iov = attr->mr_iov;
	if (compat_api_has(api_version, 1, 5)) {
		out->auth_key_size = attr->auth_key_size;
		out->auth_key = attr->auth_key;
	}
	if (hmem) {
		out->iface = attr->iface;
		out->device = attr->device.reserved;
	}
	if (compat_api_has(api_version, 1, 22))
		out->page_size = tail->page_size;
	if (compat_api_has(api_version, 2, 0))
		out->base_mr = tail->base_mr;
}

void compat_cq_err_write(struct fi_cq_err_entry *entry,
			 const struct fi_cq_err_entry *error,
			 fi_addr_t source, uint32_t api_version)
{
	void *buffer = entry->err_data;
	size_t room;

	/* before 1.5 the structure ended with err_data */
	memcpy(entry, error, offsetof(struct fi_cq_err_entry, err_data_size));
	if (!compat_api_has(api_version, 1, 5))
		return;

	room = entry->err_data_size;
	entry->err_data_size = error->err_data_size;
	if (room) {
		if (entry->err_data_size > room)
			entry->err_data_size = room;
		memcpy(buffer, error->err_data, entry->err_data_size);
		/* a text to its end: fi_cq_strerror is given it as one */
		if (entry->err_data_size)
			((char *)buffer)[entry->err_data_size - 1] = '\0';
		entry->err_data = buffer;
	}
	if (compat_api_has(api_version, 1, 20))
		memcpy((char *)entry + CQ_ERR_SRC_ADDR_OFFSET, &source,
		       sizeof(source));
}
