// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "internal.h"

#include "bytes.h"
#include "hold.h"

/* No two pages of a row have the same, and none has zeroes. */
static u32 stamp(const struct ptebatch_row *row, s16 folio, unsigned int page)
{
	return 0x9e3779b1U * (row->folios[folio].first + page + 1);
}

/**
 * ptebatch_bytes_fill() - give each page of a row bytes of its own
 * @space: has the row
 *
 * Context: Process context; the folios are held.
 */
void ptebatch_bytes_fill(struct ptebatch_space *space)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i, page;

	for (i = 0; i < row->nr_folios; i++)
		for (page = 0; page < 1U << row->folios[i].order; page++)
			memset32(page_address(&space->folios[i]->page + page),
				 stamp(row, i, page), PAGE_SIZE / sizeof(u32));
}

static bool has(struct page *page, u32 wanted)
{
	const u32 *at = page_address(page);
	unsigned int i;

	for (i = 0; i < PAGE_SIZE / sizeof(u32); i++)
		if (at[i] != wanted)
			return false;
	return true;
}

/* What a file has at an index: a page of the row's, or nothing yet. */
static u32 file_stamp(const struct ptebatch_space *space, pgoff_t index)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i;

	for (i = 0; i < row->nr_folios; i++) {
		unsigned long page = index - space->index[i];

		if (!row->folios[i].made && test_bit(i, space->cached) &&
		    page < 1UL << row->folios[i].order)
			return stamp(row, i, page);
	}
	return 0;
}

/* What has to be in a page that entry @i maps now. */
static u32 expected_stamp(const struct ptebatch_trial *trial, unsigned int i)
{
	const struct ptebatch_entry *was = &trial->before.row.entries[i];
	const struct ptebatch_entry *is = &trial->after.row.entries[i];
	const struct ptebatch_space *space = trial->space;

	if (test_bit(is->folio, space->cached) &&
	    space->row.folios[is->folio].made)
		return file_stamp(space, space->index[is->folio] + is->page);
	return was->folio == PTEBATCH_NO_FOLIO ?
	       0 : stamp(&space->row, was->folio, was->page);
}

/**
 * ptebatch_bytes_kept() - is nothing lost that was written?
 * @trial: the trial, ended; its pages had bytes from ptebatch_bytes_fill()
 * @out: gets a line for the first page that has not got the right bytes
 *
 * Where an entry maps a page of a new folio, it has the bytes of the page that
 * the entry mapped before, or zeroes if it mapped none. All other pages have
 * their own.
 *
 * Context: Process context.
 * Return: whether all have.
 */
bool ptebatch_bytes_kept(const struct ptebatch_trial *trial,
			 struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	const struct ptebatch_row *row = &space->row;
	unsigned int i, page;

	for (i = 0; i < trial->after.row.nr; i++) {
		const struct ptebatch_entry *is = &trial->after.row.entries[i];

		if (!ptebatch_entry_present(is) || !row->folios[is->folio].made)
			continue;
		if (has(folio_page(space->folios[is->folio], is->page),
			expected_stamp(trial, i)))
			continue;
		seq_buf_printf(out, "entry %u has not got the bytes it had\n", i);
		return false;
	}
	for (i = 0; i < row->nr_folios; i++) {
		for (page = 0; page < 1U << row->folios[i].order; page++) {
			if (row->folios[i].made ||
			    !ptebatch_held(space, i, page) ||
			    has(&space->folios[i]->page + page,
				stamp(row, i, page)))
				continue;
			seq_buf_printf(out, "page %u of folio %u has not got its bytes\n",
				       page, i);
			return false;
		}
	}
	return true;
}

/**
 * ptebatch_bytes_expect() - nothing that was written must be lost
 * @trial: as ptebatch_bytes_kept(), which says what must be
 *
 * Context: Process context.
 */
void ptebatch_bytes_expect(const struct ptebatch_trial *trial)
{
	struct seq_buf out;
	char text[80];

	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_TRUE_MSG(trial->test, ptebatch_bytes_kept(trial, &out),
			      "%s: %s", trial->who, seq_buf_str(&out));
}
