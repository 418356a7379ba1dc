/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A userfaultfd of an mm, without a reader.
 */
#ifndef PTEBATCH_UFFD_H
#define PTEBATCH_UFFD_H

#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/userfaultfd.h>

const char *ptebatch_uffd_missing(void);
struct file *ptebatch_uffd_open(struct mm_struct *mm, u64 features);
long ptebatch_uffd_ioctl(struct file *uffd, struct mm_struct *mm, unsigned int cmd,
			 void *arg, size_t bytes);
long ptebatch_uffd_register(struct file *uffd, struct mm_struct *mm,
			    unsigned long addr, u64 mode);

#endif /* PTEBATCH_UFFD_H */
