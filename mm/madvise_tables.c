// SPDX-License-Identifier: GPL-2.0
/*
 * madvise() and page tables that another thread changes or that another task has to
 * wait for: how often a page table is locked, and what becomes of one that is gone,
 * or in use again, when it is locked once more.
 */
#include <kunit/test.h>
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>

#include "../lib/arch/arch.h"
#include "../lib/inject/conditions.h"
#include "../lib/op/advise.h"
#include "../lib/run/case.h"
#include "../lib/service/service.h"
#include "../lib/space/pte.h"

#define RW	(PROT_READ | PROT_WRITE)

#define COLD		(&ptebatch_advices[PTEBATCH_COLD])
#define FREE		(&ptebatch_advices[PTEBATCH_FREE])
#define DONTNEED	(&ptebatch_advices[PTEBATCH_DONTNEED])

static void request_resched(struct ptebatch_use *use, const unsigned long *args,
			    struct pt_regs *regs)
{
	set_tsk_need_resched(current);
}

static const struct ptebatch_condition_type resched = {
	.name = "another task is to run", .occur = request_resched, .always = true,
};

#define RESCHED_AT(at)	{ .type = &resched, .function = (at) }

static pte_t *first_entry(const struct ptebatch_use *use)
{
	const struct ptebatch_place *place = use->trial->place;

	return pte_offset_kernel(ptebatch_find_pmd(place->mm, place->start), place->start);
}

/* A timer may let madvise() give way before it has cleared anything. */
static bool is_cleared(struct ptebatch_hook *hook, const unsigned long *args,
		       struct pt_regs *regs)
{
	return pte_none(ptep_get(first_entry(hook->data)));
}

static void wait_for_clear(struct ptebatch_use *use)
{
	use->hook.counts = is_cleared;
}

static void install_guard(struct ptebatch_use *use, const unsigned long *args,
			  struct pt_regs *regs)
{
	const struct ptebatch_place *place = use->trial->place;

	ptebatch_exchange_pte(place->mm, place->start, first_entry(use),
			      make_pte_marker(PTE_MARKER_GUARD));
}

static const struct ptebatch_condition_type guarded = {
	.name = "the first entry, which is cleared, becomes a guard",
	.begin = wait_for_clear, .occur = install_guard,
};

#define GUARDED_AT(at)	{ .type = &guarded, .function = (at) }

/* As migration of the PMD-mapped first folio does. */
static void migrate_pmd(struct ptebatch_use *use, const unsigned long *args,
			struct pt_regs *regs)
{
	const struct ptebatch_trial *trial = use->trial;
	pmd_t *pmd = ptebatch_find_pmd(trial->place->mm, trial->place->start);
	struct page *page = &trial->space->folios[0]->page;

	use->word = pmd_val(pmdp_get(pmd));
	set_pmd(pmd, softleaf_to_pmd(ptebatch_migration_entry(page, 0)));
}

static void end_migration(struct ptebatch_use *use)
{
	const struct ptebatch_place *place = use->trial->place;
	pmd_t *pmd = ptebatch_find_pmd(place->mm, place->start);
	spinlock_t *ptl;	/* of the PMD */

	if (!use->met)
		return;
	ptl = pmd_lock(place->mm, pmd);
	set_pmd(pmd, __pmd(use->word));
	spin_unlock(ptl);
}

static const struct ptebatch_condition_type pmd_migrates = {
	.name = "the PMD-mapped folio is in migration", .occur = migrate_pmd,
	.end = end_migration,
};

#define PMD_MIGRATES	{ .type = &pmd_migrates, .function = "__pmd_trans_huge_lock" }

/*
 * MADV_DONTNEED frees a page table that it has emptied. While it is halfway and
 * gives way to another task, without the page table lock, another thread
 * installs a guard in an entry that is already cleared: the page table stays.
 */
static void madvise_refill(struct kunit *test)
{
	static const struct ptebatch_case row = {
		.setup = { "{Wdyx*T/2} {Wdyx*T/2}", .prot = RW, .folios = ON_LRU },
		.after = "G -*T-1", .op = DONTNEED, .no_twin = true, .no_model = true,
		.with = { RESCHED_AT("folio_remove_rmap_ptes"),
			  GUARDED_AT("pte_offset_map_lock") },
	};

	ptebatch_case_run(test, &row);
}

