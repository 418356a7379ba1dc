// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "internal.h"

#include "../arch/arch.h"
#include "../space/refs.h"
#include "checks.h"
#include "contents.h"

/**
 * ptebatch_stamp() - get what identifies a page of a row
 * @row: the row
 * @folio: index of the folio in the row
 * @page: index of the page in the folio
 *
 * Return: a value that is unique among the pages of the row, and not zero.
 */
u32 ptebatch_stamp(const struct ptebatch_row *row, s16 folio, unsigned int page)
{
	return 0x9e3779b1U * (row->folios[folio].first + page + 1);
}

/* The memory tag of a page with @stamp: other than that of adjacent pages. */
static u8 tag_of(u32 stamp)
{
	return stamp % 15 + !!stamp;
}

static bool has_tags(const struct ptebatch_space *space)
{
	return space->setup.prot & PTEBATCH_PROT_MTE;
}

/* Nothing copies or clears less of a page than this number of bytes. */
#define LINE	64

/* What a page with @stamp contains every LINE bytes; 0 without a stamp. */
static u64 word(u32 stamp, unsigned int offset)
{
	return stamp ? stamp + ((u64)offset << 32) : 0;
}

/**
 * ptebatch_page_fill() - fill a page with a pattern
 * @space: the address space; if its VMA has memory tags (MTE), the page gets a tag, too
 * @page: the page
 * @stamp: identifies the pattern
 */
void ptebatch_page_fill(const struct ptebatch_space *space, struct page *page, u32 stamp)
{
	void *at = page_address(page);
	unsigned int offset;

	for (offset = 0; offset < PAGE_SIZE; offset += LINE)
		*(u64 *)(at + offset) = word(stamp, offset);
	if (has_tags(space))
		ptebatch_tag_set(page, tag_of(stamp));
}

/**
 * ptebatch_pages_fill() - fill each page of a row with a unique pattern
 * @space: the address space
 *
 * In a VMA with memory tags (MTE), each page has a tag of its own, too.
 *
 * Context: Process context; the space holds references to the folios.
 */
void ptebatch_pages_fill(const struct ptebatch_space *space)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i, page;

	for (i = 0; i < row->nr_folios; i++)
		for (page = 0; page < 1U << row->folios[i].order; page++)
			ptebatch_page_fill(space, &space->folios[i]->page + page,
					   ptebatch_stamp(row, i, page));
}

/**
 * ptebatch_contents_fill() - fill each page of a row, and check the contents from now on
 * @trial: the trial, begun
 *
 * Context: Process context; the space holds references to the folios.
 */
void ptebatch_contents_fill(struct ptebatch_trial *trial)
{
	bool *filled = ptebatch_check_state(trial, &ptebatch_check_contents);

	*filled = true;
	ptebatch_pages_fill(trial->space);
}

/**
 * ptebatch_page_contains() - check the contents of a page
 * @space: the address space
 * @page: the page
 * @first: expected first word
 * @stamp: of the pattern expected in the rest of the page; 0: zeroes
 *
 * Return: true if the page, and its memory tag if it has one, are as expected.
 */
bool ptebatch_page_contains(const struct ptebatch_space *space, struct page *page,
			    u32 first, u32 stamp)
{
	const void *at = page_address(page);
	u64 differs = *(const u64 *)at ^ first;
	unsigned int offset;

	for (offset = LINE; offset < PAGE_SIZE; offset += LINE)
		differs |= *(const u64 *)(at + offset) ^ word(stamp, offset);
	return !differs && (!has_tags(space) || ptebatch_tag_get(page) == tag_of(stamp));
}

static bool contains(const struct ptebatch_space *space, struct page *page, u32 stamp)
{
	return ptebatch_page_contains(space, page, stamp, stamp);
}

