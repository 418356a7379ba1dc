// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "syscall.h"
#include "uffd.h"

/**
 * ptebatch_uffd_missing() - check that the kernel has userfaultfd
 *
 * Return: the reason, for kunit_skip(), or %NULL if the kernel has it.
 */
const char *ptebatch_uffd_missing(void)
{
	return IS_ENABLED(CONFIG_USERFAULTFD) ? NULL :
	       "no userfaultfd without CONFIG_USERFAULTFD";
}

#ifdef CONFIG_USERFAULTFD
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(userfaultfd));

/**
 * ptebatch_uffd_ioctl() - call an ioctl of a userfaultfd
 * @uffd: the userfaultfd
 * @mm: the mm of @uffd
 * @cmd: UFFDIO_*
 * @arg: argument of @cmd; changed as the ioctl changes it
 * @bytes: size of @arg, in bytes
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: return value of the ioctl.
 */
long ptebatch_uffd_ioctl(struct file *uffd, struct mm_struct *mm, unsigned int cmd,
			 void *arg, size_t bytes)
{
	unsigned long addr;
	long ret;

	kthread_use_mm(mm);
	addr = ptebatch_to_user(arg, bytes);
	if (IS_ERR_VALUE(addr)) {
		ret = addr;
	} else {
		ret = uffd->f_op->unlocked_ioctl(uffd, cmd, addr);
		if (copy_from_user(arg, (void __user *)addr, bytes))
			ret = -EFAULT;
		vm_munmap(addr, PAGE_ALIGN(bytes));
	}
	kthread_unuse_mm(mm);
	return ret;
}

/**
 * ptebatch_uffd_open() - make a userfaultfd
 * @mm: the mm
 * @features: UFFD_FEATURE_*
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the userfaultfd, which the caller closes by __fput_sync(), or an
 * ERR_PTR().
 */
struct file *ptebatch_uffd_open(struct mm_struct *mm, u64 features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	struct file *uffd;
	long ret;

	ret = ptebatch_syscall_in(mm, PTEBATCH_SYSCALL(userfaultfd),
				  UFFD_USER_MODE_ONLY, 0, 0, 0, 0);
	if (ret < 0)
		return ERR_PTR(ret);
	uffd = fget(ret);
	close_fd(ret);
	/* Close the file now, not in a worker. */
	flush_delayed_fput();
	ret = ptebatch_uffd_ioctl(uffd, mm, UFFDIO_API, &api, sizeof(api));
	if (!ret)
		return uffd;
	__fput_sync(uffd);
	return ERR_PTR(ret);
}

/**
 * ptebatch_uffd_register() - register a VMA with a userfaultfd
 * @uffd: the userfaultfd
 * @mm: the mm of @uffd
 * @addr: an address in the VMA
 * @mode: UFFDIO_REGISTER_MODE_*
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: return value of UFFDIO_REGISTER.
 */
long ptebatch_uffd_register(struct file *uffd, struct mm_struct *mm,
			    unsigned long addr, u64 mode)
{
	struct uffdio_register arg = { .mode = mode };
	struct vm_area_struct *vma;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, addr);
	arg.range.start = vma->vm_start;
	arg.range.len = vma->vm_end - vma->vm_start;
	mmap_read_unlock(mm);
	return ptebatch_uffd_ioctl(uffd, mm, UFFDIO_REGISTER, &arg, sizeof(arg));
}
#else
long ptebatch_uffd_ioctl(struct file *uffd, struct mm_struct *mm, unsigned int cmd,
			 void *arg, size_t bytes)
{
	return -EOPNOTSUPP;
}

struct file *ptebatch_uffd_open(struct mm_struct *mm, u64 features)
{
	return ERR_PTR(-EOPNOTSUPP);
}

long ptebatch_uffd_register(struct file *uffd, struct mm_struct *mm,
			    unsigned long addr, u64 mode)
{
	return -EOPNOTSUPP;
}
#endif
