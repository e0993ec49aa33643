/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Prints what the provider takes beside operations, found by trying every
 * number: options of endpoints, commands of fi_control, tables of
 * fi_open_ops and variables of the environment, one a line. For
 * fabtests/functional/provider_page.sh, which compares it with the manual
 * page. A number whose name is not known here is printed as that.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <rdma/fi_ext_efa.h>
#include <rdma/providers/fi_prov.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define OPTIONS_OF_API	64	/* numbers from 0 that are tried */
#define OPTIONS_OF_EFA	32	/* and from the provider's own first */
#define COMMANDS	64

static struct fab_endpoint e;

struct name {
	int number;
	const char *name;
};

/* Newer than the libfabric that this is built with, some of them. */
static const struct name options[] = {
	{ 8, "FI_OPT_FI_HMEM_P2P" }, { 10, "FI_OPT_CUDA_API_PERMITTED" },
	{ 11, "FI_OPT_SHARED_MEMORY_PERMITTED" },
	{ 12, "FI_OPT_MAX_MSG_SIZE" }, { 13, "FI_OPT_MAX_TAGGED_SIZE" },
	{ 14, "FI_OPT_MAX_RMA_SIZE" }, { 15, "FI_OPT_MAX_ATOMIC_SIZE" },
	{ 16, "FI_OPT_INJECT_MSG_SIZE" }, { 17, "FI_OPT_INJECT_TAGGED_SIZE" },
	{ 18, "FI_OPT_INJECT_RMA_SIZE" }, { 19, "FI_OPT_INJECT_ATOMIC_SIZE" },
	{ FI_OPT_MIN_MULTI_RECV, "FI_OPT_MIN_MULTI_RECV" },
#define OF_EFA(number, name) \
	{ FAB_OPT_EFA_RNR_RETRY + (number), "FI_OPT_EFA_" name }
	OF_EFA(0, "RNR_RETRY"),
	OF_EFA(1, "EMULATED_READ"),
	OF_EFA(2, "EMULATED_WRITE"),
	OF_EFA(3, "EMULATED_ATOMICS"),
	OF_EFA(4, "USE_DEVICE_RDMA"),
	OF_EFA(5, "SENDRECV_IN_ORDER_ALIGNED_128_BYTES"),
	OF_EFA(6, "WRITE_IN_ORDER_ALIGNED_128_BYTES"),
	OF_EFA(7, "HOMOGENEOUS_PEERS"),
	OF_EFA(8, "USE_UNSOLICITED_WRITE_RECV"),
};

#define OWN(command) { command, #command }
static const struct name commands[] = {
	OWN(FI_GETFIDFLAG), OWN(FI_SETFIDFLAG), OWN(FI_GETOPSFLAG),
	OWN(FI_SETOPSFLAG), OWN(FI_ALIAS), OWN(FI_GETWAIT), OWN(FI_ENABLE),
	OWN(FI_BACKLOG), OWN(FI_GET_RAW_MR), OWN(FI_MAP_RAW_MR),
	OWN(FI_UNMAP_KEY), OWN(FI_QUEUE_WORK), OWN(FI_CANCEL_WORK),
	OWN(FI_FLUSH_WORK), OWN(FI_REFRESH), OWN(FI_DUP),
	OWN(FI_GETWAITOBJ), OWN(FI_GET_VAL), OWN(FI_SET_VAL),
	OWN(FI_EXPORT_FID),
};

static const char *name_of(const struct name *names, size_t count, int number)
{
	static char text[32];

	for (size_t i = 0; i < count; i++)
		if (names[i].number == number)
			return names[i].name;
	snprintf(text, sizeof(text), "%d", number);
	return text;
}

/* The length that fi_setopt does not find wrong; 0: none, or no option. */
static size_t length_to_set(struct fid_ep *ep, int option)
{
	static const size_t lengths[] = { sizeof(bool), sizeof(int),
					  sizeof(size_t) };
	union {
		size_t number;
		int choice;
		bool truth;
	} value;

	for (size_t i = 0; i < 3; i++) {
		memset(&value, 0, sizeof(value));
		if (lengths[i] == sizeof(bool))
			value.truth = true;
		if (fi_setopt(&ep->fid, FI_OPT_ENDPOINT, option, &value,
			      lengths[i]) != -FI_EINVAL)
			return lengths[i];
	}
	return 0;
}

static const char *type_of(size_t length)
{
	switch (length) {
	case sizeof(bool):
		return "bool";
	case sizeof(int):
		return "int";
	case sizeof(size_t):
		return "size_t";
	default:
		return "unknown";
	}
}

