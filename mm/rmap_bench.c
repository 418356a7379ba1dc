// SPDX-License-Identifier: GPL-2.0
/*
 * What try_to_unmap() takes for a page, by kind and order of folio, beside its
 * twin, which has no batches; and MADV_PAGEOUT of 256 MiB, which is what it is
 * for.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/swap.h>

#include "internal.h"

#include "../lib/stopwatch.h"
#include "../lib/swap.h"
#include "../lib/trial.h"
#include "../lib/twin.h"
#include "../lib/unmap.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* A page table of them. */
#define PAGES	512
#define LAPS	5

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *entry;
} kinds[] = {
	{ "swap", { .prot = RW, .swap = true }, "Wdyx" },
	{ "swap-shared", { .prot = RO, .swap = true }, "Rdy" },
	{ "lazyfree", { .prot = RW, .lazyfree = true }, "Wyx" },
	{ "shmem", { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy" },
};

static const unsigned int orders[] = { 0, 2, 4, 6, 9 };

static const struct way {
	const char *name;
	ptebatch_unmap_t unmap;
} ways[] = {
	{ "kernel", try_to_unmap },
	{ "twin", ptebatch_twin_try_to_unmap },
};

/**
 * struct unmap_param - a case
 * @kind: index into kinds[]
 * @order: index into orders[]
 * @way: index into ways[]
 */
struct unmap_param {
	unsigned int kind, order, way;
};

static const void *unmap_gen_params(struct kunit *test, const void *prev,
				    char *desc)
{
	static struct unmap_param param;

	if (!prev)
		param = (struct unmap_param) {};
	else if (++param.way == ARRAY_SIZE(ways))
		param = (struct unmap_param) { param.kind, param.order + 1 };
	if (param.order == ARRAY_SIZE(orders))
		param = (struct unmap_param) { param.kind + 1 };
	if (param.kind == ARRAY_SIZE(kinds))
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s, order %u, %s",
		 kinds[param.kind].name, orders[param.order],
		 ways[param.way].name);
	return &param;
}

static void unmap_bench(struct kunit *test)
{
	const struct unmap_param *param = test->param_value;
	const struct kind *kind = &kinds[param->kind];
	unsigned int order = orders[param->order], i;
	struct ptebatch_stopwatch watch = {};
	struct ptebatch_setup *setup;
	struct ptebatch_space *space;
	enum ttu_flags flags = TTU_BATCH_FLUSH;
	char picture[32], what[64];

	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	snprintf(picture, sizeof(picture), "{%s*%u}*%u", kind->entry,
		 1U << order, PAGES >> order);
	*setup = kind->setup;
	setup->picture = picture;
	/* As shrink_folio_list(). */
	if (order)
		flags |= TTU_SYNC;

	while (watch.laps < LAPS) {
		space = ptebatch_space(test, setup);
		for (i = 0; i < space->row.nr_folios; i++)
			if (!folio_test_locked(space->folios[i]))
				folio_lock(space->folios[i]);
		ptebatch_stopwatch_start(&watch);
		for (i = 0; i < space->row.nr_folios; i++)
			ways[param->way].unmap(space->folios[i], flags);
		ptebatch_stopwatch_stop(&watch);
		for (i = 0; i < space->row.nr_folios; i++)
			KUNIT_EXPECT_FALSE(test, folio_mapped(space->folios[i]));
		ptebatch_space_release(space);
	}
	snprintf(what, sizeof(what), "name=unmap kind=%s order=%u way=%s",
		 kind->name, order, ways[param->way].name);
	ptebatch_stopwatch_report(test, &watch, what, PAGES);
}

/*
 * What instructions do not tell: how often TLBs are flushed for a folio, and on
 * arm64 how often a whole contpte block is read for one entry, or unfolded.
 */

static const struct counted {
	const char *name, *function;
} counted[] = {
#ifdef CONFIG_ARM64_CONTPTE
	{ "block-reads", "contpte_ptep_get" },
	{ "unfolds", "__contpte_try_unfold" },
#endif
};

static unsigned long hits[ARRAY_SIZE(counted) + 1];
static struct kprobe probes[ARRAY_SIZE(counted) + 1];

static int hit(struct kprobe *probe, struct pt_regs *regs)
{
	hits[probe - probes]++;
	return 0;
}

static void unmap_counts(struct kunit *test)
{
	const struct unmap_param *param = test->param_value;
	unsigned int order = orders[param->order], i;
	struct ptebatch_setup *setup;
	struct ptebatch_space *space;
	struct ptebatch_flush *flush;
	char picture[32], more[64] = "";
	struct seq_buf out;

	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	flush = kunit_kzalloc(test, sizeof(*flush), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	KUNIT_ASSERT_NOT_NULL(test, flush);
	snprintf(picture, sizeof(picture), "{%s*%u}",
		 kinds[param->kind].entry, 1U << order);
	*setup = kinds[param->kind].setup;
	setup->picture = picture;
	space = ptebatch_space(test, setup);
	KUNIT_ASSERT_EQ(test, 0, ptebatch_flush_begin(flush, &space->places[0]));
	for (i = 0; i < ARRAY_SIZE(counted); i++) {
		hits[i] = 0;
		probes[i] = (struct kprobe) {
			.symbol_name = counted[i].function,
			.pre_handler = hit,
		};
		KUNIT_EXPECT_EQ(test, 0, register_kprobe(&probes[i]));
	}
	ptebatch_unmap(space, 0, ways[param->way].unmap);
	for (i = 0; i < ARRAY_SIZE(counted); i++)
		unregister_kprobe(&probes[i]);
	ptebatch_flush_end(flush);

	seq_buf_init(&out, more, sizeof(more));
	for (i = 0; i < ARRAY_SIZE(counted); i++)
		seq_buf_printf(&out, " %s=%lu", counted[i].name, hits[i]);
	kunit_info(test, "counts name=unmap kind=%s order=%u way=%s flushes=%u%s\n",
		   kinds[param->kind].name, order, ways[param->way].name,
		   flush->calls, more);
	KUNIT_EXPECT_FALSE(test, folio_mapped(space->folios[0]));
}

/* S2's: 256 MiB in folios of 64K. */

#define PAGEOUT_BYTES	SZ_256M

/* Memory as faults leave it, on the LRU list. */
static int fill(struct mm_struct *mm, unsigned long start, unsigned int order)
{
	unsigned long addr, bytes = PAGE_SIZE << order;
	struct vm_area_struct *vma;
	int err;

	mmap_write_lock(mm);
	vma = vma_lookup(mm, start);
	err = anon_vma_prepare(vma);
	for (addr = start; !err && addr < start + PAGEOUT_BYTES; addr += bytes) {
		struct folio *folio = folio_alloc(GFP_KERNEL, order);
		spinlock_t *ptl;	/* of the page table */
		pte_t *ptep, pte;

		ptep = folio ? get_locked_pte(mm, addr, &ptl) : NULL;
		if (!ptep) {
			err = -ENOMEM;
			break;
		}
		/* All zeroes would not be written to the disk. */
		memset(folio_address(folio), 0x5a, bytes);
		folio_mark_uptodate(folio);
		folio_add_new_anon_rmap(folio, vma, addr, RMAP_EXCLUSIVE);
		folio_add_lru(folio);
		folio_ref_add(folio, (1 << order) - 1);
		add_mm_counter(mm, MM_ANONPAGES, 1 << order);
		pte = pte_mkwrite(pte_mkdirty(mk_pte(folio_page(folio, 0),
						     vma->vm_page_prot)), vma);
		set_ptes(mm, addr, ptep, pte, 1 << order);
		pte_unmap_unlock(ptep, ptl);
	}
	mmap_write_unlock(mm);
	lru_add_drain_all();
	return err;
}

static void put_mm(void *mm)
{
	mmput(mm);
}

static void pageout_bench(struct kunit *test)
{
	static const unsigned int pageout_orders[] = { 0, 4 };
	struct ptebatch_stopwatch watch;
	unsigned long start, swapped;
	struct mm_struct *mm;
	unsigned int i;
	char what[64];

	if (ptebatch_swap_missing())
		kunit_skip(test, "%s", ptebatch_swap_missing());
	for (i = 0; i < ARRAY_SIZE(pageout_orders); i++) {
		watch = (struct ptebatch_stopwatch) {};
		mm = ptebatch_mm_alloc();
		KUNIT_ASSERT_NOT_NULL(test, mm);
		KUNIT_ASSERT_EQ(test, 0,
				kunit_add_action_or_reset(test, put_mm, mm));
		kthread_use_mm(mm);
		start = vm_mmap(NULL, SZ_1G, PAGEOUT_BYTES, RW,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, 0);
		kthread_unuse_mm(mm);
		KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(start));
		KUNIT_ASSERT_EQ(test, 0, fill(mm, start, pageout_orders[i]));

		ptebatch_stopwatch_start(&watch);
		do_madvise(mm, start, PAGEOUT_BYTES, MADV_PAGEOUT);
		ptebatch_stopwatch_stop(&watch);
		swapped = get_mm_counter_sum(mm, MM_SWAPENTS);
		KUNIT_EXPECT_EQ_MSG(test, swapped, PAGEOUT_BYTES >> PAGE_SHIFT,
				    "not all pages are in swap");
		kunit_release_action(test, put_mm, mm);
		snprintf(what, sizeof(what), "name=pageout order=%u",
			 pageout_orders[i]);
		ptebatch_stopwatch_report(test, &watch, what,
					  PAGEOUT_BYTES >> PAGE_SHIFT);
	}
}

static struct kunit_case bench_cases[] = {
	KUNIT_CASE_PARAM(unmap_bench, unmap_gen_params),
	KUNIT_CASE_PARAM(unmap_counts, unmap_gen_params),
	KUNIT_CASE(pageout_bench),
	{}
};

static struct kunit_suite bench_suite = {
	.name = "ptebatch_rmap_bench",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = bench_cases,
};

kunit_test_suite(bench_suite);
