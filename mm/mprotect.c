// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
static void placeholder(struct kunit *test) { KUNIT_EXPECT_TRUE(test, true); }
static struct kunit_case cases[] = { KUNIT_CASE(placeholder), {} };
static struct kunit_suite suite = { .name = "ptebatch_mprotect", .test_cases = cases };
kunit_test_suite(suite);
MODULE_DESCRIPTION("KUnit tests for batched page table entry handling");
MODULE_LICENSE("GPL");
