// SPDX-License-Identifier: GPL-2.0
/*
 * The only process in the guest of a loadable run: inserts and removes the module
 * three times. Each insertion and removal writes a line to the kernel log, which
 * loadable.py parses. Built with the kernel's nolibc.
 */
static int kmsg;

/* Log one line. One write() makes one record of the kernel log. */
static int log_line(const char *what, const char *details)
{
	char line[256];

	snprintf(line, sizeof(line), "ptebatch: %s %s\n", what, details);
	write(kmsg, line, strlen(line));
	return -1;
}

static int insert_module(void)
{
	int fd = open("/ptebatch_kunit.ko", O_RDONLY);

	if (fd < 0)
		return log_line("cannot open ptebatch_kunit.ko:", strerror(errno));
	if (syscall(__NR_finit_module, fd, "", 0))
		return log_line("cannot insert ptebatch_kunit.ko:", strerror(errno));
	return close(fd);
}

static int remove_module(void)
{
	int tries;

	/* Kernel threads close files with a delay: the module may still be in use. */
	for (tries = 0; tries < 20; tries++) {
		if (!syscall(__NR_delete_module, "ptebatch_kunit", O_NONBLOCK))
			return 0;
		usleep(50000);
	}
	return log_line("cannot remove ptebatch_kunit:", strerror(errno));
}

/* Return: 0 if no line of @path contains @needle, as after a complete removal. */
static int check_absent(const char *path, const char *needle)
{
	FILE *file = fopen(path, "r");
	char line[1024];
	int found = 0;

	if (!file)
		return log_line("cannot open", path);
	while (!found && fgets(line, sizeof(line), file))
		if (strstr(line, needle))
			found = log_line("left behind after removal:", line);
	fclose(file);
	return found;
}

int main(void)
{
	static const char * const rounds[] = { "1", "2", "3" };
	int i;

	mkdir("/proc", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	kmsg = open("/dev/kmsg", O_WRONLY);
	for (i = 0; i < 3; i++) {
		log_line("insertion", rounds[i]);
		if (insert_module() || remove_module())
			break;
		if (check_absent("/proc/modules", "ptebatch_kunit ") ||
		    check_absent("/proc/kallsyms", "[ptebatch_kunit]"))
			break;
		log_line("removal", rounds[i]);
	}
	reboot(RB_AUTOBOOT);
	return 0;
}
