// SPDX-License-Identifier: GPL-2.0
/*
 * An mm counts the pages of its VMAs: all of them for RLIMIT_AS, those of private
 * writable VMAs for RLIMIT_DATA, those of VM_LOCKED VMAs for RLIMIT_MEMLOCK.
 */
#include "../twin/names.h"

#include <linux/mm.h>

#include "internal.h"

#include "checks.h"
#include "places.h"

struct vm_counts {
	unsigned long total, data, exec, stack, locked;
};

static void add_vma(struct vm_area_struct *vma, void *data)
{
	struct vm_counts *counts = data;
	unsigned long pages = vma_pages(vma);

	counts->total += pages;
	if (is_exec_mapping(vma->vm_flags))
		counts->exec += pages;
	else if (is_stack_mapping(vma->vm_flags))
		counts->stack += pages;
	else if (is_data_mapping(vma->vm_flags))
		counts->data += pages;
	if (vma->vm_flags & VM_LOCKED)
		counts->locked += pages;
}

static void compare_count(struct seq_buf *out, const char *name, unsigned long got,
			  unsigned long expected)
{
	if (got != expected)
		seq_buf_printf(out, "%s is %lu pages, the VMAs have %lu\n", name, got,
			       expected);
}

static void check_vm_counts(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; i < space->nr_places; i++) {
		struct mm_struct *mm = space->places[i].mm;
		struct vm_counts vmas = {};

		ptebatch_each_vma(mm, add_vma, &vmas);
		compare_count(out, "total_vm", mm->total_vm, vmas.total);
		compare_count(out, "data_vm", mm->data_vm, vmas.data);
		compare_count(out, "exec_vm", mm->exec_vm, vmas.exec);
		compare_count(out, "stack_vm", mm->stack_vm, vmas.stack);
		compare_count(out, "locked_vm", mm->locked_vm, vmas.locked);
	}
}

const struct ptebatch_check ptebatch_check_vm_counts = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "vm_counts", .whole = true,
	.check = check_vm_counts,
};
