/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fake_verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compat/log.h"

struct fake_verbs fake;

static struct ibv_device devices[FAKE_DEVICES];
static uint8_t ring[4096];
static uint32_t doorbells[16];

static bool fails(const char *function)
{
	if ((!fake.failing || strcmp(fake.failing, function)) &&
	    (!fake.failing_too || strcmp(fake.failing_too, function)))
		return false;
	errno = fake.failing_errno;
	return true;
}

static int device_index(const struct ibv_device *device)
{
	return (int)(device - devices);
}

static struct ibv_device **get_device_list(int *count)
{
	struct ibv_device **list;

	if (fake.devices < 0) {
		errno = fake.list_errno;
		return NULL;
	}
	list = calloc(fake.devices + 1, sizeof(*list));
	assert_non_null(list);
	for (int i = 0; i < fake.devices; i++) {
		snprintf(devices[i].name, sizeof(devices[i].name), "efa_%d",
			 i);
		snprintf(devices[i].dev_name, sizeof(devices[i].dev_name),
			 "uverbs%d", i);
		snprintf(devices[i].ibdev_path, sizeof(devices[i].ibdev_path),
			 "/nonexistent/efa_%d", i);
		list[i] = &devices[i];
	}
	*count = fake.devices;
	fake.lists++;
	return list;
}

static void free_device_list(struct ibv_device **list)
{
	free(list);
	fake.lists--;
}

static struct ibv_context *open_device(struct ibv_device *device)
{
	struct ibv_context *context;

	errno = fake.open_errno[device_index(device)];
	if (errno)
		return NULL;
	context = calloc(1, sizeof(*context));
	assert_non_null(context);
	context->device = device;
	context->num_comp_vectors = 2;
	fake.contexts++;
	return context;
}

static int close_device(struct ibv_context *context)
{
	free(context);
	fake.contexts--;
	return 0;
}

static int query_device(struct ibv_context *context,
			struct ibv_device_attr *attr)
{
	*attr = fake.attr;
	return fails("query_device") ? errno : 0;
}

static int query_port(struct ibv_context *context, uint8_t port,
		      struct ibv_port_attr *attr)
{
	*attr = fake.port;
	return fails("query_port") ? errno : 0;
}

static int query_gid(struct ibv_context *context, uint8_t port, int index,
		     union ibv_gid *gid)
{
	memset(gid, 0xfe, sizeof(*gid));
	return fails("query_gid") ? -1 : 0;
}

static struct ibv_pd *alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd;

	if (fails("alloc_pd"))
		return NULL;
	pd = calloc(1, sizeof(*pd));
	assert_non_null(pd);
	pd->context = context;
	fake.pds++;
	return pd;
}

static int dealloc_pd(struct ibv_pd *pd)
{
	if (fails("dealloc_pd"))
		return errno;
	free(pd);
	fake.pds--;
	return 0;
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			     uint64_t iova, unsigned int access)
{
	struct ibv_mr *mr;

	if (fails("reg_mr"))
		return NULL;
	/* in the same place of a page */
	assert_int_equal((iova - (uintptr_t)addr) %
			 (uint64_t)sysconf(_SC_PAGESIZE), 0);
	fake.mr_addr = addr;
	fake.mr_iova = iova;
	fake.mr_length = length;
	fake.mr_access = access;
	mr = calloc(1, sizeof(*mr));
	assert_non_null(mr);
	mr->lkey = 5;
	mr->rkey = 6;
	fake.mrs++;
	return mr;
}

static struct ibv_mr *reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				    size_t length, uint64_t iova, int fd,
				    int access)
{
	fake.mr_fd = fd;
	fake.mr_offset = offset;
	return reg_mr(pd, (void *)(uintptr_t)iova, length, iova, access);
}

static int efadv_query_mr(struct ibv_mr *mr,
			  struct compat_efadv_mr_attr *attr,
			  uint32_t attr_bytes)
{
	if (fails("efadv_query_mr"))
		return errno;
	*attr = fake.mr_efa;
	return 0;
}

static int dereg_mr(struct ibv_mr *mr)
{
	if (fails("dereg_mr"))
		return errno;
	free(mr);
	fake.mrs--;
	return 0;
}

