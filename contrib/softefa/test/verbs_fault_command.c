/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Control commands that fail on purpose: each through the call of libibverbs
 * that issues it, with the errno of the fault, and once only.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "fabtests/expect.h"
#include "test/fault_setting.h"
#include "test/two_qps.h"

static struct two_qps pair;

/* Ends an object; when that fails, which is kept, it works the next time. */
#define END(call)							\
	do {								\
		int err_ = (call);					\
		if (err_) {						\
			err = err_;					\
			EXPECT_EQ(call, 0);				\
		}							\
	} while (0)

static int try_alloc_pd(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(pair.ctx);

	return pd ? ibv_dealloc_pd(pd) : errno;
}

static int try_reg_mr(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pair.a.pd, pair.a.buf, 4096,
				       IBV_ACCESS_LOCAL_WRITE);

	return mr ? ibv_dereg_mr(mr) : errno;
}

static int try_create_ah(void)
{
	struct ibv_ah_attr attr = {
		.grh.dgid = pair.b.self.gid,
		.is_global = 1,
		.port_num = 1,
	};
	struct ibv_ah *ah = ibv_create_ah(pair.a.pd, &attr);

	return ah ? ibv_destroy_ah(ah) : errno;
}

static int try_create_cq(void)
{
	struct ibv_cq *cq = ibv_create_cq(pair.ctx, 16, NULL, NULL, 0);

	return cq ? ibv_destroy_cq(cq) : errno;
}

static int try_create_channel(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(pair.ctx);

	return channel ? ibv_destroy_comp_channel(channel) : errno;
}

static int try_create_qp(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = ibv_cq_ex_to_cq(pair.a.cq),
		.recv_cq = ibv_cq_ex_to_cq(pair.a.cq),
		.cap = { .max_send_wr = 4, .max_recv_wr = 4,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD,
	};
	struct ibv_qp *qp = ibv_create_qp(pair.a.pd, &attr);

	return qp ? ibv_destroy_qp(qp) : errno;
}

static int try_modify_qp(void)
{
	static enum ibv_qp_state next = IBV_QPS_SQD;
	struct ibv_qp_attr attr = { .qp_state = next };
	int err = ibv_modify_qp(pair.a.qp, &attr, IBV_QP_STATE);

	if (!err)
		next = next == IBV_QPS_SQD ? IBV_QPS_RTS : IBV_QPS_SQD;
	return err;
}

static int try_query_qp(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(pair.a.qp, &attr, IBV_QP_STATE, &init);
}

static int try_query_device(void)
{
	struct ibv_device_attr_ex attr;

	return ibv_query_device_ex(pair.ctx, NULL, &attr);
}

static int try_query_port(void)
{
	struct ibv_port_attr attr;

	return ibv_query_port(pair.ctx, 1, &attr);
}

/* Opens on the way: its first command is the one that may fail. */
static int try_open(void)
{
	struct ibv_context *ctx = ibv_open_device(pair.ctx->device);

	return ctx ? ibv_close_device(ctx) : errno;
}

/* Those that end an object leave it, so that it can be ended again. */
static int try_destroys(const char *name, int error)
{
	struct ibv_ah_attr attr = {
		.grh.dgid = pair.b.self.gid,
		.is_global = 1,
		.port_num = 1,
	};
	struct ibv_pd *pd = ibv_alloc_pd(pair.ctx);
	struct ibv_mr *mr = ibv_reg_mr(pd, pair.a.buf, 4096, 0);
	struct ibv_cq *cq = ibv_create_cq(pair.ctx, 16, NULL, NULL, 0);
	struct ibv_ah *ah = ibv_create_ah(pd, &attr);
	int err = 0;

	REQUIRE(pd && mr && cq && ah);
	fault_set("command name=%s errno=%d count=1", name, error);
	END(ibv_destroy_ah(ah));
	END(ibv_destroy_cq(cq));
	END(ibv_dereg_mr(mr));
	END(ibv_dealloc_pd(pd));
	fault_clear();
	return err;
}

static void check_create(const char *name, int (*attempt)(void), int error)
{
	expect_stage(name);
	EXPECT_EQ(attempt(), 0);
	fault_set("command name=%s nth=2 errno=%d", name, error);
	EXPECT_EQ(attempt(), 0);
	EXPECT_EQ(attempt(), error);
	EXPECT_EQ(attempt(), 0);
	fault_clear();
}

static void check_by_name(void)
{
	expect_stage("by the errno's name, for one device");
	fault_set("command name=alloc_pd errno=ENOMEM device=efa_1");
	EXPECT_EQ(try_alloc_pd(), 0);
	fault_clear();
	fault_set("command name=alloc_pd errno=ENOMEM device=efa_0");
	EXPECT_EQ(try_alloc_pd(), ENOMEM);
	fault_clear();
}

int main(void)
{
	static const char *const destroys[] = {
		"destroy_ah", "destroy_cq", "dereg_mr", "dealloc_pd",
	};
	struct endpoint_wish wish = endpoint_wish_default();
	size_t i;

	expect_deadline(60);
	two_qps_open(&pair, &wish);
	check_create("alloc_pd", try_alloc_pd, ENOMEM);
	check_create("reg_mr", try_reg_mr, ENOMEM);
	check_create("create_ah", try_create_ah, EIO);
	check_create("create_cq", try_create_cq, ENOMEM);
	check_create("create_comp_channel", try_create_channel, EMFILE);
	check_create("create_qp", try_create_qp, EOPNOTSUPP);
	check_create("modify_qp", try_modify_qp, EINVAL);
	check_create("query_qp", try_query_qp, EIO);
	check_create("query_device", try_query_device, ENODEV);
	check_create("query_port", try_query_port, EIO);
	check_create("open", try_open, ENOMEM);
	for (i = 0; i < sizeof(destroys) / sizeof(destroys[0]); i++) {
		expect_stage(destroys[i]);
		EXPECT_EQ(try_destroys(destroys[i], EBUSY), EBUSY);
	}
	check_by_name();
	two_qps_close(&pair);
	return expect_result();
}
