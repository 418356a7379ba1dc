// SPDX-License-Identifier: GPL-2.0
/*
 * Parser and printer of the row notation, see row.h.
 */
#include <linux/bitmap.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "row.h"

static const struct {
	char letter;
	u16 flag;
} flag_letters[] = {
	{ 'd', PTEBATCH_DIRTY },
	{ 'y', PTEBATCH_YOUNG },
	{ 's', PTEBATCH_SOFT_DIRTY },
	{ 'u', PTEBATCH_UFFD },
	{ 'x', PTEBATCH_EXCLUSIVE },
	{ 'w', PTEBATCH_MIGRATION_WRITE },
	{ 'l', PTEBATCH_LAZYFREE },
	{ 'z', PTEBATCH_ZERO_PAGE },
	{ 'p', PTEBATCH_SPECIAL },
	{ 'k', PTEBATCH_KSM },
	{ 'h', PTEBATCH_POISONED },
};

/* Indexed by enum ptebatch_kind. */
static const char kind_letters[] = "-WRNMSUPGHCDE?";

/**
 * struct parser - state of the parser
 * @row: row parsed so far
 * @at: next character of the picture
 * @error: error at @at, %NULL if none
 * @bars: number of "|" parsed
 */
struct parser {
	struct ptebatch_row *row;
	const char *at;
	const char *error;
	int bars;
};

static bool fail(struct parser *p, const char *error)
{
	if (!p->error)
		p->error = error;
	return false;
}

static void skip_blanks(struct parser *p)
{
	p->at = skip_spaces(p->at);
}

/* A decimal number, or "T", "T/n" or "T/n-m", where T is PTRS_PER_PTE. */
static bool parse_number(struct parser *p, unsigned int *number)
{
	unsigned int part = 1, less = 0;

	if (*p->at == 'T') {
		p->at++;
		if (*p->at == '/') {
			p->at++;
			if (!parse_number(p, &part))
				return false;
			if (!part)
				return fail(p, "division of T by 0");
		}
		if (*p->at == '-' && isdigit(p->at[1])) {
			p->at++;
			if (!parse_number(p, &less))
				return false;
		}
		*number = PTRS_PER_PTE / part;
		if (less > *number)
			return fail(p, "T/n-m is negative");
		*number -= less;
		return true;
	}
	if (!isdigit(*p->at))
		return fail(p, "a number is missing");
	for (*number = 0; isdigit(*p->at); p->at++) {
		*number = *number * 10 + *p->at - '0';
		if (*number > PTEBATCH_ROW_ENTRIES * 10)
			return fail(p, "number too large");
	}
	return true;
}

/* "*n"; without it, the count is 1. */
static bool parse_count(struct parser *p, unsigned int *count)
{
	*count = 1;
	if (*p->at != '*')
		return true;
	p->at++;
	return parse_number(p, count);
}

/* "@n", or "@-n", which counts from the end of the page table. */
static bool parse_first(struct parser *p)
{
	bool back = p->at[1] == '-';
	unsigned int *first = &p->row->first;

	p->at += back ? 2 : 1;
	if (!parse_number(p, first))
		return false;
	if (back)
		*first = PTRS_PER_PTE - *first;
	return *first < PTRS_PER_PTE || fail(p, "@ is beyond the page table");
}

static bool parse_bar(struct parser *p)
{
	if (p->bars == 0)
		p->row->from = p->row->nr;
	else if (p->bars == 1)
		p->row->to = p->row->nr;
	else
		return fail(p, "a third |");
	p->bars++;
	p->at++;
	return true;
}

/* ";": sets a bit at the next entry, or at the end, which is an error. */
static bool parse_vma_start(struct parser *p)
{
	unsigned int at = p->row->nr;

	if (!at)
		return fail(p, "a VMA without an entry before the ;");
	if (at == PTEBATCH_ROW_ENTRIES)
		return fail(p, "a VMA without an entry after the ;");
	__set_bit(at, p->row->vma_starts);
	p->at++;
	return true;
}

static char opening_brace(const struct ptebatch_shape *shape)
{
	return shape->pmd ? '[' : shape->split ? '(' : '{';
}

static char closing_brace(const struct ptebatch_shape *shape)
{
	return shape->pmd ? ']' : shape->split ? ')' : '}';
}

