/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef CLI_TRACE_FILE_H
#define CLI_TRACE_FILE_H

/*
 * Opens the file @name for a trace, and creates it if need be; *@fd is the
 * caller's. What is in it stays: the daemon empties it when it starts. -EIO,
 * after a complaint.
 */
int trace_file_open(const char *name, int *fd);

#endif /* CLI_TRACE_FILE_H */
