// SPDX-License-Identifier: GPL-2.0
/*
 * The line counters of a kernel with CONFIG_GCOV_KERNEL: set to zero before the
 * suites run, and printed to the kernel log when the guest shuts down. At that
 * time no file system is mounted that the host could read.
 */
#include <linux/hugetlb.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/slab.h>

#include "../arch/console.h"
#include "../kernel/gcov/gcov.h"

#ifndef CONFIG_HUGETLB_PAGE
/*
 * Such a kernel only declares these functions: gcc drops their calls. Without
 * early inlining, see tests/guests/guest.py, it keeps them in dead code of rmap.c.
 */
pte_t huge_ptep_get(struct mm_struct *mm, unsigned long addr, pte_t *ptep)
{
	return ptep_get(ptep);
}

unsigned long huge_pte_dirty(pte_t pte)
{
	return pte_dirty(pte);
}
#endif /* !CONFIG_HUGETLB_PAGE */

/* The limit of %*ph. */
#define BYTES_PER_LINE 64

/* Print a .gcda file, as debugfs would show it. */
static int print_counters(struct gcov_info *info)
{
	size_t size = convert_to_gcda(NULL, info), at;
	char *gcda = kvmalloc(size, GFP_KERNEL);

	if (!gcda)
		return -ENOMEM;
	convert_to_gcda(gcda, info);
	pr_info("ptebatch: gcda of %s, %zu bytes\n", gcov_info_filename(info), size);
	for (at = 0; at < size; at += BYTES_PER_LINE)
		pr_info("ptebatch: gcda %*phN\n", (int)min(size - at, BYTES_PER_LINE), gcda + at);
	kvfree(gcda);
	return 0;
}

static int print_all(struct notifier_block *block, unsigned long event, void *unused)
{
	struct gcov_info *info = NULL;

	ptebatch_console_wait_for_host();
	guard(mutex)(&gcov_lock);
	while ((info = gcov_info_next(info)))
		if (print_counters(info))
			return NOTIFY_DONE;
	pr_info("ptebatch: gcda end\n");
	return NOTIFY_DONE;
}

static struct notifier_block at_shutdown = { .notifier_call = print_all };

static int __init reset_counters(void)
{
	struct gcov_info *info = NULL;

	guard(mutex)(&gcov_lock);
	while ((info = gcov_info_next(info)))
		gcov_info_reset(info);
	return register_reboot_notifier(&at_shutdown);
}
late_initcall(reset_counters);
