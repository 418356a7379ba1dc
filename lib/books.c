// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>

#include "internal.h"

#include "books.h"
#include "hold.h"
#include "swap.h"

/**
 * struct tally - what the page tables say that the counts must be
 * @space: whose
 * @out: gets what does not agree, a line each
 * @balance: whether all has agreed so far
 * @page: for each page, how many entries map it
 * @swap: for each page, how many entries say that it is in swap
 * @huge: for each folio, how many PMDs map it
 */
struct tally {
	const struct ptebatch_space *space;
	struct seq_buf *out;
	bool balance;
	unsigned int *page;
	unsigned int *swap;
	unsigned int *huge;
};

static void agree(struct tally *tally, const char *what, int nr, long expected,
		  long got)
{
	if (expected == got)
		return;
	tally->balance = false;
	seq_buf_puts(tally->out, what);
	if (nr >= 0)
		seq_buf_printf(tally->out, " of folio %d", nr);
	seq_buf_printf(tally->out, " is %ld, the page tables say %ld\n", got,
		       expected);
}

/* Of a page that is not the row's only that somebody maps it is known. */
static void count_foreign(pte_t pte, long rss[NR_MM_COUNTERS])
{
	if (pte_present(pte) && pfn_valid(pte_pfn(pte)) &&
	    !is_zero_pfn(pte_pfn(pte)))
		rss[mm_counter(pfn_folio(pte_pfn(pte)))]++;
}

/* Count a place's entries, and check them against the mm's RSS. */
static void count_entries(struct tally *tally,
			  const struct ptebatch_snapshot *snapshot,
			  long rss[NR_MM_COUNTERS])
{
	const struct ptebatch_space *space = tally->space;
	unsigned int i;

	for (i = 0; i < snapshot->row.nr; i++) {
		const struct ptebatch_entry *entry = &snapshot->row.entries[i];
		struct folio *folio;

		rss[MM_SWAPENTS] += entry->kind == PTEBATCH_SWAP;
		if (entry->kind == PTEBATCH_FOREIGN)
			count_foreign(snapshot->raw[snapshot->lead + i], rss);
		if (entry->folio == PTEBATCH_NO_FOLIO)
			continue;
		if (entry->kind == PTEBATCH_SWAP)
			tally->swap[space->row.folios[entry->folio].first +
				    entry->page]++;
		folio = page_folio(&space->folios[entry->folio]->page +
				   entry->page);
		/* Broken memory is nobody's any more. */
		if (entry->kind != PTEBATCH_SWAP &&
		    entry->kind != PTEBATCH_HWPOISON)
			rss[mm_counter(folio)]++;
		if (!ptebatch_entry_present(entry))
			continue;
		if (!test_bit(i, snapshot->huge))
			tally->page[space->row.folios[entry->folio].first +
				    entry->page]++;
		else if (!entry->page)
			tally->huge[entry->folio]++;
	}
}

static void check_rss(struct tally *tally, struct mm_struct *mm,
		      const long *rss)
{
	agree(tally, "MM_ANONPAGES", -1, rss[MM_ANONPAGES],
	      get_mm_counter_sum(mm, MM_ANONPAGES));
	agree(tally, "MM_FILEPAGES", -1, rss[MM_FILEPAGES],
	      get_mm_counter_sum(mm, MM_FILEPAGES));
	agree(tally, "MM_SHMEMPAGES", -1, rss[MM_SHMEMPAGES],
	      get_mm_counter_sum(mm, MM_SHMEMPAGES));
	agree(tally, "MM_SWAPENTS", -1, rss[MM_SWAPENTS],
	      get_mm_counter_sum(mm, MM_SWAPENTS));
}

/* Per-page counts, where the kernel is built to have them. */
static void check_pages(struct tally *tally, struct folio *folio, int nr,
			const unsigned int *counts)
{
	unsigned int i, mapped = 0;

	if (!IS_ENABLED(CONFIG_PAGE_MAPCOUNT) || !folio_test_large(folio))
		return;
	for (i = 0; i < folio_nr_pages(folio); i++) {
		struct page *page = folio_page(folio, i);

		mapped += !!counts[i];
		if (counts[i] != atomic_read(&page->_mapcount) + 1)
			seq_buf_printf(tally->out, "page %u: ", i);
		agree(tally, "the mapcount", nr, counts[i],
		      atomic_read(&page->_mapcount) + 1);
	}
	if (tally->huge[nr])
		mapped += ENTIRELY_MAPPED;
	agree(tally, "the number of mapped pages", nr, mapped,
	      atomic_read(&folio->_nr_pages_mapped));
}

