// SPDX-License-Identifier: GPL-2.0
/*
 * The counters are consistent with the page tables: the mapcounts (large, entire
 * and, with CONFIG_PAGE_MAPCOUNT, per page), the reference counts, the swap counts
 * of folios in the swap cache, the RSS and the zero pages of KSM of each mm; no page
 * with two mappings is AnonExclusive, and each folio without mappings is free.
 */
#include <linux/mm.h>

#include "internal.h"

#include "../kernel/ksm.h"
#include "../service/swap.h"
#include "../space/refs.h"
#include "checks.h"
#include "places.h"

/**
 * struct accounting - counts that the page tables imply
 * @space: the address space
 * @out: receives a line for each inconsistent counter
 * @page: for each page, number of entries that map the page
 * @swap: for each page, number of swap entries for the page
 * @huge: for each folio, number of PMDs that map the folio
 */
struct accounting {
	const struct ptebatch_space *space;
	struct seq_buf *out;
	unsigned int *page;
	unsigned int *swap;
	unsigned int *huge;
};

/* Counters of an mm: RSS, and zero pages that KSM has mapped. */
#define KSM_ZERO_PAGES	NR_MM_COUNTERS
#define COUNTERS	(NR_MM_COUNTERS + 1)

static void expect_count(struct accounting *acct, const char *what, int nr,
			 long expected, long got)
{
	if (expected == got)
		return;
	seq_buf_puts(acct->out, what);
	if (nr >= 0)
		seq_buf_printf(acct->out, " of folio %d", nr);
	seq_buf_printf(acct->out, " is %ld, expected %ld from the page tables\n",
		       got, expected);
}

/* A page that is not the row's counts only in the RSS. */
static void count_foreign(pte_t pte, long rss[COUNTERS])
{
	if (pte_present(pte) && pfn_valid(pte_pfn(pte)) &&
	    !is_zero_pfn(pte_pfn(pte)))
		rss[mm_counter(pfn_folio(pte_pfn(pte)))]++;
}

/* Count the entries of a place, and the RSS that they imply. */
static void count_entries(struct accounting *acct,
			  const struct ptebatch_snapshot *snapshot,
			  long rss[COUNTERS])
{
	const struct ptebatch_space *space = acct->space;
	unsigned int i;

	rss[KSM_ZERO_PAGES] += ptebatch_ksm_zero_entries(&snapshot->row);
	for (i = 0; i < snapshot->row.nr; i++) {
		const struct ptebatch_entry *entry = &snapshot->row.entries[i];
		struct folio *folio;

		rss[MM_SWAPENTS] += entry->kind == PTEBATCH_SWAP;
		if (entry->kind == PTEBATCH_FOREIGN)
			count_foreign(snapshot->raw[snapshot->lead + i], rss);
		if (entry->folio == PTEBATCH_NO_FOLIO ||
		    entry->flags & PTEBATCH_SPECIAL)
			continue;
		if (entry->kind == PTEBATCH_SWAP)
			acct->swap[space->row.folios[entry->folio].first +
				    entry->page]++;
		folio = page_folio(&space->folios[entry->folio]->page +
				   entry->page);
		/* A hwpoison entry is not in the RSS. */
		if (entry->kind != PTEBATCH_SWAP &&
		    entry->kind != PTEBATCH_HWPOISON)
			rss[mm_counter(folio)]++;
		if (!ptebatch_entry_mapped(entry))
			continue;
		if (!test_bit(i, snapshot->huge))
			acct->page[space->row.folios[entry->folio].first +
				    entry->page]++;
		else if (!entry->page)
			acct->huge[entry->folio]++;
	}
}

static void check_rss(struct accounting *acct, struct mm_struct *mm,
		      const long *rss)
{
	expect_count(acct, "MM_ANONPAGES", -1, rss[MM_ANONPAGES],
		     get_mm_counter_sum(mm, MM_ANONPAGES));
	expect_count(acct, "MM_FILEPAGES", -1, rss[MM_FILEPAGES],
		     get_mm_counter_sum(mm, MM_FILEPAGES));
	expect_count(acct, "MM_SHMEMPAGES", -1, rss[MM_SHMEMPAGES],
		     get_mm_counter_sum(mm, MM_SHMEMPAGES));
	expect_count(acct, "MM_SWAPENTS", -1, rss[MM_SWAPENTS],
		     get_mm_counter_sum(mm, MM_SWAPENTS));
	if (IS_ENABLED(CONFIG_KSM))
		expect_count(acct, "ksm_zero_pages", -1, rss[KSM_ZERO_PAGES],
			     ptebatch_ksm_mapped_zero_pages(mm));
}

/* Check the mapcount of each page, with CONFIG_PAGE_MAPCOUNT. */
static void check_pages(struct accounting *acct, struct folio *folio, int nr,
			const unsigned int *counts)
{
	unsigned int i, mapped = 0;

	if (!IS_ENABLED(CONFIG_PAGE_MAPCOUNT) || !folio_test_large(folio))
		return;
	for (i = 0; i < folio_nr_pages(folio); i++) {
		struct page *page = folio_page(folio, i);

		mapped += !!counts[i];
		if (counts[i] != atomic_read(&page->_mapcount) + 1)
			seq_buf_printf(acct->out, "page %u: ", i);
		expect_count(acct, "the mapcount", nr, counts[i],
			     atomic_read(&page->_mapcount) + 1);
	}
	if (acct->huge[nr])
		mapped += ENTIRELY_MAPPED;
	expect_count(acct, "the number of mapped pages", nr, mapped,
		     atomic_read(&folio->_nr_pages_mapped));
}

