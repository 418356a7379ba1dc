// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mman.h>

#include "checks.h"
#include "contents.h"
#include "memory.h"

#define RW	(PROT_READ | PROT_WRITE)

static struct ptebatch_bytes *bytes_of(struct ptebatch_memory *memory, bool child,
				       unsigned int i)
{
	struct ptebatch_promise *page = &memory->pages[child][i];

	return page->own ? &page->bytes : &memory->file[i];
}

/* The page of the file that entry @i of the row maps, if the page cache has it. */
static void begin_file(struct ptebatch_memory *memory,
		       const struct ptebatch_space *space)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i, page;

	for_each_set_bit(i, space->cached, row->nr_folios) {
		for (page = 0; page < 1U << row->folios[i].order; page++) {
			unsigned int at = row->folios[i].at + page;
			u32 stamp = ptebatch_stamp(row, i, page);

			if (at < row->nr)
				memory->file[at] = (struct ptebatch_bytes) { stamp, stamp };
		}
	}
}

/**
 * ptebatch_memory_begin() - fill the pages of a row, and note what is in them
 * @memory: the memory to set
 * @space: the address space, as drawn
 *
 * Context: Process context; the space holds references to the folios.
 */
void ptebatch_memory_begin(struct ptebatch_memory *memory,
			   const struct ptebatch_space *space)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i;

	*memory = (struct ptebatch_memory) {
		.mapping = space->setup.mapping,
		.track = space->setup.track,
		.nr = row->nr,
		.uffd_events = !(space->setup.uffd & NO_REMAP_EVENT),
		.async = space->setup.uffd & WP_ASYNC,
	};
	ptebatch_pages_fill(space);
	begin_file(memory, space);
	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];
		struct ptebatch_promise *promise = &memory->pages[0][i];

		promise->prot = space->setup.prot & RW;
		promise->guard = entry->kind == PTEBATCH_GUARD;
		promise->locked = space->setup.vma & VM_LOCKED;
		promise->registered = space->setup.uffd & UFFD_WP;
		promise->free = entry->kind == PTEBATCH_NONE;
		promise->lazy = entry->flags & PTEBATCH_LAZYFREE;
		promise->dirtied = entry->flags & PTEBATCH_SOFT_DIRTY;
		promise->accessed = true;
		promise->own = memory->mapping == PTEBATCH_ANON;
		if (entry->folio == PTEBATCH_NO_FOLIO || test_bit(entry->folio, space->cached))
			continue;
		promise->own = true;
		promise->bytes.first = ptebatch_stamp(row, entry->folio, entry->page);
		promise->bytes.rest = promise->bytes.first;
	}
}

/* What the pages contain that "equal" writes. */
#define EQUAL	0x71

/* A write fault in a private page of a file makes a copy. */
static void take_copy(struct ptebatch_memory *memory, bool child, unsigned int i)
{
	struct ptebatch_promise *page = &memory->pages[child][i];

	if (page->own || memory->mapping != PTEBATCH_PRIVATE_FILE)
		return;
	page->bytes = memory->file[i];
	page->own = true;
}

static void write_page(struct ptebatch_memory *memory, bool child, unsigned int i,
		       enum ptebatch_step_kind kind)
{
	struct ptebatch_promise *page = &memory->pages[child][i];
	struct ptebatch_bytes *bytes;

	take_copy(memory, child, i);
	page->lazy = false;
	page->written = true;
	page->dirtied = true;
	page->protected = false;
	bytes = bytes_of(memory, child, i);
	if (kind == PTEBATCH_STEP_ZERO || kind == PTEBATCH_STEP_EQUAL)
		*bytes = (struct ptebatch_bytes) {
			.first = kind == PTEBATCH_STEP_EQUAL ? EQUAL : 0,
		};
	else
		bytes->first = ++memory->values << 8;
}

static bool is_permitted(const struct ptebatch_memory *memory,
			 const struct ptebatch_promise *page, bool write)
{
	return !page->guard && page->prot & (write ? PROT_WRITE : PROT_READ) &&
	       !(write && page->protected && !memory->async);
}

