// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/file.h>
#include <linux/mount.h>

#include "../kernel/file.h"
#include "../kernel/process.h"
#include "proc.h"

/* procfs, mounted while a suite uses it: at boot it is not. */
static struct vfsmount *proc;

/**
 * ptebatch_proc_on() - mount procfs; for suite_init
 * @suite: the suite; its suite_exit calls ptebatch_proc_off()
 *
 * Context: Process context, may sleep.
 * Return: 0, even without CONFIG_PROC_FS, or an error.
 */
int ptebatch_proc_on(struct kunit_suite *suite)
{
	return IS_ENABLED(CONFIG_PROC_FS) ? ptebatch_file_mount("proc", &proc) : 0;
}

/**
 * ptebatch_proc_off() - unmount procfs; for suite_exit
 * @suite: the suite
 *
 * Context: Process context, may sleep.
 */
void ptebatch_proc_off(struct kunit_suite *suite)
{
	if (proc)
		kern_unmount(proc);
	proc = NULL;
}

/**
 * ptebatch_proc_open() - open a file of a process
 * @pid: process ID of the process
 * @name: name of the file in /proc/PID
 * @flags: O_* flags
 *
 * Context: Process context, may sleep; between ptebatch_proc_on() and
 * ptebatch_proc_off().
 * Return: the file, which the caller closes by __fput_sync(), or an ERR_PTR().
 */
struct file *ptebatch_proc_open(pid_t pid, const char *name, int flags)
{
	char path[32];

	if (!proc)
		return ERR_PTR(-ENODEV);
	snprintf(path, sizeof(path), "%d/%s", pid, name);
	return file_open_root_mnt(proc, path, flags, 0);
}

/**
 * ptebatch_proc_call() - do something with a file of a process that has an mm
 * @mm: the mm
 * @name: name of the file in /proc/PID
 * @flags: O_* flags
 * @work: called with the file
 * @data: argument of @work
 *
 * Context: Process context, may sleep; between ptebatch_proc_on() and
 * ptebatch_proc_off().
 * Return: what @work returns, or an error.
 */
long ptebatch_proc_call(struct mm_struct *mm, const char *name, int flags,
			long (*work)(struct file *file, void *data), void *data)
{
	struct ptebatch_dummy_task task;
	struct file *file;
	long ret;

	ret = ptebatch_dummy_task_start(&task, mm);
	if (ret)
		return ret;
	file = ptebatch_proc_open(task.pid, name, flags);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
	} else {
		ret = work(file, data);
		__fput_sync(file);
	}
	ptebatch_dummy_task_stop(&task);
	return ret;
}
