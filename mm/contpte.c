// SPDX-License-Identifier: GPL-2.0
/*
 * arm64 contpte: each operation on page table entries is applied to every range
 * of entries in two adjacent blocks, and the raw entries are checked.
 *
 * The initial entries are set by set_ptes(). Accessed and dirty are then set in
 * one entry, as the hardware does.
 */
#include "../lib/arch/tlb.h"

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/page_table_check.h>
#include <linux/string.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/arch/contpte.h"
#include "../lib/arch/pte_ops.h"
#include "../lib/check/checks.h"
#include "../lib/row/rules.h"
#include "../lib/run/orders.h"
#include "../lib/run/case.h"
#include "../lib/service/service.h"
#include "../lib/space/blocks.h"
#include "../lib/twin/twin.h"

#define RW	(PROT_READ | PROT_WRITE)

/* Entries in two blocks. */
#define ENTRIES	(2 * CONT_PTES)

/* Alignment of the entries and of their pages, and folios. */
static const struct layout {
	const char *name;
	/* "@" of the picture. */
	const char *position;
	/* Sizes of physically adjacent folios, in halves of a block. */
	unsigned int folios[4];
	/* Index in the row of the first entry under test. */
	unsigned int first;
	/* Index in its block of the first entry under test. */
	unsigned int offset;
	/* Bitmap of the blocks that set_ptes() makes contiguous. */
	unsigned int contiguous;
} layouts[] = {
	{ "one folio", "", { 4 }, .contiguous = 0b11 },
	{ "one folio per block", "", { 2, 2 }, .contiguous = 0b11 },
	{ "two folios in the first block", "", { 1, 1, 2 }, .contiguous = 0b10 },
	{ "virtual address unaligned", "@1 ", { 4 }, .offset = 1 },
	{ "physical address unaligned", "@-1 ", { 8 }, .first = 1 },
};

static const struct kind {
	const char *name, *entry;
} kinds[] = {
	{ "writable", "W" },
	{ "dirty", "Wdy" },
	{ "read-only", "R" },
	{ "PROT_NONE", "N" },
};

/**
 * struct blocks - two blocks of entries, and an operation on a range of them
 * @space: address space of the entries
 * @vma: VMA of the entries
 * @addr: address that the first entry maps
 * @ptep: pointer to the first entry
 * @layout: alignment and folios
 * @valid: entries permit some access
 * @base: entries as set up, without PTE_CONT
 * @before: raw entries before the operation
 * @after: raw entries after the operation
 * @gathered: YOUNG and DIRTY of each entry before the operation, by ptep_get()
 * @range_bits: YOUNG and DIRTY of the range before the operation
 * @from: index of the first entry in the range
 * @nr: number of entries in the range
 * @returned: return value of the operation
 * @counted: the operation is the counting twin's
 * @cost: cost that the twin has counted
 * @secondary: counts TLB invalidations
 * @error: violation found, %NULL if none
 * @entry: index of the entry with the violation
 */
struct blocks {
	struct ptebatch_space *space;
	struct vm_area_struct *vma;
	unsigned long addr;
	pte_t *ptep;
	const struct layout *layout;
	bool valid;
	pte_t base[ENTRIES];
	pte_t before[ENTRIES];
	pte_t after[ENTRIES];
	u8 gathered[ENTRIES];
	unsigned int range_bits;
	unsigned int from, nr;
	pte_t returned;
	bool counted;
	struct ptebatch_pte_cost cost;
	struct ptebatch_secondary secondary;
	const char *error;
	unsigned int entry;
};

static bool is_in_range(const struct blocks *blocks, unsigned int i)
{
	return i >= blocks->from && i < blocks->from + blocks->nr;
}

/* Index of the first entry in the block of entry @i; may be negative. */
static int block_start(const struct blocks *blocks, unsigned int i)
{
	return round_down(i + blocks->layout->offset, CONT_PTES) -
	       (int)blocks->layout->offset;
}

/* Is the block of entry @i contiguous before the operation? */
static bool contiguous_before(const struct blocks *blocks, unsigned int i)
{
	return blocks->valid && blocks->layout->contiguous &
	       BIT((i + blocks->layout->offset) / CONT_PTES);
}

/* Is the whole block of entry @i in the range? */
static bool covered(const struct blocks *blocks, unsigned int i)
{
	int block = block_start(blocks, i);

	return (int)blocks->from <= block &&
	       (int)(blocks->from + blocks->nr) >= block + CONT_PTES;
}

/* Is any entry of the block of entry @i in the range? */
static bool touched(const struct blocks *blocks, unsigned int i)
{
	int block = block_start(blocks, i);

	return (int)blocks->from < block + CONT_PTES &&
	       (int)(blocks->from + blocks->nr) > block;
}

