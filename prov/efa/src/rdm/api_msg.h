/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* fi_send, fi_recv and their variants, of an enabled RDM endpoint. */
#ifndef RDM_API_MSG_H
#define RDM_API_MSG_H

#include <rdma/fi_endpoint.h>

extern struct fi_ops_msg rdm_msg_ops;

#endif /* RDM_API_MSG_H */
