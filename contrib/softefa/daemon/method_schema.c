/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stddef.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "daemon/efa_abi.h"
#include "daemon/method_schema.h"

/* In rdma-core 65, and not in every distribution's kernel headers. */
#define QUERY_PORT_SPEED_METHOD		7
#define QUERY_PORT_SPEED_PORT		0
#define QUERY_PORT_SPEED_RESP		1
#define CREATE_CQ_BUFFER_VA		8
#define CREATE_CQ_BUFFER_LENGTH		9
#define CREATE_CQ_BUFFER_FD		10
#define CREATE_CQ_BUFFER_OFFSET		11

#define MUST	.mandatory = true

/* Exactly @bytes. */
#define IN(bytes)							\
	.kind = ATTR_IN, .min_bytes = (bytes), .max_bytes = (bytes)
#define OUT(bytes)							\
	.kind = ATTR_OUT, .min_bytes = (bytes), .max_bytes = (bytes)
/* From @least to the length @known; longer when zero beyond that. */
#define IN_STRUCT(least, known)						\
	.kind = ATTR_IN, .min_bytes = (least), .max_bytes = (known),	\
	.zero_beyond = true
#define OUT_STRUCT(least, known)					\
	.kind = ATTR_OUT, .min_bytes = (least), .max_bytes = (known),	\
	.zero_beyond = true
/* From @least to @most. */
#define IN_RANGE(least, most)						\
	.kind = ATTR_IN, .min_bytes = (least), .max_bytes = (most)
#define OUT_FROM(least)							\
	.kind = ATTR_OUT, .min_bytes = (least), .max_bytes = UINT16_MAX
#define OBJECT(type)	.kind = ATTR_HANDLE, .handle = (type)
#define NEW(type)	.kind = ATTR_NEW_HANDLE, .handle = (type)

#define UHW								\
	[ATTR_SLOT(UVERBS_ATTR_UHW_IN)] = { IN_RANGE(0, UINT16_MAX) },	\
	[ATTR_SLOT(UVERBS_ATTR_UHW_OUT)] = { OUT_FROM(0) }

/* A destroy method whose only attribute is the object. */
#define DESTROY(text, object_id, method_id, type)			\
	{ .name = text, .object = object_id, .method = method_id,	\
	  .attr = { [0] = { OBJECT(type), MUST } } }

