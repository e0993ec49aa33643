/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/client_command.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/complaint.h"
#include "protocol.h"

#define SHIM_FILE	"libsoftefa-shim.so"

/* Where it is beside the executable in a build tree, and installed. */
static const char *const shim_places[] = { "%s/.libs/" SHIM_FILE,
					   "%s/" SHIM_FILE };

static int find_shim(char path[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	self[len < 0 ? 0 : len] = '\0';
	if (strrchr(self, '/'))
		*strrchr(self, '/') = '\0';
	for (i = 0; i < sizeof(shim_places) / sizeof(shim_places[0]); i++) {
		if (snprintf(path, PATH_MAX, shim_places[i], self) < PATH_MAX &&
		    !access(path, R_OK))
			return 0;
	}
	strcpy(path, SOFTEFA_LIBDIR "/" SHIM_FILE);
	if (!access(path, R_OK))
		return 0;
	complain("run make, or make install", "no %s beside the executable "
		 "(%s/.libs) and none in %s", SHIM_FILE, self,
		 SOFTEFA_LIBDIR);
	return -ENOENT;
}

/* Whether @part is between separators of @list. */
static bool has_part(const char *list, const char *part)
{
	const char *separators = ": ";
	size_t len;

	for (list += strspn(list, separators); *list;
	     list += strspn(list, separators)) {
		len = strcspn(list, separators);
		if (len == strlen(part) && !memcmp(list, part, len))
			return true;
		list += len;
	}
	return false;
}

/* Sets @name to its value, @separator and @addition; once only. */
static void append_env(const char *name, char separator, const char *addition)
{
	const char *old = getenv(name);
	char *value;

	if (!old || !*old) {
		setenv(name, addition, 1);
		return;
	}
	if (has_part(old, addition))
		return;
	if (asprintf(&value, "%s%c%s", old, separator, addition) < 0)
		return;
	setenv(name, value, 1);
	free(value);
}

int client_command_prepare(const char *socket)
{
	char shim[PATH_MAX];

	if (find_shim(shim))
		return -ENOENT;
	if (strpbrk(shim, ": \t")) {
		complain("move the build tree, or install it elsewhere",
			 "'%s' cannot be preloaded: the dynamic linker takes "
			 "':' and blanks for the end of a path", shim);
		return -ENOENT;
	}
	append_env("LD_PRELOAD", ':', shim);
	/* It otherwise refuses to start behind another preloaded library. */
	append_env("ASAN_OPTIONS", ':', "verify_asan_link_order=0");
	setenv(SOFTEFA_ENV_SOCKET, socket, 1);
	return 0;
}

/* Stores where execvp() would find @name; false when nowhere. */
static bool find_program(const char *name, char path[PATH_MAX])
{
	const char *dir = getenv("PATH");
	size_t len;

	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		return true;
	}
	for (; dir && *dir; dir += len + (dir[len] == ':')) {
		len = strcspn(dir, ":");
		snprintf(path, PATH_MAX, "%.*s%s%s", (int)len, dir,
			 len ? "/" : "", name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

/* An ELF executable of this machine's word size without an interpreter. */
static bool is_static(int fd)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;
	unsigned i;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_phentsize != sizeof(segment))
		return false;
	for (i = 0; i < header.e_phnum; i++) {
		if (pread(fd, &segment, sizeof(segment),
			  (off_t)(header.e_phoff + i * sizeof(segment))) !=
		    sizeof(segment) || segment.p_type == PT_INTERP)
			return false;
	}
	return true;
}

int client_command_check(const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (!find_program(name, path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (is_static(fd))
		warn_of("use a dynamically linked one", "%s is statically "
			"linked: it sees no emulated device", path);
	if (fstat(fd, &st) < 0)
		st.st_mode = 0;
	close(fd);
	if (((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
	    ((st.st_mode & S_ISGID) && st.st_gid != getegid())) {
		complain("run softefa as the user it would become",
			 "%s changes its user or group, and the dynamic linker "
			 "preloads nothing into such a program", path);
		return -EPERM;
	}
	return 0;
}

int client_command_exec(char **argv)
{
	execvp(argv[0], argv);
	if (errno == ENOENT) {
		complain("check the spelling and PATH", "%s: not found",
			 argv[0]);
		return CLI_EXIT_NOT_FOUND;
	}
	complain(NULL, "cannot run %s: %s", argv[0], strerror(errno));
	return CLI_EXIT_NOT_RUNNABLE;
}
