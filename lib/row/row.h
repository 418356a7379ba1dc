/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The row notation: page table entries as a picture.
 *
 * A row is a run of page table entries with the flags of the pages that they
 * map. Set-up, expected result and failure output use the same notation:
 *
 *	{Wdyx*16}		a 64K folio: writable, dirty, young, exclusive
 *	{Rdyx*8 Rdy*8}		a read-only 64K folio, second half shared
 *	Rdyx -*3 Wdyx		two small folios with three empty entries between
 *	{Wdyx*4 | Wdyx*12}	the operation's range is entries 4 to 15
 *
 * A token is a letter for the kind of the entry and letters for its flags, with
 * an optional repeat count:
 *
 *	W  maps a page writable		d  dirty
 *	R  maps a page read-only	y  young (accessed)
 *	N  maps a page, PROT_NONE	s  soft-dirty
 *	C  maps a shadow stack page,	u  uffd-wp or uffd-rwp
 *	   which is dirty (x86)		x  page is AnonExclusive
 *	-  none				w  with M, D: page was writable
 *	.  no entry: a page of the	l  page is lazyfree
 *	   folio that the row does	z  maps the zero page
 *	   not map (in braces only)	p  special: maps a PFN, not a page
 *	M  migration entry		k  page is a KSM page (small folios)
 *	H  hwpoison entry		h  page has PG_hwpoison
 *	S  swap entry; in braces, of the folio's next page
 *	U  uffd-wp marker
 *	P  poison marker		G  guard marker
 *	D  device-private entry: its folio is in device-private memory
 *	E  device-exclusive entry
 *	?  maps a page that the test never mapped (only printed)
 *
 * Each token outside braces maps a small folio. Around tokens:
 *
 *	{ }	pages of one folio, in order; their number is a power of two
 *	[ ]	a PMD-mapped folio, with z the huge zero page, or with M or D a
 *		PMD migration or device-private entry: a token for all of its
 *		entries, or tokens that add up to a whole page table
 *	( )	pages of a folio that was split into small folios (only
 *		expected and printed)
 *	{ }*3	three such folios
 *	+{ }	a folio that is physically adjacent to the preceding folio
 *	1{ }	a folio on node 1; without a number, on any node
 *	~{ }	a folio that the operation has allocated (only expected and
 *		printed)
 *	=7	after a token: maps page 7 of its folio, not the next page
 *	@500	at the beginning: the row starts at entry 500 of its page table,
 *		by default at entry 0; @-12: 12 entries before the table's end
 *	T, T/2	as a number: number of entries in a page table, half of it, and
 *		so on (512, 256 with 4K pages); T/2-8: 8 less (never printed)
 *	|	twice or not at all: limits of the operation's range, by default
 *		the whole row
 *	;	the next entry belongs to another, adjacent VMA: with
 *		{Wdyx*8 ; Wdyx*8} a folio is mapped by two VMAs (not in
 *		brackets; ignored in an expected row)
 *	!	before a token: differs from what was expected (only printed)
 */
#ifndef PTEBATCH_ROW_H
#define PTEBATCH_ROW_H

#include <linux/bitmap.h>
#include <linux/seq_buf.h>
#include <linux/types.h>

#include "../arch/table.h"

/* A row may extend over three page tables. */
#define PTEBATCH_ROW_ENTRIES	(3 * PTRS_PER_PTE)

/* @folio of a struct ptebatch_entry without a folio. */
#define PTEBATCH_NO_FOLIO	-1

