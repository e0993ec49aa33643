/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/iface_select.h"

#include <stdio.h>
#include <string.h>

#include "compat/log.h"

static struct fi_provider *iface_provider;

void fabric_iface_define(struct fi_provider *provider)
{
	iface_provider = provider;
	fi_param_define(provider, "iface", FI_PARAM_STRING,
			"EFA devices to use, by the names ibv_devices shows, "
			"separated by commas; \"all\" for every one "
			"(default: all)");
}

const char *fabric_iface_value(void)
{
	char *value = NULL;

	if (!iface_provider ||
	    fi_param_get_str(iface_provider, "iface", &value))
		return NULL;
	return value;
}

/* The next name of a list separated by commas; false at its end. */
static bool next_name(const char **list, const char **name, size_t *len)
{
	const char *at = *list + strspn(*list, ", ");

	*name = at;
	*len = strcspn(at, ", ");
	*list = at + *len;
	return *len > 0;
}

static bool names_device(const char *name, size_t len,
			 const struct dev_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		if (strlen(list->device[i].name) == len &&
		    !strncmp(list->device[i].name, name, len))
			return true;
	}
	return false;
}

bool fabric_iface_selects(const char *value, const char *name)
{
	const char *at;
	size_t len;

	if (!value || !strcmp(value, "all"))
		return true;
	while (next_name(&value, &at, &len)) {
		if (strlen(name) == len && !strncmp(at, name, len))
			return true;
	}
	return false;
}

static void log_names(const char *what, int what_len,
		      const struct dev_list *list)
{
	char names[256] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < list->count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 " %s", list->device[i].name);
	compat_warn_once(FI_LOG_CORE, "FI_EFA_IFACE names \"%.*s\", which is "
			 "no EFA device, so none is offered; choose of:%s, "
			 "or unset it", what_len, what, names);
}

bool fabric_iface_check(const char *value, const struct dev_list *list)
{
	const char *rest = value, *name;
	bool any = false;
	size_t len;

	if (!value || !strcmp(value, "all"))
		return true;
	while (next_name(&rest, &name, &len)) {
		any = true;
		if (!names_device(name, len, list)) {
			log_names(name, (int)len, list);
			return false;
		}
	}
	if (!any)
		log_names("", 0, list);
	return any;
}
