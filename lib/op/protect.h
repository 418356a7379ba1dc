/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mprotect() and change_protection() on a synthetic address space.
 */
#ifndef PTEBATCH_PROTECT_H
#define PTEBATCH_PROTECT_H

#include <linux/mm_types.h>

#include "../check/model.h"
#include "../space/space.h"

/**
 * enum ptebatch_protection_id - index into ptebatch_protections
 * @PTEBATCH_TO_NONE: mprotect() to no access
 * @PTEBATCH_TO_READABLE: mprotect() to read-only
 * @PTEBATCH_TO_WRITABLE: mprotect() to writable, avoiding write faults
 * @PTEBATCH_TO_WRITABLE_LATER: mprotect() to writable, not avoiding write faults
 * @PTEBATCH_UFFD_WP: userfaultfd write protection
 * @PTEBATCH_UFFD_WP_RESOLVE: resolve userfaultfd write protection
 * @PTEBATCH_UFFD_RWP: userfaultfd read-write protection
 * @PTEBATCH_UFFD_RWP_RESOLVE: resolve userfaultfd read-write protection
 * @PTEBATCH_NUMA_HINT: NUMA balancing makes the next access fault
 * @PTEBATCH_NR_PROTECTIONS: number of protections
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
 * struct ptebatch_protection - a kind of call of change_protection()
 * @name: name of the change
 * @model: model of the change
 * @prot: PROT_READ and PROT_WRITE of the VMA during the call
 * @cp_flags: MM_CP_* flags for change_protection()
 * @uffd_wp: requires a VMA with userfaultfd write protection
 * @uffd_rwp: requires a VMA with userfaultfd read-write protection
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
