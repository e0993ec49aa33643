/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabtests/fake_hmem/device_stand_in.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE		((uint64_t)sysconf(_SC_PAGESIZE))
#define REGIONS		64

/* Pages in one memfd: an allocation, or the part of one that was exported by
 * itself. */
static struct region {
	uint8_t *addr;		/* that the program knows; NULL: free */
	uint8_t *shadow;	/* where copies go */
	size_t len;
	int fd;
	bool is_exported;
	bool is_first;		/* of its allocation */
	bool is_host_mapped;	/* peer_memory */
} regions[REGIONS];

static void give_up(const char *what)
{
	fprintf(stderr, "fake_hmem: %s\n", what);
	_exit(1);
}

static struct region *find(const void *addr, size_t len)
{
	for (struct region *r = regions; r < regions + REGIONS; r++) {
		size_t at = (size_t)((const uint8_t *)addr - r->addr);

		if (r->addr && (const uint8_t *)addr >= r->addr &&
		    at <= r->len && len <= r->len - at)
			return r;
	}
	return NULL;
}

/* ---- accesses by the CPU ---- */

static void put_hex(char *text, uint64_t value)
{
	for (int i = 0; i < 16; i++)
		text[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
}

/* The access is repeated on return, and then ends the process, without
 * what libraries do on a SIGSEGV: one leaves a file behind. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	char line[] = "fake_hmem: the CPU touched device memory at 0x"
		      "0000000000000000\n";

	if (find(info->si_addr, 1)) {
		fake_hmem.host_accesses++;
		put_hex(line + sizeof(line) - 18, (uintptr_t)info->si_addr);
		if (write(2, line, sizeof(line) - 1) < 0)
			_exit(1);
	}
	sigaction(SIGSEGV, &(struct sigaction) { .sa_handler = SIG_DFL },
		  NULL);
}

static void watch_faults(void)
{
	struct sigaction action = {
		.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO,
	};
	static bool watching;

	if (!watching && sigaction(SIGSEGV, &action, NULL))
		give_up("cannot watch SIGSEGV");
	watching = true;
}

/* ---- memory ---- */

/* Lets @r be @len bytes of a new memfd, at its addresses. */
static void back(struct region *r, size_t len)
{
	int access = r->is_host_mapped ? PROT_READ | PROT_WRITE : PROT_NONE;

	r->len = len;
	r->fd = memfd_create("device memory", MFD_CLOEXEC);
	if (r->fd < 0 || ftruncate(r->fd, (off_t)len))
		give_up("no memfd");
	r->shadow = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
			 0);
	r->addr = mmap(r->addr, len, access,
		       MAP_SHARED | (r->addr ? MAP_FIXED : 0), r->fd, 0);
	if (r->shadow == MAP_FAILED || r->addr == MAP_FAILED)
		give_up("no memory");
}

static struct region *new_region(void)
{
	for (struct region *r = regions; r < regions + REGIONS; r++) {
		if (!r->addr) {
			*r = (struct region) { .fd = -1 };
			return r;
		}
	}
	give_up("too many allocations");
	return NULL;
}

static void *device_alloc(size_t len)
{
	struct region *r = new_region();

	watch_faults();
	r->is_first = true;
	r->is_host_mapped = fake_hmem.peer_memory;
	back(r, (len + PAGE - 1) & ~(PAGE - 1));
	return r->addr;
}

static void release(struct region *r)
{
	munmap(r->addr, r->len);
	munmap(r->shadow, r->len);
	close(r->fd);
	r->addr = NULL;
}

static void device_free(void *ptr)
{
	struct region *r = find(ptr, 1);
	uint8_t *end;

	if (!r || r->addr != ptr || !r->is_first)
		give_up("free of what was not allocated");
	do {
		end = r->addr + r->len;
		release(r);
		r = find(end, 1);
	} while (r && r->addr == end && !r->is_first);
}

static void copy(const void *device, void *host, size_t len, bool in)
{
	const uint8_t *at = device;
	struct region *r;
	size_t part;

	for (; len; len -= part) {
		r = find(at, 1);
		if (!r)
			give_up("copy of what was not allocated");
		part = r->len - (size_t)(at - r->addr);
		part = part < len ? part : len;
		if (in)
			memcpy(r->shadow + (at - r->addr), host, part);
		else
			memcpy(host, r->shadow + (at - r->addr), part);
		host = (uint8_t *)host + part;
		at += part;
	}
}

static void device_write(void *device, const void *host, size_t len)
{
	copy(device, (void *)(uintptr_t)host, len, true);
}

static void device_read(void *host, const void *device, size_t len)
{
	copy(device, host, len, false);
}

struct fake_hmem fake_hmem = {
	.alloc = device_alloc,
	.free = device_free,
	.write = device_write,
	.read = device_read,
};

/* ---- exports ---- */

static enum stand_in_result hand_out(struct region *r, int *fd)
{
	*fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 0);
	if (*fd < 0)
		give_up("no descriptor");
	r->is_exported = true;
	fake_hmem.exports++;
	return STAND_IN_OK;
}

/* @r ends where the new region begins, at @at. */
static struct region *split(struct region *r, size_t at)
{
	struct region *part = new_region();

	if (r->is_exported)
		give_up("exported in other portions before");
	part->addr = r->addr + at;
	part->is_host_mapped = r->is_host_mapped;
	back(part, r->len - at);
	memcpy(part->shadow, r->shadow + at, part->len);
	munmap(r->shadow + at, part->len);
	r->len = at;
	return part;
}

enum stand_in_result stand_in_export_pages(uint64_t addr, size_t len,
					   int *fd)
{
	struct region *r = find((void *)(uintptr_t)addr, len);

	if (!r || !len || addr % PAGE || len % PAGE)
		return STAND_IN_UNKNOWN;
	if (fake_hmem.no_dmabuf)
		return STAND_IN_UNSUPPORTED;
	if (addr != (uintptr_t)r->addr)
		r = split(r, addr - (uintptr_t)r->addr);
	return hand_out(r, fd);
}

enum stand_in_result stand_in_export_all(uint64_t addr, size_t len, int *fd,
					 uint64_t *offset)
{
	struct region *r = find((void *)(uintptr_t)addr, len);

	if (!r || !len)
		return STAND_IN_UNKNOWN;
	if (fake_hmem.no_dmabuf)
		return STAND_IN_UNSUPPORTED;
	*offset = addr - (uintptr_t)r->addr;
	return hand_out(r, fd);
}
