// SPDX-License-Identifier: GPL-2.0
#include <linux/mmu_notifier.h>
#include <linux/module.h>

/* The kernel calls ptebatch_notifier_free() some time after the last case. */
static void __exit ptebatch_exit(void)
{
	mmu_notifier_synchronize();
}
module_exit(ptebatch_exit);

MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests for batched page table entry handling");
MODULE_LICENSE("GPL");
