/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sizes of folio that faults in anonymous memory may allocate, as set in
 * /sys/kernel/mm/transparent_hugepage/hugepages-*kB/enabled.
 */
#ifndef PTEBATCH_ANON_ORDERS_H
#define PTEBATCH_ANON_ORDERS_H

#include <linux/mm_types.h>

/**
 * struct ptebatch_anon_orders - permitted orders, one bit per order
 * @always: permitted in all VMAs
 * @advised: permitted in VMAs with VM_HUGEPAGE, as after MADV_HUGEPAGE
 */
struct ptebatch_anon_orders {
	unsigned long always;
	unsigned long advised;
};

const char *ptebatch_anon_orders_missing(void);
void ptebatch_anon_orders_begin(struct mm_struct *mm,
				const struct ptebatch_anon_orders *orders);
void ptebatch_anon_orders_end(struct mm_struct *mm);

#endif /* PTEBATCH_ANON_ORDERS_H */
