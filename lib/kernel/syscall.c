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
 * ptebatch_args6() - pack the arguments for ptebatch_syscall()
 * @a: first argument
 * @b: second argument
 * @c: third argument
 * @d: fourth argument
 * @e: fifth argument
 * @f: sixth argument
 *
 * Return: the arguments in the form that the system call expects.
 */
struct ptebatch_args ptebatch_args6(unsigned long a, unsigned long b,
				    unsigned long c, unsigned long d,
				    unsigned long e, unsigned long f)
{
	return (struct ptebatch_args) {
#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
		.regs = ptebatch_syscall_regs(a, b, c, d, e, f),
#else
		.args = { a, b, c, d, e, f },
#endif
	};
}

/**
 * ptebatch_to_user() - copy data to new user memory of current->mm
 * @from: the data
 * @bytes: size of the data, in bytes
 *
 * The mm owns the memory. vm_munmap() of PAGE_ALIGN(@bytes) frees it earlier.
 *
 * Context: Process context with an mm, may sleep.
 * Return: user address of the copy, or an error, see IS_ERR_VALUE().
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
 * ptebatch_syscall_in() - call a system call with an mm as current->mm
 * @mm: the mm
 * @call: the system call
 * @a: first argument of @call
 * @b: second argument of @call
 * @c: third argument of @call
 * @d: fourth argument of @call
 * @e: fifth argument of @call
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: return value of @call.
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
 * ptebatch_syscall_no_memlock() - call without the right to lock memory
 * @mm: the mm
 * @call: the system call
 * @a: first argument of @call
 * @b: second argument of @call
 * @c: third argument of @call
 * @d: fourth argument of @call
 * @e: fifth argument of @call
 *
 * As ptebatch_syscall_in(), with RLIMIT_MEMLOCK=0 and without CAP_IPC_LOCK.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: return value of @call, or -ENOMEM if prepare_creds() fails.
 */
long ptebatch_syscall_no_memlock(struct mm_struct *mm, ptebatch_syscall_t call,
				 unsigned long a, unsigned long b,
				 unsigned long c, unsigned long d,
				 unsigned long e)
{
	const struct rlimit old_limit = current->signal->rlim[RLIMIT_MEMLOCK];
	const struct rlimit none = {};
	struct cred *cred = prepare_creds();
	const struct cred *old_cred;
	long ret;

	if (!cred)
		return -ENOMEM;
	cap_lower(cred->cap_effective, CAP_IPC_LOCK);
	old_cred = override_creds(cred);
	set_memlock(&none);
	ret = ptebatch_syscall_in(mm, call, a, b, c, d, e);
	set_memlock(&old_limit);
	put_cred(revert_creds(old_cred));
	return ret;
}
