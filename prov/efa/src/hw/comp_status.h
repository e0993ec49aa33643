/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a completion status means, in words. The error number that an
 * application gets for it is libfabric's business: fabric/comp_error.
 */
#ifndef HW_COMP_STATUS_H
#define HW_COMP_STATUS_H

#include <stdint.h>

/*
 * What happened and what to do, in one line without a newline; the same
 * for every status this file does not know. Static, never NULL.
 */
const char *hw_comp_status_text(uint8_t status);

#endif /* HW_COMP_STATUS_H */
