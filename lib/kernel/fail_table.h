/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Make the allocation of a page table fail: fault injection of the kernel does
 * not reach page tables, so a kretprobe changes the result of __pte_alloc().
 */
#ifndef PTEBATCH_FAIL_TABLE_H
#define PTEBATCH_FAIL_TABLE_H

#include <linux/types.h>

const char *ptebatch_fail_table_missing(void);
int ptebatch_fail_table(unsigned int n);
bool ptebatch_fail_table_end(void);

#endif /* PTEBATCH_FAIL_TABLE_H */
