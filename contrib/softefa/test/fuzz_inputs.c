/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The main of a fuzzer that is not linked with libFuzzer: runs the files and
 * directories it is given, or else pseudo-random inputs that are the same
 * each time; argument -N sets their number.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define INPUT_MAX	4096u
#define INPUTS		400u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of its exact size, so that a sanitizer sees a read beyond. */
static void run_input(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	for (size_t i = 0; i < size; i++)
		copy[i] = data[i];
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_file(const char *path)
{
	static uint8_t data[INPUT_MAX];
	FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		exit(2);
	}
	run_input(data, fread(data, 1, sizeof(data), file));
	fclose(file);
}

static void run_path(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char name[4096];

	if (!dir) {
		run_file(path);
		return;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		run_file(name);
	}
	closedir(dir);
}

/* xorshift64. */
static uint8_t next_byte(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 32;
}

static void run_random(unsigned long count)
{
	static uint8_t data[INPUT_MAX];
	uint64_t state = 88172645463325252ull;

	while (count--) {
		size_t size = next_byte(&state) * 16u;

		for (size_t i = 0; i < size; i++)
			data[i] = next_byte(&state);
		run_input(data, size);
	}
}

int main(int argc, char **argv)
{
	if (argc == 1)
		run_random(INPUTS);
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-')
			run_random(strtoul(argv[i] + 1, NULL, 10));
		else
			run_path(argv[i]);
	}
	return 0;
}
