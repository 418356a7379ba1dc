// SPDX-License-Identifier: GPL-2.0
/*
 * arm64: ptep_get_lockless() reads a contpte block without the page table lock.
 * Of a block that is being changed it must return nothing, but start again.
 *
 * The task holds the page table lock. An entry of the block is inconsistent until
 * a timer makes it consistent: a read ends after that, or not at all.
 */
#include <kunit/test.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "../lib/arch/arch.h"
#include "../lib/row/rules.h"
#include "../lib/run/orders.h"
#include "../lib/service/service.h"
#include "../lib/space/blocks.h"
#include "../lib/space/space.h"

/* The entry to read, and the one that is inconsistent. */
#define READ_ENTRY	7
#define CHANGED	4

/* How the entry is inconsistent. */
enum change { NOT_CONTIGUOUS, OTHER_PAGE, OTHER_PROTECTION };

/**
 * struct lockless_row - a read of a block that changes meanwhile
 * @name: name of the case
 * @change: how entry CHANGED is inconsistent at first
 * @young: entry with accessed set
 * @dirty: entry with dirty set
 * @unfolded: no entry is contiguous in the end
 */
struct lockless_row {
	const char *name;
	enum change change;
	unsigned int young, dirty;
	bool unfolded;
};

static const struct lockless_row rows[] = {
	{ "a PTE before the used one is not contiguous: read again",
	  NOT_CONTIGUOUS, 9, .dirty = 9 },
	{ "a PTE before the used one maps another page: read again",
	  OTHER_PAGE, 9, .dirty = 9 },
	{ "a PTE before the used one has another protection: read again",
	  OTHER_PROTECTION, 9, .dirty = 9 },
	{ "a PTE between the dirty and the young one is not contiguous: read again",
	  NOT_CONTIGUOUS, 9, .dirty = 1 },
	{ "a PTE between the young and the dirty one is not contiguous: read again",
	  NOT_CONTIGUOUS, 1, .dirty = 9 },
	{ "the block is unfolded: read as a single PTE",
	  NOT_CONTIGUOUS, 9, .dirty = 9, .unfolded = true },
};

KUNIT_ARRAY_PARAM_DESC(lockless, rows, name);

/**
 * struct writer - writes a consistent block after a while
 * @timer: runs write_block() in interrupt context
 * @ptep: first entry of the block
 * @entries: the consistent block
 * @written: the block is written
 */
struct writer {
	struct hrtimer timer;
	pte_t *ptep;
	pte_t entries[CONT_PTES];
	bool written;
};

static enum hrtimer_restart write_block(struct hrtimer *timer)
{
	struct writer *writer = container_of(timer, struct writer, timer);
	unsigned int i;

	for (i = 0; i < CONT_PTES; i++)
		ptebatch_set_raw_pte(writer->ptep + i, writer->entries[i]);
	WRITE_ONCE(writer->written, true);
	return HRTIMER_NORESTART;
}

static pte_t changed(pte_t pte, enum change how)
{
	switch (how) {
	case NOT_CONTIGUOUS:
		return pte_mknoncont(pte);
	case OTHER_PAGE:
		return pte_advance_pfn(pte, 1);
	case OTHER_PROTECTION:
		return pte_wrprotect(pte);
	}
	return pte;
}

/* The page table lock is held. */
static pte_t read_meanwhile(struct writer *writer, const struct lockless_row *row)
{
	pte_t *ptep = writer->ptep;
	unsigned int i;
	pte_t pte;

	for (i = 0; i < CONT_PTES; i++) {
		pte = ptebatch_raw_pte(ptep + i);
		if (i == row->young)
			pte = pte_mkyoung(pte);
		if (i == row->dirty)
			pte = pte_mkdirty(pte);
		writer->entries[i] = row->unfolded ? pte_mknoncont(pte) : pte;
		ptebatch_set_raw_pte(ptep + i, i == CHANGED ? changed(pte, row->change) : pte);
	}
	/* The reader must see the inconsistent entry first. */
	hrtimer_start(&writer->timer, us_to_ktime(2000), HRTIMER_MODE_REL_PINNED_HARD);
	return ptep_get_lockless(ptep + READ_ENTRY);
}

static void contpte_lockless(struct kunit *test)
{
	const struct lockless_row *row = test->param_value;
	const struct ptebatch_setup setup = {
		.picture = ptebatch_draw(test, "{Wx*%u}", (unsigned int)CONT_PTES),
		.prot = PROT_READ | PROT_WRITE,
	};
	struct ptebatch_space *space = ptebatch_space(test, &setup);
	struct mm_struct *mm = space->places[0].mm;
	unsigned long addr = ptebatch_addr(space, 0);
	pte_t pte = __pte(0), expected, before[CONT_PTES];
	struct writer *writer;
	bool written = false;
	spinlock_t *ptl;	/* of the page table */
	unsigned int i;

	writer = kunit_kzalloc(test, sizeof(*writer), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, writer);
	KUNIT_ASSERT_TRUE(test, ptebatch_is_contiguous(mm, addr));
	hrtimer_setup(&writer->timer, write_block, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);

	mmap_read_lock(mm);
	writer->ptep = get_locked_pte(mm, addr, &ptl);
	if (writer->ptep) {
		for (i = 0; i < CONT_PTES; i++)
			before[i] = ptebatch_raw_pte(writer->ptep + i);
		pte = read_meanwhile(writer, row);
		written = READ_ONCE(writer->written);
		hrtimer_cancel(&writer->timer);
		for (i = 0; i < CONT_PTES; i++)
			ptebatch_set_raw_pte(writer->ptep + i, before[i]);
		pte_unmap_unlock(writer->ptep, ptl);
	}
	mmap_read_unlock(mm);
	KUNIT_ASSERT_NOT_NULL(test, writer->ptep);

	KUNIT_EXPECT_TRUE_MSG(test, written, PTEBATCH_RULE_GATHERED
			      ": ptep_get_lockless() returns from an inconsistent block");
	expected = writer->entries[READ_ENTRY];
	if (!row->unfolded)
		expected = pte_mkyoung(pte_mkdirty(expected));
	KUNIT_EXPECT_EQ_MSG(test, pte_val(pte), pte_val(expected), PTEBATCH_RULE_GATHERED
			    ": entry %u, as it is read without the lock", READ_ENTRY);
}

static struct kunit_case contpte_lockless_cases[] = {
	KUNIT_CASE_PARAM(contpte_lockless, lockless_gen_params),
	{}
};

PTEBATCH_SUITE(contpte_lockless, contpte_lockless_cases);