/*
 * Another thread changes a PMD: before madvise() locks the PMD, or before it locks
 * the page table again after a split. The entries stay as they are, and those of
 * the next page table are advised.
 */
static const struct ptebatch_case vanish_rows[] = {
	{ "MADV_COLD, PMD cleared before its lock: only the next page table old",
	  { "[Wdyx] Wdyx*4", .prot = RW, .folios = ON_LRU }, "[Wdyx] Wdx*4", .op = COLD,
	  .with = { TABLE_GONE_AT("__pmd_trans_huge_lock", 0) },
	  .no_twin = true, .no_model = true },
	{ "MADV_COLD, folio in migration before its lock: only the next page table old",
	  { "[Wdyx] Wdyx*4", .prot = RW, .folios = ON_LRU }, "[Wdyx] Wdx*4", .op = COLD,
	  .with = { PMD_MIGRATES },
	  .no_twin = true, .no_model = true },
	{ "MADV_COLD, page table gone after a split: only the next page table old",
	  { "@-20 {Wdyx*8 | Wdyx*8} Wdyx*8 |", .prot = RW, .folios = ON_LRU },
	  "@-20 (Wdyx*16) Wdyx*4 Wdx*4", .op = COLD,
	  .with = { TABLE_GONE_AT("folio_unlock", 0), SPLITS },
	  .no_twin = true, .no_model = true },
	{ "MADV_FREE, page table gone after a split: only the next page table lazyfree",
	  { "@-20 {Wdyx*8 | Wdyx*8} Wdyx*8 |", .prot = RW, .folios = ON_LRU },
	  "@-20 (Wdyx*16) Wdyx*4 Wxl*4", .op = FREE,
	  .with = { TABLE_GONE_AT("folio_unlock", 0), SPLITS },
	  .no_twin = true, .no_model = true },
};

KUNIT_ARRAY_PARAM_DESC(vanish, vanish_rows, name);

static void madvise_vanish(struct kunit *test)
{
	ptebatch_case_param(test);
}

/*
 * How often the page table lock is taken: again after each split; in MADV_COLD
 * also at each 32nd entry (SWAP_CLUSTER_MAX) if another task is to run, and that
 * entry counts again. Each time, TLB flushes that reclaim has deferred are
 * completed. A split takes the lock, too, so count only these flushes.
 */
#define LOCKED_TIMES(nr)	CALLS("flush_tlb_batched_pending", nr)

static const struct ptebatch_case locks_rows[] = {
	{ "MADV_COLD of 62 small folios, another task is to run: 2 times locked",
	  { "Wdyx*62", .prot = RW, .folios = ON_LRU }, "Wdx*62", .op = COLD,
	  .with = { LOCKED_TIMES(2), RESCHED_AT("folio_deactivate") }, .no_twin = true },
	{ "MADV_COLD of 63 small folios, another task is to run: 3 times locked",
	  { "Wdyx*63", .prot = RW, .folios = ON_LRU }, "Wdx*63", .op = COLD,
	  .with = { LOCKED_TIMES(3), RESCHED_AT("folio_deactivate") }, .no_twin = true },
	{ "MADV_COLD of half a 64K folio: 2 times locked",
	  { "{Wdyx*8 | Wdyx*8} |", .prot = RW, .folios = ON_LRU }, "(Wdyx*8 Wdx*8)", .op = COLD,
	  .with = { LOCKED_TIMES(2) }, .no_twin = true },
	{ "MADV_FREE of half a 64K folio: 2 times locked",
	  { "{Wdyx*8 | Wdyx*8} |", .prot = RW, .folios = ON_LRU }, "(Wdyx*8 Wxl*8)", .op = FREE,
	  .with = { LOCKED_TIMES(2) }, .no_twin = true },
};

KUNIT_ARRAY_PARAM_DESC(locks, locks_rows, name);

static void madvise_locks(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_ARCH_WANT_BATCHED_UNMAP_TLB_FLUSH))
		kunit_skip(test, "no deferred TLB flushes in this kernel");
	ptebatch_case_param(test);
}

static struct kunit_case tables_cases[] = {
	KUNIT_CASE(madvise_refill),
	KUNIT_CASE_PARAM(madvise_vanish, vanish_gen_params),
	KUNIT_CASE_PARAM(madvise_locks, locks_gen_params),
	{}
};

PTEBATCH_SUITE(madvise_tables, tables_cases);
