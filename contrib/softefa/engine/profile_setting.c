/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/profile_setting.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name;
	uint32_t bit;
} caps[] = {
	{ "rdma-read", DEVICE_CAP_RDMA_READ },
	{ "rnr-retry", DEVICE_CAP_RNR_RETRY },
	{ "cq-notifications", DEVICE_CAP_CQ_NOTIFICATIONS },
	{ "cq-with-sgid", DEVICE_CAP_CQ_WITH_SGID },
	{ "data-polling-128", DEVICE_CAP_DATA_POLLING_128 },
	{ "rdma-write", DEVICE_CAP_RDMA_WRITE },
	{ "unsolicited-write-recv", DEVICE_CAP_UNSOLICITED_WRITE_RECV },
	{ "cq-with-ext-mem", DEVICE_CAP_CQ_WITH_EXT_MEM },
	{ "comp-cntr", DEVICE_CAP_COMP_CNTR },
	{ "sq-64-bit-req-id", DEVICE_CAP_SQ_64_BIT_REQ_ID },
};

/*
 * The bounds are those of the descriptors, of the numbers that name the
 * objects, and of the engine's rings.
 */
#define LIMIT(name_, field, least_, most_)				\
	{ name_, offsetof(struct device_profile, field),		\
	  sizeof(((struct device_profile *)0)->field), least_, most_ }

static const struct limit {
	const char *name;
	size_t offset;
	size_t bytes;
	uint32_t least, most;
} limits[] = {
	LIMIT("max_qp", max_qp, 1, 32768),
	LIMIT("max_cq", max_cq, 1, 32766),
	LIMIT("max_mr", max_mr, 1, 1u << 23),
	LIMIT("max_mr_pages", max_mr_pages, 1, 1u << 30),
	LIMIT("max_pd", max_pd, 1, 32768),
	LIMIT("max_ah", max_ah, 1, 32766),
	LIMIT("max_cqe", max_cqe, 1, 32768),
	LIMIT("max_sq_wr", max_sq_wr, 1, 32768),
	LIMIT("max_rq_wr", max_rq_wr, 1, 32768),
	LIMIT("max_sq_sge", max_sq_sge, 1, 2),
	LIMIT("max_rq_sge", max_rq_sge, 1, 16),
	LIMIT("max_wr_rdma_sge", max_wr_rdma_sge, 1, 1),
	LIMIT("max_rdma_size", max_rdma_size, 1, 1u << 31),
	LIMIT("inline_buf_size", inline_buf_size, 0, 32),
	LIMIT("inline_buf_size_ex", inline_buf_size_ex, 0, 80),
	LIMIT("max_llq_size", max_llq_size, 4096, 1u << 22),
	LIMIT("max_tx_batch", max_tx_batch, 0, UINT16_MAX),
	LIMIT("min_sq_wr", min_sq_wr, 0, 32768),
	LIMIT("mtu", mtu, 256, 16384),
	LIMIT("comp_vectors", num_comp_vectors, 0, 1024),
	LIMIT("max_comp_cntr", max_comp_cntr, 1, 32766),
};

/* Appends to @text, which is terminated; what does not fit is cut off. */
__attribute__((format(printf, 3, 4)))
static void append(char *text, size_t text_bytes, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, text_bytes - used, format, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3)))
static int refuse(struct setting_error *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->what, sizeof(error->what), format, args);
	va_end(args);
	return -EINVAL;
}

/* The next item of *@list, up to a comma; false at the end. */
static bool next_item(const char **list, const char **item, size_t *len)
{
	if (!**list)
		return false;
	*item = *list;
	*len = strcspn(*list, ",");
	*list += *len;
	if (**list)
		++*list;
	return true;
}

static bool is_name(const char *name, const char *item, size_t len)
{
	return strlen(name) == len && !memcmp(name, item, len);
}

static int refuse_cap(struct setting_error *error, const char *item,
		      size_t len)
{
	snprintf(error->remedy, sizeof(error->remedy), "+name or -name of: ");
	profile_print_caps(UINT32_MAX, error->remedy + strlen(error->remedy),
			   sizeof(error->remedy) - strlen(error->remedy));
	return refuse(error, "no capability '%.*s'", (int)len, item);
}

int profile_set_caps(struct device_profile *profile, const char *list,
		     struct setting_error *error)
{
	const char *item;
	bool is_off;
	size_t len, i;

	while (next_item(&list, &item, &len)) {
		is_off = *item == '-';
		if (len && (*item == '-' || *item == '+')) {
			item++;
			len--;
		}
		for (i = 0; i < ARRAY_LEN(caps); i++)
			if (is_name(caps[i].name, item, len))
				break;
		if (i == ARRAY_LEN(caps))
			return refuse_cap(error, item, len);
		if (is_off)
			profile->device_caps &= ~caps[i].bit;
		else
			profile->device_caps |= caps[i].bit;
	}
	return 0;
}

static uint32_t limit_get(const struct device_profile *profile,
			  const struct limit *limit)
{
	const uint8_t *field = (const uint8_t *)profile + limit->offset;
	uint16_t half;
	uint32_t word;

	if (limit->bytes == sizeof(half)) {
		memcpy(&half, field, sizeof(half));
		return half;
	}
	assert(limit->bytes == sizeof(word));
	memcpy(&word, field, sizeof(word));
	return word;
}