static bool is_same_swapped(const struct ptebatch_entry *a, const struct ptebatch_entry *b)
{
	return a->kind == PTEBATCH_SWAP && a->folio == b->folio && a->page == b->page;
}

/**
 * ptebatch_memory_poison() - note whether a page has PG_hwpoison during the next step
 * @memory: the memory
 * @child: the step is one of the child
 * @row: the entries of its process
 * @i: index of the page, which is in memory and not mapped there; -1: no page
 *
 * KSM may have merged several pages into that page.
 */
void ptebatch_memory_poison(struct ptebatch_memory *memory, bool child,
			    const struct ptebatch_row *row, int i)
{
	unsigned int at;

	for (at = 0; at < memory->nr; at++) {
		memory->pages[!child][at].poisoned = false;
		memory->pages[child][at].poisoned =
			i >= 0 && (at == i || is_same_swapped(&row->entries[at], &row->entries[i]));
	}
}

/**
 * ptebatch_memory_access() - read or write a page
 * @memory: the memory
 * @step: the step; "zero" and "equal" also clear the rest of the page
 * @i: index of the page
 * @value: set to the first word that the access writes, or reads
 *
 * Return: true if the access is permitted.
 */
bool ptebatch_memory_access(struct ptebatch_memory *memory,
			    const struct ptebatch_step *step, unsigned int i, u32 *value)
{
	struct ptebatch_promise *page = &memory->pages[step->child][i];
	bool write = ptebatch_step_writes(step->kind);

	if (!is_permitted(memory, page, write) || page->poisoned)
		return false;
	page->accessed = true;
	if (write)
		write_page(memory, step->child, i, step->kind);
	*value = bytes_of(memory, step->child, i)->first;
	return true;
}

/**
 * struct returns - what a step may return
 * @least: the least
 * @most: the most
 */
struct returns {
	long least;
	long most;
};

static struct returns exactly(long ret)
{
	return (struct returns) { ret, ret };
}

/* It faults as a write, which writes nothing. */
static struct returns pin_page(struct ptebatch_memory *memory,
			       const struct ptebatch_step *step)
{
	struct ptebatch_promise *page = &memory->pages[step->child][step->from];
	bool permitted = is_permitted(memory, page, true);
	unsigned int i;

	for (i = 0; i < memory->nr; i++) {
		memory->pages[0][i].pinned = false;
		memory->pages[1][i].pinned = false;
	}
	memory->pin = permitted;
	if (permitted) {
		take_copy(memory, step->child, step->from);
		page->pinned = true;
		page->dirtied = true;
		page->protected = false;
	}
	return exactly(permitted ? 1 : -EFAULT);
}

/*
 * Of guard pages, the first scan reports those that a scan has not seen. It ends at the
 * first VMA that has no asynchronous write protection.
 */
static struct returns scan_pages(struct ptebatch_memory *memory,
				 const struct ptebatch_step *step)
{
	unsigned int i, written = 0, guards = 0, to = step->to ?: memory->nr;

	for (i = step->from; i < to; i++) {
		struct ptebatch_promise *page = &memory->pages[step->child][i];

		if (!memory->async || !page->registered)
			return exactly(-EPERM);
		guards += page->guard;
		written += !page->guard && !page->protected;
		page->protected = !page->guard;
	}
	return (struct returns) { written, written + guards };
}

/* Some other pages are of the same folios: which ones, only page tables know. */
static void forget_accesses(struct ptebatch_memory *memory)
{
	unsigned int i;

	for (i = 0; i < memory->nr; i++) {
		memory->pages[0][i].accessed = false;
		memory->pages[1][i].accessed = false;
	}
}