/* Stamp of the row's page at @index of the file, 0 if the row has none. */
static u32 file_stamp(const struct ptebatch_space *space, pgoff_t index)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i;

	for (i = 0; i < row->nr_folios; i++) {
		unsigned long page = index - space->index[i];

		if (!row->folios[i].made && test_bit(i, space->cached) &&
		    page < 1UL << row->folios[i].order)
			return ptebatch_stamp(row, i, page);
	}
	return 0;
}

/* Stamp expected in the page that entry @i maps after the operation. */
static u32 expected_stamp(const struct ptebatch_trial *trial, unsigned int i)
{
	const struct ptebatch_entry *was = &trial->before.row.entries[i];
	const struct ptebatch_entry *is = &trial->after.row.entries[i];
	const struct ptebatch_space *space = trial->space;

	if (test_bit(is->folio, space->cached) &&
	    space->row.folios[is->folio].made)
		return file_stamp(space, space->index[is->folio] + is->page);
	return was->folio == PTEBATCH_NO_FOLIO ?
	       0 : ptebatch_stamp(&space->row, was->folio, was->page);
}

/**
 * ptebatch_contents_copied() - check that a page contains a pattern of the row
 * @space: the address space, filled by ptebatch_contents_fill()
 * @entry: an entry of its row
 * @page: the page
 *
 * Context: Process context.
 * Return: true if @page has the contents of the page of @entry.
 */
bool ptebatch_contents_copied(const struct ptebatch_space *space,
			      const struct ptebatch_entry *entry, struct page *page)
{
	return contains(space, page, ptebatch_stamp(&space->row, entry->folio, entry->page));
}

/**
 * ptebatch_contents_read() - check contents by reads from user space
 * @space: the address space, filled by ptebatch_contents_fill()
 *
 * Reads all pages of the first place; the pages that are not present fault.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: -1 if all are right, or the index of the first wrong entry.
 */
int ptebatch_contents_read(const struct ptebatch_space *space)
{
	const struct ptebatch_row *row = &space->row;
	int i, wrong = -1;
	u32 got;

	kthread_use_mm(space->places[0].mm);
	for (i = 0; i < row->nr && wrong < 0; i++)
		if (get_user(got, (u32 __user *)ptebatch_addr(space, i)) ||
		    got != ptebatch_stamp(row, row->entries[i].folio, row->entries[i].page))
			wrong = i;
	kthread_unuse_mm(space->places[0].mm);
	return wrong;
}

/*
 * A page of a new folio must contain the pattern of the page that its entry
 * mapped before, or zeroes if the entry mapped none. Each other page must
 * contain its own pattern.
 */
static void check_contents(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const bool *filled = ptebatch_check_state(trial, &ptebatch_check_contents);
	const struct ptebatch_space *space = trial->space;
	const struct ptebatch_row *row = &space->row;
	unsigned int i, page;

	if (!*filled)
		return;
	for (i = 0; i < trial->after.row.nr; i++) {
		const struct ptebatch_entry *is = &trial->after.row.entries[i];

		if (!ptebatch_entry_normal(is) || !row->folios[is->folio].made ||
		    contains(space, folio_page(space->folios[is->folio], is->page),
			     expected_stamp(trial, i)))
			continue;
		seq_buf_printf(out, "entry %u: wrong contents of the new page\n", i);
		return;
	}
	for (i = 0; i < row->nr_folios; i++) {
		for (page = 0; page < 1U << row->folios[i].order; page++) {
			if (row->folios[i].made ||
			    !ptebatch_page_folio(space, i, page) ||
			    contains(space, &space->folios[i]->page + page,
				     ptebatch_stamp(row, i, page)))
				continue;
			seq_buf_printf(out, "page %u of folio %u has wrong contents\n",
				       page, i);
			return;
		}
	}
}

/* The state: the pages were filled. */
const struct ptebatch_check ptebatch_check_contents = {
	.rule = PTEBATCH_RULE_TWIN, .name = "contents", .whole = true,
	.state_size = sizeof(bool), .check = check_contents,
};