#define YOUNG	BIT(0)
#define DIRTY	BIT(1)

static unsigned int bits(pte_t pte)
{
	return (pte_young(pte) ? YOUNG : 0) | (pte_dirty(pte) ? DIRTY : 0);
}

/* Rule 27: ptep_get() gathers the bits of all entries in a contiguous block. */
static void gather(struct blocks *blocks)
{
	unsigned int all[3] = {}, i, block;

	for (i = 0; i < ENTRIES; i++) {
		block = (i + blocks->layout->offset) / CONT_PTES;
		all[block] |= bits(blocks->before[i]);
	}
	blocks->range_bits = 0;
	for (i = 0; i < ENTRIES; i++) {
		block = (i + blocks->layout->offset) / CONT_PTES;
		blocks->gathered[i] = contiguous_before(blocks, i) ?
				      all[block] : bits(blocks->before[i]);
		/* A block that is partly in the range is read as a whole. */
		if (is_in_range(blocks, i))
			blocks->range_bits |= covered(blocks, i) ?
					      bits(blocks->before[i]) :
					      blocks->gathered[i];
	}
}

/* An entry without accessed, dirty and PTE_CONT. */
static pteval_t plain(pte_t pte)
{
	return pte_val(pte_mknoncont(pte_mkold(pte_mkclean(pte))));
}

static pte_t cleared(pte_t pte)
{
	return __pte(0);
}

static pte_t unchanged(pte_t pte)
{
	return pte;
}

static struct vm_area_struct *rw_vma;

static pte_t made_writable(pte_t pte)
{
	return ptes_made_writable(pte, rw_vma);
}

/*
 * Return value: none, an entry with gathered bits, whether it was young, or
 * whether an entry changed.
 */
enum returned { NOTHING, ENTRY, YOUNG_FLAG, CHANGED_FLAG };

/* Entries on which the cost of an operation is counted. */
enum part_index { WHOLE, HALF, ONE, ONE_OF_TWO, ALONE, NR_PARTS };

/**
 * struct cost - maximum cost of an operation on part of a block of 16 entries
 * @reads: reads of entries, without atomic exchanges
 * @exchanges: atomic exchanges of entries
 * @invalidations: TLB invalidations, on a CPU without BBML3
 * @broadcasts: those of them by contpte.c on all CPUs
 * @barriers: data synchronisation barriers, on a CPU that invalidates twice
 */
struct cost {
	unsigned int reads, exchanges, invalidations, broadcasts, barriers;
};

/**
 * struct op - an operation
 * @name: name of the function, or functions
 * @id: ID of the operation
 * @expected: entry after the operation, accessed and dirty aside
 * @single: takes one entry only
 * @valid: requires entries that permit some access
 * @young: requires entries that are accessed
 * @no_unfold: a block partly in the range stays contiguous
 * @sets: sets entries: a block that is wholly in the range is folded
 * @flushes: invalidates TLB entries even without unfolding
 * @clears_bits: YOUNG and DIRTY to clear, of whole blocks if contiguous
 * @sets_bits: YOUNG and DIRTY to set, of whole blocks if contiguous
 * @returned: kind of return value
 * @cost: rule 28, for each part of a block
 */
struct op {
	const char *name;
	enum ptebatch_pte_op id;
	pte_t (*expected)(pte_t pte);
	bool single;
	bool valid;
	bool young;
	bool no_unfold;
	bool sets;
	bool flushes;
	unsigned int clears_bits;
	unsigned int sets_bits;
	enum returned returned;
	struct cost cost[NR_PARTS];
};