/* Returns how many pages may be idle. A page that was not accessed need not be. */
static struct returns track_idle(struct ptebatch_memory *memory,
				 const struct ptebatch_step *step)
{
	unsigned int i, most = 0, to = step->to ?: memory->nr;

	/* DAMON does not see accesses through other mappings. */
	for (i = step->from; i < to; i++)
		most += !memory->pages[step->child][i].accessed &&
			!(step->kind == PTEBATCH_STEP_IDLE &&
			  ptebatch_shared(memory->mapping) &&
			  memory->pages[!step->child][i].accessed);
	forget_accesses(memory);
	return (struct returns) { 0, most };
}

/* Does the step make pages old without a note that they were accessed? */
static bool loses_accesses(enum ptebatch_step_kind kind)
{
	return kind == PTEBATCH_STEP_COLD || kind == PTEBATCH_STEP_PAGEOUT ||
	       kind == PTEBATCH_STEP_RECLAIM || kind == PTEBATCH_STEP_FREE;
}

/* The process has lost its page; that of a file stays. */
static void discard(struct ptebatch_memory *memory, struct ptebatch_promise *page)
{
	page->pinned = page->pinned && !page->own;
	/* Fault-around may map the page of the file, which the process did not access. */
	page->accessed = page->accessed && !page->own;
	page->own = memory->mapping == PTEBATCH_ANON;
	page->protected = page->protected && !page->own;
	page->bytes = (struct ptebatch_bytes) {};
	page->lazy = false;
	page->written = false;
	page->dirtied = false;
}

/* Does the step fail at a page that is mlocked? What is before it is done. */
static bool spares_locked(enum ptebatch_step_kind kind)
{
	return kind == PTEBATCH_STEP_FREE || kind == PTEBATCH_STEP_DONTNEED ||
	       kind == PTEBATCH_STEP_GUARD_INSTALL;
}

/* New memory; the registration stays. */
static void map_anew(struct ptebatch_memory *memory, struct ptebatch_promise *page, u8 prot,
		     bool locked)
{
	discard(memory, page);
	page->prot = prot;
	page->guard = false;
	page->locked = locked;
	page->protected = false;
	/* It is populated by faults as of writes, which write nothing. */
	page->dirtied = locked;
}

static void step_page(struct ptebatch_memory *memory, enum ptebatch_step_kind kind,
		      struct ptebatch_promise *page)
{
	switch (kind) {
	case PTEBATCH_STEP_PROTECT_NONE:
		page->prot = 0;
		break;
	case PTEBATCH_STEP_PROTECT_RO:
		page->prot = PROT_READ;
		break;
	case PTEBATCH_STEP_PROTECT_RW:
		page->prot = RW;
		/* mprotect_fixup() populates mlocked memory, as mlock() does. */
		page->dirtied |= page->locked;
		page->populated = page->locked;
		break;
	case PTEBATCH_STEP_FREE:
		page->lazy = memory->mapping == PTEBATCH_ANON;
		break;
	case PTEBATCH_STEP_MMAP:
		map_anew(memory, page, RW, false);
		break;
	case PTEBATCH_STEP_GUARD_INSTALL:
		page->guard = true;
		page->protected = false;
		fallthrough;
	case PTEBATCH_STEP_DONTNEED:
		discard(memory, page);
		break;
	case PTEBATCH_STEP_GUARD_REMOVE:
		page->guard = false;
		break;
	case PTEBATCH_STEP_MLOCK:
		page->locked = true;
		/* It faults as a write, which writes nothing. */
		page->dirtied |= page->prot & PROT_WRITE;
		page->populated = true;
		break;
	case PTEBATCH_STEP_MUNLOCK:
		page->locked = false;
		break;
	case PTEBATCH_STEP_COLLAPSE:
	case PTEBATCH_STEP_KHUGEPAGED:
		/* The new folio is mapped as written. */
		page->dirtied = true;
		break;
	case PTEBATCH_STEP_MOVE_FAILS:
	case PTEBATCH_STEP_MOVE_DONTUNMAP:
	case PTEBATCH_STEP_MOVE:
	case PTEBATCH_STEP_UFFD_MOVE:
	case PTEBATCH_STEP_RESIZE:
		/* Documentation/admin-guide/mm/soft-dirty.rst: the mapping is new. */
		page->written = true;
		page->dirtied = true;
		break;
	case PTEBATCH_STEP_UFFD_REGISTER:
		page->registered = true;
		break;
	case PTEBATCH_STEP_UFFD_UNREGISTER:
		page->registered = false;
		page->protected = false;
		break;
	case PTEBATCH_STEP_UFFD_PROTECT:
		/* A guard page has no marker for it. */
		page->protected = !page->guard;
		break;
	case PTEBATCH_STEP_UFFD_RESOLVE:
		page->protected = false;
		break;
	default:
		break;
	}
}

