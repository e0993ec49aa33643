/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <rdma/rdma_user_ioctl_cmds.h>

#include "daemon/efa_abi.h"
#include "daemon/ioctl_gate.h"

#define INLINE_BYTES	8u	/* inputs up to this live in attr.data */
#define FRAME_MAX_BYTES	4096u
#define FRAME_MAX_ATTRS							\
	((FRAME_MAX_BYTES - sizeof(struct ib_uverbs_ioctl_hdr)) /	\
	 sizeof(struct ib_uverbs_attr))

static int gate_read_header(struct guest_memory *mem, uint64_t addr,
			    struct ib_uverbs_ioctl_hdr *hdr)
{
	if (mem->read(mem, addr, hdr, sizeof(*hdr)))
		return -EFAULT;
	if (hdr->length > FRAME_MAX_BYTES ||
	    hdr->length != sizeof(*hdr) + (size_t)hdr->num_attrs *
			   sizeof(struct ib_uverbs_attr))
		return -EINVAL;
	if (hdr->reserved1 || hdr->reserved2)
		return -EPROTONOSUPPORT;
	if (hdr->driver_id != EFA_ABI_DRIVER_ID)
		return -EINVAL;
	return 0;
}

/* Whether the bytes of an input from @offset on are zero. */
static int gate_check_bytes_zero(const struct gate_call *call,
				 const struct ib_uverbs_attr *attr,
				 size_t offset)
{
	uint8_t chunk[256];
	size_t n;

	if (attr->len <= INLINE_BYTES) {
		memcpy(chunk, &attr->data, INLINE_BYTES);
		for (; offset < attr->len; offset++) {
			if (chunk[offset])
				return -EOPNOTSUPP;
		}
		return 0;
	}
	for (; offset < attr->len; offset += n) {
		n = attr->len - offset;
		if (n > sizeof(chunk))
			n = sizeof(chunk);
		if (call->mem->read(call->mem, attr->data + offset, chunk, n))
			return -EFAULT;
		for (size_t i = 0; i < n; i++) {
			if (chunk[i])
				return -EOPNOTSUPP;
		}
	}
	return 0;
}

static int gate_check_bytes(const struct gate_call *call,
			    const struct attr_spec *spec,
			    const struct ib_uverbs_attr *attr)
{
	int ret;

	if (spec->kind == ATTR_IN && spec->zero_beyond &&
	    attr->len > spec->max_bytes) {
		ret = gate_check_bytes_zero(call, attr, spec->max_bytes);
		if (ret)
			return ret;
	}
	if (attr->len < spec->min_bytes ||
	    (!spec->zero_beyond && attr->len > spec->max_bytes))
		return -EINVAL;
	return 0;
}

static int gate_check_attr(struct gate_call *call,
			   const struct ib_uverbs_attr *attr, uint16_t index)
{
	const struct attr_spec *spec =
		method_schema_attr(call->schema, attr->attr_id);
	struct gate_attr *out;
	int ret;

	if (!spec)
		return attr->flags & UVERBS_ATTR_F_MANDATORY ?
		       -EPROTONOSUPPORT : 0;
	out = &call->attr[ATTR_SLOT(attr->attr_id)];
	if (out->present)
		return -EINVAL;
	if (spec->kind == ATTR_IN || spec->kind == ATTR_OUT) {
		ret = gate_check_bytes(call, spec, attr);
		if (ret)
			return ret;
	} else if (attr->len != 0) {
		return -EINVAL;
	}
	if (attr->attr_data.reserved)
		return -EINVAL;
	out->present = true;
	out->index = index;
	out->length = attr->len;
	out->flags = attr->flags;
	out->data = attr->data;
	return 0;
}

static int gate_check_mandatory(const struct gate_call *call)
{
	for (unsigned i = 0; i < ATTR_SLOTS; i++) {
		if (call->schema->attr[i].mandatory && !call->attr[i].present)
			return -EINVAL;
	}
	return 0;
}

static uint64_t gate_attr_addr(const struct gate_call *call, unsigned index)
{
	return call->addr + sizeof(struct ib_uverbs_ioctl_hdr) +
	       index * sizeof(struct ib_uverbs_attr);
}

int gate_call_init(struct gate_call *call, struct guest_memory *mem,
		   uint64_t addr)
{
	struct ib_uverbs_attr attr[FRAME_MAX_ATTRS];
	struct ib_uverbs_ioctl_hdr hdr;
	int ret;

	memset(call, 0, sizeof(*call));
	call->mem = mem;
	call->addr = addr;
	ret = gate_read_header(mem, addr, &hdr);
	if (ret)
		return ret;
	call->id = method_schema_find(hdr.object_id, hdr.method_id);
	if (call->id == METHOD_COUNT)
		return -EPROTONOSUPPORT;
	call->schema = method_schema_get(call->id);
	if (hdr.num_attrs &&
	    mem->read(mem, gate_attr_addr(call, 0), attr,
		      hdr.num_attrs * sizeof(*attr)))
		return -EFAULT;
	for (uint16_t i = 0; i < hdr.num_attrs; i++) {
		ret = gate_check_attr(call, &attr[i], i);
		if (ret)
			return ret;
	}
	return gate_check_mandatory(call);
}

