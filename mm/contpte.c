// SPDX-License-Identifier: GPL-2.0
/*
 * arm64's contpte: what each operation on page table entries does to
 * contiguous blocks, in whole and in part, by the raw entries.
 *
 * For two adjacent blocks, each operation is done to every range of entries in
 * them. The entries begin as set_ptes() leaves them, save that a CPU may have
 * set accessed and dirty in one of them since.
 */
#include "../lib/tlb.h"

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/page_table_check.h>

#include "internal.h"

#include "../lib/contpte.h"
#include "../lib/flush.h"
#include "../lib/protect.h"
#include "../lib/pte_ops.h"
#include "../lib/space.h"
#include "../lib/unmap.h"

#define RW	(PROT_READ | PROT_WRITE)

/* Entries in two blocks. */
#define ENTRIES	(2 * CONT_PTES)

/* How the entries lie in their blocks, and their pages in memory and folios. */
static const struct layout {
	const char *name;
	/* Where the row begins, as a row says it. */
	const char *first;
	/* Folios side by side, in halves of a block. */
	unsigned int folios[4];
	/* Which entry of the row is the first one of ours. */
	unsigned int at;
	/* How far into a block that is. */
	unsigned int into;
	/* A bit for each block that is contiguous then. */
	unsigned int folds;
} layouts[] = {
	{ "one folio", "", { 4 }, .folds = 0b11 },
	{ "a folio a block", "", { 2, 2 }, .folds = 0b11 },
	{ "two folios in a block", "", { 1, 1, 2 }, .folds = 0b10 },
	{ "virtually off", "@1 ", { 4 }, .into = 1 },
	{ "physically off", "@-1 ", { 8 }, .at = 1 },
};

static const struct kind {
	const char *name, *entry;
} kinds[] = {
	{ "writable", "W" },
	{ "dirty", "Wdy" },
	{ "read-only", "R" },
	{ "no access", "N" },
};

/**
 * struct blocks - the entries that an operation gets a part of
 * @space: the address space that they are in
 * @vma: the VMA
 * @addr: address of the first one
 * @ptep: the first one
 * @layout: how they lie
 * @valid: they permit some access
 * @base: the entries as set up, by themselves
 * @was: before the operation, raw
 * @is: after it, raw
 * @gathered: YOUNG and DIRTY that the entries showed before
 * @given: those of all entries that the operation gets
 * @from: the first one that the operation gets
 * @nr: how many it gets
 * @returned: what it has returned
 * @counted: it is done by the twin that counts
 * @cost: what that has counted
 * @flush: counts what is invalidated in the TLBs
 * @wrong: what is wrong, %NULL if nothing is
 * @entry: which entry is
 */
struct blocks {
	struct ptebatch_space *space;
	struct vm_area_struct *vma;
	unsigned long addr;
	pte_t *ptep;
	const struct layout *layout;
	bool valid;
	pte_t base[ENTRIES];
	pte_t was[ENTRIES];
	pte_t is[ENTRIES];
	u8 gathered[ENTRIES];
	unsigned int given;
	unsigned int from, nr;
	pte_t returned;
	bool counted;
	struct ptebatch_pte_cost cost;
	struct ptebatch_flush flush;
	const char *wrong;
	unsigned int entry;
};

static bool is_given(const struct blocks *blocks, unsigned int i)
{
	return i >= blocks->from && i < blocks->from + blocks->nr;
}

/* The block of entry @i, by its first entry, which may be before ours. */
static int block_of(const struct blocks *blocks, unsigned int i)
{
	return round_down(i + blocks->layout->into, CONT_PTES) -
	       (int)blocks->layout->into;
}

static bool folds(const struct blocks *blocks, unsigned int i)
{
	return blocks->valid && blocks->layout->folds &
	       BIT((i + blocks->layout->into) / CONT_PTES);
}