/**
 * enum ptebatch_kind - kind of a page table entry
 * @PTEBATCH_NONE: empty
 * @PTEBATCH_WRITABLE: present, write permitted
 * @PTEBATCH_READABLE: present, read-only
 * @PTEBATCH_PROTNONE: present, no access permitted
 * @PTEBATCH_MIGRATION: migration entry
 * @PTEBATCH_SWAP: swap entry
 * @PTEBATCH_MARKER: uffd-wp marker
 * @PTEBATCH_POISON: poison marker
 * @PTEBATCH_GUARD: guard marker
 * @PTEBATCH_HWPOISON: hwpoison entry
 * @PTEBATCH_SHADOW_STACK: present, shadow stack: on x86 a PTE without the write
 *                         bit and with the hardware's dirty bit
 * @PTEBATCH_DEVICE_PRIVATE: device-private entry
 * @PTEBATCH_DEVICE_EXCLUSIVE: device-exclusive entry
 * @PTEBATCH_FOREIGN: any entry that no test has set
 */
enum ptebatch_kind {
	PTEBATCH_NONE,
	PTEBATCH_WRITABLE,
	PTEBATCH_READABLE,
	PTEBATCH_PROTNONE,
	PTEBATCH_MIGRATION,
	PTEBATCH_SWAP,
	PTEBATCH_MARKER,
	PTEBATCH_POISON,
	PTEBATCH_GUARD,
	PTEBATCH_HWPOISON,
	PTEBATCH_SHADOW_STACK,
	PTEBATCH_DEVICE_PRIVATE,
	PTEBATCH_DEVICE_EXCLUSIVE,
	PTEBATCH_FOREIGN,
};

/* Flags of an entry and of its page (exclusive: of the entry, if in swap). */
#define PTEBATCH_DIRTY		BIT(0)
#define PTEBATCH_YOUNG		BIT(1)
#define PTEBATCH_SOFT_DIRTY	BIT(2)
#define PTEBATCH_UFFD		BIT(3)
#define PTEBATCH_EXCLUSIVE	BIT(4)
#define PTEBATCH_MIGRATION_WRITE	BIT(5)
#define PTEBATCH_LAZYFREE	BIT(6)
#define PTEBATCH_ZERO_PAGE	BIT(7)
#define PTEBATCH_SPECIAL	BIT(8)
#define PTEBATCH_KSM		BIT(9)
#define PTEBATCH_POISONED	BIT(10)

/**
 * struct ptebatch_entry - one page table entry of a row
 * @kind: one of enum ptebatch_kind
 * @flags: any of PTEBATCH_DIRTY to PTEBATCH_POISONED
 * @page: index of the mapped page in @folio
 * @folio: index of the folio in the row, PTEBATCH_NO_FOLIO if there is none
 */
struct ptebatch_entry {
	u16 kind;
	u16 flags;
	u16 page;
	s16 folio;
};

/**
 * struct ptebatch_shape - a folio of a row; without padding, for memcmp()
 * @order: folio order
 * @pmd: folio is PMD-mapped
 * @split: folio was split into small folios
 * @made: folio was allocated by the operation
 * @adjacent: first PFN follows the last PFN of the preceding folio
 * @node: node number plus 1, 0 for any node
 * @first: number of pages in all preceding folios
 * @at: index in the row of the entry for the folio's first page; the row may
 *      begin behind it, so it may be negative
 */
struct ptebatch_shape {
	u16 order;
	bool pmd;
	bool split;
	bool made;
	bool adjacent;
	u16 node;
	u32 first;
	s32 at;
};

/**
 * struct ptebatch_row - a run of page table entries
 * @first: index of the first entry in its page table
 * @nr: number of entries
 * @from: index in the row of the first entry in the operation's range
 * @to: index in the row of the first entry after the range
 * @nr_folios: number of folios, including small folios
 * @nr_pages: number of pages in all folios
 * @folios: folios, in the order of their first entries
 * @entries: page table entries
 * @huge_zero: one bit per page table, set if a PMD maps the huge zero page in
 *             its place
 * @vma_starts: one bit per entry, set at the first entry of each VMA but the
 *              first VMA
 */