/* A large folio that a write fault allocates is soft-dirty as a whole. */
static void dirty_free(struct ptebatch_memory *memory, bool child)
{
	unsigned int i;

	for (i = 0; i < memory->nr; i++)
		memory->pages[child][i].dirtied |= memory->pages[child][i].free;
}

/* The process was moved, or made by fork(). */
static void keep_registration(struct ptebatch_memory *memory, bool child)
{
	unsigned int i;

	if (memory->uffd_events)
		return;
	for (i = 0; i < memory->nr; i++)
		step_page(memory, PTEBATCH_STEP_UFFD_UNREGISTER, &memory->pages[child][i]);
}

/* mremap() has returned @ret, or UFFDIO_MOVE has moved so many pages. */
static struct returns remap_pages(struct ptebatch_memory *memory,
				  const struct ptebatch_step *step, long ret)
{
	struct ptebatch_promise *pages = memory->pages[step->child];
	unsigned int i;

	/* It refuses to resize several VMAs. */
	if (step->kind == PTEBATCH_STEP_RESIZE && ret == -EFAULT)
		return exactly(ret);
	if (step->kind == PTEBATCH_STEP_MOVE_FAILS && ret == -ENOMEM) {
		for (i = 0; i < memory->nr; i++)
			pages[i].dirtied = true;
		return exactly(ret);
	}
	keep_registration(memory, step->child);
	for (i = 0; i < memory->nr; i++) {
		step_page(memory, step->kind, &pages[i]);
		/* In the VMA of the last page that has moved. */
		if (step->kind == PTEBATCH_STEP_RESIZE && i >= step->from)
			map_anew(memory, &pages[i], pages[i - 1].prot, pages[i - 1].locked);
	}
	return exactly(step->kind == PTEBATCH_STEP_UFFD_MOVE && ret > 0 ? ret : 0);
}

static void fork_pages(struct ptebatch_memory *memory)
{
	unsigned int i;

	memory->child = true;
	memcpy(memory->pages[1], memory->pages[0], memory->nr * sizeof(memory->pages[0][0]));
	keep_registration(memory, true);
	for (i = 0; i < memory->nr; i++) {
		memory->pages[1][i].locked = false;
		/* Its entries are old, and those of the parent may go, for example by a write. */
		memory->pages[1][i].accessed = false;
		/* The child gets copies of private folios with a pinned page, made by writes. */
		memory->pages[1][i].pinned = false;
		memory->pages[1][i].dirtied |= memory->pin;
	}
}

/* @complete: the step could do everything. */
static struct returns returns_of(const struct ptebatch_memory *memory,
				 enum ptebatch_step_kind kind, bool complete)
{
	switch (kind) {
	case PTEBATCH_STEP_FREE:
		/* Anonymous memory only. */
		complete = complete && memory->mapping == PTEBATCH_ANON;
		fallthrough;
	case PTEBATCH_STEP_DONTNEED:
	case PTEBATCH_STEP_GUARD_INSTALL:
		return exactly(complete ? 0 : -EINVAL);
	case PTEBATCH_STEP_UFFD_PROTECT:
	case PTEBATCH_STEP_UFFD_RESOLVE:
		return exactly(complete ? 0 : -ENOENT);
	case PTEBATCH_STEP_PROTECT_NONE:
	case PTEBATCH_STEP_PROTECT_RO:
	case PTEBATCH_STEP_PROTECT_RW:
	case PTEBATCH_STEP_GUARD_REMOVE:
	case PTEBATCH_STEP_MUNLOCK:
	case PTEBATCH_STEP_NUMA_HINT:
	case PTEBATCH_STEP_HOLE:
	case PTEBATCH_STEP_TRUNCATE:
	case PTEBATCH_STEP_MMAP:
	case PTEBATCH_STEP_UFFD_REGISTER:
	case PTEBATCH_STEP_UFFD_UNREGISTER:
	case PTEBATCH_STEP_NAME:
	case PTEBATCH_STEP_UNNAME:
	case PTEBATCH_STEP_KSM:
	case PTEBATCH_STEP_KHUGEPAGED:
	case PTEBATCH_STEP_CLEAR_REFS:
	case PTEBATCH_STEP_FORK:
		return exactly(0);
	default:
		return (struct returns) { LONG_MIN, LONG_MAX };
	}
}