static struct ibv_comp_channel *create_comp_channel(
	struct ibv_context *context)
{
	struct ibv_comp_channel *channel;

	if (fails("create_comp_channel"))
		return NULL;
	channel = calloc(1, sizeof(*channel));
	assert_non_null(channel);
	channel->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	fake.channels++;
	return channel;
}

static int destroy_comp_channel(struct ibv_comp_channel *channel)
{
	close(channel->fd);
	free(channel);
	fake.channels--;
	return 0;
}

static int destroy_cq(struct ibv_cq *cq)
{
	if (fails("destroy_cq"))
		return errno;
	free(cq);
	fake.cqs--;
	return 0;
}

static int get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq,
			void **context)
{
	if (fails("get_cq_event"))
		return -1;
	if (!fake.events) {
		assert_true(fcntl(channel->fd, F_GETFL) & O_NONBLOCK);
		errno = EAGAIN;
		return -1;
	}
	fake.events--;
	*cq = NULL;
	*context = NULL;
	return 0;
}

static void ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
	fake.acknowledged += count;
}

static struct ibv_qp *make_qp(enum ibv_qp_type type, struct ibv_qp_cap *cap)
{
	struct ibv_qp *qp = calloc(1, sizeof(*qp));

	assert_non_null(qp);
	qp->qp_num = 77;
	fake.qp_type = type;
	fake.qp_cap = *cap;
	if (fake.inline_given)
		cap->max_inline_data = fake.inline_given;
	fake.qps++;
	return qp;
}

static struct ibv_qp *create_qp(struct ibv_pd *pd,
				struct ibv_qp_init_attr *attr)
{
	if (fails("create_qp"))
		return NULL;
	return make_qp(attr->qp_type, &attr->cap);
}

static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	fake.modify_attrs[fake.modifies & 3] = *attr;
	fake.modify_masks[fake.modifies++ & 3] = mask;
	return fails("modify_qp") ? errno : 0;
}

static int destroy_qp(struct ibv_qp *qp)
{
	if (fails("destroy_qp"))
		return errno;
	free(qp);
	fake.qps--;
	return 0;
}

static struct ibv_ah *create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah *ah;

	if (fails("create_ah"))
		return NULL;
	ah = calloc(1, sizeof(*ah));
	assert_non_null(ah);
	/* the number is taken from the GID's end */
	ah->handle = attr->grh.dgid.raw[14] << 8 | attr->grh.dgid.raw[15];
	fake.ah_gid = attr->grh.dgid;
	fake.ahs++;
	return ah;
}

static int destroy_ah(struct ibv_ah *ah)
{
	if (fails("destroy_ah"))
		return errno;
	free(ah);
	fake.ahs--;
	return 0;
}

static int efadv_query_device(struct ibv_context *context,
			      struct compat_efadv_device_attr *attr,
			      uint32_t attr_bytes)
{
	*attr = fake.efa;
	if (fake.is_other[device_index(context->device)])
		return EOPNOTSUPP;
	return fails("efadv_query_device") ? errno : 0;
}

static int efadv_query_ah(struct ibv_ah *ah,
			  struct compat_efadv_ah_attr *attr,
			  uint32_t attr_bytes)
{
	attr->ahn = ah->handle;
	return fails("efadv_query_ah") ? errno : 0;
}

static struct ibv_qp *efadv_create_qp_ex(
	struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
	struct compat_efadv_qp_init_attr *efa_attr, uint32_t efa_attr_bytes)
{
	if (fails("efadv_create_qp_ex"))
		return NULL;
	assert_int_equal(attr->comp_mask, IBV_QP_INIT_ATTR_PD);
	fake.qp_efa = *efa_attr;
	if (efa_attr->sl && efa_attr->sl == fake.sl_refused) {
		errno = EINVAL;
		return NULL;
	}
	return make_qp(attr->qp_type, &attr->cap);
}