static const struct op ops[] = {
	{ "ptep_get", PTEBATCH_GET, unchanged, .single = true,
	  .no_unfold = true, .returned = ENTRY,
	  .cost = { [ONE] = { 3, 0, 0, 0, 0 }, [ONE_OF_TWO] = { 3, 0, 0, 0, 0 },
		    [ALONE] = { 1, 0, 0, 0, 0 } } },
	{ "ptep_get_lockless", PTEBATCH_GET_LOCKLESS, unchanged, .single = true,
	  .no_unfold = true, .returned = ENTRY,
	  .cost = { [ONE] = { 4, 0, 0, 0, 0 }, [ONE_OF_TWO] = { 4, 0, 0, 0, 0 },
		    [ALONE] = { 1, 0, 0, 0, 0 } } },
	{ "set_ptes", PTEBATCH_SET, unchanged, .sets = true,
	  .clears_bits = YOUNG | DIRTY,
	  .cost = { [WHOLE] = { 16, 16, 0, 0, 0 }, [HALF] = { 26, 24, 1, 1, 3 },
		    [ONE] = { 51, 33, 2, 2, 6 },
		    [ONE_OF_TWO] = { 51, 33, 2, 2, 6 },
		    [ALONE] = { 3, 1, 0, 0, 0 } } },
	{ "set_ptes of a present entry", PTEBATCH_SET_PRESENT, pte_wrprotect,
	  .single = true, .sets = true, .young = true,
	  .cost = { [ONE] = { 22, 16, 1, 1, 3 },
		    [ONE_OF_TWO] = { 22, 16, 1, 1, 3 },
		    [ALONE] = { 3, 0, 0, 0, 0 } } },
	{ "ptep_get_and_clear", PTEBATCH_GET_AND_CLEAR, cleared, .single = true,
	  .returned = ENTRY,
	  .cost = { [ONE] = { 17, 17, 1, 1, 3 },
		    [ONE_OF_TWO] = { 17, 17, 1, 1, 3 },
		    [ALONE] = { 1, 1, 0, 0, 0 } } },
	{ "get_and_clear_full_ptes", PTEBATCH_GET_AND_CLEAR_FULL, cleared,
	  .returned = ENTRY,
	  .cost = { [WHOLE] = { 0, 16, 0, 0, 0 }, [HALF] = { 18, 24, 1, 1, 3 },
		    [ONE] = { 17, 17, 1, 1, 3 },
		    [ONE_OF_TWO] = { 17, 17, 1, 1, 3 },
		    [ALONE] = { 1, 1, 0, 0, 0 } } },
	{ "pte_clear", PTEBATCH_CLEAR, cleared, .single = true,
	  .cost = { [ONE] = { 17, 16, 1, 1, 3 },
		    [ONE_OF_TWO] = { 17, 16, 1, 1, 3 },
		    [ALONE] = { 1, 0, 0, 0, 0 } } },
	{ "clear_full_ptes", PTEBATCH_CLEAR_FULL, cleared,
	  .cost = { [WHOLE] = { 0, 16, 0, 0, 0 }, [HALF] = { 18, 24, 1, 1, 3 },
		    [ONE] = { 17, 17, 1, 1, 3 },
		    [ONE_OF_TWO] = { 17, 17, 1, 1, 3 },
		    [ALONE] = { 1, 1, 0, 0, 0 } } },
	{ "wrprotect_ptes", PTEBATCH_WRPROTECT, pte_wrprotect,
	  .cost = { [WHOLE] = { 16, 16, 0, 0, 0 }, [HALF] = { 26, 24, 1, 1, 3 },
		    [ONE] = { 17, 17, 1, 1, 3 },
		    [ONE_OF_TWO] = { 17, 18, 1, 1, 3 },
		    [ALONE] = { 1, 1, 0, 0, 0 } } },
	{ "modify_prot_ptes", PTEBATCH_MODIFY_PROT, pte_wrprotect, .sets = true,
	  .returned = ENTRY,
	  .cost = { [WHOLE] = { 16, 16, 0, 0, 0 }, [HALF] = { 26, 24, 1, 1, 3 },
		    [ONE] = { 20, 17, 1, 1, 3 },
		    [ONE_OF_TWO] = { 20, 17, 1, 1, 3 },
		    [ALONE] = { 3, 1, 0, 0, 0 } } },
	{ "ptep_modify_prot", PTEBATCH_MODIFY_PROT_ONE, pte_wrprotect,
	  .single = true, .sets = true, .returned = ENTRY,
	  .cost = { [ONE] = { 20, 17, 1, 1, 3 },
		    [ONE_OF_TWO] = { 20, 17, 1, 1, 3 },
		    [ALONE] = { 3, 1, 0, 0, 0 } } },
	{ "test_and_clear_young_ptes", PTEBATCH_TEST_AND_CLEAR_YOUNG, unchanged,
	  .no_unfold = true, .clears_bits = YOUNG, .returned = YOUNG_FLAG,
	  .cost = { [WHOLE] = { 18, 16, 0, 0, 0 }, [HALF] = { 18, 16, 0, 0, 0 },
		    [ONE] = { 19, 16, 0, 0, 0 },
		    [ONE_OF_TWO] = { 19, 16, 0, 0, 0 },
		    [ALONE] = { 2, 1, 0, 0, 0 } } },
	{ "clear_flush_young_ptes", PTEBATCH_CLEAR_FLUSH_YOUNG, unchanged,
	  .no_unfold = true, .flushes = true, .clears_bits = YOUNG,
	  .returned = YOUNG_FLAG,
	  .cost = { [WHOLE] = { 20, 16, 1, 1, 1 }, [HALF] = { 20, 16, 1, 1, 1 },
		    [ONE] = { 21, 16, 1, 1, 1 },
		    [ONE_OF_TWO] = { 21, 16, 1, 1, 1 },
		    [ALONE] = { 2, 1, 1, 0, 1 } } },
	{ "clear_young_dirty_ptes", PTEBATCH_CLEAR_YOUNG_DIRTY, unchanged,
	  .no_unfold = true, .clears_bits = YOUNG | DIRTY,
	  .cost = { [WHOLE] = { 18, 0, 0, 0, 0 }, [HALF] = { 18, 0, 0, 0, 0 },
		    [ONE] = { 19, 0, 0, 0, 0 },
		    [ONE_OF_TWO] = { 19, 0, 0, 0, 0 },
		    [ALONE] = { 2, 0, 0, 0, 0 } } },
	{ "ptep_set_access_flags", PTEBATCH_SET_ACCESS_FLAGS, ptes_accessed,
	  .single = true, .valid = true, .no_unfold = true, .flushes = true,
	  .sets_bits = YOUNG | DIRTY, .returned = CHANGED_FLAG,
	  .cost = { [ONE] = { 17, 0, 0, 0, 0 },
		    [ONE_OF_TWO] = { 3, 0, 1, 0, 2 },
		    [ALONE] = { 1, 0, 0, 0, 0 } } },
	{ "ptep_set_access_flags, to writable", PTEBATCH_SET_WRITABLE,
	  made_writable, .single = true, .valid = true, .flushes = true,
	  .sets_bits = YOUNG | DIRTY, .returned = CHANGED_FLAG,
	  .cost = { [ONE] = { 19, 16, 2, 1, 3 },
		    [ONE_OF_TWO] = { 19, 16, 2, 1, 3 },
		    [ALONE] = { 1, 0, 1, 0, 0 } } },
};