void gate_call_fini(struct gate_call *call)
{
	for (unsigned i = 0; i < call->fd_count; i++)
		close(call->fd[i].fd);
	call->fd_count = 0;
}

static const struct gate_attr *gate_attr_get(const struct gate_call *call,
					     uint16_t attr_id)
{
	assert(method_schema_attr(call->schema, attr_id));
	return &call->attr[ATTR_SLOT(attr_id)];
}

bool gate_has(const struct gate_call *call, uint16_t attr_id)
{
	return gate_attr_get(call, attr_id)->present;
}

size_t gate_length(const struct gate_call *call, uint16_t attr_id)
{
	return gate_attr_get(call, attr_id)->length;
}

int gate_read(const struct gate_call *call, uint16_t attr_id, void *dst,
	      size_t dst_bytes)
{
	const struct gate_attr *attr = gate_attr_get(call, attr_id);
	size_t n = attr->length < dst_bytes ? attr->length : dst_bytes;

	if (!attr->present)
		return -ENOENT;
	memset(dst, 0, dst_bytes);
	if (attr->length <= INLINE_BYTES)
		memcpy(dst, &attr->data, n);
	else if (n && call->mem->read(call->mem, attr->data, dst, n))
		return -EFAULT;
	return 0;
}

int gate_check_zero(const struct gate_call *call, uint16_t attr_id,
		    size_t offset)
{
	const struct gate_attr *attr = gate_attr_get(call, attr_id);
	struct ib_uverbs_attr input = {
		.len = attr->length,
		.data = attr->data,
	};

	if (!attr->present || attr->length <= offset)
		return 0;
	return gate_check_bytes_zero(call, &input, offset);
}

uint64_t gate_value(const struct gate_call *call, uint16_t attr_id,
		    uint64_t absent)
{
	const struct gate_attr *attr = gate_attr_get(call, attr_id);

	if (!attr->present)
		return absent;
	return attr->length == 4 ? (uint32_t)attr->data : attr->data;
}

uint64_t gate_object(const struct gate_call *call, uint16_t attr_id)
{
	const struct gate_attr *attr = gate_attr_get(call, attr_id);

	assert(attr->present);
	return attr->data;
}

static int gate_mark_valid(const struct gate_call *call,
			   const struct gate_attr *attr)
{
	uint16_t flags = attr->flags | UVERBS_ATTR_F_VALID_OUTPUT;
	uint64_t addr = gate_attr_addr(call, attr->index) +
			offsetof(struct ib_uverbs_attr, flags);

	return call->mem->write(call->mem, addr, &flags, sizeof(flags)) ?
	       -EFAULT : 0;
}

int gate_write(const struct gate_call *call, uint16_t attr_id,
	       const void *src, size_t src_bytes)
{
	const struct gate_attr *attr = gate_attr_get(call, attr_id);
	size_t n = attr->length < src_bytes ? attr->length : src_bytes;

	if (!attr->present)
		return 0;
	if (n && call->mem->write(call->mem, attr->data, src, n))
		return -EFAULT;
	return gate_mark_valid(call, attr);
}

int gate_write_zeroing(const struct gate_call *call, uint16_t attr_id,
		       const void *src, size_t src_bytes)
{
	static const uint8_t zero[256];
	const struct gate_attr *attr = gate_attr_get(call, attr_id);
	size_t n;

	for (size_t at = src_bytes; at < attr->length; at += n) {
		n = attr->length - at;
		if (n > sizeof(zero))
			n = sizeof(zero);
		if (call->mem->write(call->mem, attr->data + at, zero, n))
			return -EFAULT;
	}
	return gate_write(call, attr_id, src, src_bytes);
}

int gate_write_handle(const struct gate_call *call, uint16_t attr_id,
		      uint32_t handle)
{
	const struct gate_attr *attr = gate_attr_get(call, attr_id);
	uint64_t addr = gate_attr_addr(call, attr->index) +
			offsetof(struct ib_uverbs_attr, data);
	uint64_t value = handle;

	return call->mem->write(call->mem, addr, &value, sizeof(value)) ?
	       -EFAULT : 0;
}

void gate_give_fd(struct gate_call *call, uint16_t attr_id, int fd)
{
	const struct attr_spec *spec =
		method_schema_attr(call->schema, attr_id);
	const struct gate_attr *attr = gate_attr_get(call, attr_id);
	struct gate_fd *give = &call->fd[call->fd_count];

	assert(attr->present && call->fd_count < GATE_MAX_FDS);
	give->fd = fd;
	if (spec->kind == ATTR_NEW_FD) {
		give->addr = gate_attr_addr(call, attr->index) +
			     offsetof(struct ib_uverbs_attr, data);
		give->width = 8;
	} else {
		give->addr = attr->data;
		give->width = 4;
	}
	call->fd_count++;
}