static int efadv_query_qp_wqs(struct ibv_qp *qp,
			      struct compat_efadv_wq_attr *sq,
			      struct compat_efadv_wq_attr *rq,
			      uint32_t attr_bytes)
{
	if (fails("efadv_query_qp_wqs"))
		return errno;
	*sq = (struct compat_efadv_wq_attr) {
		.buffer = ring, .num_entries = 256, .max_batch = 16,
		.entry_size = fake.qp_cap.max_inline_data > 32 &&
			      !fake.short_entries ? 128 : 64,
		.doorbell = &doorbells[0], .caps = fake.wq_caps,
	};
	*rq = (struct compat_efadv_wq_attr) {
		.buffer = ring, .num_entries = 512, .max_batch = 512,
		.entry_size = 16, .doorbell = &doorbells[1],
	};
	return 0;
}

static struct ibv_cq_ex *efadv_create_cq(
	struct ibv_context *context, struct ibv_cq_init_attr_ex *attr,
	struct compat_efadv_cq_init_attr *efa_attr, uint32_t efa_attr_bytes)
{
	struct ibv_cq_ex *cq;

	if (attr->channel && fake.no_notification) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (fails("efadv_create_cq"))
		return NULL;
	cq = calloc(1, sizeof(*cq));
	assert_non_null(cq);
	cq->cqe = 1;
	while (cq->cqe < (int)attr->cqe)
		cq->cqe *= 2;
	fake.cq_efa = *efa_attr;
	fake.cq_vector = attr->comp_vector;
	fake.cqs++;
	return cq;
}

static int efadv_query_cq(struct ibv_cq *cq,
			  struct compat_efadv_cq_attr *attr,
			  uint32_t attr_bytes)
{
	if (fails("efadv_query_cq"))
		return errno;
	attr->buffer = ring;
	attr->entry_size = fake.cq_entry_size;
	attr->num_entries = cq->cqe;
	attr->doorbell = fake.no_doorbell ? NULL : &doorbells[2];
	return 0;
}

static int efadv_get_max_sq_depth(struct ibv_context *context,
				  struct compat_efadv_sq_depth_attr *attr,
				  uint32_t attr_bytes)
{
	if (fails("efadv_get_max_sq_depth"))
		return -errno;
	return attr->max_inline_data > 32 ? 2048 : 4096;
}

static int query_comp_cntr_caps(struct ibv_context *context,
				struct compat_comp_cntr_caps *caps,
				size_t caps_bytes)
{
	assert_int_equal(caps_bytes, sizeof(*caps));
	if (fails("query_comp_cntr_caps"))
		return errno;
	*caps = fake.cntr_caps;
	return 0;
}

static struct compat_comp_cntr *
efadv_create_comp_cntr(struct ibv_context *context,
		       struct compat_comp_cntr_init_attr *attr,
		       struct compat_efadv_comp_cntr_init_attr *efa_attr,
		       uint32_t efa_attr_bytes)
{
	assert_int_equal(efa_attr_bytes, sizeof(*efa_attr));
	assert_int_equal(attr->type, 0);
	assert_int_equal(efa_attr->flags, 3);
	if (fails("efadv_create_comp_cntr"))
		return NULL;
	fake.cntr_attr = *efa_attr;
	fake.cntr_count = (uint64_t *)efa_attr->count.ptr;
	fake.cntr_errors = (uint64_t *)efa_attr->errors.ptr;
	fake.cntrs++;
	return (struct compat_comp_cntr *)&fake;
}

static int destroy_comp_cntr(struct compat_comp_cntr *cntr)
{
	if (fails("destroy_comp_cntr"))
		return errno;
	fake.cntrs--;
	return 0;
}

static int qp_attach_comp_cntr(struct ibv_qp *qp,
			       struct compat_comp_cntr *cntr,
			       struct compat_comp_cntr_attach_attr *attr)
{
	if (fails("qp_attach_comp_cntr"))
		return errno;
	fake.cntr_ops |= attr->op_mask;
	return 0;
}

static int set_comp_cntr(struct compat_comp_cntr *cntr, uint64_t value)
{
	if (fails("set_comp_cntr"))
		return errno;
	*fake.cntr_count = value;
	return 0;
}

static int set_err_comp_cntr(struct compat_comp_cntr *cntr, uint64_t value)
{
	*fake.cntr_errors = value;
	return 0;
}

