// SPDX-License-Identifier: GPL-2.0
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <uapi/linux/pidfd.h>

#include "../kernel/process.h"
#include "../kernel/syscall.h"
#include "process_madvise.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(pidfd_open));
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(process_madvise));

/**
 * struct call - a call in progress
 * @space: the address space to advise
 * @vector: the vector and the other arguments
 * @pid: process ID to open a pidfd for, or 0
 * @vlen: number of ranges
 * @madvise: call madvise() with the first range instead
 */
struct call {
	const struct ptebatch_space *space;
	const struct ptebatch_vector *vector;
	pid_t pid;
	size_t vlen;
	bool madvise;
};

static unsigned long range_start(const struct call *call,
				 const struct ptebatch_range *range)
{
	if (range->at == LAST_PAGE)
		return TASK_SIZE_MAX - PAGE_SIZE;
	return ptebatch_addr(call->space, 0) + range->at;
}

static int write_vector(const struct call *call, unsigned long addr)
{
	struct iovec __user *vector = (struct iovec __user *)addr;
	size_t i;

	for (i = 0; i < call->vlen; i++) {
		const struct ptebatch_range *range =
			&call->vector->ranges[i % call->vector->nr];
		struct iovec iov = {
			.iov_base = (void __user *)range_start(call, range),
			.iov_len = range->bytes,
		};

		if (copy_to_user(vector + i, &iov, sizeof(iov)))
			return -EFAULT;
	}
	return 0;
}

static long advise_target(const struct call *call, unsigned long addr, int pidfd)
{
	const struct ptebatch_vector *vector = call->vector;
	const struct ptebatch_args args =
		ptebatch_args(pidfd, vector->no_vector ? 0 : addr, call->vlen,
			      vector->behavior, vector->flags);

	if (call->madvise)
		return do_madvise(current->mm, range_start(call, vector->ranges),
				  vector->ranges->bytes, vector->behavior);
	return ptebatch_syscall(PTEBATCH_SYSCALL(process_madvise), &args);
}

static long advise_limited(const struct call *call, unsigned long addr, int pidfd)
{
	const struct cred *old;
	struct cred *cred;
	long ret;

	if (!call->vector->limited)
		return advise_target(call, addr, pidfd);
	cred = prepare_kernel_cred(&init_task);
	if (!cred)
		return -ENOMEM;
	cred->cap_effective.val = call->vector->caps;
	old = override_creds(cred);
	ret = advise_target(call, addr, pidfd);
	put_cred(revert_creds(old));
	return ret;
}

static long advise_counted(const struct call *call, unsigned long addr, int pidfd)
{
	struct ptebatch_locks *locks = call->vector->locks;
	long ret;

	if (!locks)
		return advise_limited(call, addr, pidfd);
	ptebatch_locks_begin(locks, call->space->places[0].mm);
	ret = advise_limited(call, addr, pidfd);
	ptebatch_locks_end();
	/* A lock that is still held would block the teardown: release it. */
	while (rwsem_is_locked(&locks->mm->mmap_lock))
		mmap_read_unlock(locks->mm);
	return ret;
}

/* Runs in the process that calls process_madvise(). */
static long call_in_process(void *data)
{
	const struct call *call = data;
	const struct ptebatch_args pid = ptebatch_args(call->pid, 0, 0, 0, 0);
	size_t bytes = PAGE_ALIGN(max(call->vlen, 1UL) * sizeof(struct iovec));
	int pidfd = call->vector->pidfd ?: PIDFD_SELF;
	unsigned long addr;
	long ret;

	addr = vm_mmap(NULL, 0, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(addr))
		return addr;
	ret = write_vector(call, addr);
	if (!ret && call->pid) {
		pidfd = ptebatch_syscall(PTEBATCH_SYSCALL(pidfd_open), &pid);
		ret = min(pidfd, 0);
	}
	ret = ret ?: advise_counted(call, addr, pidfd);
	vm_munmap(addr, bytes);
	return ret;
}

static long call_remote(struct call *call)
{
	struct mm_struct *mm = ptebatch_mm_alloc();
	struct ptebatch_dummy_task owner;
	long ret;

	if (!mm)
		return -ENOMEM;
	ret = ptebatch_dummy_task_start(&owner, call->space->places[0].mm);
	if (!ret) {
		call->pid = owner.pid;
		ret = ptebatch_process(mm, call_in_process, call);
		ptebatch_dummy_task_stop(&owner);
	}
	mmput(mm);
	return ret;
}

static long call_vector(const struct ptebatch_op *op, struct ptebatch_space *space,
			bool madvise)
{
	const struct ptebatch_vector *vector = (const struct ptebatch_vector *)op->arg;
	struct call call = {
		.space = space, .vector = vector, .pid = vector->pid,
		.vlen = vector->vlen ?: vector->nr, .madvise = madvise,
	};

	if (vector->remote)
		return call_remote(&call);
	return ptebatch_process(space->places[0].mm, call_in_process, &call);
}

static long process_madvise(const struct ptebatch_op *op, struct ptebatch_space *space,
			    bool twin)
{
	return call_vector(op, space, false);
}

const struct ptebatch_op ptebatch_process_madvise = {
	.name = "process_madvise()", .function = "process_madvise()",
	.call = process_madvise, .no_twin = true, .vma_flags = PTEBATCH_ADVICE_FLAGS,
};

static long madvise(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	return call_vector(op, space, true);
}

const struct ptebatch_op ptebatch_madvise = {
	.name = "madvise()", .function = "madvise()", .call = madvise, .no_twin = true,
	.vma_flags = PTEBATCH_ADVICE_FLAGS,
};
