/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An endpoint with everything it needs, through libfabric's public calls
 * alone: info, fabric, domain, AV, CQ, endpoint, registered buffer. What
 * cannot be made ends the program with a failed check, except that a
 * machine without an EFA device skips it.
 */
#ifndef FABTESTS_FABRIC_ENDPOINT_H
#define FABTESTS_FABRIC_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#define FAB_API_VERSION	FI_VERSION(1, 17)
#define FAB_CONTEXTS	512
#define FAB_ADDR_MAX	64

/* Values of the provider's own header, as any application has them. */
#define FAB_OPT_EFA_RNR_RETRY	(-(0xefa << 16))
#define FAB_EFA_WR_HIGH_PPS	(1ULL << 60)
/* Options of API 1.22. */
#define FAB_OPT_MAX_MSG_SIZE	12
#define FAB_OPT_MAX_RMA_SIZE	14
#define FAB_OPT_INJECT_MSG_SIZE	16
#define FAB_OPT_INJECT_RMA_SIZE	18

struct fab_wish {
	const char *fabric;		/* "efa-direct" or "efa" */
	const char *domain;		/* NULL: the first */
	uint64_t caps, mode;		/* besides messages and contexts */
	enum fi_threading threading;
	enum fi_ep_type type;
	enum fi_cq_format format;
	enum fi_wait_obj wait_obj;
	bool selective;			/* FI_SELECTIVE_COMPLETION, both ways */
	bool buffers_unregistered;	/* without FI_MR_LOCAL */
	size_t inject_size;		/* 0: the provider's default */
	uint64_t rx_flags;		/* default ones of receives */
	size_t tx_size, rx_size;	/* 0: the provider's default */
	size_t cq_size;			/* 0: 1024 */
	size_t rnr_retry;		/* FAB_RNR_DEFAULT: not set */
	size_t buf_len;
	uint32_t api_version;		/* 0: FAB_API_VERSION */
};

#define FAB_RNR_DEFAULT	SIZE_MAX

/* efa-direct RDM, DATA format, no wait object, 1 MiB. */
struct fab_wish fab_wish_direct(void);
/*
 * The same with FI_RMA, as the device has it: with FI_RX_CQ_DATA where it
 * does not tell of remote writes by themselves. Skips the program when there
 * is none.
 */
struct fab_wish fab_wish_rma(void);
/* Does @wish find an endpoint? */
bool fab_wish_is_there(const struct fab_wish *wish);
/* DGRAM of fabric efa, the same otherwise. */
struct fab_wish fab_wish_dgram(void);

struct fab_completion {
	unsigned ctx;		/* number of the context */
	uint64_t flags;		/* MSG and DATA; else 0 */
	size_t len;		/* MSG and DATA: with the prefix */
	uint64_t data;		/* DATA */
	fi_addr_t source;	/* of a receive */
};

/* Completions that may come before the one that is waited for. */
#define FAB_KEPT	4

struct fab_endpoint {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	struct fid_mr *mr;
	void *desc;
	uint8_t *buf;
	size_t buf_len;
	enum fi_cq_format format;
	size_t prefix;		/* bytes in front of each message's data */
	uint8_t addr[FAB_ADDR_MAX];	/* of itself */
	size_t addr_len;
	fi_addr_t peer;		/* after fab_connect */
	struct fi_context2 contexts[FAB_CONTEXTS];
	struct fab_completion kept[FAB_KEPT];	/* the oldest first */
	unsigned kept_count;
};

/* Hints for @wish, the caller's to free. */
struct fi_info *fab_hints(const struct fab_wish *wish);
/*
 * fi_getinfo that skips the program when there is no device, and fails it
 * when there must be one (under softefa).
 */
struct fi_info *fab_getinfo(const struct fi_info *hints);

/*
 * Is this libfabric's own provider? The programs are tried on it too: what
 * it does differently is told apart by this, each time with the reason.
 */
bool fab_is_in_tree(const struct fi_info *info);

void fab_open(struct fab_endpoint *e, const struct fab_wish *wish);
void fab_close(struct fab_endpoint *e);
/* Inserts @addr, makes it the peer. */
void fab_connect(struct fab_endpoint *e, const void *addr);
/* Opens one here, swaps addresses with the other process over @oob. */
void fab_open_pair(struct fab_endpoint *e, const struct fab_wish *wish,
		   int oob);

/*
 * The operations, with context number @ctx and @len bytes of payload at
 * @offset of the buffer (behind the prefix, which begins at @offset).
 * Each takes completions aside from nobody: -FI_EAGAIN comes back.
 */
ssize_t fab_recv(struct fab_endpoint *e, unsigned ctx, size_t offset,
		 size_t len);
ssize_t fab_send(struct fab_endpoint *e, unsigned ctx, size_t offset,
		 size_t len);
/* The payload of the message at @offset. */
uint8_t *fab_payload(struct fab_endpoint *e, size_t offset);

/* Takes one completion, if any; an error entry fails the program. */
bool fab_poll(struct fab_endpoint *e, struct fab_completion *c);
struct fab_completion fab_wait(struct fab_endpoint *e);
/*
 * Waits for the one of this context. Others are kept for those who ask for
 * them: a device may tell of the peer's answer before it tells that what was
 * sent is there.
 */
struct fab_completion fab_expect(struct fab_endpoint *e, unsigned ctx,
				 const char *file, int line);
#define FAB_EXPECT(e, ctx)	fab_expect(e, ctx, __FILE__, __LINE__)
/* For programs that read by themselves: the one with @ctx that was kept; and
 * to keep one that comes before its time. */
bool fab_take_kept(struct fab_endpoint *e, unsigned ctx,
		   struct fab_completion *c);
void fab_keep(struct fab_endpoint *e, const struct fab_completion *c);
/* As fab_poll, without those that were kept. */
bool fab_poll_cq(struct fab_endpoint *e, struct fab_completion *c);
/* Waits for a failed operation: a success instead is a failed check. */
struct fi_cq_err_entry fab_wait_error(struct fab_endpoint *e);
/* Takes a failed operation, if one is there: so. */
bool fab_poll_error(struct fab_endpoint *e, struct fi_cq_err_entry *err);
unsigned fab_context_number(const struct fab_endpoint *e, const void *ptr);

#endif /* FABTESTS_FABRIC_ENDPOINT_H */