/* A letter and its flags, as in "Wdyx". */
static bool parse_entry(struct parser *p, struct ptebatch_entry *entry)
{
	const char *kind = memchr(kind_letters, *p->at, PTEBATCH_FOREIGN + 1);
	int i;

	if (!kind)
		return fail(p, "not an entry");
	*entry = (struct ptebatch_entry) {
		.kind = kind - kind_letters,
		.folio = PTEBATCH_NO_FOLIO,
	};
	p->at++;

	while (islower(*p->at)) {
		for (i = 0; i < ARRAY_SIZE(flag_letters); i++)
			if (flag_letters[i].letter == *p->at)
				break;
		if (i == ARRAY_SIZE(flag_letters))
			return fail(p, "not a flag");
		if (entry->kind == PTEBATCH_NONE)
			return fail(p, "a flag on an empty entry");
		entry->flags |= flag_letters[i].flag;
		p->at++;
	}
	return true;
}

static bool add_entry(struct parser *p, const struct ptebatch_entry *entry)
{
	struct ptebatch_row *row = p->row;

	if (row->first + row->nr >= PTEBATCH_ROW_ENTRIES)
		return fail(p, "more than three page tables of entries");
	row->entries[row->nr++] = *entry;
	return true;
}

static bool add_folio(struct parser *p, struct ptebatch_shape shape, s16 *folio)
{
	struct ptebatch_row *row = p->row;

	if (row->nr_folios == ARRAY_SIZE(row->folios))
		return fail(p, "too many folios");
	if (shape.adjacent && !row->nr_folios)
		return fail(p, "no folio before the +");
	*folio = row->nr_folios;
	row->folios[row->nr_folios++] = shape;
	return true;
}

/* The marks before a folio: "~", a node, "+". */
static bool parse_marks(struct parser *p, struct ptebatch_shape *shape)
{
	unsigned int node;

	if (*p->at == '~') {
		shape->made = true;
		p->at++;
	}
	if (isdigit(*p->at)) {
		if (!parse_number(p, &node))
			return false;
		if (node >= U8_MAX)
			return fail(p, "no such node");
		shape->node = node + 1;
	}
	if (*p->at == '+') {
		shape->adjacent = true;
		p->at++;
	}
	return true;
}

/* A token outside braces: small folios or holes, as many as its count. */
static bool parse_small(struct parser *p, struct ptebatch_shape shape)
{
	bool marked = shape.made || shape.node || shape.adjacent;
	struct ptebatch_entry entry;
	unsigned int count;

	if (!parse_entry(p, &entry) || !parse_count(p, &count))
		return false;
	if (marked && !ptebatch_entry_has_page(&entry))
		return fail(p, "mark without a folio");
	while (count--) {
		shape.at = p->row->nr;
		if (ptebatch_entry_has_page(&entry) && !add_folio(p, shape, &entry.folio))
			return false;
		if (!add_entry(p, &entry))
			return false;
	}
	return true;
}

/*
 * A token in braces: the next pages of @folio, from @page on. Advances @page.
 * @first: index of the next entry when the brace was opened.
 */
static bool parse_pages(struct parser *p, s16 folio, unsigned int first,
			unsigned int *page)
{
	struct ptebatch_entry entry;
	bool mapped = *p->at != '.';
	unsigned int count;

	if (!mapped)
		p->at++;
	else if (!parse_entry(p, &entry))
		return false;
	if (mapped && *p->at == '=') {
		p->at++;
		if (!parse_number(p, page))
			return false;
	}
	if (!parse_count(p, &count))
		return false;
	if (!mapped) {
		*page += count;
		return true;
	}
	if (p->row->nr == first)
		p->row->folios[folio].at = (int)first - (int)*page;
	for (; count--; (*page)++) {
		if (entry.flags & PTEBATCH_KSM && !p->row->folios[folio].split)
			return fail(p, "a KSM page in a large folio");
		if (*page >= PTEBATCH_ROW_ENTRIES)
			return fail(p, "more pages in a folio than entries in a row");
		/* A swap entry of a split folio has no page. */
		if (ptebatch_entry_has_page(&entry) ||
		    (entry.kind == PTEBATCH_SWAP && !p->row->folios[folio].split)) {
			entry.folio = folio;
			entry.page = *page;
		}
		if (!add_entry(p, &entry))
			return false;
	}
	return true;
}

/*
 * The entries from @first on are of a PMD. If it maps the huge zero page, that
 * is no folio of the row.
 */