/* Is all of the block of entry @i in the range? */
static bool covered(const struct blocks *blocks, unsigned int i)
{
	int block = block_of(blocks, i);

	return (int)blocks->from <= block &&
	       (int)(blocks->from + blocks->nr) >= block + CONT_PTES;
}

/* Is any of it? */
static bool touched(const struct blocks *blocks, unsigned int i)
{
	int block = block_of(blocks, i);

	return (int)blocks->from < block + CONT_PTES &&
	       (int)(blocks->from + blocks->nr) > block;
}

#define YOUNG	BIT(0)
#define DIRTY	BIT(1)

static unsigned int bits(pte_t pte)
{
	return (pte_young(pte) ? YOUNG : 0) | (pte_dirty(pte) ? DIRTY : 0);
}

/* What is read from an entry: if it is contiguous, of all of its block. */
static void gather(struct blocks *blocks)
{
	unsigned int all[3] = {}, i, block;

	for (i = 0; i < ENTRIES; i++) {
		block = (i + blocks->layout->into) / CONT_PTES;
		all[block] |= bits(blocks->was[i]);
	}
	blocks->given = 0;
	for (i = 0; i < ENTRIES; i++) {
		block = (i + blocks->layout->into) / CONT_PTES;
		blocks->gathered[i] = folds(blocks, i) ? all[block] :
				      bits(blocks->was[i]);
		/* A block that is given in part is asked as a whole. */
		if (is_given(blocks, i))
			blocks->given |= covered(blocks, i) ?
					 bits(blocks->was[i]) :
					 blocks->gathered[i];
	}
}

/* An entry without what CPUs and blocks add to it. */
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

/* What an operation returns: an entry with gathered bits, or whether young. */
enum returns { NOTHING, ENTRY, WHETHER_YOUNG };

/**
 * struct op - an operation
 * @name: its name
 * @id: which one it is
 * @becomes: what it makes of an entry, accessed and dirty aside
 * @single: to one entry only
 * @valid: to entries only that permit some access
 * @leaves: a block that it gets in part stays contiguous; others unfold it
 * @sets: sets entries, so that what it covers whole folds
 * @flushes: invalidates TLB entries by itself
 * @loses: YOUNG and DIRTY that it clears, of whole blocks if they are contiguous
 * @gains: those that it sets, likewise
 * @gives: what it returns
 */
struct op {
	const char *name;
	enum ptebatch_pte_op id;
	pte_t (*becomes)(pte_t pte);
	bool single;
	bool valid;
	bool leaves;
	bool sets;
	bool flushes;
	unsigned int loses;
	unsigned int gains;
	enum returns gives;
};

static const struct op ops[] = {
	{ "ptep_get", PTEBATCH_GET, unchanged, .single = true, .leaves = true,
	  .gives = ENTRY },
	{ "ptep_get_lockless", PTEBATCH_GET_LOCKLESS, unchanged, .single = true,
	  .leaves = true, .gives = ENTRY },
	{ "set_ptes", PTEBATCH_SET, unchanged, .sets = true, .loses = YOUNG | DIRTY },
	{ "ptep_get_and_clear", PTEBATCH_GET_AND_CLEAR, cleared, .single = true,
	  .gives = ENTRY },
	{ "get_and_clear_full_ptes", PTEBATCH_GET_AND_CLEAR_FULL, cleared,
	  .gives = ENTRY },
	{ "pte_clear", PTEBATCH_CLEAR, cleared, .single = true },
	{ "clear_full_ptes", PTEBATCH_CLEAR_FULL, cleared },
	{ "wrprotect_ptes", PTEBATCH_WRPROTECT, pte_wrprotect },
	{ "modify_prot_ptes", PTEBATCH_MODIFY_PROT, pte_wrprotect, .sets = true,
	  .gives = ENTRY },
	{ "ptep_modify_prot", PTEBATCH_MODIFY_PROT_ONE, pte_wrprotect,
	  .single = true, .sets = true, .gives = ENTRY },
	{ "test_and_clear_young_ptes", PTEBATCH_TEST_AND_CLEAR_YOUNG, unchanged,
	  .leaves = true, .loses = YOUNG, .gives = WHETHER_YOUNG },
	{ "clear_flush_young_ptes", PTEBATCH_CLEAR_FLUSH_YOUNG, unchanged,
	  .leaves = true, .flushes = true, .loses = YOUNG, .gives = WHETHER_YOUNG },
	{ "clear_young_dirty_ptes", PTEBATCH_CLEAR_YOUNG_DIRTY, unchanged,
	  .leaves = true, .loses = YOUNG | DIRTY },
	{ "ptep_set_access_flags", PTEBATCH_SET_ACCESS_FLAGS, ptes_accessed,
	  .single = true, .valid = true, .leaves = true, .flushes = true,
	  .gains = YOUNG | DIRTY },
	{ "ptep_set_access_flags, to writable", PTEBATCH_SET_WRITABLE, made_writable,
	  .single = true, .valid = true, .flushes = true, .gains = YOUNG | DIRTY },
};

