// SPDX-License-Identifier: GPL-2.0
/*
 * A large folio counts its mappings by up to two mms (CONFIG_MM_ID), and has a
 * flag that it may be mapped shared: do_wp_page() reuses a folio without the flag.
 */
#include <linux/mm.h>
#include <linux/rmap.h>
#include <linux/slab.h>

#include "internal.h"

#include "../space/refs.h"
#include "checks.h"
#include "places.h"

#ifdef CONFIG_MM_ID

/**
 * struct mappings - mappings of the row's folios by each mm
 * @mm: the mms
 * @nr: number of mms
 * @count: for each mm, number of entries and PMDs that map each folio
 */
struct mappings {
	struct mm_struct *mm[PTEBATCH_PLACES];
	unsigned int nr;
	unsigned int *count[PTEBATCH_PLACES];
};

static void count(const struct ptebatch_trial *trial,
		  const struct ptebatch_place *place,
		  const struct ptebatch_snapshot *snapshot, void *data)
{
	struct mappings *mappings = data;
	unsigned int i, at = 0;

	while (at < mappings->nr && mappings->mm[at] != place->mm)
		at++;
	if (at == mappings->nr)
		mappings->mm[mappings->nr++] = place->mm;
	for (i = 0; i < snapshot->row.nr; i++) {
		const struct ptebatch_entry *entry = &snapshot->row.entries[i];

		/* A PMD is one mapping. */
		if (ptebatch_entry_mapped(entry) &&
		    (!test_bit(i, snapshot->huge) || !entry->page))
			mappings->count[at][entry->folio]++;
	}
}

/* The folio's mapcount of @mm, 0 if it has none for @mm. */
static unsigned int mapcount_of(const struct folio *folio, const struct mm_struct *mm)
{
	if (folio_mm_id(folio, 0) == mm->mm_id)
		return folio->_mm_id_mapcount[0] + 1;
	if (folio_mm_id(folio, 1) == mm->mm_id)
		return folio->_mm_id_mapcount[1] + 1;
	return 0;
}

static bool has_mm_ids(const struct ptebatch_space *space, unsigned int i)
{
	return space->row.folios[i].order && ptebatch_folio_intact(space, i);
}

static bool has_candidate(const struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		if (has_mm_ids(space, i))
			return true;
	return false;
}

static void check_folio_mm_ids(const struct mappings *mappings, const struct folio *folio,
			       unsigned int nr, struct seq_buf *out)
{
	bool shared = folio_maybe_mapped_shared((struct folio *)folio);
	unsigned int i, mms = 0;
	bool several;

	for (i = 0; i < mappings->nr; i++) {
		unsigned int expected = mappings->count[i][nr];
		unsigned int got = mapcount_of(folio, mappings->mm[i]);

		mms += !!expected;
		if (got != expected)
			seq_buf_printf(out, "folio %u has %u mappings by mm %u, expected %u\n",
				       nr, got, i, expected);
	}
	several = mms > 1;
	if (shared != several)
		seq_buf_printf(out, "folio %u is%s flagged as shared, but mapped by %u mms\n",
			       nr, shared ? "" : " not", mms);
}

/*
 * Each large folio counts the mappings by each mm, and is flagged as shared if, and
 * only if, two mms map it. With more than two mms the counts are not exact, so are
 * not checked.
 */
static void check_mm_ids(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i, nr = space->row.nr_folios;
	struct mappings mappings = {};

	if (!has_candidate(space))
		return;
	mappings.count[0] = kvcalloc(PTEBATCH_PLACES * nr, sizeof(unsigned int),
				     GFP_KERNEL);
	for (i = 1; i < PTEBATCH_PLACES; i++)
		mappings.count[i] = mappings.count[0] + i * nr;
	if (!mappings.count[0] || ptebatch_each_place(trial, count, &mappings))
		seq_buf_puts(out, "not checked: out of memory\n");
	for (i = 0; !seq_buf_used(out) && mappings.nr <= 2 && i < nr; i++)
		if (has_mm_ids(space, i))
			check_folio_mm_ids(&mappings, space->folios[i], i, out);
	kvfree(mappings.count[0]);
}

#else /* !CONFIG_MM_ID */

static void check_mm_ids(struct ptebatch_trial *trial, struct seq_buf *out)
{
}

#endif

const struct ptebatch_check ptebatch_check_mm_ids = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "mm_ids", .whole = true, .check = check_mm_ids,
};
