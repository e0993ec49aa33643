/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/complaint.h"

/* Not blocking: a FIFO without a reader would not be opened otherwise. */
int trace_file_open(const char *name, int *fd)
{
	struct stat st;
	int file = open(name, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC,
			0666);

	if (file >= 0 && !fstat(file, &st) && S_ISREG(st.st_mode)) {
		*fd = file;
		return 0;
	}
	if (file >= 0 || errno == ENXIO)
		complain("name a file: a pipe or device could hold the "
			 "emulated device up", "%s is no regular file, a trace "
			 "goes to nothing else", name);
	else
		complain("name a file that you may write",
			 "cannot open the trace %s: %s", name,
			 strerror(errno));
	if (file >= 0)
		close(file);
	return -EIO;
}
