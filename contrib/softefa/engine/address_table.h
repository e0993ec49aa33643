/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Address handles: the device's numbers for GIDs. One PD has one number for
 * one GID, counted by how often it was created, so that the way back from a
 * GID (the ah field of a receive completion) is unambiguous. The engine.h
 * half is engine_ah_*: creating the same GID twice gives the same object,
 * which is to be destroyed twice.
 */
#ifndef ENGINE_ADDRESS_TABLE_H
#define ENGINE_ADDRESS_TABLE_H

#include <stdint.h>

#include "engine/engine.h"

/* The GID behind @pd's handle @number, or NULL; good until it is destroyed. */
const uint8_t *address_gid(const struct engine_pd *pd, uint16_t number);

/* @pd's number for @gid, or EFA_IO_AH_UNKNOWN. */
uint16_t address_number_of(const struct engine_pd *pd, const uint8_t gid[16]);

#endif /* ENGINE_ADDRESS_TABLE_H */
