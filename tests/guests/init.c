// SPDX-License-Identifier: GPL-2.0
/*
 * All that runs in the guest of a loadable run: put the module in and take it
 * out, three times, and say so in the kernel's log, where loadable.py looks for these
 * lines among what the suites print. Built with the kernel's nolibc.
 */
static int kmsg;

/* In one write, which is one line of the log. */
static int say(const char *what, const char *more)
{
	char line[256];

	snprintf(line, sizeof(line), "ptebatch: %s %s\n", what, more);
	write(kmsg, line, strlen(line));
	return -1;
}

static int put_in(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return say("cannot open ptebatch.ko:", strerror(errno));
	if (syscall(__NR_finit_module, fd, "", 0))
		return say("cannot insert ptebatch.ko:", strerror(errno));
	return close(fd);
}

static int take_out(void)
{
	int tries;

	/* The kernel closes the files of its threads a little later. */
	for (tries = 0; tries < 20; tries++) {
		if (!syscall(__NR_delete_module, "ptebatch", O_NONBLOCK))
			return 0;
		usleep(50000);
	}
	return say("cannot remove ptebatch:", strerror(errno));
}

/* A module that is gone has no line in @path any more. */
static int left_in(const char *path, const char *needle)
{
	FILE *file = fopen(path, "r");
	char line[1024];
	int left = 0;

	if (!file)
		return say("cannot open", path);
	while (!left && fgets(line, sizeof(line), file))
		if (strstr(line, needle))
			left = say("left something behind:", line);
	fclose(file);
	return left;
}

int main(void)
{
	static const struct {
		const char *nr, *path;
	} rounds[] = {
		{ "1", "/ptebatch.ko" },
		{ "2", "/ptebatch.ko" },
		{ "3", "/elsewhere/ptebatch.ko" },
	};
	int i;

	mkdir("/proc", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	kmsg = open("/dev/kmsg", O_WRONLY);
	for (i = 0; i < 3; i++) {
		say("insertion", rounds[i].nr);
		if (put_in(rounds[i].path) || take_out())
			break;
		if (left_in("/proc/modules", "ptebatch ") ||
		    left_in("/proc/kallsyms", "[ptebatch]"))
			break;
		say("removal", rounds[i].nr);
	}
	reboot(RB_AUTOBOOT);
	return 0;
}
