// SPDX-License-Identifier: GPL-2.0
/*
 * The MMU of another CPU sets the accessed and dirty bits of an entry without its
 * lock, at any time. A helper that changes an entry must not lose them: a page whose
 * dirty bit is lost is dropped by reclaim, with what was written to it.
 *
 * Each case calls a helper once for each instruction of it. Before this instruction,
 * an entry gets the bits that a write of another CPU would set, if the entry permits
 * the write then. The dirty bit must be in what the helper leaves or returns.
 */
#include "../lib/arch/tlb.h"

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/inject/instruction.h"
#include "../lib/row/rules.h"
#include "../lib/service/service.h"
#include "../lib/space/pte.h"
#include "../lib/space/space.h"

#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct change - a call of a helper
 * @vma: VMA of the entries
 * @addr: address that the first entry maps, in bytes
 * @ptep: pointer to the first entry
 * @nr: number of entries
 * @pmd: the entry is a PMD
 * @total: number of entries of the row, 1 for a PMD
 * @was: the first entry before
 * @returned: the entry that the helper returned
 * @written: the entry that another CPU writes through
 * @wrote: it has set a bit
 */
struct change {
	struct vm_area_struct *vma;
	unsigned long addr;
	pte_t *ptep;
	unsigned int nr;
	bool pmd;
	unsigned int total;
	pte_t was;
	pte_t returned;
	pte_t *written;
	bool wrote;
};

static noinline void set_wrprotect(struct change *change)
{
	ptep_set_wrprotect(change->vma->vm_mm, change->addr, change->ptep);
}

static noinline void get_and_clear(struct change *change)
{
	change->returned = ptep_get_and_clear(change->vma->vm_mm, change->addr, change->ptep);
}

static noinline void modify_prot_start(struct change *change)
{
	change->returned = ptep_modify_prot_start(change->vma, change->addr, change->ptep);
}

static noinline void clear_young(struct change *change)
{
	ptep_test_and_clear_young(change->vma, change->addr, change->ptep);
}

/* As for a read fault: the entry as it was read, and young. */
static noinline void set_access_flags(struct change *change)
{
	ptep_set_access_flags(change->vma, change->addr, change->ptep,
			      pte_mkyoung(change->was), 0);
}

static noinline void wrprotect_batch(struct change *change)
{
	wrprotect_ptes(change->vma->vm_mm, change->addr, change->ptep, change->nr);
}

static noinline void get_and_clear_batch(struct change *change)
{
	change->returned = get_and_clear_full_ptes(change->vma->vm_mm, change->addr,
						   change->ptep, change->nr, 0);
}

static noinline void modify_prot_start_batch(struct change *change)
{
	change->returned = modify_prot_start_ptes(change->vma, change->addr, change->ptep,
						  change->nr);
}

static noinline void clear_young_batch(struct change *change)
{
	test_and_clear_young_ptes(change->vma, change->addr, change->ptep, change->nr);
}

