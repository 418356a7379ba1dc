// SPDX-License-Identifier: GPL-2.0
/*
 * All that runs in the guest of a loadable run: insert the module, remove it, twice, and say so in the
 * kernel's log, where loadable.py looks for these lines among what the suites print.
 */
static FILE *kmsg;

static int say(const char *what, int round)
{
	fprintf(kmsg, "ptebatch: %s %d\n", what, round);
	fflush(kmsg);
	return 0;
}

static int fail(const char *what, int error)
{
	fprintf(kmsg, "ptebatch: cannot %s: %s\n", what, strerror(error));
	fflush(kmsg);
	return -1;
}

static int insert(void)
{
	int fd = open("/ptebatch.ko", O_RDONLY), error = errno;

	if (fd < 0)
		return fail("open /ptebatch.ko", error);
	if (syscall(__NR_finit_module, fd, "", 0))
		return fail("insert ptebatch.ko", errno);
	return close(fd);
}

static int remove_it(void)
{
	if (syscall(__NR_delete_module, "ptebatch", O_NONBLOCK))
		return fail("remove ptebatch", errno);
	return 0;
}

/* A module that is gone has left no line in either file. */
static int left_in(const char *path, const char *needle)
{
	static char line[1024];
	FILE *file = fopen(path, "r");
	int left = 0;

	if (!file)
		return fail("read what is left", errno);
	while (fgets(line, sizeof(line), file))
		if (strstr(line, needle)) {
			fprintf(kmsg, "ptebatch: left in %s: %s", path, line);
			fflush(kmsg);
			left = -1;
		}
	fclose(file);
	return left;
}

int main(void)
{
	int round;

	mkdir("/proc", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	kmsg = fopen("/dev/kmsg", "w");
	for (round = 1; round <= 2; round++) {
		say("insertion", round);
		if (insert() || remove_it())
			break;
		if (left_in("/proc/modules", "ptebatch ") || left_in("/proc/kallsyms", "[ptebatch]"))
			break;
		say("removal", round);
	}
	reboot(RB_AUTOBOOT);
	return 0;
}