/* UFFDIO_UNREGISTER refuses memory of a file system if it is not registered. */
static bool is_refused(const struct ptebatch_memory *memory, const struct ptebatch_step *step)
{
	unsigned int i, to = step->to ?: memory->nr;

	if (step->kind != PTEBATCH_STEP_UFFD_UNREGISTER ||
	    memory->mapping != PTEBATCH_PRIVATE_FILE)
		return false;
	for (i = step->from; i < to; i++)
		if (!memory->pages[step->child][i].registered)
			return true;
	return false;
}

/* The step has returned @ret. */
static struct returns take_step(struct ptebatch_memory *memory,
				const struct ptebatch_step *step, long ret)
{
	unsigned int i, to = step->to ?: memory->nr;

	if (step->kind == PTEBATCH_STEP_TRUNCATE)
		to = memory->nr;
	if (is_refused(memory, step))
		return exactly(-EINVAL);
	if (ptebatch_step_remaps(step->kind))
		return remap_pages(memory, step, ret);
	if (step->kind == PTEBATCH_STEP_SCAN)
		return scan_pages(memory, step);
	if (step->kind == PTEBATCH_STEP_IDLE || step->kind == PTEBATCH_STEP_DAMON)
		return track_idle(memory, step);
	if (step->kind == PTEBATCH_STEP_PIN)
		return pin_page(memory, step);
	if (loses_accesses(step->kind))
		forget_accesses(memory);
	if (step->kind == PTEBATCH_STEP_FORK)
		fork_pages(memory);
	if (step->kind == PTEBATCH_STEP_EXIT)
		memory->child = false;
	for (i = 0; step->kind == PTEBATCH_STEP_CLEAR_REFS && i < memory->nr; i++) {
		memory->pages[step->child][i].written = false;
		/* clear_refs skips folios with a pinned page, see pte_is_pinned(). */
		memory->pages[step->child][i].dirtied &= memory->pin;
	}
	for (i = step->from; i < to; i++) {
		struct ptebatch_promise *page = &memory->pages[step->child][i];

		if (page->locked && spares_locked(step->kind))
			break;
		if (!page->registered && ptebatch_step_needs_uffd(step->kind))
			break;
		step_page(memory, step->kind, page);
		/* As the first page of the range was. */
		if (step->kind == PTEBATCH_STEP_MMAP)
			page->registered = memory->pages[step->child][step->from].registered;
		if (step->kind == PTEBATCH_STEP_HOLE || step->kind == PTEBATCH_STEP_TRUNCATE) {
			memory->file[i] = (struct ptebatch_bytes) {};
			memory->pages[0][i].pinned = false;
			memory->pages[1][i].pinned = false;
		}
	}
	if (step->kind == PTEBATCH_STEP_THP_WRITE)
		dirty_free(memory, step->child);
	return returns_of(memory, step->kind, i >= to);
}

/**
 * ptebatch_memory_step() - change what user space was promised as a step does
 * @memory: the memory
 * @step: the step, done; accesses are left to ptebatch_memory_access()
 * @ret: its return value
 * @out: receives a line if the step may not return @ret
 */
