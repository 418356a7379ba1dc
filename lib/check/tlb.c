// SPDX-License-Identifier: GPL-2.0
#include "../arch/arch.h"
#include "checks.h"

/* May a TLB entry for @before permit an access that @after does not permit? */
static bool needs_flush(const struct ptebatch_entry *before,
			const struct ptebatch_entry *after)
{
	/* A TLB does not cache entries without the accessed bit. */
	if (!(before->flags & PTEBATCH_YOUNG))
		return false;
	/* A TLB entry with the dirty bit does not set it in the PTE again. */
	if (before->kind == PTEBATCH_WRITABLE &&
	    before->flags & ~after->flags & PTEBATCH_DIRTY)
		return true;
	return ptebatch_entry_loses_access(before, after);
}

/*
 * Is entry @i no longer executable, or has it another protection key or memory
 * type? A TLB entry that forbids to execute only leads to a fault.
 */
static bool protection_needs_flush(const struct ptebatch_trial *trial,
				   unsigned int i)
{
	const struct ptebatch_entry *was = &trial->before.row.entries[i];
	u64 before = pte_val(trial->before.raw[trial->before.lead + i]);
	u64 after = pte_val(trial->after.raw[trial->after.lead + i]);

	if (!(was->flags & PTEBATCH_YOUNG) || was->kind == PTEBATCH_PROTNONE ||
	    !ptebatch_entry_present(was) ||
	    !ptebatch_entry_present(&trial->after.row.entries[i]))
		return false;
	return (after & ~before & PTEBATCH_PROT_NOEXEC) ||
	       (before & ~after & PTEBATCH_PROT_EXEC) ||
	       ((after ^ before) & PTEBATCH_PROT_BITS &
		~(PTEBATCH_PROT_NOEXEC | PTEBATCH_PROT_EXEC));
}

/* Every entry made less permissive was flushed. */
static void check_tlb(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *before = &trial->before.row;
	const struct ptebatch_row *after = &trial->after.row;
	unsigned int i;

	if (!PTEBATCH_FLUSHES_SEEN)
		return;
	/* Without MMU notifiers the range is known after ptebatch_secondary_end(). */
	if (!PTEBATCH_NOTIFIES && trial->secondary.mm)
		return;
	for (i = 0; i < before->nr; i++) {
		if (test_bit(i, trial->secondary.flushed) ||
		    (!needs_flush(&before->entries[i], &after->entries[i]) &&
		     !protection_needs_flush(trial, i)))
			continue;
		set_bit(i, trial->differs);
		ptebatch_change_print(trial, i, "was not flushed", out);
	}
}

const struct ptebatch_check ptebatch_check_tlb = {
	.rule = PTEBATCH_RULE_TLB, .name = "tlb", .check = check_tlb,
};
