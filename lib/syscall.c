// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>

#include "syscall.h"

/**
 * ptebatch_args6() - arguments for a system call, see ptebatch_syscall()
 * @a: the first
 * @b: the second
 * @c: the third
 * @d: the fourth
 * @e: the fifth
 * @f: the sixth
 *
 * Return: where the system call looks for them.
 */
struct ptebatch_args ptebatch_args6(unsigned long a, unsigned long b,
				    unsigned long c, unsigned long d,
				    unsigned long e, unsigned long f)
{
	return (struct ptebatch_args) {
#if !defined(CONFIG_ARCH_HAS_SYSCALL_WRAPPER)
		.args = { a, b, c, d, e, f },
#elif defined(CONFIG_X86_64)
		.regs = { .di = a, .si = b, .dx = c, .r10 = d, .r8 = e,
			  .r9 = f },
#else
		.regs = { .orig_x0 = a, .regs = { a, b, c, d, e, f } },
#endif
	};
}

/**
 * ptebatch_to_user() - have something in a user's memory
 * @from: what
 * @bytes: how long it is
 *
 * Context: Process context, may sleep; current->mm is the user's, and has the
 * memory until it goes, or until vm_munmap() of PAGE_ALIGN(@bytes).
 * Return: its address there, or an error, see IS_ERR_VALUE().
 */
unsigned long ptebatch_to_user(const void *from, size_t bytes)
{
	unsigned long addr;

	addr = vm_mmap(NULL, 0, PAGE_ALIGN(bytes), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(addr))
		return addr;
	if (copy_to_user((void __user *)addr, from, bytes)) {
		vm_munmap(addr, PAGE_ALIGN(bytes));
		return -EFAULT;
	}
	return addr;
}

/**
 * ptebatch_syscall_in() - a system call of a process that has an mm
 * @mm: the mm
 * @call: the system call
 * @a: its first argument
 * @b: the second
 * @c: the third
 * @d: the fourth
 * @e: the fifth
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: what @call returns.
 */
long ptebatch_syscall_in(struct mm_struct *mm, ptebatch_syscall_t call,
			 unsigned long a, unsigned long b, unsigned long c,
			 unsigned long d, unsigned long e)
{
	struct ptebatch_args args = ptebatch_args(a, b, c, d, e);
	long ret;

	kthread_use_mm(mm);
	ret = ptebatch_syscall(call, &args);
	kthread_unuse_mm(mm);
	return ret;
}

static void set_memlock(const struct rlimit *limit)
{
	task_lock(current->group_leader);
	current->signal->rlim[RLIMIT_MEMLOCK] = *limit;
	task_unlock(current->group_leader);
}

/**
 * ptebatch_syscall_capped() - the same for one who may not lock any memory
 * @mm: the mm
 * @call: the system call
 * @a: its first argument
 * @b: the second
 * @c: the third
 * @d: the fourth
 * @e: the fifth
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: what @call returns, or -ENOMEM if there are no credentials for that.
 */
long ptebatch_syscall_capped(struct mm_struct *mm, ptebatch_syscall_t call,
			     unsigned long a, unsigned long b, unsigned long c,
			     unsigned long d, unsigned long e)
{
	const struct rlimit was = current->signal->rlim[RLIMIT_MEMLOCK];
	const struct rlimit none = {};
	struct cred *cred = prepare_creds();
	const struct cred *old;
	long ret;

	if (!cred)
		return -ENOMEM;
	cap_lower(cred->cap_effective, CAP_IPC_LOCK);
	old = override_creds(cred);
	set_memlock(&none);
	ret = ptebatch_syscall_in(mm, call, a, b, c, d, e);
	set_memlock(&was);
	put_cred(revert_creds(old));
	return ret;
}