void ptebatch_memory_step(struct ptebatch_memory *memory, const struct ptebatch_step *step,
			  long ret, struct seq_buf *out)
{
	struct returns promised = take_step(memory, step, ret);

	if ((ret >= promised.least && ret <= promised.most) ||
	    ptebatch_left_out("promised_return"))
		return;
	seq_buf_printf(out, "it returns %ld, expected %ld", ret, promised.least);
	if (promised.most > promised.least)
		seq_buf_printf(out, " to %ld", promised.most);
	seq_buf_putc(out, '\n');
}

/* The page that an entry leads to without a fault, %NULL if there is none. */
static struct page *page_of(const struct ptebatch_space *space,
			    const struct ptebatch_entry *entry)
{
	if (entry->folio == PTEBATCH_NO_FOLIO)
		return NULL;
	return &space->folios[entry->folio]->page + entry->page;
}

/**
 * struct view - what a process sees of a page
 * @memory: the reference memory
 * @space: the address space
 * @promise: what the process was promised
 * @bytes: the contents that it was promised
 * @entry: the entry
 */
struct view {
	const struct ptebatch_memory *memory;
	const struct ptebatch_space *space;
	const struct ptebatch_promise *promise;
	const struct ptebatch_bytes *bytes;
	const struct ptebatch_entry *entry;
};

static bool is_protected(const struct ptebatch_entry *entry)
{
	return entry->flags & PTEBATCH_UFFD || entry->kind == PTEBATCH_MARKER;
}

/* What is wrong with the permissions of an entry, %NULL if nothing is. */
static const char *wrong_access(const struct view *view)
{
	const struct ptebatch_promise *promise = view->promise;
	const struct ptebatch_entry *entry = view->entry;
	bool writable = entry->kind == PTEBATCH_WRITABLE;
	bool readable = writable || entry->kind == PTEBATCH_READABLE;

	bool guard = entry->kind == PTEBATCH_GUARD;
	bool protected = is_protected(entry);

	if (promise->protected != protected)
		return protected ? "is write-protected by userfaultfd" :
				   "is not write-protected by userfaultfd";
	if (promise->poisoned && readable)
		return "is mapped by a fault, but has PG_hwpoison";
	if (promise->guard != guard)
		return promise->guard ? "is no guard page" : "is a guard page";
	if (writable && !(promise->prot & PROT_WRITE))
		return "can be written";
	if (readable && !(promise->prot & PROT_READ))
		return "can be read";
	return NULL;
}

/*
 * A page that MADV_FREE may free is free, or it was kept and is not freed later. A
 * free page of anonymous memory is not write-protected, unless UFFD_FEATURE_WP_UNPOPULATED
 * was requested.
 */
static void settle(const struct ptebatch_memory *memory, struct ptebatch_promise *promise,
		   const struct ptebatch_entry *entry)
{
	promise->free = entry->kind == PTEBATCH_NONE;
	if (entry->kind == PTEBATCH_NONE || entry->kind == PTEBATCH_GUARD) {
		if (memory->mapping == PTEBATCH_ANON && (!memory->async || promise->lazy))
			promise->protected = false;
		promise->written = false;
		promise->dirtied = false;
	}
	if (memory->async && promise->populated && !is_protected(entry))
		promise->protected = false;
	promise->populated = false;
	if (!promise->lazy)
		return;
	if (entry->kind == PTEBATCH_NONE)
		promise->bytes = (struct ptebatch_bytes) {};
	promise->lazy = entry->flags & PTEBATCH_LAZYFREE;
}

static const char *wrong_contents(const struct view *view)
{
	bool zero = !view->bytes->first && !view->bytes->rest;
	struct page *page = page_of(view->space, view->entry);

	if (view->entry->flags & PTEBATCH_ZERO_PAGE)
		return zero ? NULL : "has lost its contents: the zero page is mapped";
	if (page)
		return ptebatch_page_contains(view->space, page, view->bytes->first,
					      view->bytes->rest) ?
		       NULL : "has wrong contents";
	if (view->entry->kind == PTEBATCH_NONE && view->promise->own && !zero)
		return "has lost its contents: nothing is mapped";
	return NULL;
}