static const struct method_schema schemas[METHOD_COUNT] = {
	[METHOD_INVOKE_WRITE] = {
		.name = "INVOKE_WRITE",
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_INVOKE_WRITE,
		.attr = {
			[UVERBS_ATTR_CORE_IN] = { IN_RANGE(4, UINT16_MAX) },
			[UVERBS_ATTR_CORE_OUT] = { OUT_FROM(0) },
			[UVERBS_ATTR_WRITE_CMD] = { IN(8), MUST },
			UHW,
		},
	},
	[METHOD_QUERY_PORT] = {
		.name = "QUERY_PORT",
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_QUERY_PORT,
		.attr = {
			[UVERBS_ATTR_QUERY_PORT_PORT_NUM] = { IN(8), MUST },
			[UVERBS_ATTR_QUERY_PORT_RESP] = {
				OUT_STRUCT(48, 48), MUST },
		},
	},
	[METHOD_GET_CONTEXT] = {
		.name = "GET_CONTEXT",
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_GET_CONTEXT,
		.attr = {
			[UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS] = { OUT(4) },
			[UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT] = { OUT(8) },
			UHW,
		},
	},
	[METHOD_QUERY_GID_TABLE] = {
		.name = "QUERY_GID_TABLE",
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_QUERY_GID_TABLE,
		.attr = {
			[UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE] = {
				IN(8), MUST },
			[UVERBS_ATTR_QUERY_GID_TABLE_FLAGS] = {
				IN_RANGE(4, 8), MUST },
			[UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES] = {
				OUT_FROM(0), MUST },
			[UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES] = {
				OUT(8), MUST },
		},
	},
	[METHOD_QUERY_GID_ENTRY] = {
		.name = "QUERY_GID_ENTRY",
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_QUERY_GID_ENTRY,
		.attr = {
			[UVERBS_ATTR_QUERY_GID_ENTRY_PORT] = {
				IN_RANGE(4, 8), MUST },
			[UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX] = {
				IN_RANGE(4, 8), MUST },
			[UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS] = {
				IN_RANGE(4, 8), MUST },
			[UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY] = {
				OUT_STRUCT(32, 32), MUST },
		},
	},
	[METHOD_QUERY_PORT_SPEED] = {
		.name = "QUERY_PORT_SPEED",
		.object = UVERBS_OBJECT_DEVICE,
		.method = QUERY_PORT_SPEED_METHOD,
		.attr = {
			[QUERY_PORT_SPEED_PORT] = { IN_RANGE(4, 8), MUST },
			[QUERY_PORT_SPEED_RESP] = { OUT(8), MUST },
		},
	},
	[METHOD_PD_DESTROY] = DESTROY("PD_DESTROY", UVERBS_OBJECT_PD,
				      UVERBS_METHOD_PD_DESTROY, HANDLE_PD),
	[METHOD_CQ_CREATE] = {
		.name = "CQ_CREATE",
		.object = UVERBS_OBJECT_CQ,
		.method = UVERBS_METHOD_CQ_CREATE,
		.attr = {
			[UVERBS_ATTR_CREATE_CQ_HANDLE] = {
				NEW(HANDLE_CQ), MUST },
			[UVERBS_ATTR_CREATE_CQ_CQE] = { IN(4), MUST },
			[UVERBS_ATTR_CREATE_CQ_USER_HANDLE] = { IN(8), MUST },
			[UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL] = {
				.kind = ATTR_FD },
			[UVERBS_ATTR_CREATE_CQ_COMP_VECTOR] = { IN(4), MUST },
			[UVERBS_ATTR_CREATE_CQ_FLAGS] = { IN_RANGE(4, 8) },
			[UVERBS_ATTR_CREATE_CQ_RESP_CQE] = { OUT(4), MUST },
			[UVERBS_ATTR_CREATE_CQ_EVENT_FD] = { .kind = ATTR_FD },
			[CREATE_CQ_BUFFER_VA] = { IN(8) },
			[CREATE_CQ_BUFFER_LENGTH] = { IN(8) },
			[CREATE_CQ_BUFFER_FD] = { .kind = ATTR_FD },
			[CREATE_CQ_BUFFER_OFFSET] = { IN(8) },
			UHW,
		},
	},
	[METHOD_CQ_DESTROY] = {
		.name = "CQ_DESTROY",
		.object = UVERBS_OBJECT_CQ,
		.method = UVERBS_METHOD_CQ_DESTROY,
		.attr = {
			[UVERBS_ATTR_DESTROY_CQ_HANDLE] = {
				OBJECT(HANDLE_CQ), MUST },
			[UVERBS_ATTR_DESTROY_CQ_RESP] = { OUT(8), MUST },
		},
	},
	[METHOD_QP_CREATE] = {
		.name = "QP_CREATE",
		.object = UVERBS_OBJECT_QP,
		.method = UVERBS_METHOD_QP_CREATE,
		.attr = {
			[UVERBS_ATTR_CREATE_QP_HANDLE] = {
				NEW(HANDLE_QP), MUST },
			[UVERBS_ATTR_CREATE_QP_PD_HANDLE] = {
				OBJECT(HANDLE_PD) },
			[UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE] = {
				OBJECT(HANDLE_CQ) },
			[UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE] = {
				OBJECT(HANDLE_CQ) },
			[UVERBS_ATTR_CREATE_QP_USER_HANDLE] = { IN(8), MUST },
			[UVERBS_ATTR_CREATE_QP_CAP] = {
				IN_STRUCT(20, 20), MUST },
			[UVERBS_ATTR_CREATE_QP_TYPE] = { IN(8), MUST },
			[UVERBS_ATTR_CREATE_QP_FLAGS] = { IN_RANGE(4, 8) },
			[UVERBS_ATTR_CREATE_QP_SOURCE_QPN] = { IN(4) },
			[UVERBS_ATTR_CREATE_QP_EVENT_FD] = { .kind = ATTR_FD },
			[UVERBS_ATTR_CREATE_QP_RESP_CAP] = {
				OUT_STRUCT(20, 20), MUST },
			[UVERBS_ATTR_CREATE_QP_RESP_QP_NUM] = { OUT(4), MUST },
			UHW,
		},
	},
	[METHOD_QP_DESTROY] = {
		.name = "QP_DESTROY",
		.object = UVERBS_OBJECT_QP,
		.method = UVERBS_METHOD_QP_DESTROY,
		.attr = {
			[UVERBS_ATTR_DESTROY_QP_HANDLE] = {
				OBJECT(HANDLE_QP), MUST },
			[UVERBS_ATTR_DESTROY_QP_RESP] = { OUT(4), MUST },
		},
	},
	[METHOD_AH_DESTROY] = DESTROY("AH_DESTROY", UVERBS_OBJECT_AH,
				      UVERBS_METHOD_AH_DESTROY, HANDLE_AH),
	[METHOD_MR_DESTROY] = DESTROY("MR_DESTROY", UVERBS_OBJECT_MR,
				      UVERBS_METHOD_MR_DESTROY, HANDLE_MR),
	[METHOD_REG_DMABUF_MR] = {
		.name = "REG_DMABUF_MR",
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_REG_DMABUF_MR,
		.attr = {
			[UVERBS_ATTR_REG_DMABUF_MR_HANDLE] = {
				NEW(HANDLE_MR), MUST },
			[UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE] = {
				OBJECT(HANDLE_PD), MUST },
			[UVERBS_ATTR_REG_DMABUF_MR_OFFSET] = { IN(8), MUST },
			[UVERBS_ATTR_REG_DMABUF_MR_LENGTH] = { IN(8), MUST },
			[UVERBS_ATTR_REG_DMABUF_MR_IOVA] = { IN(8), MUST },
			[UVERBS_ATTR_REG_DMABUF_MR_FD] = { IN(4), MUST },
			[UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS] = {
				IN_RANGE(4, 8), MUST },
			[UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY] = {
				OUT(4), MUST },
			[UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY] = {
				OUT(4), MUST },
		},
	},
	[METHOD_EFA_MR_QUERY] = {
		.name = "EFA_MR_QUERY",
		.object = UVERBS_OBJECT_MR,
		.method = EFA_ABI_METHOD_MR_QUERY,
		.attr = {
			[ATTR_SLOT(EFA_ABI_ATTR_QUERY_MR_HANDLE)] = {
				OBJECT(HANDLE_MR), MUST },
			[ATTR_SLOT(EFA_ABI_ATTR_QUERY_MR_VALIDITY)] = {
				OUT(2), MUST },
			[ATTR_SLOT(EFA_ABI_ATTR_QUERY_MR_RECV_IC_ID)] = {
				OUT(2), MUST },
			[ATTR_SLOT(EFA_ABI_ATTR_QUERY_MR_READ_IC_ID)] = {
				OUT(2), MUST },
			[ATTR_SLOT(EFA_ABI_ATTR_QUERY_MR_RDMA_RECV_IC_ID)] = {
				OUT(2), MUST },
		},
	},
	[METHOD_ASYNC_EVENT_ALLOC] = {
		.name = "ASYNC_EVENT_ALLOC",
		.object = UVERBS_OBJECT_ASYNC_EVENT,
		.method = UVERBS_METHOD_ASYNC_EVENT_ALLOC,
		.attr = {
			[UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE] = {
				.kind = ATTR_NEW_FD, MUST },
		},
	},
	[METHOD_QUERY_COMP_CNTR_CAPS] = {
		.name = "QUERY_COMP_CNTR_CAPS",
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_ABI_METHOD_QUERY_CNTR_CAPS,
		.attr = {
			[UVERBS_ABI_CNTR_CAPS_MAX_COUNTERS] = { OUT(4), MUST },
			[UVERBS_ABI_CNTR_CAPS_MAX_VALUE] = { OUT(8), MUST },
			[UVERBS_ABI_CNTR_CAPS_OPS] = { OUT(4), MUST },
		},
	},
	[METHOD_QP_ATTACH_COMP_CNTR] = {
		.name = "QP_ATTACH_COMP_CNTR",
		.object = UVERBS_OBJECT_QP,
		.method = UVERBS_ABI_METHOD_QP_ATTACH_CNTR,
		.attr = {
			[UVERBS_ABI_ATTACH_QP] = { OBJECT(HANDLE_QP), MUST },
			[UVERBS_ABI_ATTACH_CNTR] = {
				OBJECT(HANDLE_COMP_CNTR), MUST },
			[UVERBS_ABI_ATTACH_OPS] = { IN_RANGE(4, 8), MUST },
		},
	},
	[METHOD_COMP_CNTR_CREATE] = {
		.name = "COMP_CNTR_CREATE",
		.object = UVERBS_ABI_OBJECT_COMP_CNTR,
		.method = UVERBS_ABI_METHOD_CNTR_CREATE,
		.attr = {
			[UVERBS_ABI_CNTR_HANDLE] = {
				NEW(HANDLE_COMP_CNTR), MUST },
			[ATTR_SLOT(EFA_ABI_ATTR_CNTR_COMP_BUFFER)] = {
				IN(32), MUST },
			[ATTR_SLOT(EFA_ABI_ATTR_CNTR_ERR_BUFFER)] = {
				IN(32), MUST },
		},
	},
	[METHOD_COMP_CNTR_DESTROY] =
		DESTROY("COMP_CNTR_DESTROY", UVERBS_ABI_OBJECT_COMP_CNTR,
			UVERBS_ABI_METHOD_CNTR_DESTROY, HANDLE_COMP_CNTR),
	[METHOD_COMP_CNTR_MODIFY] = {
		.name = "COMP_CNTR_MODIFY",
		.object = UVERBS_ABI_OBJECT_COMP_CNTR,
		.method = UVERBS_ABI_METHOD_CNTR_MODIFY,
		.attr = {
			[UVERBS_ABI_CNTR_HANDLE] = {
				OBJECT(HANDLE_COMP_CNTR), MUST },
			[UVERBS_ABI_CNTR_PART] = { IN(8), MUST },
			[UVERBS_ABI_CNTR_MODIFY_OP] = { IN(8), MUST },
			[UVERBS_ABI_CNTR_MODIFY_VALUE] = { IN(8), MUST },
		},
	},
	[METHOD_COMP_CNTR_READ] = {
		.name = "COMP_CNTR_READ",
		.object = UVERBS_ABI_OBJECT_COMP_CNTR,
		.method = UVERBS_ABI_METHOD_CNTR_READ,
		.attr = {
			[UVERBS_ABI_CNTR_HANDLE] = {
				OBJECT(HANDLE_COMP_CNTR), MUST },
			[UVERBS_ABI_CNTR_PART] = { IN(8), MUST },
			[UVERBS_ABI_CNTR_READ_VALUE] = { OUT(8), MUST },
		},
	},
};

const struct method_schema *method_schema_get(enum method_id id)
{
	return &schemas[id];
}

enum method_id method_schema_find(uint16_t object, uint16_t method)
{
	enum method_id id;

	for (id = 0; id < METHOD_COUNT; id++) {
		if (schemas[id].object == object &&
		    schemas[id].method == method)
			break;
	}
	return id;
}

const struct attr_spec *method_schema_attr(const struct method_schema *schema,
					   uint16_t attr_id)
{
	const struct attr_spec *spec;

	if (attr_id < ATTR_DRIVER_BASE ? attr_id >= ATTR_CORE_SLOTS :
	    attr_id - ATTR_DRIVER_BASE >= ATTR_DRIVER_SLOTS)
		return NULL;
	spec = &schema->attr[ATTR_SLOT(attr_id)];
	return spec->kind == ATTR_NONE ? NULL : spec;
}