struct ptebatch_row {
	unsigned int first;
	unsigned int nr;
	unsigned int from;
	unsigned int to;
	unsigned int nr_folios;
	unsigned int nr_pages;
	unsigned int huge_zero;
	struct ptebatch_shape folios[PTEBATCH_ROW_ENTRIES];
	struct ptebatch_entry entries[PTEBATCH_ROW_ENTRIES];
	DECLARE_BITMAP(vma_starts, PTEBATCH_ROW_ENTRIES);
};

/* Copy a row; what is behind its last entry and its last folio stays. */
static inline void ptebatch_row_copy(struct ptebatch_row *to,
				     const struct ptebatch_row *from)
{
	memcpy(to, from, offsetof(struct ptebatch_row, folios));
	memcpy(to->folios, from->folios, from->nr_folios * sizeof(from->folios[0]));
	memcpy(to->entries, from->entries, from->nr * sizeof(from->entries[0]));
	memcpy(to->vma_starts, from->vma_starts, sizeof(from->vma_starts));
}

/* The page table that has entry @i, counted from that of the row's first entry. */
static inline unsigned int ptebatch_row_table(const struct ptebatch_row *row, unsigned int i)
{
	return (row->first + i) / PTRS_PER_PTE;
}

/* Is entry @i the first one of its page table? */
static inline bool ptebatch_row_begins_table(const struct ptebatch_row *row, unsigned int i)
{
	return !((row->first + i) % PTRS_PER_PTE);
}

/* One bit for each order of the folios of which the row can consist, at its addresses. */
static inline unsigned long ptebatch_row_orders(const struct ptebatch_row *row)
{
	return BIT(__ffs(row->first | row->nr | PTRS_PER_PTE) + 1) - 1;
}

/* Does a PMD that maps the huge zero page map entry @i? */
static inline bool ptebatch_row_huge_zero(const struct ptebatch_row *row,
					  unsigned int i)
{
	return row->huge_zero & BIT(ptebatch_row_table(row, i));
}

static inline bool ptebatch_entry_present(const struct ptebatch_entry *entry)
{
	return entry->kind == PTEBATCH_WRITABLE ||
	       entry->kind == PTEBATCH_READABLE ||
	       entry->kind == PTEBATCH_PROTNONE ||
	       entry->kind == PTEBATCH_SHADOW_STACK;
}

/*
 * Is the entry present and its page one for vm_normal_page(), that is, does the
 * entry hold a reference to a folio?
 */
static inline bool ptebatch_entry_normal(const struct ptebatch_entry *entry)
{
	return ptebatch_entry_present(entry) &&
	       !(entry->flags & (PTEBATCH_ZERO_PAGE | PTEBATCH_SPECIAL));
}

/* Does the entry count in the mapcount of its page? */
static inline bool ptebatch_entry_mapped(const struct ptebatch_entry *entry)
{
	return ptebatch_entry_normal(entry) ||
	       entry->kind == PTEBATCH_DEVICE_PRIVATE ||
	       entry->kind == PTEBATCH_DEVICE_EXCLUSIVE;
}

/* Does the entry always refer to a page? A swap entry may have a folio or not. */
static inline bool ptebatch_entry_has_page(const struct ptebatch_entry *entry)
{
	return (ptebatch_entry_present(entry) &&
		!(entry->flags & PTEBATCH_ZERO_PAGE)) ||
	       ptebatch_entry_mapped(entry) ||
	       entry->kind == PTEBATCH_MIGRATION ||
	       entry->kind == PTEBATCH_HWPOISON;
}

int ptebatch_row_parse(struct ptebatch_row *row, const char *picture,
		       const char **error);
void ptebatch_row_break_up(struct ptebatch_row *row);
void ptebatch_entry_print(struct seq_buf *out,
			  const struct ptebatch_entry *entry);
void ptebatch_row_print(struct seq_buf *out, const struct ptebatch_row *row,
			const unsigned long *differs);

#endif /* PTEBATCH_ROW_H */
