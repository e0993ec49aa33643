/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/fault_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complaint.h"
#include "engine/fault_plan.h"

#define SEE_MANUAL	"softefa(1), FAULTS, has them all"

static int keep(struct fault_options *faults, const char *text)
{
	char **grown;

	if (faults->count == FAULT_PLAN_MAX) {
		complain(NULL, "more than %u faults", FAULT_PLAN_MAX);
		return -EINVAL;
	}
	grown = realloc(faults->text,
			(faults->count + 1) * sizeof(*faults->text));
	if (grown)
		faults->text = grown;
	if (!grown || !(grown[faults->count] = strdup(text))) {
		complain(NULL, "out of memory");
		return -EINVAL;
	}
	faults->count++;
	return 0;
}

int fault_options_add(struct fault_options *faults, const char *text)
{
	char error[FAULT_ERROR_BYTES];
	struct fault_spec spec;

	if (!fault_spec_parse(text, &spec, error))
		return keep(faults, text);
	complain(SEE_MANUAL, "fault: %s", error);
	return -EINVAL;
}

static int add_line(struct fault_options *faults, const char *path,
		    unsigned number, char *line)
{
	size_t len = strcspn(line, "#\n");
	char error[FAULT_ERROR_BYTES];
	struct fault_spec spec;

	while (len && strchr(" \t\r", line[len - 1]))
		len--;
	line[len] = '\0';
	line += strspn(line, " \t");
	if (!*line)
		return 0;
	if (!fault_spec_parse(line, &spec, error))
		return keep(faults, line);
	complain(SEE_MANUAL, "%s:%u: %s", path, number, error);
	return -EINVAL;
}

int fault_options_add_file(struct fault_options *faults, const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned number = 0;
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	if (!file) {
		complain("name a file of faults, one a line",
			 "cannot read %s: %s", path, strerror(errno));
		return -EINVAL;
	}
	while (!ret && getline(&line, &size, file) >= 0)
		ret = add_line(faults, path, ++number, line);
	if (ferror(file)) {
		complain("name a file of faults, one a line",
			 "cannot read %s: %s", path, strerror(errno));
		ret = -EINVAL;
	}
	free(line);
	fclose(file);
	return ret;
}