static noinline void clear_young_dirty_batch(struct change *change)
{
	clear_young_dirty_ptes(change->vma, change->addr, change->ptep, change->nr,
			       CYDP_CLEAR_YOUNG);
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
static noinline void pmd_set_wrprotect(struct change *change)
{
	pmdp_set_wrprotect(change->vma->vm_mm, change->addr, (pmd_t *)change->ptep);
}

static noinline void pmd_invalidate(struct change *change)
{
	pmd_t pmd = pmdp_invalidate(change->vma, change->addr, (pmd_t *)change->ptep);

	change->returned = __pte(pmd_val(pmd));
}

static noinline void pmd_invalidate_ad(struct change *change)
{
	pmd_t pmd = pmdp_invalidate_ad(change->vma, change->addr, (pmd_t *)change->ptep);

	change->returned = __pte(pmd_val(pmd));
}

static noinline void pmd_get_and_clear(struct change *change)
{
	pmd_t pmd = pmdp_huge_get_and_clear(change->vma->vm_mm, change->addr,
					    (pmd_t *)change->ptep);

	change->returned = __pte(pmd_val(pmd));
}

static noinline void pmd_clear_young(struct change *change)
{
	pmdp_test_and_clear_young(change->vma, change->addr, (pmd_t *)change->ptep);
}

static noinline void pmd_set_access_flags(struct change *change)
{
	pmdp_set_access_flags(change->vma, change->addr, (pmd_t *)change->ptep,
			      pmd_mkyoung(__pmd(pte_val(change->was))), 0);
}

static void restore_pmd(const struct change *change, pte_t entry)
{
	set_pmd_at(change->vma->vm_mm, change->addr, (pmd_t *)change->ptep,
		   __pmd(pte_val(entry)));
}
#else
static void restore_pmd(const struct change *change, pte_t entry)
{
}
#endif

#define FUNCTIONS	6

/**
 * struct mmu_case - a helper and what it is applied to
 * @name: name of the case
 * @picture: the entries
 * @call: calls the helper, and has what is inlined of it
 * @functions: functions of the kernel that it may call
 * @written: index of another entry that the other CPU writes through, besides the first
 * @in_returned: the dirty bit may be in the returned entry
 */
struct mmu_case {
	const char *name;
	const char *picture;
	void (*call)(struct change *change);
	const char *functions[FUNCTIONS];
	unsigned int written;
	bool in_returned;
};

static const struct mmu_case mmu_cases[] = {
	{ "ptep_set_wrprotect(): keeps a dirty bit set meanwhile", "Wyx", set_wrprotect },
	{ "ptep_get_and_clear(): returns a dirty bit set meanwhile", "Wyx", get_and_clear,
	  .in_returned = true },
	{ "ptep_modify_prot_start(): returns a dirty bit set meanwhile", "Wyx",
	  modify_prot_start, { "ptep_modify_prot_start" }, .in_returned = true },
	{ "ptep_test_and_clear_young(): keeps a dirty bit set meanwhile", "Wyx", clear_young,
	  { "ptep_test_and_clear_young" } },
	{ "ptep_set_access_flags(), old PTE: keeps a dirty bit set meanwhile", "Wx",
	  set_access_flags,
	  { "ptep_set_access_flags", "__ptep_set_access_flags_anysz",
	    "radix__ptep_set_access_flags" } },
	{ "ptep_set_access_flags(), young PTE: keeps a dirty bit set meanwhile", "Wyx",
	  set_access_flags,
	  { "ptep_set_access_flags", "__ptep_set_access_flags_anysz",
	    "radix__ptep_set_access_flags" } },
	{ "ptep_set_access_flags(), young block: keeps a dirty bit set meanwhile", "{Wyx*16}",
	  set_access_flags,
	  { "contpte_ptep_set_access_flags", "__ptep_set_access_flags_anysz" }, .written = 9 },
	{ "wrprotect_ptes(): keeps a dirty bit set meanwhile", "{Wyx*16}", wrprotect_batch,
	  { "contpte_wrprotect_ptes" }, .written = 9 },
	{ "wrprotect_ptes() of half a block: keeps a dirty bit set meanwhile",
	  "| {Wyx*8 | Wyx*8}", wrprotect_batch,
	  { "contpte_wrprotect_ptes", "__contpte_try_unfold", "contpte_convert" },
	  .written = 9 },
	{ "get_and_clear_full_ptes(): returns a dirty bit set meanwhile", "{Wyx*16}",
	  get_and_clear_batch, { "contpte_get_and_clear_full_ptes" }, .written = 9,
	  .in_returned = true },
	{ "modify_prot_start_ptes(): returns a dirty bit set meanwhile", "{Wyx*16}",
	  modify_prot_start_batch,
	  { "modify_prot_start_ptes", "contpte_get_and_clear_full_ptes",
	    "ptep_modify_prot_start" }, .written = 9, .in_returned = true },
	{ "test_and_clear_young_ptes(): keeps a dirty bit set meanwhile", "{Wyx*16}",
	  clear_young_batch,
	  { "contpte_test_and_clear_young_ptes", "ptep_test_and_clear_young" },
	  .written = 9 },
	{ "clear_young_dirty_ptes(), only young: keeps a dirty bit set meanwhile",
	  "{Wyx*16}", clear_young_dirty_batch,
	  { "contpte_clear_young_dirty_ptes", "ptep_test_and_clear_young" }, .written = 9 },
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	{ "pmdp_set_wrprotect(): keeps a dirty bit set meanwhile", "[Wyx]",
	  pmd_set_wrprotect },
	{ "pmdp_invalidate(): returns a dirty bit set meanwhile", "[Wyx]", pmd_invalidate,
	  { "pmdp_invalidate", "radix__pmd_hugepage_update" }, .in_returned = true },
	{ "pmdp_invalidate_ad(): returns a dirty bit set meanwhile", "[Wyx]", pmd_invalidate_ad,
	  { "pmdp_invalidate_ad", "pmdp_invalidate", "radix__pmd_hugepage_update" },
	  .in_returned = true },
	{ "pmdp_huge_get_and_clear(): returns a dirty bit set meanwhile", "[Wyx]",
	  pmd_get_and_clear,
	  { "radix__pmdp_huge_get_and_clear", "radix__pmd_hugepage_update" },
	  .in_returned = true },
	{ "pmdp_test_and_clear_young(): keeps a dirty bit set meanwhile", "[Wyx]",
	  pmd_clear_young, { "pmdp_test_and_clear_young", "ptep_test_and_clear_young" } },
	{ "pmdp_set_access_flags(), old PMD: keeps a dirty bit set meanwhile", "[Wx]",
	  pmd_set_access_flags,
	  { "pmdp_set_access_flags", "ptep_set_access_flags", "__ptep_set_access_flags_anysz",
	    "radix__ptep_set_access_flags" } },
#endif
};

KUNIT_ARRAY_PARAM_DESC(mmu_cases, mmu_cases, name);

/* What the MMU of the other CPU does. */
static void write_of_another_cpu(void *data)
{
	struct change *change = data;
	unsigned long old = pte_val(ptebatch_raw_pte(change->written));
	unsigned long new = (old | PTEBATCH_MMU_SETS) & ~PTEBATCH_MMU_CLEARS;

	if ((old & PTEBATCH_MMU_NEEDS) != PTEBATCH_MMU_NEEDS)
		return;
	ptebatch_set_raw_pte(change->written, __pte(new));
	change->wrote = true;
}

static void restore(const struct mmu_case *param, const struct change *change,
		    const pte_t *entries)
{
	struct mm_struct *mm = change->vma->vm_mm;
	unsigned int i;

	/* What clears an entry has told the page table check. */
	if (param->in_returned && change->pmd)
		restore_pmd(change, entries[0]);
	else if (param->in_returned)
		set_ptes(mm, change->addr, change->ptep, ptebatch_bare_pte(entries[0]), change->nr);
	else
		for (i = 0; i < change->total; i++)
			ptebatch_set_raw_pte(change->ptep + i, entries[i]);
}

/* Is the entry that the other CPU writes through dirty? Contiguous PTEs share the bit. */
static bool is_dirty(const struct mmu_case *param, const struct change *change)
{
	if (param->in_returned)
		return pte_dirty(change->returned);
	return pte_dirty(change->pmd ? ptebatch_raw_pte(change->ptep) : ptep_get(change->written));
}

/**
 * struct outcome - what the writes of another CPU led to
 * @writes: number of writes that the entry permitted
 * @lost: of these, the number of those whose dirty bit is lost
 * @lost_before: the last of their instructions
 */
struct outcome {
	unsigned int writes;
	unsigned int lost;
	const void *lost_before;
};

/* Call the helper once for each instruction, with a write before it. */
static void call_each(const struct mmu_case *param, struct change *change,
		      struct ptebatch_instructions *instructions, struct outcome *outcome)
{
	pte_t entries[16];
	unsigned int i;

	for (i = 0; i < change->total; i++)
		entries[i] = ptebatch_raw_pte(change->ptep + i);
	change->was = entries[0];
	for (i = 0; i < instructions->nr; i++) {
		change->wrote = false;
		ptebatch_instructions_pass(instructions, i, 0);
		param->call(change);
		ptebatch_instructions_stop(instructions);
		outcome->writes += change->wrote;
		if (change->wrote && !is_dirty(param, change)) {
			outcome->lost++;
			outcome->lost_before = ptebatch_instruction_address(instructions);
		}
		restore(param, change, entries);
	}
}

static void pgtable_mmu(struct kunit *test)
{
	const struct mmu_case *param = test->param_value;
	const struct ptebatch_setup setup = { .picture = param->picture, .prot = RW };
	struct ptebatch_instructions instructions = { .act = write_of_another_cpu };
	struct ptebatch_space *space;
	struct change change = {};
	struct mm_struct *mm;
	struct outcome outcome = {};
	unsigned int i;
	spinlock_t *ptl;	/* of the page table, or of the PMD */

	if (!IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "no instruction can be reached without CONFIG_KPROBES");
	if (!ptebatch_mmu_sets_bits())
		kunit_skip(test, "the MMU of this CPU sets no accessed and dirty bits");
	space = ptebatch_space(test, &setup);
	change.pmd = space->row.folios[0].pmd;
	change.total = change.pmd ? 1 : space->row.nr;
	mm = space->places[0].mm;
	change.addr = ptebatch_addr(space, space->row.from);
	change.nr = space->row.to - space->row.from;

	instructions.data = &change;
	KUNIT_ASSERT_EQ(test, 0, ptebatch_instructions_begin(&instructions));
	ptebatch_instructions_of(&instructions, param->call);
	for (i = 0; i < FUNCTIONS && param->functions[i]; i++)
		ptebatch_instructions_of_name(&instructions, param->functions[i]);

	mmap_read_lock(mm);
	change.vma = vma_lookup(mm, change.addr);
	if (change.pmd) {
		change.ptep = (pte_t *)ptebatch_find_pmd(mm, change.addr);
		ptl = pmd_lock(mm, (pmd_t *)change.ptep);
	} else {
		change.ptep = get_locked_pte(mm, change.addr, &ptl);
	}
	/* In a loop, an instruction counts in the first iteration: through its entry, too. */
	change.written = change.ptep;
	call_each(param, &change, &instructions, &outcome);
	change.written = change.ptep + param->written;
	if (param->written)
		call_each(param, &change, &instructions, &outcome);
	spin_unlock(ptl);
	if (!change.pmd)
		pte_unmap(change.ptep);
	mmap_read_unlock(mm);
	ptebatch_instructions_end(&instructions);
	KUNIT_EXPECT_EQ_MSG(test, outcome.lost, 0,
			    PTEBATCH_RULE_DIRTY ": lost, for example before instruction %pS",
			    outcome.lost_before);
	/* Before the first instruction, and somewhere behind it. */
	KUNIT_EXPECT_GT_MSG(test, outcome.writes, 1,
			    "writes of another CPU while the helper runs");
}

static struct kunit_case pgtable_mmu_cases[] = {
	KUNIT_CASE_PARAM(pgtable_mmu, mmu_cases_gen_params),
	{}
};

PTEBATCH_SUITE(pgtable_mmu, pgtable_mmu_cases);