/* Is the block of entry @i contiguous after the operation? */
static bool contiguous_after(const struct blocks *blocks, const struct op *op,
			     unsigned int i)
{
	unsigned int last = block_start(blocks, i) + CONT_PTES - 1;
	pte_t before = blocks->base[i];

	if (!touched(blocks, i) || covered(blocks, i) || op->no_unfold)
		return contiguous_before(blocks, i);
	/* Setting the last entry folds the block if all entries match again. */
	return op->sets && blocks->nr == 1 && blocks->from == last &&
	       plain(op->expected(before)) == plain(before) &&
	       contiguous_before(blocks, i);
}

/*
 * Rule 26: only the blocks at the edges of the range are unfolded. Without
 * BBML3, folding or unfolding a block invalidates its TLB entries.
 */
static bool unfolds(const struct blocks *blocks, const struct op *op,
		    unsigned int i)
{
	return !system_supports_bbml3() && !op->no_unfold &&
	       contiguous_before(blocks, i) && touched(blocks, i) &&
	       !covered(blocks, i);
}

/*
 * Does the operation invalidate TLB entries, apart from unfolding? Only if it
 * makes entries old or permits to write.
 */
static bool flushes(const struct blocks *blocks, const struct op *op)
{
	if (!op->flushes ||
	    !memcmp(blocks->before, blocks->after, sizeof(blocks->before)))
		return false;
	return !op->sets_bits ||
	       pte_write(op->expected(blocks->base[blocks->from]));
}

/*
 * Rule 8: a block that is unfolded is invalidated as a whole, and so is an entry
 * that becomes old or dirty. An entry that becomes accessed was in no TLB.
 */
static const char *flush_error(const struct blocks *blocks, const struct op *op)
{
	unsigned int need = op->sets_bits ? DIRTY : YOUNG;
	bool own = flushes(blocks, op);
	unsigned int i, calls = own;

	for (i = 0; i < ENTRIES; i++) {
		bool flushed = test_bit(blocks->layout->first + i, blocks->secondary.flushed);
		bool whole = unfolds(blocks, op, i);
		bool shares = op->no_unfold && touched(blocks, i) &&
			      contiguous_before(blocks, i);
		bool changes = (bits(blocks->before[i]) ^ bits(blocks->after[i])) & need;
		bool may = own && (is_in_range(blocks, i) || shares);

		if (whole && block_start(blocks, i) == (int)i)
			calls += 1 + contiguous_after(blocks, op, i);
		if (!flushed && (whole || (may && changes)))
			return "an entry was changed without a TLB invalidation (rule 8)";
		if (flushed && !whole && !may)
			return "an entry was invalidated in the TLB without need (rule 26)";
	}
	return blocks->secondary.flushes == calls ? NULL :
	       "more or fewer TLB invalidations than blocks unfolded (rule 26)";
}