/* What a block is after the operation. */
static bool folds_now(const struct blocks *blocks, const struct op *op,
		      unsigned int i)
{
	unsigned int last = block_of(blocks, i) + CONT_PTES - 1;
	pte_t was = blocks->base[i];

	if (!touched(blocks, i) || covered(blocks, i) || op->leaves)
		return folds(blocks, i);
	/* The last entry that is set finds all others as it is. */
	return op->sets && blocks->nr == 1 && blocks->from == last &&
	       plain(op->becomes(was)) == plain(was) && folds(blocks, i);
}

/*
 * Rule 26: the blocks at the edges are unfolded, and no other one. To fold or
 * unfold a block takes it out of the TLBs, unless CPUs do without that.
 */
static bool flushed_enough(const struct blocks *blocks, const struct op *op)
{
	unsigned int i, nr = 0;

	for (i = 0; i < ENTRIES && !system_supports_bbml3(); i++) {
		if (block_of(blocks, i) != (int)i || !touched(blocks, i) ||
		    covered(blocks, i) || op->leaves || !folds(blocks, i))
			continue;
		nr += 1 + folds_now(blocks, op, i);
	}
	return op->flushes ? blocks->flush.calls >= nr :
			     blocks->flush.calls == nr;
}

/* What is wrong with accessed and dirty of entry @i, %NULL if nothing is. */
static const char *wrong_bits(const struct blocks *blocks, const struct op *op,
			      unsigned int i)
{
	unsigned int least = bits(blocks->was[i]);
	unsigned int most = blocks->gathered[i];
	unsigned int loses = 0, gains = 0, now = bits(blocks->is[i]);

	if (is_given(blocks, i)) {
		loses = op->loses;
		gains = op->gains & bits(op->becomes(blocks->base[i]));
		least |= gains;
		most &= ~loses;
	} else if (op->leaves && touched(blocks, i) && folds(blocks, i)) {
		loses = op->loses;
		gains = op->gains;
	}
	if (op->sets && touched(blocks, i))
		most |= blocks->gathered[i] | blocks->given |
			bits(blocks->base[blocks->from]);
	if (least & ~loses & ~now)
		return "accessed or dirty has vanished";
	if (now & ~(most | gains))
		return "accessed or dirty has come from nowhere";
	return NULL;
}

static const char *wrong_entry(const struct blocks *blocks,
			       const struct op *op, unsigned int i)
{
	pte_t expected = blocks->base[i];
	pte_t is = blocks->is[i];

	if (is_given(blocks, i))
		expected = op->becomes(expected);
	if (pte_none(expected))
		return pte_none(is) ? NULL : "not cleared";
	if (plain(is) != plain(expected))
		return "not what it ought to be";
	if (!!pte_cont(is) != folds_now(blocks, op, i))
		return pte_cont(is) ? "contiguous" : "not contiguous";
	return wrong_bits(blocks, op, i);
}

