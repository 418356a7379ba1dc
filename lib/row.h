/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The row notation: page table entries as a picture.
 *
 * A row is a run of page table entries with the flags of the pages behind
 * them. What a case sets up, what it expects and what a failure prints are
 * rows in one notation:
 *
 *	{Wdyx*16}		a 64K folio: writable, dirty, young, exclusive
 *	{Rdyx*8 Rdy*8}		the same, read-only, its second half shared
 *	Rdyx -*3 Wdyx		two small folios with three empty entries between
 *	{Wdyx*4 | Wdyx*12}	entries 4 to 15 are what the operation gets
 *
 * A token is a letter for what the entry is and letters for its flags, with
 * an optional repeat count:
 *
 *	W  maps a page writable		d  dirty
 *	R  maps a page read-only	y  young (accessed)
 *	N  maps a page, PROT_NONE	s  soft-dirty
 *	C  maps a page of a shadow stack, which is dirty (x86)
 *	-  none				u  uffd (write- or access-protected)
 *	.  no entry at all: a page	x  the page is AnonExclusive
 *	   of the folio that the row	w  of M: the page was writable
 *	   does not map (in braces)	l  the page is lazyfree
 *	S  in swap; in braces, the	M  the page is being migrated
 *	   page of the folio in turn	H  the page's memory is broken
 *	U  marker of userfaultfd's write protection
 *	P  marker of a poisoned page	G  marker of a guard region
 *	?  maps a page that the test never mapped (what an operation makes)
 *
 * Tokens without braces each map a small folio of their own. Around them:
 *
 *	{ }	the pages of one folio, in order; their number is a power of two
 *	[ ]	one folio mapped by a PMD: a token for all of its entries, or
 *		tokens that add up to a whole page table
 *	( )	what a split has left of a folio: its pages, each by itself
 *		(only expected and printed)
 *	{ }*3	three such folios
 *	+{ }	a folio that is physically next to the one before it
 *	1{ }	a folio in the memory of node 1; without a number, of any node
 *	~{ }	a folio that the operation has made (only expected and printed)
 *	=7	after a token: maps page 7 of its folio, not the page in turn
 *	@500	first of all: the row begins at entry 500 of its page table,
 *		else at entry 0; @-12 is 12 entries before the table's end
 *	T, T/2	for a number: as many entries as a page table has, or half of
 *		them, and so on (512, 256 where pages have 4K); T/2-8 is 8 less
 *		(never printed)
 *	|	twice or not at all: the range that the operation gets, else all
 *	!	before a token: differs from what was expected (only printed)
 */
#ifndef PTEBATCH_ROW_H
#define PTEBATCH_ROW_H

#include <linux/pgtable.h>
#include <linux/seq_buf.h>
#include <linux/types.h>

/* A row may reach over two page table edges. */
#define PTEBATCH_ROW_ENTRIES	(3 * PTRS_PER_PTE)

/* What a small folio or a hole says for its folio in struct ptebatch_entry. */
#define PTEBATCH_NO_FOLIO	-1

/**
 * enum ptebatch_kind - what a page table entry is
 * @PTEBATCH_NONE: empty
 * @PTEBATCH_WRITABLE: present, write permitted
 * @PTEBATCH_READABLE: present, read-only
 * @PTEBATCH_PROTNONE: present, no access permitted
 * @PTEBATCH_MIGRATION: migration entry
 * @PTEBATCH_SWAP: swap entry
 * @PTEBATCH_MARKER: marker of userfaultfd's write protection
 * @PTEBATCH_POISON: marker of a poisoned page
 * @PTEBATCH_GUARD: marker of a guard region
 * @PTEBATCH_HWPOISON: the page's memory is broken
 * @PTEBATCH_SHADOW_STACK: present, written to by calls only: on x86 a PTE that is
 *                         write-protected and has the hardware's dirty bit
 * @PTEBATCH_FOREIGN: anything that no test has put there
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
	PTEBATCH_FOREIGN,
};

/* Flags of an entry and of the page behind it (exclusive, unless in swap). */
#define PTEBATCH_DIRTY		BIT(0)
#define PTEBATCH_YOUNG		BIT(1)
#define PTEBATCH_SOFT_DIRTY	BIT(2)
#define PTEBATCH_UFFD		BIT(3)
#define PTEBATCH_EXCLUSIVE	BIT(4)
#define PTEBATCH_MIGRATION_WRITE	BIT(5)
#define PTEBATCH_LAZYFREE	BIT(6)

/**
 * struct ptebatch_entry - one page table entry of a row
 * @kind: one of enum ptebatch_kind
 * @flags: any of PTEBATCH_DIRTY to PTEBATCH_LAZYFREE
 * @page: which page of @folio it maps
 * @folio: index of the folio in the row, PTEBATCH_NO_FOLIO if it maps none
 */
struct ptebatch_entry {
	u8 kind;
	u8 flags;
	u16 page;
	s16 folio;
};

/**
 * struct ptebatch_shape - a folio as a row wants it; without gaps, to be compared
 * @order: its order
 * @pmd: mapped by a PMD
 * @split: its pages are small folios now
 * @made: there was no such folio before the operation
 * @adjacent: its first frame follows the last one of the folio before
 * @node: one more than the number of the node that it is on, 0 for any
 * @first: number of pages in all folios before it
 */
struct ptebatch_shape {
	u16 order;
	bool pmd;
	bool split;
	bool made;
	bool adjacent;
	u16 node;
	u32 first;
};

/**
 * struct ptebatch_row - a run of page table entries
 * @first: index of the first entry in its page table
 * @nr: number of entries
 * @from: first entry of the range for the operation, counted in the row
 * @to: first entry behind that range
 * @nr_folios: number of folios, small ones too
 * @nr_pages: number of pages in all of them
 * @folios: their shapes, in the order of their first entries
 * @entries: the entries
 */
struct ptebatch_row {
	unsigned int first;
	unsigned int nr;
	unsigned int from;
	unsigned int to;
	unsigned int nr_folios;
	unsigned int nr_pages;
	struct ptebatch_shape folios[PTEBATCH_ROW_ENTRIES];
	struct ptebatch_entry entries[PTEBATCH_ROW_ENTRIES];
};

static inline bool ptebatch_entry_present(const struct ptebatch_entry *entry)
{
	return entry->kind == PTEBATCH_WRITABLE ||
	       entry->kind == PTEBATCH_READABLE ||
	       entry->kind == PTEBATCH_PROTNONE ||
	       entry->kind == PTEBATCH_SHADOW_STACK;
}

/* Is there a page of a folio behind it? Of swap entries only some know one. */
static inline bool ptebatch_entry_has_page(const struct ptebatch_entry *entry)
{
	return ptebatch_entry_present(entry) ||
	       entry->kind == PTEBATCH_MIGRATION ||
	       entry->kind == PTEBATCH_HWPOISON;
}

int ptebatch_row_parse(struct ptebatch_row *row, const char *picture,
		       const char **error);
void ptebatch_row_break_up(struct ptebatch_row *row);
const char *ptebatch_row_of_folio(char *text, size_t size, unsigned int nr,
				  unsigned int from, unsigned int to,
				  const char *outside, const char *inside);
void ptebatch_entry_print(struct seq_buf *out,
			  const struct ptebatch_entry *entry);
void ptebatch_row_print(struct seq_buf *out, const struct ptebatch_row *row,
			const unsigned long *differs);

#endif /* PTEBATCH_ROW_H */
