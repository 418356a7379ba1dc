// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests for batched page table entry handling");
MODULE_LICENSE("GPL");
