// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../arch/arch.h"
#include "../service/swap.h"
#include "op.h"

/**
 * ptebatch_op_missing() - check that the kernel supports an operation
 * @op: the operation
 *
 * Return: what the kernel lacks, %NULL if it supports the operation.
 */
const char *ptebatch_op_missing(const struct ptebatch_op *op)
{
	if ((op->uffd_wp || op->uffd_rwp) && !pgtable_supports_uffd())
		return "no uffd bit in page table entries";
	if (op->uffd_rwp && VM_UFFD_RWP == VM_NONE)
		return "no userfaultfd read-write protection";
	if (op->protects && op->prot & PTEBATCH_PROT_MTE && !ptebatch_has_tags())
		return "no memory tags; on arm64, VARIANTS=mte has them";
	if (op->swaps && ptebatch_swap_missing())
		return ptebatch_swap_missing();
	return op->missing ? op->missing() : NULL;
}

/* The protection of a VMA. */
#define PROTECTION_FLAGS	(VM_ACCESS_FLAGS | VM_ACCOUNT | VM_MTE | PKEY_FLAGS)
#ifdef CONFIG_ARCH_HAS_PKEYS
#define PKEY_FLAGS	(VM_PKEY_BIT0 | VM_PKEY_BIT1 | VM_PKEY_BIT2 | VM_PKEY_BIT3 | VM_PKEY_BIT4)
#else
#define PKEY_FLAGS	VM_NONE
#endif

/**
 * ptebatch_op_vma_flags() - which flags of its VMA an operation may change
 * @op: the operation, may be %NULL: none
 *
 * Return: VM_*.
 */
vm_flags_t ptebatch_op_vma_flags(const struct ptebatch_op *op)
{
	if (!op)
		return VM_NONE;
	return op->vma_flags | (op->protects ? PROTECTION_FLAGS : VM_NONE);
}

/**
 * ptebatch_op_call() - describe a call of an operation for the model
 * @op: the operation
 * @setup: set-up of the address space; its file pages are page cache, not copies
 *
 * Return: the call.
 */
struct ptebatch_call ptebatch_op_call(const struct ptebatch_op *op,
				      const struct ptebatch_setup *setup)
{
	struct ptebatch_call call =
		ptebatch_setup_call(setup, op->model,
				    op->protects ? op->prot : setup->prot);

	call.counts = op->counts;
	call.vma_flags = ptebatch_op_vma_flags(op);
	if (op->protects) {
		call.try_writable = op->arg & MM_CP_TRY_CHANGE_WRITABLE;
		/* NUMA hinting skips COW folios that several mms map. */
		call.hints = call.shared || !setup->twice;
	}
	if (op->swaps) {
		call.swap = true;
		call.freed = setup->folios & ON_LRU;
	}
	return call;
}
