/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Count zero pages as KSM does: its PTEs of the zero page are dirty.
 */
#ifndef PTEBATCH_KSM_H
#define PTEBATCH_KSM_H

#include <linux/ksm.h>

#include "../row/row.h"

/* The zero pages that KSM has mapped. */
static inline long ptebatch_ksm_zero_entries(const struct ptebatch_row *row)
{
	const u16 flags = PTEBATCH_ZERO_PAGE | PTEBATCH_DIRTY;
	unsigned int i;
	long nr = 0;

	for (i = 0; i < row->nr; i++)
		nr += (row->entries[i].flags & flags) == flags;
	return nr;
}

#ifdef CONFIG_KSM
/* A module looks up the addresses of variables: see lib/link/stubs.S. */
#ifdef MODULE
extern atomic_long_t *ptebatch_ksm_zero_pages;
#else
#define ptebatch_ksm_zero_pages	(&ksm_zero_pages)
#endif

/* As ksm_map_zero_page(), @nr times; zapping counts them down. */
static inline void ptebatch_ksm_map_zero_pages(struct mm_struct *mm, long nr)
{
	atomic_long_add(nr, ptebatch_ksm_zero_pages);
	atomic_long_add(nr, &mm->ksm_zero_pages);
}

static inline long ptebatch_ksm_mapped_zero_pages(struct mm_struct *mm)
{
	return mm_ksm_zero_pages(mm);
}

/*
 * As dup_mm(), which copies the parent's mm before it calls dup_mmap(). With fix 0047 it
 * does not keep the count, as copy_page_range() counts the PTEs that it copies.
 */
static inline void ptebatch_ksm_inherit(struct mm_struct *child, struct mm_struct *parent)
{
#ifdef PTEBATCH_HAS_KSM_FORK_COUNTS
	atomic_long_set(&child->ksm_zero_pages, atomic_long_read(&parent->ksm_zero_pages));
#endif
}
#else
static inline void ptebatch_ksm_map_zero_pages(struct mm_struct *mm, long nr)
{
}

static inline long ptebatch_ksm_mapped_zero_pages(struct mm_struct *mm)
{
	return 0;
}

static inline void ptebatch_ksm_inherit(struct mm_struct *child, struct mm_struct *parent)
{
}
#endif

#endif /* PTEBATCH_KSM_H */