/* References of the page that the suite has pinned. */
static int pin_refs(const struct ptebatch_space *space, struct folio *folio)
{
	if (!space->pinned || page_folio(space->pinned) != folio)
		return 0;
	return folio_has_pincount(folio) ? 1 : GUP_PIN_COUNTING_BIAS;
}

/* Check @folio, which is the row's folio @nr or its part from page @first. */
static void check_folio_counts(struct accounting *acct, struct folio *folio, int nr,
			       unsigned int first)
{
	const struct ptebatch_space *space = acct->space;
	unsigned int at = space->row.folios[nr].first + first;
	const unsigned int *counts = acct->page + at;
	const unsigned int *swap = acct->swap + at;
	unsigned int i, entries = acct->huge[nr];
	bool cached = (folio->mapping && !folio_test_anon(folio)) ||
		      folio_test_swapcache(folio);

	for (i = 0; i < folio_nr_pages(folio); i++) {
		struct page *page = folio_page(folio, i);

		entries += counts[i];
		if (!folio_test_anon(folio))
			continue;
		/* A page with two mappings must not be AnonExclusive. */
		if (counts[i] + acct->huge[nr] > 1 && PageAnonExclusive(page)) {
			seq_buf_printf(acct->out, "page %u: ", i);
			expect_count(acct, "AnonExclusive", nr, 0, 1);
		}
	}
	expect_count(acct, "the mapcount", nr, entries, folio_mapcount(folio));
	if (folio_test_large(folio))
		expect_count(acct, "the entire mapcount", nr, acct->huge[nr],
			     folio_entire_mapcount(folio));
	/* One reference is the space's. */
	expect_count(acct, "the reference count", nr,
		     1 + entries + (cached ? folio_nr_pages(folio) : 0) + pin_refs(space, folio),
		     folio_ref_count(folio));
	for (i = 0; folio_test_swapcache(folio) && i < folio_nr_pages(folio); i++) {
		int count = ptebatch_swap_count(folio, i);

		if (count != swap[i])
			seq_buf_printf(acct->out, "page %u: ", i);
		expect_count(acct, "the swap count", nr, swap[i], count);
	}
	check_pages(acct, folio, nr, counts);
}

static void check_folios(struct accounting *acct, int nr)
{
	const struct ptebatch_space *space = acct->space;
	struct ptebatch_part part = { .i = nr };

	if (ptebatch_folio_leaked(space, nr))
		seq_buf_printf(acct->out, "folio %d is not mapped, but not free\n", nr);
	while (ptebatch_next_part(space, &part))
		check_folio_counts(acct, part.folio, nr, part.page);
}

static bool count_places(struct accounting *acct,
			 const struct ptebatch_snapshot *const *taken)
{
	const struct ptebatch_space *space = acct->space;
	long rss[PTEBATCH_PLACES][COUNTERS] = {};
	struct ptebatch_snapshot *snapshot = NULL;
	unsigned int i;

	for (i = 0; i < space->nr_places; i++) {
		if (!taken[i]) {
			snapshot = snapshot ?: kvmalloc_obj(*snapshot);
			if (!snapshot)
				return false;
			ptebatch_snapshot(snapshot, space, &space->places[i]);
		}
		count_entries(acct, taken[i] ?: snapshot,
			      rss[ptebatch_first_place(space, i)]);
	}
	kvfree(snapshot);
	for (i = 0; i < space->nr_places; i++)
		if (ptebatch_first_place(space, i) == i)
			check_rss(acct, space->places[i].mm, rss[i]);
	return true;
}

/* @taken: for each place, a snapshot of it, or %NULL to read its page tables. */
static void check_places(const struct ptebatch_space *space,
			 const struct ptebatch_snapshot *const *taken,
			 struct seq_buf *out)
{
	struct accounting acct = { .space = space, .out = out };
	unsigned int i;

	acct.page = kvcalloc(space->row.nr_pages + 1, sizeof(*acct.page),
			     GFP_KERNEL);
	acct.swap = kvcalloc(space->row.nr_pages + 1, sizeof(*acct.swap),
			     GFP_KERNEL);
	acct.huge = kvcalloc(space->row.nr_folios + 1, sizeof(*acct.huge),
			     GFP_KERNEL);
	if (acct.page && acct.swap && acct.huge && count_places(&acct, taken)) {
		for (i = 0; i < space->row.nr_folios; i++)
			check_folios(&acct, i);
	} else {
		seq_buf_puts(out, "not checked: out of memory\n");
	}
	kvfree(acct.huge);
	kvfree(acct.swap);
	kvfree(acct.page);
}

static void begin_accounting(struct ptebatch_trial *trial)
{
	const struct ptebatch_snapshot *taken[PTEBATCH_PLACES] = { &trial->before };
	struct seq_buf out;

	/* The check after the preceding operation has found it right, or the next one fails. */
	if (trial->space->adopted)
		return;
	seq_buf_init(&out, trial->text, sizeof(trial->text));
	check_places(trial->space, taken, &out);
	KUNIT_ASSERT_EQ_MSG(trial->test, seq_buf_used(&out), 0,
			    PTEBATCH_RULE_ACCOUNTING " violated before the operation: %s",
			    seq_buf_str(&out));
}

static void check_accounting(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_snapshot *taken[PTEBATCH_PLACES] = {};

	taken[trial->place - trial->space->places] = &trial->after;
	if (trial->second)
		taken[trial->second->place - trial->space->places] =
			&trial->second->after;
	check_places(trial->space, taken, out);
}

const struct ptebatch_check ptebatch_check_accounting = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "accounting", .whole = true,
	.begin = begin_accounting, .check = check_accounting,
};