/* Rule 1: violation in accessed and dirty of entry @i, %NULL if none. */
static const char *bits_error(const struct blocks *blocks, const struct op *op,
			      unsigned int i)
{
	unsigned int least = bits(blocks->before[i]);
	unsigned int most = blocks->gathered[i];
	unsigned int may_clear = 0, may_set = 0, after = bits(blocks->after[i]);

	if (is_in_range(blocks, i)) {
		may_clear = op->clears_bits;
		may_set = op->sets_bits & bits(op->expected(blocks->base[i]));
		least |= may_set;
		most &= ~may_clear;
	} else if (op->no_unfold && touched(blocks, i) &&
		   contiguous_before(blocks, i)) {
		/* Otherwise ptep_get() would still find the bit in the block. */
		may_clear = op->clears_bits;
		may_set = op->sets_bits;
		most &= ~may_clear;
	}
	if (op->sets && touched(blocks, i))
		most |= blocks->gathered[i] | blocks->range_bits |
			bits(blocks->base[blocks->from]);
	if (least & ~may_clear & ~after)
		return "accessed or dirty lost (rule 1)";
	if (op->no_unfold && after & may_clear & ~may_set)
		return "accessed or dirty not cleared in the whole block (rule 1)";
	if (after & ~(most | may_set))
		return "accessed or dirty set, clear in all entries before (rule 1)";
	return NULL;
}

static const char *entry_error(const struct blocks *blocks,
			       const struct op *op, unsigned int i)
{
	pte_t expected = blocks->base[i];
	pte_t after = blocks->after[i];

	if (is_in_range(blocks, i))
		expected = op->expected(expected);
	if (pte_none(expected))
		return pte_none(after) ? NULL : "not cleared";
	if (plain(after) != plain(expected))
		return "PFN or protection bits not as expected";
	if (!!pte_cont(after) != contiguous_after(blocks, op, i))
		return pte_cont(after) ? "contiguous" : "not contiguous";
	return bits_error(blocks, op, i);
}

static const char *return_error(const struct blocks *blocks,
				const struct op *op)
{
	unsigned int all = blocks->range_bits;

	switch (op->returned) {
	case ENTRY:
		if (plain(blocks->returned) != plain(blocks->base[blocks->from]))
			return "returned entry has another PFN or protection";
		return bits(blocks->returned) == all ? NULL :
		       "returned entry lacks gathered accessed or dirty (rule 27)";
	case YOUNG_FLAG:
		return !!pte_val(blocks->returned) == !!(all & YOUNG) ? NULL :
		       "returned value differs from gathered accessed (rule 27)";
	case CHANGED_FLAG:
		return pte_val(blocks->returned) ==
		       !!memcmp(blocks->before, blocks->after, sizeof(blocks->before)) ?
		       NULL : "returned value differs from whether an entry changed (rule 9)";
	default:
		return NULL;
	}
}

/* Prints the raw entries of the block with the violation. */
static void print_error(struct kunit *test, const struct blocks *blocks,
			const struct op *op)
{
	unsigned int i;

	KUNIT_FAIL(test, "%s of entries %u to %u: entry %u is wrong: %s",
		   op->name, blocks->from, blocks->from + blocks->nr - 1,
		   blocks->entry, blocks->error);
	for (i = 0; i < ENTRIES; i++)
		if (block_start(blocks, i) == block_start(blocks, blocks->entry))
			kunit_err(test, "entry %3u%c %#018llx%s -> %#018llx%s\n",
				  i, is_in_range(blocks, i) ? ':' : ' ',
				  pte_val(blocks->before[i]),
				  pte_cont(blocks->before[i]) ? " cont" : "     ",
				  pte_val(blocks->after[i]),
				  pte_cont(blocks->after[i]) ? " cont" : "");
}

static void read_raw(const struct blocks *blocks, pte_t *raw)
{
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		raw[i] = ptebatch_raw_pte(blocks->ptep + i);
}

/* Number of entries from @i to the end of the folio, or of the blocks. */
static unsigned int left_in_folio(const struct blocks *blocks, unsigned int i)
{
	unsigned int edge = 0, folio;

	for (folio = 0; folio < ARRAY_SIZE(blocks->layout->folios); folio++) {
		edge += blocks->layout->folios[folio] * CONT_PTES / 2;
		if (i + blocks->layout->first < edge)
			return min(edge - blocks->layout->first, ENTRIES) - i;
	}
	return ENTRIES - i;
}

/* Set the initial entries, with one set_ptes() per folio. */
static void set_up(struct blocks *blocks)
{
	struct mm_struct *mm = blocks->vma->vm_mm;
	unsigned int i, nr;

	/* Clear the raw entries: ptep_clear() would unfold blocks. */
	for (i = 0; i < ENTRIES; i++) {
		pte_t pte = ptebatch_raw_pte(blocks->ptep + i);

		ptebatch_set_raw_pte(blocks->ptep + i, __pte(0));
		page_table_check_pte_clear(mm, blocks->addr + i * PAGE_SIZE, pte);
	}
	for (i = 0; i < ENTRIES; i += nr) {
		nr = left_in_folio(blocks, i);
		set_ptes(mm, blocks->addr + i * PAGE_SIZE, blocks->ptep + i,
			 blocks->base[i], nr);
	}
}

