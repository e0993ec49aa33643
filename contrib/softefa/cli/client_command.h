/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Turns a process into the COMMAND of `softefa run`. */
#ifndef CLI_CLIENT_COMMAND_H
#define CLI_CLIENT_COMMAND_H

/*
 * Prepares the environment of a client of the daemon on @socket:
 * SOFTEFA_SOCKET, the shim at the end of LD_PRELOAD, and for programs built
 * with AddressSanitizer the permission to be preloaded into. 0, or -ENOENT
 * when the shim is not found; a complaint has then been made.
 */
int client_command_prepare(const char *socket);

/*
 * Looks whether the shim can get into the program @name (found along PATH
 * as execvp() does). 0: it can or @name does not exist; warns of a
 * statically linked one. -EPERM, with a complaint, for a program with
 * set-user-ID, set-group-ID, into which nothing is preloaded.
 */
int client_command_check(const char *name);

/* Executes @argv. Returns the exit status to end with when that fails. */
int client_command_exec(char **argv);

#endif /* CLI_CLIENT_COMMAND_H */
