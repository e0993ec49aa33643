/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Queue pairs for the verbs tests: a QP with everything it needs, made
 * through the real rdma-core, and requests and completions as plain
 * structs. What cannot be made ends the program with a failed check.
 */
#ifndef TEST_TWO_QPS_H
#define TEST_TWO_QPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/efadv.h>
#include <infiniband/verbs.h>

#define TEST_QKEY	0x1ee7ca5eu

/* Opens device @index; skips the program when there are fewer devices. */
struct ibv_context *device_open(unsigned index);
void device_close(struct ibv_context *ctx);
struct efadv_device_attr device_attr(struct ibv_context *ctx);
/* EFADV_DEVICE_ATTR_CAPS_*: whether the device has it. */
bool device_has(struct ibv_context *ctx, uint32_t cap);
/* Skips the program on a device without completion events. */
void device_need_events(struct ibv_context *ctx);
uint32_t device_mtu(struct ibv_context *ctx);
union ibv_gid device_gid(struct ibv_context *ctx);
/* LOCAL_WRITE and the remote rights that the device can give. */
int device_access(struct ibv_context *ctx);

struct endpoint_wish {
	bool ud;
	bool channel;		/* completion channel; CQ not armed */
	struct ibv_comp_channel *shared_channel;	/* this one instead */
	uint16_t efa_flags;	/* EFADV_QP_FLAGS_* */
	uint8_t rnr_retry;	/* 7 = without end; SRD where supported */
	uint32_t send_depth, recv_depth, cq_depth;
	uint32_t send_sge, recv_sge, max_inline;
	size_t buf_len;
};

/* SRD, depths 16, CQ 64, one SGE, no inline data, 64 KiB, endless RNR. */
struct endpoint_wish endpoint_wish_default(void);

/* What another process must know of an endpoint. */
struct endpoint_addr {
	union ibv_gid gid;
	uint32_t qpn;
	uint32_t qkey;
	uint32_t rkey;
	uint32_t reserved;
	uint64_t buf;
};

struct endpoint {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	bool channel_is_shared;
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct ibv_mr *mr;
	uint8_t *buf;		/* page aligned, registered whole */
	size_t buf_len;
	bool cq_has_sgid, cq_has_unsolicited;
	struct ibv_ah *ah;	/* of the peer, after endpoint_connect */
	struct endpoint_addr peer;
	struct endpoint_addr self;
};

/* A QP in RTS on an open device. The context stays the caller's. */
void endpoint_open(struct endpoint *e, struct ibv_context *ctx,
		   const struct endpoint_wish *wish);
/* The same with the QP left in RESET. */
void endpoint_create(struct endpoint *e, struct ibv_context *ctx,
		     const struct endpoint_wish *wish);
/* RESET to RTS; 0 or the errno of the step that failed. */
int endpoint_to_rts(struct endpoint *e, uint8_t rnr_retry);
/* Requests go to @peer from now on. */
void endpoint_connect(struct endpoint *e, const struct endpoint_addr *peer);
/* Destroys all of it; that each step succeeds is a check. */
void endpoint_close(struct endpoint *e);

/* Two endpoints of one device, connected to each other. */
struct two_qps {
	struct ibv_context *ctx;
	struct endpoint a, b;
};
void two_qps_open(struct two_qps *pair, const struct endpoint_wish *wish);
void two_qps_close(struct two_qps *pair);

/* A send queue request; sge_count 0 and no inline data: zero bytes. */
struct request {
	uint64_t wr_id;
	enum ibv_wr_opcode opcode;
	struct ibv_sge sge[2];
	int sge_count;
	const void *inline_data;
	size_t inline_len;
	uint32_t imm;		/* host order */
	uint64_t remote_addr;
	uint32_t rkey;
};

/* A SEND of @len bytes of the endpoint's buffer from @offset. */
struct request request_send(const struct endpoint *e, uint64_t wr_id,
			    size_t offset, uint32_t len);
/* An RDMA request between the same offsets of both buffers. */
struct request request_rdma(const struct endpoint *e, enum ibv_wr_opcode op,
			    uint64_t wr_id, size_t offset, uint32_t len);

/* Adds it between ibv_wr_start and ibv_wr_complete. */
void request_build(struct endpoint *e, const struct request *r);
/* Posts one request; 0 or an errno. */
int request_post(struct endpoint *e, const struct request *r);

/* Posts one receive of @len bytes of the buffer at @offset; 0 or errno. */
int receive_post(struct endpoint *e, uint64_t wr_id, size_t offset,
		 uint32_t len);

struct completion {
	uint64_t wr_id;
	enum ibv_wc_status status;
	uint32_t vendor_err;	/* the device's status */
	uint32_t qp_num;
	/* below: filled when status is success */
	enum ibv_wc_opcode opcode;
	uint32_t byte_len;
	uint32_t imm;		/* host order, if has_imm */
	uint32_t src_qp;
	uint16_t ahn;
	bool has_imm;
	bool unsolicited;
	bool has_sgid;
	union ibv_gid sgid;
};

/* Takes one completion; false when there is none. */
bool completion_poll(struct endpoint *e, struct completion *c);
/* Waits for one; the program's deadline is the bound. */
struct completion completion_wait(struct endpoint *e);
/* Waits and checks wr_id and status. */
struct completion completion_expect(struct endpoint *e, uint64_t wr_id,
				    enum ibv_wc_status status,
				    const char *file, int line);
#define COMPLETION_EXPECT(e, wr_id, status) \
	completion_expect(e, wr_id, status, __FILE__, __LINE__)
/*
 * That nothing completes although a message that does went the same way
 * after it: the caller has taken that one already.
 */
#define COMPLETION_NONE(e) \
	do { struct completion c_; \
		EXPECT(!completion_poll(e, &c_)); } while (0)

#endif /* TEST_TWO_QPS_H */