static bool finish_pmd(struct parser *p, unsigned int first)
{
	struct ptebatch_row *row = p->row;
	unsigned int i, zeros = 0;

	if (row->nr - first != PTRS_PER_PTE || !ptebatch_row_begins_table(row, first))
		return fail(p, "not a whole page table in brackets");
	for (i = first; i < row->nr; i++)
		zeros += !!(row->entries[i].flags & PTEBATCH_ZERO_PAGE);
	if (!zeros)
		return true;
	if (zeros != PTRS_PER_PTE)
		return fail(p, "zero page and folio in one PMD");
	row->folios[--row->nr_folios] = (struct ptebatch_shape) {};
	row->huge_zero |= BIT(ptebatch_row_table(row, first));
	return true;
}

/* "{Wdyx*4}", "(Wdyx*4)" or "[Wdyx]", from the opening brace on. */
static bool parse_folio(struct parser *p, struct ptebatch_shape shape)
{
	unsigned int first = p->row->nr;
	unsigned int page = 0;
	unsigned int pages = 0;
	char close;
	s16 folio;

	shape.pmd = *p->at == '[';
	shape.split = *p->at == '(';
	close = closing_brace(&shape);
	if (!add_folio(p, shape, &folio))
		return false;
	p->at++;
	for (skip_blanks(p); *p->at != close; skip_blanks(p)) {
		if (!*p->at)
			return fail(p, "a brace is not closed");
		if (*p->at == '|') {
			if (!parse_bar(p))
				return false;
			continue;
		}
		if (*p->at == ';') {
			if (shape.pmd)
				return fail(p, "a PMD maps one VMA");
			if (!parse_vma_start(p))
				return false;
			continue;
		}
		if (!parse_pages(p, folio, first, &page))
			return false;
		pages = max(pages, page);
	}
	p->at++;

	if (shape.pmd) {
		struct ptebatch_entry entry = p->row->entries[first];

		/* One token stands for the whole page table. */
		while (pages == 1 && p->row->nr - first < PTRS_PER_PTE) {
			entry.page += entry.folio != PTEBATCH_NO_FOLIO;
			if (!add_entry(p, &entry))
				return false;
		}
		if (!finish_pmd(p, first))
			return false;
		pages = PTRS_PER_PTE;
	}
	if (!is_power_of_2(pages))
		return fail(p, "not a power of two of pages in braces");
	if (p->row->nr == first)
		return fail(p, "a folio without an entry");
	if (folio < p->row->nr_folios)
		p->row->folios[folio].order = ilog2(pages);
	return true;
}

/* Append @count - 1 copies of the folios from @folio and entries from @entry. */
static bool repeat(struct parser *p, unsigned int entry, unsigned int folio,
		   unsigned int count)
{
	unsigned int nr = p->row->nr - entry;
	unsigned int nr_folios = p->row->nr_folios - folio;
	struct ptebatch_shape shape;
	struct ptebatch_entry copy;
	unsigned int i;
	s16 unused;

	while (--count) {
		for (i = 0; i < nr_folios; i++, folio++) {
			shape = p->row->folios[folio];
			shape.at += nr;
			if (!add_folio(p, shape, &unused))
				return false;
		}
		for (i = 0; i < nr; i++, entry++) {
			copy = p->row->entries[entry];
			if (copy.folio != PTEBATCH_NO_FOLIO)
				copy.folio += nr_folios;
			/* A ";" before the first entry is not repeated. */
			if (i && test_bit(entry, p->row->vma_starts))
				__set_bit(p->row->nr, p->row->vma_starts);
			if (ptebatch_row_huge_zero(p->row, entry))
				p->row->huge_zero |=
					BIT(ptebatch_row_table(p->row, p->row->nr));
			if (!add_entry(p, &copy))
				return false;
		}
	}
	return true;
}

static bool parse_item(struct parser *p)
{
	unsigned int entry = p->row->nr;
	unsigned int folio = p->row->nr_folios;
	struct ptebatch_shape shape = {};
	unsigned int count;

	if (*p->at == '|')
		return parse_bar(p);
	if (*p->at == ';')
		return parse_vma_start(p);

	if (!parse_marks(p, &shape))
		return false;
	if (*p->at != '{' && *p->at != '[' && *p->at != '(')
		return parse_small(p, shape);
	if (!parse_folio(p, shape) || !parse_count(p, &count))
		return false;
	return count ? repeat(p, entry, folio, count) : fail(p, "0 folios");
}

