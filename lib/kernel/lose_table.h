/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between its look at a PMD and its lock of the page table, a function may lose
 * the page table: another thread has changed the PMD. The function that maps the
 * table then returns NULL, and the caller has to look at the PMD again. A
 * kretprobe changes the result of the first such call; the PMD stays.
 */
#ifndef PTEBATCH_LOSE_TABLE_H
#define PTEBATCH_LOSE_TABLE_H

#include <linux/mm_types.h>

/**
 * struct ptebatch_lose - which call loses its page table
 * @function: "pte_offset_map_lock" or "pte_offset_map_rw_nolock"
 * @mm: its first argument
 * @start: first address for which it is called, in bytes
 * @end: end of these addresses, in bytes
 * @call: which of these calls, from 0
 */
struct ptebatch_lose {
	const char *function;
	const struct mm_struct *mm;
	unsigned long start;
	unsigned long end;
	unsigned int call;
};

const char *ptebatch_lose_table_missing(void);
int ptebatch_lose_table(const struct ptebatch_lose *lose);
bool ptebatch_lose_table_end(void);

#endif /* PTEBATCH_LOSE_TABLE_H */
