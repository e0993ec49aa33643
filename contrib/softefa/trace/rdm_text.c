/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "trace/rdm_text.h"

#include <inttypes.h>
#include <string.h>

static void add_flags(struct text_line *line, const struct rdm_packet *packet)
{
	const char *separator = "", *name;
	unsigned bit;

	text_line_add(line, " flags=");
	for (bit = 0; bit < 16; bit++) {
		if (!(packet->flags & ~packet->unknown_flags & 1u << bit))
			continue;
		name = rdm_flag_name(packet->type, bit);
		if (name)
			text_line_add(line, "%s%s", separator, name);
		else
			text_line_add(line, "%sbit%u", separator, bit);
		separator = "|";
	}
	if (!*separator)
		text_line_add(line, "0");
	if (packet->unknown_flags)
		text_line_add(line, " unknown_flags=0x%x",
			      packet->unknown_flags);
}

/* The features behind a handshake's first word. */
static void add_features(struct text_line *line, uint64_t word)
{
	const char *separator = "(", *name;
	unsigned bit;

	for (bit = 0; bit < 64; bit++) {
		if (!(word >> bit & 1))
			continue;
		name = rdm_feature_name(bit);
		if (name)
			text_line_add(line, "%s%s", separator, name);
		else
			text_line_add(line, "%sunknown%u", separator, bit);
		separator = ",";
	}
	if (*separator == ',')
		text_line_add(line, ")");
}

static void add_field(struct text_line *line, const struct rdm_field *field)
{
	text_line_add(line, " %s", field->name);
	if (field->index)
		text_line_add(line, "[%u]", field->index - 1u);
	if (field->is_hex)
		text_line_add(line, "=0x%" PRIx64, field->value);
	else
		text_line_add(line, "=%" PRIu64, field->value);
	if (field->index == 1 && !strcmp(field->name, "extra_info"))
		add_features(line, field->value);
}

void rdm_text_add(struct text_line *line, const struct rdm_packet *packet)
{
	unsigned i;

	if (packet->name)
		text_line_add(line, " rdm=%s", packet->name);
	else
		text_line_add(line, " rdm=unknown type=%u", packet->type);
	if (packet->version != RDM_VERSION)
		text_line_add(line, " version=%u", packet->version);
	add_flags(line, packet);
	for (i = 0; i < packet->field_count; i++)
		add_field(line, &packet->field[i]);
	if (packet->gid) {
		text_line_add(line, " raw_gid=");
		text_line_add_gid(line, packet->gid);
	}
	if (packet->data_bytes)
		text_line_add(line, " data=%u", packet->data_bytes);
	if (packet->problem)
		text_line_add(line, " problem=\"%s\"", packet->problem);
}