static const char *wrong_return(const struct blocks *blocks,
				const struct op *op)
{
	unsigned int all = blocks->given;

	switch (op->gives) {
	case ENTRY:
		if (plain(blocks->returned) != plain(blocks->base[blocks->from]))
			return "returned another entry";
		return bits(blocks->returned) == all ? NULL :
		       "returned without what its block has gathered";
	case WHETHER_YOUNG:
		return !!pte_val(blocks->returned) == !!(all & YOUNG) ? NULL :
		       "returned what its block does not say of accessed";
	default:
		return NULL;
	}
}

/* The picture: the block around what is wrong, before and after. */
static void print_wrong(struct kunit *test, const struct blocks *blocks,
			const struct op *op)
{
	unsigned int i;

	KUNIT_FAIL(test, "%s of entries %u to %u: entry %u is wrong: %s",
		   op->name, blocks->from, blocks->from + blocks->nr - 1,
		   blocks->entry, blocks->wrong);
	for (i = 0; i < ENTRIES; i++)
		if (block_of(blocks, i) == block_of(blocks, blocks->entry))
			kunit_err(test, "entry %3u%c %#018llx%s -> %#018llx%s\n",
				  i, is_given(blocks, i) ? ':' : ' ',
				  pte_val(blocks->was[i]),
				  pte_cont(blocks->was[i]) ? " cont" : "     ",
				  pte_val(blocks->is[i]),
				  pte_cont(blocks->is[i]) ? " cont" : "");
}

static void read_raw(const struct blocks *blocks, pte_t *raw)
{
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		raw[i] = ptebatch_raw_pte(blocks->ptep + i);
}

/* How many entries from @i on are of one folio. */
static unsigned int left_in_folio(const struct blocks *blocks, unsigned int i)
{
	unsigned int edge = 0, folio;

	for (folio = 0; folio < ARRAY_SIZE(blocks->layout->folios); folio++) {
		edge += blocks->layout->folios[folio] * CONT_PTES / 2;
		if (i + blocks->layout->at < edge)
			return min(edge - blocks->layout->at, ENTRIES) - i;
	}
	return ENTRIES - i;
}