static void try_option(struct fid_ep *ep, int option)
{
	size_t get = 0, set = 0, none = 0;
	char byte = 0;

	if (fi_getopt(&ep->fid, FI_OPT_ENDPOINT, option, &byte, &none) ==
	    -FI_ETOOSMALL)
		get = none;
	/* nothing is three bytes long */
	if (fi_setopt(&ep->fid, FI_OPT_ENDPOINT, option, &byte, 3) ==
	    -FI_EINVAL)
		set = length_to_set(ep, option);
	if (!get && !set)
		return;
	EXPECT(!get || !set || get == set);
	printf("option %s %s%s%s\n",
	       name_of(options, sizeof(options) / sizeof(*options), option),
	       type_of(get ? get : set), get ? " get" : "",
	       set ? " set" : "");
}

static void print_variable(const char *provider, const char *name)
{
	printf("variable FI_");
	for (; *provider; provider++)
		putchar(toupper(*provider));
	putchar('_');
	for (; *name; name++)
		putchar(toupper(*name));
	putchar('\n');
}

/*
 * Before libfabric's, to see the variables of the plugin alone: an efa
 * provider inside libfabric has some of the same prefix.
 */
int fi_param_define(const struct fi_provider *provider, const char *name,
		    enum fi_param_type type, const char *format, ...)
{
	int (*define)(const struct fi_provider *, const char *,
		      enum fi_param_type, const char *, ...);
	char help[2048];
	Dl_info caller;
	va_list args;

	if (dladdr(__builtin_return_address(0), &caller) &&
	    strstr(caller.dli_fname, "libefa-fi.so"))
		print_variable(provider->name, name);
	*(void **)&define = dlsym(RTLD_NEXT, "fi_param_define");
	REQUIRE(define);
	va_start(args, format);
	vsnprintf(help, sizeof(help), format, args);
	va_end(args);
	return define(provider, name, type, "%s", help);
}

static void print_options_of(struct fab_endpoint *of)
{
	struct fid_ep *ep;

	REQUIRE_EQ(fi_endpoint(of->domain, of->info, &ep, NULL), 0);
	for (int i = 0; i < OPTIONS_OF_API; i++)
		try_option(ep, i);
	for (int i = -1; i < OPTIONS_OF_EFA; i++)
		try_option(ep, FAB_OPT_EFA_RNR_RETRY + i);
	EXPECT_EQ(fi_close(&ep->fid), 0);
}

/* Those of each kind of endpoint. */
static void print_options(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint rdm;

	print_options_of(&e);
	wish.fabric = "efa";
	fab_open(&rdm, &wish);
	print_options_of(&rdm);
	fab_close(&rdm);
}

static void print_commands_of(struct fid *fid, const char *object)
{
	uint64_t arg[32];

	for (int i = 0; i < COMMANDS; i++) {
		memset(arg, 0, sizeof(arg));
		/* which flags an endpoint is asked for */
		arg[0] = FI_TRANSMIT;
		if (fi_control(fid, i, arg) == -FI_ENOSYS)
			continue;
		printf("control %s %s\n", object,
		       name_of(commands, sizeof(commands) / sizeof(*commands),
			       i));
	}
}

static void print_commands(void)
{
	struct fi_cntr_attr cntr_attr = { .wait_obj = FI_WAIT_NONE };
	struct fi_eq_attr eq_attr = { .wait_obj = FI_WAIT_FD };
	struct fid_cntr *cntr;
	struct fid_eq *eq;

	REQUIRE_EQ(fi_cntr_open(e.domain, &cntr_attr, &cntr, NULL), 0);
	REQUIRE_EQ(fi_eq_open(e.fabric, &eq_attr, &eq, NULL), 0);
	print_commands_of(&e.ep->fid, "endpoint");
	print_commands_of(&e.cq->fid, "completion_queue");
	print_commands_of(&eq->fid, "event_queue");
	print_commands_of(&cntr->fid, "counter");
	print_commands_of(&e.mr->fid, "memory_region");
	print_commands_of(&e.av->fid, "address_vector");
	print_commands_of(&e.domain->fid, "domain");
	print_commands_of(&e.fabric->fid, "fabric");
	EXPECT_EQ(fi_close(&cntr->fid), 0);
	EXPECT_EQ(fi_close(&eq->fid), 0);
}

static void print_tables(void)
{
	static const struct {
		const char *name, *text;
	} tables[] = {
		{ "FI_EFA_FEATURE_OPS", FI_EFA_FEATURE_OPS },
		{ "FI_EFA_DOMAIN_OPS", FI_EFA_DOMAIN_OPS },
		{ "FI_EFA_GDA_OPS", FI_EFA_GDA_OPS },
	};
	void *ops;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		if (!fi_open_ops(&e.fabric->fid, tables[i].text, 0, &ops,
				 NULL))
			printf("ops fabric %s\n", tables[i].name);
		if (!fi_open_ops(&e.domain->fid, tables[i].text, 0, &ops,
				 NULL))
			printf("ops domain %s\n", tables[i].name);
	}
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	expect_deadline(60);
	wish.wait_obj = FI_WAIT_FD;
	fab_open(&e, &wish);
	if (fab_is_in_tree(e.info))
		expect_skip("this provider: another one was loaded");
	print_options();
	print_commands();
	print_tables();
	fab_close(&e);
	return expect_result();
}
