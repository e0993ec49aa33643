/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* fi_tsend, fi_trecv and their variants, of an enabled RDM endpoint. */
#ifndef RDM_API_TAGGED_H
#define RDM_API_TAGGED_H

#include <rdma/fi_tagged.h>

extern struct fi_ops_tagged rdm_tagged_ops;

#endif /* RDM_API_TAGGED_H */
