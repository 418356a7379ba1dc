// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/khugepaged.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "../kernel/process.h"
#include "../service/khugepaged.h"
#include "../twin/twin.h"
#include "collapse.h"

#ifdef CONFIG_TRANSPARENT_HUGEPAGE

static long collapse(const struct ptebatch_op *op, struct ptebatch_space *space,
		     bool twin)
{
	unsigned long start = ptebatch_addr(space, space->row.from);
	unsigned long end = ptebatch_addr(space, space->row.to);
	struct mm_struct *mm = space->places[0].mm;
	bool lock_dropped = false;
	long err;

	mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, mm);
	mmap_read_lock(mm);
	err = (twin ? ptebatch_twin_madvise_collapse : madvise_collapse)
		(vma_lookup(mm, start), start, end, &lock_dropped);
	mmap_read_unlock(mm);
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
	return err;
}

/* Returns the number of page tables in which folios were collapsed. */
static long scan(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct mm_struct *mm = space->places[0].mm;
	long tables;

	tables = ptebatch_khugepaged_enable(op->arg);
	if (tables)
		return tables;
	mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, mm);
	tables = (twin ? ptebatch_twin_khugepaged_scan : ptebatch_khugepaged_scan)(mm);
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
	return ptebatch_khugepaged_enable(0) ?: tables;
}

static const char *missing(void)
{
	return NULL;
}

#else

static long collapse(const struct ptebatch_op *op, struct ptebatch_space *space,
		     bool twin)
{
	return -EOPNOTSUPP;
}

static long scan(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	return -EOPNOTSUPP;
}

static const char *missing(void)
{
	return "no collapse and no PMD-mapped folios without CONFIG_TRANSPARENT_HUGEPAGE";
}

#endif

static long split_pmds(const struct ptebatch_op *op, struct ptebatch_space *space,
		       bool twin)
{
	unsigned long addr = ptebatch_addr(space, space->row.from);
	struct mm_struct *mm = space->places[0].mm;

	mmap_read_lock(mm);
	for (; addr < ptebatch_addr(space, space->row.to); addr += PMD_SIZE)
		split_huge_pmd_address(vma_lookup(mm, addr), addr, false);
	mmap_read_unlock(mm);
	return 0;
}

/* The part of the file that the last page table of the row maps. */
static long collapse_file(const struct ptebatch_op *op, struct ptebatch_space *space,
			  bool twin)
{
	unsigned long end = ptebatch_addr(space, space->row.nr), at;
	struct mm_struct *mm = ptebatch_mm_alloc();
	long err;

	if (!mm)
		return -ENOMEM;
	mm_flags_clear(MMF_DISABLE_THP_COMPLETELY, mm);
	kthread_use_mm(mm);
	at = vm_mmap(space->file, end - PMD_SIZE, PMD_SIZE, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_FIXED, (space->pgoff + space->row.nr) * PAGE_SIZE - PMD_SIZE);
	/* Without a page, MADV_COLLAPSE finds no page table, and fails after the collapse. */
	err = IS_ERR_VALUE(at) ? (long)at :
	      do_madvise(mm, at, PAGE_SIZE, MADV_POPULATE_READ) ?:
	      do_madvise(mm, at, PMD_SIZE, MADV_COLLAPSE);
	kthread_unuse_mm(mm);
	mmput(mm);
	return err;
}

const struct ptebatch_op ptebatch_collapse = {
	.name = "collapse", .function = "madvise_collapse()", .call = collapse,
	.missing = missing,
};

const struct ptebatch_op ptebatch_khugepaged = {
	.name = "khugepaged", .function = "khugepaged", .call = scan,
	.missing = ptebatch_khugepaged_missing,
};

const struct ptebatch_op ptebatch_split_pmds = {
	.name = "split-pmd", .function = "__split_huge_pmd()", .call = split_pmds,
	.missing = missing, .no_twin = true,
};

const struct ptebatch_op ptebatch_collapse_elsewhere = {
	.name = "collapse", .function = "MADV_COLLAPSE", .call = collapse_file,
	.missing = missing, .no_twin = true,
};