/* All entries as they are at first, by set_ptes() a folio. */
static void set_up(struct blocks *blocks)
{
	struct mm_struct *mm = blocks->vma->vm_mm;
	unsigned int i, nr;

	/* Not ptep_clear(), which would unfold: the blocks are set up anew. */
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

/* A CPU that manages accessed and dirty itself has used entry @i. */
static void use(struct blocks *blocks, unsigned int i)
{
	pte_t pte = ptebatch_raw_pte(blocks->ptep + i);
	pteval_t val = pte_val(pte) | PTE_AF;

	if (pte_write(pte))
		val &= ~PTE_RDONLY;
	ptebatch_set_raw_pte(blocks->ptep + i, __pte(val));
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

/* The page table lock is held: nothing is printed. */
static bool try_range(struct blocks *blocks, const struct op *op,
		      unsigned int used)
{
	unsigned int i;

	set_up(blocks);
	if (blocks->valid)
		use(blocks, used);
	read_raw(blocks, blocks->was);
	gather(blocks);
	blocks->flush.calls = 0;
	call(blocks, op);
	read_raw(blocks, blocks->is);

	for (i = 0; i < ENTRIES && !blocks->wrong; i++) {
		blocks->entry = i;
		/* set_ptes() is an operation, too. */
		if (!!pte_cont(blocks->was[i]) != folds(blocks, i))
			blocks->wrong = "contiguous, or not, from the start";
		else
			blocks->wrong = wrong_entry(blocks, op, i);
	}
	if (blocks->wrong)
		return false;
	blocks->entry = blocks->from;
	blocks->wrong = wrong_return(blocks, op);
	if (!blocks->wrong && !flushed_enough(blocks, op))
		blocks->wrong = "not just the blocks at the edges were unfolded";
	return !blocks->wrong;
}

/*
 * Every range, or of blocks with more than 32 entries those that begin and end
 * at the edges and the middle of a block, and next to them.
 */
static bool is_edge(unsigned int i)
{
	return CONT_PTES <= 32 || (i + 1) % (CONT_PTES / 2) <= 2;
}

static void try_ranges(struct blocks *blocks, const struct op *op)
{
	unsigned int from, to, used = 0;

	for (from = 0; from < ENTRIES; from++) {
		for (to = from + 1; to <= ENTRIES; to++) {
			if ((op->single && to > from + 1) ||
			    to - from > left_in_folio(blocks, from))
				break;
			if (!is_edge(from) || !is_edge(to))
				continue;
			blocks->from = from;
			blocks->nr = to - from;
			/* Each entry is used some time, in and outside the range. */
			used = (used + 7) % ENTRIES;
			if (!try_range(blocks, op, used))
				return;
		}
	}
}

/**
 * struct contpte_param - a case
 * @op: index into ops[]
 * @layout: index into layouts[]
 * @kind: index into kinds[]
 */
struct contpte_param {
	unsigned int op, layout, kind;
};

static void param_desc(const struct contpte_param *param, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s, %s, %s", ops[param->op].name,
		 layouts[param->layout].name, kinds[param->kind].name);
}

static bool makes_sense(const struct contpte_param *param)
{
	const struct op *op = &ops[param->op];
	const char *entry = kinds[param->kind].entry;

	if (op->valid && *entry == 'N')
		return false;
	return op->id != PTEBATCH_SET_WRITABLE || *entry == 'R';
}

static const void *contpte_gen_params(struct kunit *test, const void *prev,
				      char *desc)
{
	static struct contpte_param param;

	if (!prev)
		param = (struct contpte_param) {};
	else
		param.kind++;
	for (;; param.kind++) {
		if (param.kind == ARRAY_SIZE(kinds)) {
			param.kind = 0;
			param.layout++;
		}
		if (param.layout == ARRAY_SIZE(layouts)) {
			param.layout = 0;
			param.op++;
		}
		if (param.op == ARRAY_SIZE(ops))
			return NULL;
		if (makes_sense(&param))
			break;
	}
	param_desc(&param, desc);
	return &param;
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
	seq_buf_puts(&out, layout->first);
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
	blocks->addr = ptebatch_addr(blocks->space, blocks->layout->at);
	return blocks;
}

/* Do @work to the blocks under the locks that its callers hold. */
static void with_blocks(struct kunit *test, struct blocks *blocks,
			void (*work)(struct blocks *blocks, const struct op *op),
			const struct op *op)
{
	struct ptebatch_place *place = &blocks->space->places[0];
	spinlock_t *ptl;	/* of the page table */
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, ptebatch_flush_begin(&blocks->flush, place));
	mmap_write_lock(place->mm);
	blocks->vma = vma_lookup(place->mm, blocks->addr);
	rw_vma = blocks->vma;
	blocks->ptep = get_locked_pte(place->mm, blocks->addr, &ptl);
	if (blocks->ptep) {
		read_raw(blocks, blocks->base);
		for (i = 0; i < ENTRIES; i++)
			blocks->base[i] = pte_mknoncont(blocks->base[i]);
		work(blocks, op);
		/* Whatever it was: teardown shall find what was mapped. */
		set_up(blocks);
		pte_unmap_unlock(blocks->ptep, ptl);
	}
	mmap_write_unlock(place->mm);
	ptebatch_flush_end(&blocks->flush);
	KUNIT_EXPECT_NOT_NULL(test, blocks->ptep);
	if (blocks->wrong)
		print_wrong(test, blocks, op);
}

/* Rules 25 and 26. */
static void contpte_op(struct kunit *test)
{
	const struct contpte_param *param = test->param_value;

	with_blocks(test, make_blocks(test, param->layout, param->kind),
		    try_ranges, &ops[param->op]);
}

