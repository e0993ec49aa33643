/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The options --fault and --faults: faults that a daemon starts with. */
#ifndef CLI_FAULT_OPTIONS_H
#define CLI_FAULT_OPTIONS_H

struct fault_options {
	char **text;		/* each one checked */
	unsigned count;
};

/*
 * Adds the fault @text, or each line of the file @path that is not empty and
 * no comment (#). -EINVAL when one is wrong or the file cannot be read; a
 * complaint, with the line's number, has then been made. What was added
 * lives as long as the process.
 */
int fault_options_add(struct fault_options *faults, const char *text);
int fault_options_add_file(struct fault_options *faults, const char *path);

#endif /* CLI_FAULT_OPTIONS_H */