/**
 * ptebatch_row_parse() - parse a picture
 * @row: row to fill
 * @picture: picture of the row, see row.h
 * @error: set to the error message, %NULL if none; may be %NULL
 *
 * Return: 0, or the negated position, from 1, of the first wrong character.
 */
int ptebatch_row_parse(struct ptebatch_row *row, const char *picture,
		       const char **error)
{
	struct parser p = { .row = row, .at = picture };
	unsigned int i;

	memset(row, 0, sizeof(*row));
	skip_blanks(&p);
	if (*p.at == '@')
		parse_first(&p);
	if (!p.error) {
		do
			skip_blanks(&p);
		while (*p.at && parse_item(&p));
	}

	if (!p.error && p.bars == 1)
		fail(&p, "a second | is missing");
	if (!p.error && !row->nr)
		fail(&p, "no entries");
	if (!p.error && row->nr < PTEBATCH_ROW_ENTRIES &&
	    test_bit(row->nr, row->vma_starts))
		fail(&p, "a VMA without an entry after the ;");
	if (!p.bars)
		row->to = row->nr;
	for (i = 0; i < row->nr_folios; i++) {
		row->folios[i].first = row->nr_pages;
		row->nr_pages += 1U << row->folios[i].order;
	}
	if (error)
		*error = p.error;
	return p.error ? picture - p.at - 1 : 0;
}

/**
 * ptebatch_row_break_up() - make each page that a row maps a small folio
 * @row: row to change
 */
void ptebatch_row_break_up(struct ptebatch_row *row)
{
	unsigned int i;

	row->nr_folios = 0;
	for (i = 0; i < row->nr; i++) {
		if (row->entries[i].folio == PTEBATCH_NO_FOLIO)
			continue;
		row->entries[i].page = 0;
		row->entries[i].folio = row->nr_folios;
		row->folios[row->nr_folios] = (struct ptebatch_shape) {
			.first = row->nr_folios,
			.at = i,
		};
		row->nr_folios++;
	}
	row->nr_pages = row->nr_folios;
}

/**
 * ptebatch_entry_print() - print one entry, for example "Wdyx"
 * @out: buffer to append to
 * @entry: entry to print
 */
void ptebatch_entry_print(struct seq_buf *out,
			  const struct ptebatch_entry *entry)
{
	int i;

	seq_buf_putc(out, kind_letters[entry->kind]);
	for (i = 0; i < ARRAY_SIZE(flag_letters); i++)
		if (entry->flags & flag_letters[i].flag)
			seq_buf_putc(out, flag_letters[i].letter);
}

static bool differs_at(const unsigned long *differs, unsigned int i)
{
	return differs && test_bit(i, differs);
}

/* Can one token with a count print two small folios? */
static bool same_marks(const struct ptebatch_shape *a,
		       const struct ptebatch_shape *b)
{
	return a->order == b->order && a->adjacent == b->adjacent &&
	       a->made == b->made && a->node == b->node;
}

/* The end of the run of entries from @i on that one token can print. */
static unsigned int run_end(const struct ptebatch_row *row, unsigned int i,
			    const unsigned long *differs)
{
	const struct ptebatch_entry *entry = &row->entries[i];
	unsigned int end;

	for (end = i + 1; end < row->nr; end++) {
		const struct ptebatch_entry *next = &row->entries[end];

		if (end == row->from || end == row->to ||
		    test_bit(end, row->vma_starts))
			break;
		if (ptebatch_row_begins_table(row, end) &&
		    (ptebatch_row_huge_zero(row, i) || ptebatch_row_huge_zero(row, end)))
			break;
		if (next->kind != entry->kind || next->flags != entry->flags)
			break;
		if (differs_at(differs, end) != differs_at(differs, i))
			break;
		if (entry->folio == PTEBATCH_NO_FOLIO) {
			if (next->folio != PTEBATCH_NO_FOLIO)
				break;
		} else if (!row->folios[entry->folio].order) {
			/* A token prints consecutive small folios. */
			if (next->folio != entry->folio + (end - i) ||
			    !same_marks(&row->folios[next->folio],
					&row->folios[entry->folio]))
				break;
		} else if (next->folio != entry->folio ||
			   next->page != entry->page + (end - i)) {
			break;
		}
	}
	return end;
}