/*
 * Rule 27, for each entry that a CPU may have used and each that is asked, by
 * the operations that return an entry.
 */
static void try_used(struct blocks *blocks, const struct op *op)
{
	unsigned int used;

	for (used = 0; used < ENTRIES; used++)
		for (blocks->from = 0; blocks->from < ENTRIES; blocks->from++) {
			blocks->nr = 1;
			if (is_edge(used) && is_edge(blocks->from) &&
			    !try_range(blocks, op, used))
				return;
		}
}

static const void *gathers_gen_params(struct kunit *test, const void *prev,
				      char *desc)
{
	const struct op *op = prev;

	for (op = op ? op + 1 : ops; op < ops + ARRAY_SIZE(ops); op++) {
		if (op->gives == NOTHING)
			continue;
		strscpy(desc, op->name, KUNIT_PARAM_DESC_SIZE);
		return op;
	}
	return NULL;
}

static void contpte_gathers(struct kunit *test)
{
	with_blocks(test, make_blocks(test, 0, 0), try_used, test->param_value);
}

/*
 * What it costs: an operation on a block as a whole, on half of it, and on the
 * last entry of it.
 */
static const struct part {
	const char *name;
	unsigned int from, nr;
} parts[] = {
	{ "whole", 0, CONT_PTES },
	{ "half", 0, CONT_PTES / 2 },
	{ "one", CONT_PTES - 1, 1 },
};

static const struct part *part;

/* Is what the operation did not get of the first block still contiguous? */
static bool unfolded(const struct blocks *blocks)
{
	unsigned int i;

	for (i = 0; i < CONT_PTES; i++)
		if (!is_given(blocks, i))
			return !pte_cont(blocks->is[i]);
	return false;
}

static void count_part(struct blocks *blocks, const struct op *op)
{
	blocks->counted = true;
	blocks->from = part->from;
	blocks->nr = part->nr;
	try_range(blocks, op, 0);
}

static void contpte_cost(struct kunit *test)
{
	const struct op *op = test->param_value;
	unsigned int kind = op->id == PTEBATCH_SET_WRITABLE ? 2 : 1;

	for (part = parts; part < parts + ARRAY_SIZE(parts); part++) {
		struct blocks *blocks;

		if (op->single && part->nr > 1)
			continue;
		blocks = make_blocks(test, 0, kind);
		with_blocks(test, blocks, count_part, op);
		kunit_info(test, "counts table=contpte name=%s part=%s: per=operation reads=%lu invalidations=%u barriers=%lu unfolded=%u\n",
			   op->name, part->name, blocks->cost.reads,
			   blocks->flush.calls, blocks->cost.barriers,
			   unfolded(blocks));
		ptebatch_space_release(blocks->space);
	}
}

static const void *cost_gen_params(struct kunit *test, const void *prev,
				   char *desc)
{
	const struct op *op = prev ? prev + sizeof(*op) : ops;

	if (op == ops + ARRAY_SIZE(ops))
		return NULL;
	strscpy(desc, op->name, KUNIT_PARAM_DESC_SIZE);
	return op;
}

/*
 * Rule 26 for the paths that the core code takes to those operations: a folio
 * of two blocks, of which they get so many halves.
 */

static void by_mprotect(struct ptebatch_space *space)
{
	ptebatch_change(space->places[0].mm,
			ptebatch_addr(space, space->row.from),
			ptebatch_addr(space, space->row.to),
			&ptebatch_protections[PTEBATCH_TO_READABLE],
			change_protection);
}

static void by_zap(struct ptebatch_space *space)
{
	ptebatch_zap(space, zap_vma_range);
}

static void by_unmap(struct ptebatch_space *space)
{
	ptebatch_unmap(space, 0, try_to_unmap);
}