/**
 * struct used - entries that are accessed and dirty before the operation
 * @young: entry in which the hardware has set accessed
 * @dirty: entry in which the hardware has set dirty
 * @but: instead, all entries but this one are accessed and dirty, by software;
 *       -1 for none
 */
struct used {
	unsigned int young, dirty;
	int but;
};

static void set_used(struct blocks *blocks, const struct used *used)
{
	pte_t *ptep = blocks->ptep, pte;
	unsigned int i;

	if (used->but >= 0) {
		for (i = 0; i < ENTRIES; i++)
			if (i != used->but)
				ptebatch_set_raw_pte(ptep + i,
						     ptes_accessed(ptebatch_raw_pte(ptep + i)));
		return;
	}
	pte = ptebatch_raw_pte(ptep + used->young);
	ptebatch_set_raw_pte(ptep + used->young, __pte(pte_val(pte) | PTE_AF));
	pte = ptebatch_raw_pte(ptep + used->dirty);
	if (pte_write(pte))
		ptebatch_set_raw_pte(ptep + used->dirty,
				     __pte(pte_val(pte) & ~PTE_RDONLY));
}

static void call(struct blocks *blocks, const struct op *op)
{
	struct ptebatch_ptes ptes = {
		.vma = blocks->vma,
		.addr = blocks->addr + blocks->from * PAGE_SIZE,
		.ptep = blocks->ptep + blocks->from,
		.nr = blocks->nr,
		.entry = blocks->base[blocks->from],
	};

	if (blocks->counted)
		ptebatch_twin_pte_op(op->id, &ptes, &blocks->cost);
	else
		ptes_ops[op->id](&ptes);
	blocks->returned = ptes.returned;
}

/* Does not print, since the page table lock is held. */
static bool try_range(struct blocks *blocks, const struct op *op,
		      const struct used *used)
{
	unsigned int i;

	set_up(blocks);
	if (blocks->valid)
		set_used(blocks, used);
	read_raw(blocks, blocks->before);
	gather(blocks);
	blocks->secondary.flushes = 0;
	bitmap_zero(blocks->secondary.flushed, PTEBATCH_ROW_ENTRIES);
	call(blocks, op);
	read_raw(blocks, blocks->after);

	for (i = 0; i < ENTRIES && !blocks->error; i++) {
		blocks->entry = i;
		/* Checks the set_ptes() of the set-up, too. */
		if (!!pte_cont(blocks->before[i]) != contiguous_before(blocks, i))
			blocks->error = "PTE_CONT wrong after the set-up (rule 25)";
		else
			blocks->error = entry_error(blocks, op, i);
	}
	if (blocks->error)
		return false;
	blocks->entry = blocks->from;
	blocks->error = return_error(blocks, op);
	if (!blocks->error)
		blocks->error = flush_error(blocks, op);
	return !blocks->error;
}

/*
 * Ranges begin and end at any entry; in blocks of more than 32 entries only at
 * the edges and the middle of a block, and next to them.
 */
static bool is_edge(unsigned int i)
{
	return CONT_PTES <= 32 || (i + 1) % (CONT_PTES / 2) <= 2;
}

static void try_ranges(struct blocks *blocks, const struct op *op)
{
	struct used used = { .but = -1 };
	unsigned int from, to;

	for (from = 0; from < ENTRIES; from++) {
		for (to = from + 1; to <= ENTRIES; to++) {
			if ((op->single && to > from + 1) ||
			    to - from > left_in_folio(blocks, from))
				break;
			if (!is_edge(from) || !is_edge(to))
				continue;
			blocks->from = from;
			blocks->nr = to - from;
			/* Vary which entry has accessed and dirty set. */
			used.young = (used.young + 7) % ENTRIES;
			used.dirty = used.young;
			if (!try_range(blocks, op, &used))
				return;
		}
	}
}

/**
 * struct contpte_param - parameter of contpte_op()
 * @op: index into ops[]
 * @layout: index into layouts[]
 * @kind: index into kinds[]
 */
struct contpte_param {
	unsigned int op, layout, kind;
};

static bool fill_param(unsigned int i, void *data)
{
	struct contpte_param *param = data;
	const struct op *op;
	const char *entry;

	param->kind = i % ARRAY_SIZE(kinds);
	param->layout = i / ARRAY_SIZE(kinds) % ARRAY_SIZE(layouts);
	param->op = i / ARRAY_SIZE(kinds) / ARRAY_SIZE(layouts);
	op = &ops[param->op];
	entry = kinds[param->kind].entry;
	if ((op->valid && *entry == 'N') || (op->young && !strchr(entry, 'y')))
		return false;
	return op->id != PTEBATCH_SET_WRITABLE || *entry == 'R';
}