/* @folio is what the row's folio @nr is, or has left from page @first on. */
static void check_folio(struct tally *tally, struct folio *folio, int nr,
			unsigned int first)
{
	const struct ptebatch_space *space = tally->space;
	unsigned int at = space->row.folios[nr].first + first;
	const unsigned int *counts = tally->page + at;
	const unsigned int *swap = tally->swap + at;
	unsigned int i, entries = tally->huge[nr];
	bool cached = (folio->mapping && !folio_test_anon(folio)) ||
		      folio_test_swapcache(folio);

	for (i = 0; i < folio_nr_pages(folio); i++) {
		struct page *page = folio_page(folio, i);

		entries += counts[i];
		if (!folio_test_anon(folio))
			continue;
		/* Exclusive to whom, if two map it? */
		if (counts[i] + tally->huge[nr] > 1 && PageAnonExclusive(page)) {
			seq_buf_printf(tally->out, "page %u: ", i);
			agree(tally, "AnonExclusive", nr, 0, 1);
		}
	}
	agree(tally, "the mapcount", nr, entries, folio_mapcount(folio));
	if (folio_test_large(folio))
		agree(tally, "the entire mapcount", nr, tally->huge[nr],
		      folio_entire_mapcount(folio));
	/* One is ours. */
	agree(tally, "the reference count", nr,
	      1 + entries + (cached ? folio_nr_pages(folio) : 0),
	      folio_ref_count(folio));
	for (i = 0; folio_test_swapcache(folio) && i < folio_nr_pages(folio); i++) {
		int count = ptebatch_swap_count(folio, i);

		if (count != swap[i])
			seq_buf_printf(tally->out, "page %u: ", i);
		agree(tally, "the swap count", nr, swap[i], count);
	}
	check_pages(tally, folio, nr, counts);
}

static void check_folios(struct tally *tally, int nr)
{
	const struct ptebatch_space *space = tally->space;
	unsigned int page, pages = 1U << space->row.folios[nr].order;
	struct folio *folio;

	for (page = 0; page < pages; page += folio ? folio_nr_pages(folio) : 1) {
		folio = ptebatch_held(space, nr, page);
		if (folio)
			check_folio(tally, folio, nr, page);
	}
}

/* Places of one mm add up. */
/* The first place of the mm that place @i is in: places of one mm add up. */
static unsigned int first_place(const struct ptebatch_space *space,
				unsigned int i)
{
	unsigned int first = 0;

	while (space->places[first].mm != space->places[i].mm)
		first++;
	return first;
}

static int count_places(struct tally *tally)
{
	const struct ptebatch_space *space = tally->space;
	long rss[PTEBATCH_PLACES][NR_MM_COUNTERS] = {};
	struct ptebatch_snapshot *snapshot;
	unsigned int i;

	snapshot = kvmalloc_obj(*snapshot);
	if (!snapshot)
		return -ENOMEM;
	for (i = 0; i < space->nr_places; i++) {
		ptebatch_snapshot(snapshot, space, &space->places[i]);
		count_entries(tally, snapshot, rss[first_place(space, i)]);
	}
	kvfree(snapshot);
	for (i = 0; i < space->nr_places; i++)
		if (first_place(space, i) == i)
			check_rss(tally, space->places[i].mm, rss[i]);
	return 0;
}

/**
 * ptebatch_books_balance() - do all counts agree with the page tables?
 * @space: whose; nothing else may map or hold its folios
 * @out: gets a line for each that does not
 *
 * Checked are the mapcounts (large, entire and, with CONFIG_PAGE_MAPCOUNT, per
 * page), the reference counts, the swap counts of folios in the swap cache,
 * the RSS of each mm and that no page is AnonExclusive to two.
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 * Return: 1 if they do, 0 if one does not, -ENOMEM.
 */
int ptebatch_books_balance(const struct ptebatch_space *space,
			   struct seq_buf *out)
{
	struct tally tally = { .space = space, .out = out, .balance = true };
	unsigned int i;
	int err = -ENOMEM;

	tally.page = kvcalloc(space->row.nr_pages + 1, sizeof(*tally.page),
			      GFP_KERNEL);
	tally.swap = kvcalloc(space->row.nr_pages + 1, sizeof(*tally.swap),
			      GFP_KERNEL);
	tally.huge = kvcalloc(space->row.nr_folios + 1, sizeof(*tally.huge),
			      GFP_KERNEL);
	if (tally.page && tally.swap && tally.huge)
		err = count_places(&tally);
	for (i = 0; !err && i < space->row.nr_folios; i++)
		check_folios(&tally, i);
	kvfree(tally.huge);
	kvfree(tally.swap);
	kvfree(tally.page);
	return err ?: tally.balance;
}
