/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What two processes do with two endpoints: messages and RDMA, both ways. */
#ifndef TEST_PEER_EXCHANGE_H
#define TEST_PEER_EXCHANGE_H

/*
 * One side of it, on device @device; @oob leads to the other. Exchanges
 * @rounds windows of messages and, where the device has it, RDMA of 1 MiB,
 * and checks every byte. @mine, @theirs: seeds of the two sides' data.
 */
void peer_exchange(int oob, unsigned device, unsigned rounds, unsigned mine,
		   unsigned theirs);

#endif /* TEST_PEER_EXCHANGE_H */