static void describe_param(struct kunit *test, const void *data, char *desc)
{
	const struct contpte_param *param = data;

	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s, %s, %s entries: %s unfolded",
		 ops[param->op].name, layouts[param->layout].name,
		 kinds[param->kind].name,
		 ops[param->op].no_unfold ? "no block" : "only partial blocks");
}

static int contpte_op_params(struct kunit *test)
{
	return ptebatch_params(test, ARRAY_SIZE(ops) * ARRAY_SIZE(layouts) *
			       ARRAY_SIZE(kinds), sizeof(struct contpte_param),
			       fill_param, describe_param);
}

static struct ptebatch_space *make_space(struct kunit *test,
					 const struct layout *layout,
					 const struct kind *kind)
{
	struct ptebatch_setup setup = { .prot = RW };
	struct seq_buf out;
	char picture[96];
	unsigned int i;

	seq_buf_init(&out, picture, sizeof(picture));
	seq_buf_puts(&out, layout->position);
	for (i = 0; i < ARRAY_SIZE(layout->folios) && layout->folios[i]; i++)
		seq_buf_printf(&out, "%s{%s*%u} ", i ? "+" : "", kind->entry,
			       layout->folios[i] * (unsigned int)CONT_PTES / 2);
	setup.picture = seq_buf_str(&out);
	return ptebatch_space(test, &setup);
}

static struct blocks *make_blocks(struct kunit *test, unsigned int layout,
				  unsigned int kind)
{
	struct blocks *blocks;

	blocks = kunit_kzalloc(test, sizeof(*blocks), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, blocks);
	blocks->space = make_space(test, &layouts[layout], &kinds[kind]);
	blocks->layout = &layouts[layout];
	blocks->valid = *kinds[kind].entry != 'N';
	blocks->addr = ptebatch_addr(blocks->space, blocks->layout->first);
	return blocks;
}

/* Call @work under the mmap lock and the page table lock. */
static void with_blocks(struct kunit *test, struct blocks *blocks,
			void (*work)(struct blocks *blocks, const struct op *op),
			const struct op *op)
{
	struct ptebatch_place *place = &blocks->space->places[0];
	spinlock_t *ptl;	/* of the page table */
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, ptebatch_secondary_begin(&blocks->secondary, place));
	mmap_write_lock(place->mm);
	blocks->vma = vma_lookup(place->mm, blocks->addr);
	rw_vma = blocks->vma;
	blocks->ptep = get_locked_pte(place->mm, blocks->addr, &ptl);
	if (blocks->ptep) {
		read_raw(blocks, blocks->base);
		for (i = 0; i < ENTRIES; i++)
			blocks->base[i] = pte_mknoncont(blocks->base[i]);
		work(blocks, op);
		/* Teardown needs the initial entries. */
		set_up(blocks);
		pte_unmap_unlock(blocks->ptep, ptl);
	}
	mmap_write_unlock(place->mm);
	ptebatch_secondary_end(&blocks->secondary);
	KUNIT_EXPECT_NOT_NULL(test, blocks->ptep);
	if (blocks->error)
		print_error(test, blocks, op);
}

/* Rules 25 and 26. */
static void contpte_op(struct kunit *test)
{
	const struct contpte_param *param = test->param_value;

	with_blocks(test, make_blocks(test, param->layout, param->kind),
		    try_ranges, &ops[param->op]);
}

/*
 * Rules 9 and 27 for each operation that returns a value, each entry with accessed
 * set, dirty in the same entry or in one at the other end of the block, or both in
 * all entries but one, and each entry on which it operates.
 */
static void try_used(struct blocks *blocks, const struct op *op)
{
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		for (blocks->from = 0; blocks->from < ENTRIES; blocks->from++) {
			const struct used same = { i, i, -1 };
			const struct used two = { i, i ^ (CONT_PTES - 1), -1 };
			const struct used others = { .but = i };

			blocks->nr = 1;
			if (is_edge(i) && is_edge(blocks->from) &&
			    (!try_range(blocks, op, &same) ||
			     !try_range(blocks, op, &two) ||
			     !try_range(blocks, op, &others)))
				return;
		}
}

static bool fill_gathering(unsigned int i, void *param)
{
	*(struct op *)param = ops[i];
	/* Entries that become writable are read-only before. */
	return ops[i].returned != NOTHING && ops[i].id != PTEBATCH_SET_WRITABLE;
}

static void describe_gathering(struct kunit *test, const void *param, char *desc)
{
	const struct op *op = param;

	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "%s, any entries accessed and dirty: gathered from their block",
		 op->name);
}

static int contpte_gathers_params(struct kunit *test)
{
	return ptebatch_params(test, ARRAY_SIZE(ops), sizeof(struct op),
			       fill_gathering, describe_gathering);
}