/* Does @folio continue at entry @i, maybe after a hole, with the next page? */
static bool folio_continues(const struct ptebatch_row *row, unsigned int i,
			    s16 folio, unsigned int page)
{
	for (; i < row->nr && row->entries[i].folio == PTEBATCH_NO_FOLIO; i++)
		page++;
	return i < row->nr && row->entries[i].folio == folio &&
	       row->entries[i].page == page;
}

static void print_marks(struct seq_buf *out, const struct ptebatch_shape *shape)
{
	if (shape->made)
		seq_buf_putc(out, '~');
	if (shape->node)
		seq_buf_printf(out, "%u", shape->node - 1);
	if (shape->adjacent)
		seq_buf_putc(out, '+');
}

static void print_dots(struct seq_buf *out, unsigned int nr)
{
	if (nr)
		seq_buf_putc(out, '.');
	if (nr > 1)
		seq_buf_printf(out, "*%u", nr);
}

static void print_close(struct seq_buf *out, const struct ptebatch_row *row,
			s16 folio, unsigned int page)
{
	const struct ptebatch_shape *shape = &row->folios[folio];
	unsigned int pages = 1U << shape->order;

	if (page < pages)
		seq_buf_putc(out, ' ');
	print_dots(out, page < pages ? pages - page : 0);
	seq_buf_putc(out, closing_brace(shape));
}

/**
 * ptebatch_row_print() - print the picture of a row
 * @out: buffer to append to
 * @row: row to print
 * @differs: bitmap of the entries to mark with "!", %NULL for none
 *
 * Prints the range only if it is not the whole row. The picture parses to the
 * same row, unless it contains "!" or foreign entries.
 */
void ptebatch_row_print(struct seq_buf *out, const struct ptebatch_row *row,
			const unsigned long *differs)
{
	bool bars = row->from != 0 || row->to != row->nr;
	s16 open = PTEBATCH_NO_FOLIO;	/* folio with an open brace */
	unsigned int page = 0;		/* next page of that folio */
	bool blank = false;		/* print a blank before the next token */
	bool pmd;			/* a PMD maps the token's entries */
	unsigned int i, end;

	if (row->first) {
		seq_buf_printf(out, "@%u", row->first);
		blank = true;
	}
	for (i = 0; i < row->nr; i = end) {
		const struct ptebatch_entry *entry = &row->entries[i];
		s16 folio = entry->folio;
		bool huge_zero = ptebatch_row_huge_zero(row, i);
		bool hole = folio == PTEBATCH_NO_FOLIO;

		end = run_end(row, i, differs);
		if (open != PTEBATCH_NO_FOLIO && folio != open &&
		    !(hole && folio_continues(row, end, open, page + (end - i)))) {
			print_close(out, row, open, page);
			open = PTEBATCH_NO_FOLIO;
		}
		if (test_bit(i, row->vma_starts)) {
			seq_buf_puts(out, " ;");
			blank = true;
		}
		if (bars && (i == row->from || i == row->to)) {
			seq_buf_puts(out, blank ? " |" : "|");
			blank = true;
		}
		if (blank)
			seq_buf_putc(out, ' ');
		blank = true;

		if (!hole && folio != open) {
			const struct ptebatch_shape *shape = &row->folios[folio];

			print_marks(out, shape);
			if (shape->order) {
				seq_buf_putc(out, opening_brace(shape));
				open = folio;
				page = entry->page;
				print_dots(out, page);
				if (page)
					seq_buf_putc(out, ' ');
			}
		}
		if (huge_zero && ptebatch_row_begins_table(row, i))
			seq_buf_putc(out, '[');
		if (differs_at(differs, i))
			seq_buf_putc(out, '!');
		ptebatch_entry_print(out, entry);
		if (!hole && open == folio && entry->page != page) {
			seq_buf_printf(out, "=%u", entry->page);
			page = entry->page;
		}
		pmd = huge_zero || (open != PTEBATCH_NO_FOLIO && row->folios[open].pmd);
		if (end - i > 1 && !(pmd && end - i == PTRS_PER_PTE))
			seq_buf_printf(out, "*%u", end - i);
		if (huge_zero && ptebatch_row_begins_table(row, end))
			seq_buf_putc(out, ']');
		page += end - i;
	}
	if (open != PTEBATCH_NO_FOLIO)
		print_close(out, row, open, page);
	if (bars && row->to == row->nr)
		seq_buf_puts(out, " |");
}