static int inc_comp_cntr(struct compat_comp_cntr *cntr, uint64_t amount)
{
	*fake.cntr_count += amount;
	return 0;
}

static int inc_err_comp_cntr(struct compat_comp_cntr *cntr, uint64_t amount)
{
	*fake.cntr_errors += amount;
	return 0;
}

static const struct compat_verbs table = {
	.get_device_list = get_device_list,
	.free_device_list = free_device_list,
	.open_device = open_device,
	.close_device = close_device,
	.query_device = query_device,
	.query_gid = query_gid,
	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,
	.reg_mr_iova2 = reg_mr,
	.reg_dmabuf_mr = reg_dmabuf_mr,
	.dereg_mr = dereg_mr,
	.create_comp_channel = create_comp_channel,
	.destroy_comp_channel = destroy_comp_channel,
	.destroy_cq = destroy_cq,
	.get_cq_event = get_cq_event,
	.ack_cq_events = ack_cq_events,
	.create_qp = create_qp,
	.modify_qp = modify_qp,
	.destroy_qp = destroy_qp,
	.create_ah = create_ah,
	.destroy_ah = destroy_ah,
	.efadv_query_device = efadv_query_device,
	.efadv_query_ah = efadv_query_ah,
	.efadv_create_qp_ex = efadv_create_qp_ex,
	.efadv_query_qp_wqs = efadv_query_qp_wqs,
	.efadv_create_cq = efadv_create_cq,
	.efadv_query_cq = efadv_query_cq,
	.efadv_query_mr = efadv_query_mr,
	.query_port = query_port,
	.efadv_get_max_sq_depth = efadv_get_max_sq_depth,
	.query_comp_cntr_caps = query_comp_cntr_caps,
	.efadv_create_comp_cntr = efadv_create_comp_cntr,
	.destroy_comp_cntr = destroy_comp_cntr,
	.qp_attach_comp_cntr = qp_attach_comp_cntr,
	.set_comp_cntr = set_comp_cntr,
	.set_err_comp_cntr = set_err_comp_cntr,
	.inc_comp_cntr = inc_comp_cntr,
	.inc_err_comp_cntr = inc_err_comp_cntr,
};

static void keep_warning(enum fi_log_level level, const char *text)
{
	if (level != FI_LOG_WARN)
		return;
	fake.warnings++;
	snprintf(fake.last_warning, sizeof(fake.last_warning), "%s", text);
}

void fake_verbs_install(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.devices = 1;
	fake.cq_entry_size = 32;
	fake.efa = (struct compat_efadv_device_attr) {
		.max_sq_wr = 4096, .max_rq_wr = 32768, .max_sq_sge = 2,
		.max_rq_sge = 3, .inline_buf_size = 32,
		.inline_buf_size_ex = 80, .max_rdma_size = 1 << 30,
		.device_caps = COMPAT_EFADV_RDMA_READ |
			       COMPAT_EFADV_RNR_RETRY |
			       COMPAT_EFADV_CQ_WITH_SGID,
	};
	fake.attr = (struct ibv_device_attr) {
		.vendor_part_id = 0xefa2, .max_cqe = 65536, .max_qp = 100,
	};
	fake.cntr_caps = (struct compat_comp_cntr_caps) {
		.max_value = UINT64_MAX, .max_counters = 16, .attach_ops = 63,
	};
	fake.port = (struct ibv_port_attr) {
		.state = IBV_PORT_ACTIVE, .max_msg_sz = 8928,
		.active_speed = 32, .active_width = 2,
	};
	compat_verbs_replace(&table);
	compat_log_redirect(keep_warning);
}

void fake_verbs_assert_clean(void)
{
	assert_int_equal(fake.lists, 0);
	assert_int_equal(fake.contexts, 0);
	assert_int_equal(fake.pds, 0);
	assert_int_equal(fake.mrs, 0);
	assert_int_equal(fake.channels, 0);
	assert_int_equal(fake.cqs, 0);
	assert_int_equal(fake.qps, 0);
	assert_int_equal(fake.ahs, 0);
	assert_int_equal(fake.cntrs, 0);
}