static void contpte_gathers(struct kunit *test)
{
	with_blocks(test, make_blocks(test, 0, 0), try_used, test->param_value);
}

/*
 * Rule 28: cost of each operation on a whole block, on half of it, on its last
 * entry, and on an entry that is in no block.
 */
static const struct part {
	const char *name;
	unsigned int from, nr;
	/* The hardware has set accessed in entry 0, and dirty in this entry. */
	unsigned int dirty;
	/* Index into layouts[]. */
	unsigned int layout;
} parts[] = {
	[WHOLE] = { "whole", 0, CONT_PTES },
	[HALF] = { "half", 0, CONT_PTES / 2 },
	[ONE] = { "one", CONT_PTES - 1, 1 },
	[ONE_OF_TWO] = { "one-of-two-used", CONT_PTES - 1, 1, .dirty = 1 },
	[ALONE] = { "alone", 1, 1, .layout = 3 },
};

static const struct part *part;

/* Are the first block's entries outside of the range no longer contiguous? */
static bool unfolded(const struct blocks *blocks)
{
	unsigned int i;

	for (i = 0; i < CONT_PTES; i++)
		if (!is_in_range(blocks, i))
			return !pte_cont(blocks->after[i]);
	return false;
}

static void count_part(struct blocks *blocks, const struct op *op)
{
	const struct used used = { 0, part->dirty, -1 };

	blocks->counted = true;
	blocks->from = part->from;
	blocks->nr = part->nr;
	try_range(blocks, op, &used);
}

static void expect_cost(struct kunit *test, const struct blocks *blocks,
			const struct op *op)
{
	const struct cost *most = &op->cost[part - parts];
	const struct {
		const char *what;
		unsigned long counted, most;
	} counts[] = {
		{ "reads", blocks->cost.reads, most->reads },
		{ "atomic exchanges", blocks->cost.exchanges, most->exchanges },
		{ "TLB invalidations", blocks->secondary.flushes, most->invalidations },
		{ "TLB invalidations on all CPUs", blocks->cost.broadcasts,
		  most->broadcasts },
		{ "barriers", blocks->cost.barriers, most->barriers },
	};
	unsigned int i;

	/* The table is of 4K pages. */
	for (i = 0; i < ARRAY_SIZE(counts) && CONT_PTES == 16; i++)
		KUNIT_EXPECT_LE_MSG(test, counts[i].counted, counts[i].most,
				    PTEBATCH_RULE_COST
				    ": %s, part %s, takes %lu %s, expected at most %lu",
				    op->name, part->name, counts[i].counted,
				    counts[i].what, counts[i].most);
	KUNIT_EXPECT_EQ_MSG(test, blocks->cost.other_levels, 0, PTEBATCH_RULE_COST
			    ": %s, part %s: TLB invalidations with a wrong level hint",
			    op->name, part->name);
	/* Otherwise the counts are not connected. */
	KUNIT_EXPECT_TRUE_MSG(test, blocks->cost.reads || !most->reads,
			      PTEBATCH_RULE_COST ": %s: no reads counted", op->name);
}

/* Index into kinds[]: two used entries show if no entry is accessed otherwise. */
static unsigned int cost_kind(const struct op *op)
{
	if (op->id == PTEBATCH_SET_WRITABLE)
		return 2;
	return part != &parts[ONE_OF_TWO] || op->young;
}

static void contpte_cost(struct kunit *test)
{
	const struct op *op = test->param_value;

	for (part = parts; part < parts + ARRAY_SIZE(parts); part++) {
		struct blocks *blocks;

		if (op->single && part->nr > 1)
			continue;
		blocks = make_blocks(test, part->layout, cost_kind(op));
		with_blocks(test, blocks, count_part, op);
		kunit_info(test, "counts table=contpte name=%s part=%s: per=operation reads=%lu exchanges=%lu invalidations=%u broadcasts=%lu barriers=%lu unfolded=%u\n",
			   op->name, part->name, blocks->cost.reads,
			   blocks->cost.exchanges, blocks->secondary.flushes,
			   blocks->cost.broadcasts, blocks->cost.barriers,
			   unfolded(blocks));
		expect_cost(test, blocks, op);
		ptebatch_space_release(blocks->space);
	}
}

static void describe_cost(const struct op *op, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "%s: reads, exchanges, invalidations and barriers not above the table",
		 op->name);
}

KUNIT_ARRAY_PARAM(cost, ops, describe_cost);

static struct kunit_case contpte_cases[] = {
	PTEBATCH_CASE_PARAMS(contpte_op),
	PTEBATCH_CASE_PARAMS(contpte_gathers),
	KUNIT_CASE_PARAM(contpte_cost, cost_gen_params),
	{}
};

PTEBATCH_SUITE(contpte, contpte_cases);
