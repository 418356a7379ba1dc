// SPDX-License-Identifier: GPL-2.0
/*
 * mm/mprotect.c with batching off: its batches are what folio_pte_batch_flags()
 * says, and here that says one page.
 */
#include "tlb.h"

#include <linux/syscalls.h>

#include "internal.h"

#include "twin.h"

#define folio_pte_batch_flags(...)	1

/* What it gives to others gets a name of its own, or goes where unused. */
#define change_protection		ptebatch_twin_change_protection
#define mprotect_fixup			twin_mprotect_fixup
#define can_change_pte_writable		twin_can_change_pte_writable

static int __maybe_unused
mprotect_fixup(struct vma_iterator *vmi, struct mmu_gather *tlb,
	       struct vm_area_struct *vma, struct vm_area_struct **pprev,
	       unsigned long start, unsigned long end, vm_flags_t newflags);
static bool __maybe_unused
can_change_pte_writable(struct vm_area_struct *vma, unsigned long addr,
			pte_t pte);

/* The system calls are there already. */
#undef SYSCALL_DEFINE1
#undef SYSCALL_DEFINE2
#undef SYSCALL_DEFINE3
#undef SYSCALL_DEFINE4
#define TWIN_SYSCALL(nr, name, ...) \
	static long __maybe_unused twin_##name(__MAP(nr, __SC_DECL, __VA_ARGS__))
#define SYSCALL_DEFINE1(name, ...)	TWIN_SYSCALL(1, name, __VA_ARGS__)
#define SYSCALL_DEFINE2(name, ...)	TWIN_SYSCALL(2, name, __VA_ARGS__)
#define SYSCALL_DEFINE3(name, ...)	TWIN_SYSCALL(3, name, __VA_ARGS__)
#define SYSCALL_DEFINE4(name, ...)	TWIN_SYSCALL(4, name, __VA_ARGS__)

/* The kernel's, wherever this is. */
#include <mprotect.c>
