/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdarg.h>
#include <stdio.h>

#include "daemon/device_counter.h"
#include "daemon/fault_log.h"
#include "daemon/show_text.h"
#include "engine/profile_setting.h"

struct writer {
	char *text;
	size_t used;
	size_t size;
};

__attribute__((format(printf, 2, 3)))
static void write_text(struct writer *writer, const char *format, ...)
{
	size_t room = writer->size - writer->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(writer->text + writer->used, room, format, args);
	va_end(args);
	if (n > 0)
		writer->used += (size_t)n < room ? (size_t)n :
				room ? room - 1 : 0;
}

static void write_counters(struct writer *writer,
			   const struct engine_device *device)
{
	struct named_counter row[DEVICE_COUNTERS];

	device_counter_read(device, row);
	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		write_text(writer, "    %-18s %llu\n", row[i].name,
			   (unsigned long long)row[i].value);
}

static void write_profile(struct writer *writer,
			  const struct device_profile *profile)
{
	char caps[256], limits[640];

	profile_print_caps(profile->device_caps, caps, sizeof(caps));
	profile_print_limits(profile, limits, sizeof(limits));
	write_text(writer, "    profile %s\n    caps %s\n    limits %s\n",
		   profile->name, caps, limits);
	if (profile->rdma_without_ah)
		write_text(writer, "    rule target-ah=off\n");
	if (profile->qpn_start)
		write_text(writer, "    qpn-start %u\n", profile->qpn_start);
	if (profile->qpn_reuse_first)
		write_text(writer, "    qpn-reuse first\n");
}

static void write_devices(struct writer *writer,
			  const struct emulated_devices *devices)
{
	for (unsigned i = 0; i < devices->count; i++) {
		const struct emulated_device *device = &devices->device[i];
		const struct softefa_device_entry *entry = &device->entry;

		write_text(writer,
			   "device %s\n    %s at %s\n    gid %s\n",
			   entry->ibdev, entry->uverbs, entry->pci,
			   entry->gid);
		write_profile(writer, device->profile);
		write_counters(writer, device->engine);
	}
}

static void write_clients(struct writer *writer,
			  const struct session_list *sessions)
{
	const struct uverbs_context *ctx;

	for (unsigned i = 0; (ctx = session_list_context(sessions, i)); i++)
		write_text(writer,
			   "client pid %d (%s) on %s: %u objects, "
			   "%u completion channels\n",
			   (int)ctx->client->pid, ctx->client->name,
			   ctx->device->entry.ibdev, ctx->handles.used,
			   ctx->channel_count);
}

static void write_faults(struct writer *writer)
{
	unsigned age = 0;

	write_text(writer, "faults of clients: %llu\n",
		   (unsigned long long)fault_log_count());
	while (fault_log_line(age))
		age++;
	while (age--)
		write_text(writer, "    %s\n", fault_log_line(age));
}

size_t show_text_write(const struct emulated_devices *devices,
		       const struct session_list *sessions, char *text,
		       size_t text_bytes)
{
	struct writer writer = { text, 0, text_bytes };

	write_devices(&writer, devices);
	write_text(&writer, "connections: %u\n",
		   session_list_count(sessions));
	write_clients(&writer, sessions);
	write_faults(&writer);
	return writer.used;
}
