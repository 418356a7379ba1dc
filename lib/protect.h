/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mprotect() in an address space that is not the caller's.
 */
#ifndef PTEBATCH_PROTECT_H
#define PTEBATCH_PROTECT_H

#include <linux/mm_types.h>

#include "model.h"
#include "space.h"

/**
 * enum ptebatch_protection_id - what change_protection() is called for
 * @PTEBATCH_TO_NONE: mprotect() to no access
 * @PTEBATCH_TO_READABLE: mprotect() to read-only
 * @PTEBATCH_TO_WRITABLE: mprotect() to writable, sparing write faults
 * @PTEBATCH_TO_WRITABLE_LATER: the same with all write faults
 * @PTEBATCH_UFFD_WP: userfaultfd protects from writes
 * @PTEBATCH_UFFD_WP_RESOLVE: and permits them again
 * @PTEBATCH_UFFD_RWP: userfaultfd protects from reads and writes
 * @PTEBATCH_UFFD_RWP_RESOLVE: and permits them again
 * @PTEBATCH_NUMA_HINT: NUMA balancing wants to see who comes
 * @PTEBATCH_NR_PROTECTIONS: how many of them there are
 */
enum ptebatch_protection_id {
	PTEBATCH_TO_NONE,
	PTEBATCH_TO_READABLE,
	PTEBATCH_TO_WRITABLE,
	PTEBATCH_TO_WRITABLE_LATER,
	PTEBATCH_UFFD_WP,
	PTEBATCH_UFFD_WP_RESOLVE,
	PTEBATCH_UFFD_RWP,
	PTEBATCH_UFFD_RWP_RESOLVE,
	PTEBATCH_NUMA_HINT,
	PTEBATCH_NR_PROTECTIONS,
};

/**
 * struct ptebatch_protection - one of them
 * @name: what it does
 * @model: what the rules say of it
 * @prot: PROT_READ and PROT_WRITE of the VMA meanwhile
 * @cp_flags: MM_CP_* for change_protection()
 * @uffd_wp: only where userfaultfd is registered for write protection
 * @uffd_rwp: only where it is for read and write protection
 */
struct ptebatch_protection {
	const char *name;
	ptebatch_model_t model;
	unsigned long prot;
	unsigned long cp_flags;
	bool uffd_wp;
	bool uffd_rwp;
};

extern const struct ptebatch_protection
ptebatch_protections[PTEBATCH_NR_PROTECTIONS];

typedef long (*ptebatch_change_t)(struct mmu_gather *tlb,
				  struct vm_area_struct *vma,
				  unsigned long start, unsigned long end,
				  unsigned long cp_flags);

int ptebatch_mprotect(struct mm_struct *mm, unsigned long start,
		      unsigned long end, unsigned long prot);

struct vm_area_struct *ptebatch_protect_vma(struct mm_struct *mm,
					    unsigned long addr,
					    unsigned long prot);
long ptebatch_change(struct mm_struct *mm, unsigned long start,
		     unsigned long end,
		     const struct ptebatch_protection *protection,
		     ptebatch_change_t change);

const char *
ptebatch_protection_missing(const struct ptebatch_protection *protection);
struct ptebatch_call
ptebatch_protection_call(const struct ptebatch_protection *protection,
			 const struct ptebatch_setup *setup);

#endif /* PTEBATCH_PROTECT_H */
