// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "../arch/arch.h"
#include "process.h"

/**
 * ptebatch_mm_alloc() - allocate an mm without VMAs
 *
 * Context: Process context, may sleep.
 * Return: the mm, which the caller releases by mmput(), or %NULL.
 */
struct mm_struct *ptebatch_mm_alloc(void)
{
	struct mm_struct *mm = mm_alloc();

	if (!mm)
		return NULL;
	mm->task_size = TASK_SIZE;
	ptebatch_mm_use(mm);
	arch_pick_mmap_layout(mm, &current->signal->rlim[RLIMIT_STACK]);
	/* Prevent khugepaged from collapsing the pages under test. */
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
	return mm;
}

/**
 * ptebatch_vma_lock() - lock an mm and one of its VMAs, to change the VMA
 * @mm: the mm; the caller calls mmap_write_unlock()
 * @addr: an address in the VMA, in bytes
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 * Return: the VMA.
 */
struct vm_area_struct *ptebatch_vma_lock(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;

	mmap_write_lock(mm);
	vma = vma_lookup(mm, addr);
	vma_start_write(vma);
	return vma;
}

/**
 * ptebatch_vma_account() - let the mm of a VMA count it by its flags
 * @vma: the VMA
 * @was: VM_* flags by which the mm has counted it
 *
 * As mprotect_fixup() and mlock_fixup() after a change of flags.
 *
 * Context: Any; as for vm_stat_account(), no other thread changes VMAs of the mm.
 */
void ptebatch_vma_account(const struct vm_area_struct *vma, vm_flags_t was)
{
	long pages = vma_pages(vma);

	vm_stat_account(vma->vm_mm, was, -pages);
	vm_stat_account(vma->vm_mm, vma->vm_flags, pages);
	if ((was ^ vma->vm_flags) & VM_LOCKED)
		vma->vm_mm->locked_vm += was & VM_LOCKED ? -pages : pages;
}

/**
 * ptebatch_vma_flags() - change the flags of a VMA, and its page protection
 * @mm: the mm
 * @addr: an address in the VMA, in bytes
 * @set: VM_* flags to set
 * @clear: VM_* flags to clear
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 */
void ptebatch_vma_flags(struct mm_struct *mm, unsigned long addr,
			vm_flags_t set, vm_flags_t clear)
{
	struct vm_area_struct *vma = ptebatch_vma_lock(mm, addr);
	vm_flags_t was = vma->vm_flags;

	vm_flags_mod(vma, set, clear);
	ptebatch_vma_account(vma, was);
	vma_set_page_prot(vma);
	mmap_write_unlock(mm);
}

/**
 * ptebatch_map_anon() - mmap() private anonymous memory at an address
 * @mm: the mm
 * @addr: the address, page aligned
 * @bytes: length, in bytes
 * @prot: PROT_*
 * @fixed: MAP_FIXED: what is mapped there is unmapped; or MAP_FIXED_NOREPLACE
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0, or an error of mmap().
 */
long ptebatch_map_anon(struct mm_struct *mm, unsigned long addr, unsigned long bytes,
		       unsigned long prot, unsigned long fixed)
{
	unsigned long at;

	kthread_use_mm(mm);
	at = vm_mmap(NULL, addr, bytes, prot, fixed | MAP_PRIVATE | MAP_ANONYMOUS, 0);
	kthread_unuse_mm(mm);
	return at == addr ? 0 : at;
}

/**
 * ptebatch_sigkill_set() - make SIGKILL pending, although kernel threads ignore signals
 *
 * Without the siglock, which a kprobe must not take: no other task changes the
 * pending signals of this thread, as it ignores those that are sent to it.
 *
 * Context: Any context.
 */
void ptebatch_sigkill_set(void)
{
	sigaddset(&current->pending.signal, SIGKILL);
	set_thread_flag(TIF_SIGPENDING);
}

/**
 * ptebatch_sigkill_clear() - end ptebatch_sigkill_set()
 *
 * Context: Any context.
 */
void ptebatch_sigkill_clear(void)
{
	sigdelset(&current->pending.signal, SIGKILL);
	clear_thread_flag(TIF_SIGPENDING);
}

struct process_work {
	long (*work)(void *data);
	void *data;
	long result;
};

static int run(void *data)
{
	struct process_work *process_work = data;

	/* The child inherits that kernel threads ignore all signals. */
	kernel_sigaction(SIGKILL, SIG_DFL);
	process_work->result = process_work->work(process_work->data);
	/* Returning would enter user mode, without a program. */
	do_exit(0);
}

static pid_t start(struct mm_struct *mm, int (*function)(void *data),
		   void *data)
{
	pid_t pid;

	/* The child inherits the mm that the kernel thread uses. */
	kthread_use_mm(mm);
	pid = user_mode_thread(function, data, SIGCHLD);
	kthread_unuse_mm(mm);
	return pid;
}

/**
 * ptebatch_process() - run a function in a new process
 * @mm: the mm of the process
 * @work: the function; system calls use @mm for user addresses
 * @data: argument of @work
 *
 * Returns after the process has exited and dropped its reference to @mm.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: return value of @work, or an error of user_mode_thread().
 */
long ptebatch_process(struct mm_struct *mm, long (*work)(void *data),
		      void *data)
{
	struct process_work process_work = { .work = work, .data = data };
	pid_t pid = start(mm, run, &process_work);

	if (pid < 0)
		return pid;
	/* Kernel threads ignore SIGCHLD, so the child is reaped on exit. */
	kernel_wait(pid, NULL);
	return process_work.result;
}

static int sleep_until_stopped(void *data)
{
	struct ptebatch_dummy_task *task = data;

	wait_for_completion(&task->stop);
	do_exit(0);
}

/**
 * ptebatch_dummy_task_start() - start a process that sleeps
 * @task: returns the task; the caller ends it by ptebatch_dummy_task_stop()
 * @mm: the mm of the process
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0, or an error of user_mode_thread().
 */
int ptebatch_dummy_task_start(struct ptebatch_dummy_task *task,
			      struct mm_struct *mm)
{
	init_completion(&task->stop);
	task->pid = start(mm, sleep_until_stopped, task);
	return min(task->pid, 0);
}

/**
 * ptebatch_dummy_task_stop() - end a process that sleeps
 * @task: the task, from ptebatch_dummy_task_start()
 *
 * Context: Process context, may sleep.
 */
void ptebatch_dummy_task_stop(struct ptebatch_dummy_task *task)
{
	complete(&task->stop);
	kernel_wait(task->pid, NULL);
}