static void limit_set(struct device_profile *profile,
		      const struct limit *limit, uint32_t word)
{
	uint8_t *field = (uint8_t *)profile + limit->offset;
	uint16_t half = (uint16_t)word;

	if (limit->bytes == sizeof(half))
		memcpy(field, &half, sizeof(half));
	else
		memcpy(field, &word, sizeof(word));
}

static int refuse_limit(struct setting_error *error, const char *item,
			size_t len)
{
	snprintf(error->remedy, sizeof(error->remedy),
		 "name=number, the name one of:");
	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		append(error->remedy, sizeof(error->remedy), " %s",
		       limits[i].name);
	return refuse(error, "no limit '%.*s'", (int)len, item);
}

/* A number alone up to the comma or the end; false: anything else. */
static bool read_number(const char *text, uint64_t *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 0);
	return !errno && (*end == '\0' || *end == ',');
}

static int set_limit(struct device_profile *profile, const char *item,
		     size_t len, struct setting_error *error)
{
	size_t name_len = strcspn(item, "=,"), i;
	const struct limit *limit = NULL;
	uint64_t number;

	for (i = 0; i < ARRAY_LEN(limits); i++)
		if (is_name(limits[i].name, item, name_len))
			limit = &limits[i];
	if (!limit)
		return refuse_limit(error, item, name_len);
	if (item[name_len] != '=' ||
	    !read_number(item + name_len + 1, &number) ||
	    number < limit->least || number > limit->most) {
		snprintf(error->remedy, sizeof(error->remedy),
			 "%s=number, from %u to %u", limit->name,
			 limit->least, limit->most);
		return refuse(error, "bad limit '%.*s'", (int)len, item);
	}
	limit_set(profile, limit, (uint32_t)number);
	return 0;
}

int profile_set_limits(struct device_profile *profile, const char *list,
		       struct setting_error *error)
{
	const char *item;
	size_t len;
	int err;

	while (next_item(&list, &item, &len)) {
		err = set_limit(profile, item, len, error);
		if (err)
			return err;
	}
	return 0;
}

int profile_set_rules(struct device_profile *profile, const char *list,
		      struct setting_error *error)
{
	const char *item;
	size_t len;

	while (next_item(&list, &item, &len)) {
		if (is_name("target-ah=on", item, len)) {
			profile->rdma_without_ah = false;
		} else if (is_name("target-ah=off", item, len)) {
			profile->rdma_without_ah = true;
		} else {
			snprintf(error->remedy, sizeof(error->remedy),
				 "target-ah=on or target-ah=off");
			return refuse(error, "no rule '%.*s'", (int)len, item);
		}
	}
	return 0;
}

static int contradict(struct setting_error *error, const char *remedy,
		      const char *what)
{
	snprintf(error->remedy, sizeof(error->remedy), "%s", remedy);
	return refuse(error, "%s", what);
}

static uint32_t round_up_pow2(uint32_t n)
{
	uint32_t power = 1;

	while (power < n)
		power <<= 1;
	return power;
}

int profile_check(const struct device_profile *p, struct setting_error *error)
{
	uint32_t least_depth = round_up_pow2(p->min_sq_wr);
	uint32_t wqe_bytes = p->inline_buf_size_ex ? 128 : 64;

	if (least_depth > p->max_sq_wr)
		return contradict(error, "raise max_sq_wr or lower min_sq_wr",
				  "min_sq_wr, rounded up to a power of two, is above max_sq_wr");
	if ((uint64_t)least_depth * wqe_bytes > p->max_llq_size)
		return contradict(error, "raise max_llq_size or lower min_sq_wr",
				  "max_llq_size has no room for min_sq_wr entries of 64, or with inline_buf_size_ex 128, bytes");
	if (p->inline_buf_size_ex &&
	    p->inline_buf_size_ex < p->inline_buf_size)
		return contradict(error, "0, or at least inline_buf_size",
				  "inline_buf_size_ex, of the larger entry, is below inline_buf_size");
	if (p->max_tx_batch == 1 && p->inline_buf_size_ex)
		return contradict(error, "max_tx_batch=2 or more, or inline_buf_size_ex=0",
				  "max_tx_batch=1, 64 bytes, is less than one entry of 128 bytes");
	if (!p->num_comp_vectors &&
	    (p->device_caps & DEVICE_CAP_CQ_NOTIFICATIONS))
		return contradict(error, "add --caps -cq-notifications, or more vectors",
				  "comp_vectors=0 leaves no interrupt for cq-notifications");
	return 0;
}

void profile_print_caps(uint32_t bits, char *text, size_t text_bytes)
{
	assert(text_bytes);
	*text = '\0';
	for (size_t i = 0; i < ARRAY_LEN(caps); i++) {
		if (bits & caps[i].bit)
			append(text, text_bytes, "%s%s", *text ? " " : "",
			       caps[i].name);
	}
}

void profile_print_limits(const struct device_profile *profile, char *text,
			  size_t text_bytes)
{
	assert(text_bytes);
	*text = '\0';
	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		append(text, text_bytes, "%s%s=%u", *text ? " " : "",
		       limits[i].name, limit_get(profile, &limits[i]));
}