static const struct route {
	const char *name;
	struct ptebatch_setup setup;
	const char *entry;
	void (*call)(struct ptebatch_space *space);
	/* Halves of blocks. */
	unsigned int from, to;
	/* Blocks that are unfolded, and those that are contiguous in the end. */
	unsigned int unfolds, contiguous;
} routes[] = {
	{ "mprotect() of both blocks", { .prot = RW }, "Wdyx", by_mprotect,
	  0, 4, 0, 0b11 },
	{ "mprotect() of one block", { .prot = RW }, "Wdyx", by_mprotect,
	  0, 2, 0, 0b11 },
	{ "mprotect() of a half", { .prot = RW }, "Wdyx", by_mprotect,
	  0, 1, 1, 0b10 },
	{ "mprotect() of the middle", { .prot = RW }, "Wdyx", by_mprotect,
	  1, 3, 2, 0b00 },
	{ "mprotect() of one block and a half", { .prot = RW }, "Wdyx",
	  by_mprotect, 0, 3, 1, 0b01 },
	{ "zapping of both blocks", { .prot = RW }, "Wdyx", by_zap,
	  0, 4, 0, 0b00 },
	{ "zapping of one block", { .prot = RW }, "Wdyx", by_zap,
	  0, 2, 0, 0b10 },
	{ "zapping of the middle", { .prot = RW }, "Wdyx", by_zap,
	  1, 3, 2, 0b00 },
	{ "try_to_unmap(), lazyfree", { .prot = RW, .lazyfree = true }, "Wyx",
	  by_unmap, 0, 4, 0, 0b00 },
	{ "try_to_unmap(), shmem", { .mapping = PTEBATCH_SHMEM, .prot = RW },
	  "Wdy", by_unmap, 0, 4, 0, 0b00 },
};

KUNIT_ARRAY_PARAM_DESC(routes, routes, name);

static void contpte_route(struct kunit *test)
{
	const struct route *route = test->param_value;
	struct ptebatch_setup setup = route->setup;
	struct ptebatch_space *space;
	struct ptebatch_flush *flush;
	struct mm_struct *mm;
	unsigned int block;
	unsigned long addr;
	char picture[32];

	flush = kunit_kzalloc(test, sizeof(*flush), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, flush);
	snprintf(picture, sizeof(picture), "{%s*%u}", route->entry,
		 (unsigned int)ENTRIES);
	setup.picture = picture;
	space = ptebatch_space(test, &setup);
	space->row.from = route->from * CONT_PTES / 2;
	space->row.to = route->to * CONT_PTES / 2;
	mm = space->places[0].mm;
	for (block = 0; block < 2; block++) {
		addr = ptebatch_addr(space, block * CONT_PTES);
		KUNIT_EXPECT_TRUE(test, ptebatch_is_contiguous(mm, addr));
	}

	KUNIT_ASSERT_EQ(test, 0, ptebatch_flush_begin(flush, &space->places[0]));
	route->call(space);
	ptebatch_flush_end(flush);
	/* One for what is done, and one to unfold each block. */
	KUNIT_EXPECT_EQ(test, flush->calls,
			1 + (system_supports_bbml3() ? 0 : route->unfolds));
	for (block = 0; block < 2; block++) {
		addr = ptebatch_addr(space, (block + 1) * CONT_PTES - 1);
		KUNIT_EXPECT_EQ_MSG(test, ptebatch_is_contiguous(mm, addr),
				    !!(route->contiguous & BIT(block)),
				    "block %u", block);
	}
	ptebatch_space_blocks_agree(space, route->name);
}

static struct kunit_case contpte_cases[] = {
	KUNIT_CASE_PARAM(contpte_op, contpte_gen_params),
	KUNIT_CASE_PARAM(contpte_gathers, gathers_gen_params),
	KUNIT_CASE_PARAM(contpte_cost, cost_gen_params),
	KUNIT_CASE_PARAM(contpte_route, routes_gen_params),
	{}
};

static struct kunit_suite contpte_suite = {
	.name = "ptebatch_contpte",
	.test_cases = contpte_cases,
};

kunit_test_suite(contpte_suite);
