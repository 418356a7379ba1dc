// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

ptebatch_check_t ptebatch_check_flush;

/**
 * ptebatch_entry_loses_access() - compare what two entries permit
 * @before: an entry
 * @after: the entry at the same address later
 *
 * Return: true if @after permits less than @before or maps another page.
 */
bool ptebatch_entry_loses_access(const struct ptebatch_entry *before,
				 const struct ptebatch_entry *after)
{
	/* Rank of the accesses that a kind permits. */
	static const u8 rank[] = {
		[PTEBATCH_NONE] = 0,
		[PTEBATCH_PROTNONE] = 0,
		[PTEBATCH_FOREIGN] = 0,
		[PTEBATCH_READABLE] = 1,
		[PTEBATCH_WRITABLE] = 2,
		[PTEBATCH_SHADOW_STACK] = 2,
	};

	return rank[before->kind] &&
	       (rank[after->kind] < rank[before->kind] ||
		after->folio != before->folio || after->page != before->page);
}

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
	       ((after ^ before) & PTEBATCH_PROT_BITS & ~PTEBATCH_PROT_NOEXEC);
}

/**
 * ptebatch_change_print() - print an entry that is wrong, before and after
 * @trial: the trial, stopped
 * @i: index of the entry
 * @wrong: what is wrong with its change
 * @out: receives the line
 */
void ptebatch_change_print(const struct ptebatch_trial *trial, unsigned int i,
			   const char *wrong, struct seq_buf *out)
{
	seq_buf_printf(out, "entry %u %s: it was ", i, wrong);
	ptebatch_entry_print(out, &trial->before.row.entries[i]);
	seq_buf_puts(out, " and is ");
	ptebatch_entry_print(out, &trial->after.row.entries[i]);
	seq_buf_putc(out, '\n');
}

/**
 * ptebatch_check_flush() - check rule 8 (TLB)
 * @trial: the trial, stopped
 * @out: receives a line for each entry that was not flushed
 *
 * Return: true if every entry made less permissive was flushed.
 */
bool ptebatch_check_flush(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_row *before = &trial->before.row;
	const struct ptebatch_row *after = &trial->after.row;
	unsigned int i;

	/* On UML the flushed range is known after ptebatch_flush_end(). */
	if (IS_ENABLED(CONFIG_UML) && trial->flush.mm)
		return true;
	for (i = 0; i < before->nr; i++) {
		if (test_bit(i, trial->flush.flushed) ||
		    (!needs_flush(&before->entries[i], &after->entries[i]) &&
		     !protection_needs_flush(trial, i)))
			continue;
		set_bit(i, trial->differs);
		ptebatch_change_print(trial, i, "was not flushed", out);
	}
	return bitmap_empty(trial->differs, PTEBATCH_ROW_ENTRIES);
}
