// SPDX-License-Identifier: GPL-2.0
/*
 * init of the guest of `make reproduce`: runs the programs in /reproducers one
 * after the other, each with a time limit, in the root folder of an ext4 file
 * system. It writes the last output line and the exit status of each program to
 * the kernel log, which reproduce.py parses.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int SECONDS = 120;

/* Log one line. One write() makes one record of the kernel log. */
static void log_line(const char *format, ...)
{
	static int kmsg = -1;
	char line[800];
	va_list args;

	if (kmsg < 0)
		kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (write(kmsg, line, strlen(line)) < 0)
		perror("/dev/kmsg");
}

/* Copy the ext4 image to the first RAM disk, mount it and change to it. */
static int mount_ext4(void)
{
	static char block[65536];
	int image = open("/ext4.image", O_RDONLY);
	int disk = open("/dev/ram0", O_WRONLY);
	ssize_t size;

	while ((size = read(image, block, sizeof(block))) > 0)
		if (write(disk, block, size) != size)
			return -1;
	close(disk);
	return mount("/dev/ram0", "/mnt", "ext4", 0, NULL) || chdir("/mnt");
}

/* Read the output of the child until it ends or prints nothing for SECONDS. */
static void read_output(int pipe, char *output, size_t size)
{
	struct pollfd ready = { .fd = pipe, .events = POLLIN };
	ssize_t bytes = 1;
	size_t used = 0;

	while (bytes > 0 && used < size - 1 && poll(&ready, 1, SECONDS * 1000) > 0) {
		bytes = read(pipe, output + used, size - 1 - used);
		used += bytes > 0 ? bytes : 0;
	}
	while (used && output[used - 1] == '\n')
		used--;
	output[used] = 0;
}

static void run(const char *name)
{
	char path[300], output[300];
	const char *last;
	int pipes[2], status;
	pid_t pid;

	log_line("ptebatch: begin %s\n", name);
	snprintf(path, sizeof(path), "/reproducers/%s", name);
	if (pipe(pipes))
		return;
	pid = fork();
	if (!pid) {
		dup2(pipes[1], 1);
		dup2(pipes[1], 2);
		close(pipes[0]);
		close(pipes[1]);
		execl(path, name, NULL);
		_exit(127);
	}
	close(pipes[1]);
	read_output(pipes[0], output, sizeof(output));
	close(pipes[0]);
	kill(pid, SIGKILL);		/* unless it has ended */
	waitpid(pid, &status, 0);
	last = strrchr(output, '\n');
	log_line("ptebatch: end %s %s %d: %s\n", name, WIFEXITED(status) ? "exit" : "signal",
		 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
		 last ? last + 1 : output);
}

static int is_program(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(void)
{
	struct dirent **names;
	int i, count;

	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	if (mount_ext4())
		log_line("ptebatch: no ext4 file system: %s\n", strerror(errno));
	count = scandir("/reproducers", &names, is_program, alphasort);
	for (i = 0; i < count; i++)
		run(names[i]->d_name);
	log_line("ptebatch: done\n");
	reboot(RB_AUTOBOOT);
	return 0;
}