/* Reclaim writes dirty pages to swap, and lets their folio be swap-backed again. */
static const char *wrong_lazy(const struct view *view)
{
	struct page *page = page_of(view->space, view->entry);

	return view->entry->flags & PTEBATCH_LAZYFREE &&
	       !(view->entry->flags & PTEBATCH_DIRTY) &&
	       !folio_test_dirty(page_folio(page)) && !view->promise->lazy ?
	       "may be freed as after MADV_FREE" : NULL;
}

/* The pages that a PMD maps share its soft-dirty bit. */
static void spread_dirtied(struct ptebatch_promise *pages,
			   const struct ptebatch_snapshot *snapshot)
{
	const struct ptebatch_row *row = &snapshot->row;
	unsigned int from, to, i;
	bool dirtied;

	for (from = 0; from < row->nr; from = to) {
		dirtied = pages[from].dirtied;
		for (to = from + 1; to < row->nr && !ptebatch_row_begins_table(row, to); to++)
			dirtied |= pages[to].dirtied;
		for (i = from; i < to && dirtied; i++)
			pages[i].dirtied |= test_bit(i, snapshot->huge);
	}
}

/* A pinned page of a file may be mapped again later, one of anonymous memory stays mapped. */
static const char *wrong_pin(const struct view *view)
{
	struct page *page = page_of(view->space, view->entry);

	if (!view->promise->pinned || page == view->space->pinned ||
	    (!page && !view->promise->own))
		return NULL;
	return "is pinned, but the pinned page is not mapped any more";
}

/* Of its own pages, user space sees exact soft-dirty bits; those of a file may get lost. */
static const char *wrong_soft_dirty(const struct view *view)
{
	bool soft_dirty = view->entry->flags & PTEBATCH_SOFT_DIRTY;

	if (!view->memory->track || !view->promise->own)
		return NULL;
	if (view->promise->written && !soft_dirty)
		return "was written, but is not soft-dirty";
	return soft_dirty && !view->promise->dirtied ? "is soft-dirty, but was not written" :
						       NULL;
}

/* The promises of which entries show whether they are kept. */
static const struct {
	const char *name;
	const char *(*wrong)(const struct view *view);
} promises[] = {
	{ "promised_access", wrong_access },
	{ "promised_contents", wrong_contents },
	{ "promised_lazyfree", wrong_lazy },
	{ "promised_pin", wrong_pin },
	{ "promised_soft_dirty", wrong_soft_dirty },
};

static const char *wrong_view(const struct view *view)
{
	const char *wrong = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(promises) && !wrong; i++)
		if (!ptebatch_left_out(promises[i].name))
			wrong = promises[i].wrong(view);
	return wrong;
}

/**
 * ptebatch_memory_check() - compare the page tables with what user space was promised
 * @memory: the memory
 * @child: the snapshot is of the child
 * @space: the address space
 * @snapshot: the page tables of the process
 * @out: receives a line for the first wrong page
 *
 * Pages in swap without a folio in the swap cache are not read.
 *
 * Context: Process context; the space holds references to the folios.
 * Return: true if nothing is wrong.
 */
bool ptebatch_memory_check(struct ptebatch_memory *memory, bool child,
			   const struct ptebatch_space *space,
			   const struct ptebatch_snapshot *snapshot,
			   struct seq_buf *out)
{
	unsigned int i;

	spread_dirtied(memory->pages[child], snapshot);
	for (i = 0; i < memory->nr; i++) {
		const struct ptebatch_entry *entry = &snapshot->row.entries[i];
		struct ptebatch_promise *promise = &memory->pages[child][i];
		struct view view = { memory, space, promise, .entry = entry };
		const char *wrong;

		settle(memory, promise, entry);
		view.bytes = bytes_of(memory, child, i);
		wrong = wrong_view(&view);
		if (!wrong)
			continue;
		seq_buf_printf(out, "page %u%s %s\n", i, child ? " of the child" : "", wrong);
		return false;
	}
	return true;
}
