// SPDX-License-Identifier: GPL-2.0
/*
 * mremap() moves entries to another place, and move_ptes() those of a large
 * folio in batches, where the architecture says that it pays. On arm64 it does.
 *
 * Each row has two pictures of what is left: of the place that it was at, and
 * of the one that its range is moved to. There "@" says where in a page table.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/orders.h"
#include "../lib/swap.h"
#include "../lib/syscall.h"
#include "../lib/trial.h"
#include "../lib/twin.h"
#include "../lib/unmap.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mremap));

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

#define MOVE	(MREMAP_MAYMOVE | MREMAP_FIXED)
#define KEEP	(MOVE | MREMAP_DONTUNMAP)

/**
 * enum stage - what else there is
 * @PLAIN: nothing: the VMA reaches beyond the range, the new place is free
 * @ALONE: the VMA begins and ends with the range
 * @GAP: the range is two VMAs, with nothing in the middle, where the row has
 *       empty entries
 * @OCCUPIED: a VMA lies across the beginning of the new place
 * @ONTO_ITSELF: the new place is where the file is mapped a second time
 */
enum stage {
	PLAIN,
	ALONE,
	GAP,
	OCCUPIED,
	ONTO_ITSELF,
};

/**
 * struct mremap_row - a case of mremap()
 * @name: of the case
 * @setup: the address space before
 * @here: the row as it shall be then
 * @there: the new place as it shall be then
 * @stage: what else there is
 * @flags: MREMAP_* beyond those that make it a move
 * @pages: how many pages there shall be at the new place, if not as many
 */
struct mremap_row {
	const char *name;
	struct ptebatch_setup setup;
	const char *here;
	const char *there;
	enum stage stage;
	unsigned long flags;
	unsigned int pages;
};

/* The place of a trial, and what of it is moved. */
static unsigned long range_start(const struct ptebatch_trial *trial)
{
	return trial->place->start + trial->space->row.from * PAGE_SIZE;
}

static unsigned long range_bytes(const struct ptebatch_trial *trial)
{
	return (trial->space->row.to - trial->space->row.from) * PAGE_SIZE;
}

/* Where in a page table does a picture begin? */
static unsigned int first_of(struct kunit *test, const char *picture)
{
	struct ptebatch_row *row;
	unsigned int first;

	row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_ASSERT_EQ(test, 0, ptebatch_row_parse(row, picture, NULL));
	first = row->first;
	kunit_kfree(test, row);
	return first;
}

/* In the mm: a thread that ends there would take the mm along. */
static void unmap(struct kunit *test, unsigned long start, unsigned long end)
{
	if (start < end)
		KUNIT_EXPECT_EQ(test, 0, vm_munmap(start, end - start));
}

static void unmap_gap(const struct ptebatch_trial *here)
{
	const struct ptebatch_row *row = &here->space->row;
	unsigned int from = row->from, to;

	while (row->entries[from].kind != PTEBATCH_NONE)
		from++;
	for (to = from; row->entries[to].kind == PTEBATCH_NONE; )
		to++;
	unmap(here->test, ptebatch_addr(here->space, from),
	      ptebatch_addr(here->space, to));
}

static void unmap_beside(const struct ptebatch_trial *here)
{
	struct vm_area_struct *vma;
	unsigned long start, end;

	mmap_read_lock(current->mm);
	vma = vma_lookup(current->mm, range_start(here));
	start = vma->vm_start;
	end = vma->vm_end;
	mmap_read_unlock(current->mm);
	unmap(here->test, start, range_start(here));
	unmap(here->test, range_start(here) + range_bytes(here), end);
}

static void occupy(const struct ptebatch_trial *there)
{
	unsigned long start = range_start(there) - PAGE_SIZE;
	unsigned long bytes = range_bytes(there) / 2 + PAGE_SIZE;

	KUNIT_EXPECT_EQ(there->test, start,
			vm_mmap(NULL, start, PAGE_ALIGN(bytes), RO,
				MAP_PRIVATE | MAP_ANONYMOUS |
				MAP_FIXED_NOREPLACE, 0));
}

static void set_stage(const struct ptebatch_trial *here,
		      const struct ptebatch_trial *there, enum stage stage)
{
	struct mm_struct *mm = here->place->mm;

	kthread_use_mm(mm);
	if (stage == ALONE)
		unmap_beside(here);
	else if (stage == GAP)
		unmap_gap(here);
	else if (stage == OCCUPIED)
		occupy(there);
	kthread_unuse_mm(mm);
}

/**
 * struct books - what of an mm's counts a move must not change
 * @flags: VM_* of the range's VMA, or of the one that it has become
 * @total: pages of address space
 * @locked: those of them that are locked
 */
struct books {
	vm_flags_t flags;
	unsigned long total;
	unsigned long locked;
};

static struct books read_books(const struct ptebatch_trial *trial)
{
	struct mm_struct *mm = trial->place->mm;
	struct vm_area_struct *vma;
	struct books books;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, range_start(trial));
	books = (struct books) {
		.flags = vma ? vma->vm_flags : 0,
		.total = mm->total_vm,
		.locked = mm->locked_vm,
	};
	mmap_read_unlock(mm);
	return books;
}

static void expect_books(const struct ptebatch_trial *here,
			 const struct ptebatch_trial *there,
			 const struct mremap_row *row, const struct books *before)
{
	long pages = range_bytes(here) / PAGE_SIZE;
	long more = row->pages ? row->pages - pages : 0;
	struct books after = read_books(there);
	struct kunit *test = here->test;

	if (row->setup.uffd_deaf)
		after.flags |= before->flags &
			       (VM_UFFD_WP | VM_UFFD_RWP);
	KUNIT_EXPECT_EQ_MSG(test, after.flags, before->flags,
			    "%s changes the VMA", here->who);
	/* What was at the new place is not counted here. */
	if (row->stage == PLAIN || row->stage == ALONE) {
		if (row->flags & MREMAP_DONTUNMAP)
			more = pages;
		KUNIT_EXPECT_EQ_MSG(test, after.total - before->total, more,
				    "rule 7: %s does not count the address space",
				    here->who);
	}
	if (row->flags & MREMAP_DONTUNMAP)
		KUNIT_EXPECT_FALSE_MSG(test, read_books(here).flags & VM_LOCKED,
				       "%s leaves locked what is not there",
				       here->who);
	else
		KUNIT_EXPECT_EQ_MSG(test, after.locked - before->locked,
				    before->flags & VM_LOCKED ? more : 0,
				    "rule 7: %s does not count what is locked",
				    here->who);
}

/**
 * struct result - what a move has left
 * @here: at the place that it was from
 * @there: at the place that it went to
 */
struct result {
	struct ptebatch_trial *here;
	struct ptebatch_trial *there;
};

static struct result move(struct kunit *test, const char *who,
			  const struct mremap_row *row, ptebatch_syscall_t how)
{
	const struct ptebatch_call gone =
		ptebatch_setup_call(&row->setup, ptebatch_model_gone,
				    row->setup.prot);
	const struct ptebatch_call moved =
		ptebatch_setup_call(&row->setup, ptebatch_model_move,
				    row->setup.prot);
	const struct ptebatch_place *place;
	struct result result;
	struct books before;
	unsigned long at;

	result.here = ptebatch_trial_begin(test, who, &row->setup);
	place = row->stage == ONTO_ITSELF ? &result.here->space->places[1] :
		ptebatch_space_add_place(result.here->space,
					 first_of(test, row->there));
	result.there = ptebatch_trial_there(result.here, place);
	set_stage(result.here, result.there, row->stage);
	before = read_books(result.here);
	at = ptebatch_syscall_in(result.here->place->mm, how,
				 range_start(result.here),
				 range_bytes(result.here),
				 row->pages ? row->pages * PAGE_SIZE :
					      range_bytes(result.here),
				 MOVE | row->flags, range_start(result.there));
	KUNIT_EXPECT_EQ_MSG(test, at, range_start(result.there),
			    "%s returns another address", who);
	ptebatch_trial_end(result.there);
	ptebatch_trial_end(result.here);
	ptebatch_trial_expect(result.here, row->here);
	ptebatch_trial_expect(result.there, row->there);
	ptebatch_trial_model(result.here, &gone);
	if (!row->pages)
		ptebatch_trial_model(result.there, &moved);
	expect_books(result.here, result.there, row, &before);
	return result;
}

static void check_row(struct kunit *test, const struct mremap_row *row)
{
	struct result kernel, twin;

	kernel = move(test, "mremap()", row, PTEBATCH_SYSCALL(mremap));
	if (ptebatch_failed(test))
		return;
	twin = move(test, "the twin", row, ptebatch_twin_mremap);
	ptebatch_trial_same(kernel.here, twin.here);
	ptebatch_trial_same(kernel.there, twin.there);
}

static const struct mremap_row rows[] = {
	/* Whole folios, to the same place in a page table and to another. */
	{ "64K folio", { "{Wdyx*16}", .prot = RW }, "-*16", "{Wdyx*16}" },
	{ "64K folio, one entry on",
	  { "{Wdyx*16}", .prot = RW }, "-*16", "@1 {Wdyx*16}" },
	{ "64K folio, a block on",
	  { "{Wdyx*16}", .prot = RW }, "-*16", "@16 {Wdyx*16}" },
	{ "64K folio to its alignment",
	  { "@5 {Wdyx*16}", .prot = RW }, "@5 -*16", "@32 {Wdyx*16}" },
	{ "shared 64K folio", { "{Rdy*16}", .prot = RW }, "-*16", "{Rdy*16}" },
	{ "folio without access",
	  { "{Ndyx*16}", .prot = PROT_NONE }, "-*16", "{Ndyx*16}" },
	{ "two folios",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW }, "-*32",
	  "@3 {Wdyx*16} {Wdyx*16}" },
	{ "folios physically side by side",
	  { "{Wdyx*16} +{Wx*16}", .prot = RW }, "-*32", "{Wdyx*16} +{Wx*16}" },
	{ "folios of mixed orders",
	  { "Wdyx {Wdyx*2} {Wdyx*8} - {Rdy*32}", .prot = RW }, "-*44",
	  "@7 Wdyx {Wdyx*2} {Wdyx*8} - {Rdy*32}" },
	{ "small folios",
	  { "Wdyx*3 -*2 Rdy Wyx", .prot = RW }, "-*7", "@9 Wdyx*3 -*2 Rdy Wyx" },

	/* Rules 1 to 3: what is alike in a folio, and what not. */
	{ "writable, read-only, writable",
	  { "{Wdyx*8 Rdyx*4 Wdyx*4} {Rdyx*16}", .prot = RW }, "-*32",
	  "{Wdyx*8 Rdyx*4 Wdyx*4} {Rdyx*16}" },
	{ "writable and read-only in turn",
	  { "{Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx}", .prot = RW }, "-*8",
	  "{Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx}" },
	{ "read-only block behind a writable one",
	  { "{Wdyx*16 Rdyx*16}", .prot = RW }, "-*32", "{Wdyx*16 Rdyx*16}" },
	{ "writable block behind a read-only one",
	  { "{Rdyx*16 Wdyx*16}", .prot = RW }, "-*32", "@16 {Rdyx*16 Wdyx*16}" },
	{ "one page shared",
	  { "{Rdyx*9 Rdy Rdyx*6}", .prot = RW }, "-*16", "{Rdyx*9 Rdy Rdyx*6}" },
	{ "one page dirty", { "{Ryx*9 Rdyx Ryx*6}", .prot = RW }, "-*16",
	  "@2 {Ryx*9 Rdyx Ryx*6}" },
	{ "one page young", { "{Rdx*15 Rdyx}", .prot = RW }, "-*16",
	  "{Rdx*15 Rdyx}" },
	{ "clean and old folio",
	  { "{Wx*16}", .prot = RW }, "-*16", "@16 {Wx*16}" },
	{ "hole in a folio",
	  { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW }, "-*16",
	  "@16 {Wdyx*6 -*4 Wdyx*6}" },
	{ "pages of a folio out of order",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}", .prot = RW }, "-*16",
	  "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}" },
	{ "folio mapped from its middle on",
	  { "{.*5 Wdyx*11}", .prot = RW }, "-*11", "@5 {.*5 Wdyx*11}" },

	/* Rules 3 and 4: parts of folios. */
	{ "part of a folio",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "{Wdyx*5 -*6 Wdyx*5}",
	  "{-*5 Wdyx*6 -*5}" },
	{ "part of a folio to another alignment",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "{Wdyx*5 -*6 Wdyx*5}",
	  "@11 {-*5 Wdyx*6 -*5}" },
	{ "first page of a folio",
	  { "| {Wdyx | Wdyx*15}", .prot = RW }, "{- Wdyx*15}", "{Wdyx -*15}" },
	{ "last page of a folio",
	  { "{Wdyx*15 | Wdyx} |", .prot = RW }, "{Wdyx*15 -}", "@1 {-*15 Wdyx}" },
	{ "end of one folio and beginning of the next",
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 -*4} {-*4 Wdyx*12}",
	  "@4 {-*12 Wdyx*4} {Wdyx*4 -*12}" },
	{ "a block and a half of a large folio",
	  { "{Wdyx*16 | Wdyx*24 | Wdyx*24}", .prot = RW },
	  "{Wdyx*16 -*24 Wdyx*24}", "{-*16 Wdyx*24 -*24}" },
	{ "what is dirty beside the range stays there",
	  { "{Wdyx*16 | Wx*16 | Wdyx*32}", .prot = RW },
	  "{Wdyx*16 -*16 Wdyx*32}", "@8 {-*16 Wx*16 -*32}" },
	{ "nothing to move",
	  { "{Wdyx*4} | -*8 | {Wdyx*4}", .prot = RW },
	  "{Wdyx*4} -*8 {Wdyx*4}", "-*16" },

	/* Edges of page tables. */
	{ "over the edge of a page table",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 -*16", "{Wdyx*16}" },
	{ "to over the edge of a page table",
	  { "{Wdyx*16}", .prot = RW }, "-*16", "@-5 {Wdyx*16}" },
	{ "over the edge of a page table to over another",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 -*16", "@-5 {Wdyx*16}" },
	{ "from the edge of a page table on",
	  { "@-8 {Wdyx*8 | Wdyx*8} |", .prot = RW }, "@-8 {Wdyx*8 -*8}",
	  "@-8 {-*8 Wdyx*8}" },
	{ "up to the edge of a page table",
	  { "@-8 | {Wdyx*8 | Wdyx*8}", .prot = RW }, "@-8 {-*8 Wdyx*8}",
	  "@-8 {Wdyx*8 -*8}" },
	{ "a page table full",
	  { "{Wdyx*T/2} {Rdyx*T/2}", .prot = RW }, "-*T",
	  "{Wdyx*T/2} {Rdyx*T/2}" },
	{ "two page tables to another alignment",
	  { "@3 {Rdyx*T} {Wdyx*T}", .prot = RW }, "@3 -*T -*T",
	  "@-40 {Rdyx*T} {Wdyx*T}" },
	{ "three page tables, the middle one missing",
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW }, "@-16 -*16 -*T -*16",
	  "@-16 {Wdyx*16} -*T {Wdyx*16}" },
	{ "a whole page table and parts of two",
	  { "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}", .prot = RW },
	  "@-16 -*16 -*T -*16", "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}" },
	{ "whole page tables, with nothing before them",
	  { "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}", .prot = RW },
	  "@-16 -*16 -*T -*16", "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}",
	  .stage = ALONE },

	/* VMAs. */
	{ "a VMA of its own",
	  { "{Wdyx*16}", .prot = RW }, "-*16", "@20 {Wdyx*16}",
	  .stage = ALONE },
	{ "a VMA lies where it goes",
	  { "{Wdyx*16}", .prot = RW }, "-*16", "@4 {Wdyx*16}",
	  .stage = OCCUPIED },
	{ "two VMAs and a gap",
	  { "{Wdyx*6 -*4 Rdyx*6}", .prot = RW }, "-*16",
	  "@16 {Wdyx*6 -*4 Rdyx*6}", .stage = GAP },
	{ "grows",
	  { "| {Wdyx*16} | -*8", .prot = RW }, "-*24", "{Wdyx*16} -*8",
	  .pages = 24 },
	{ "part of a folio grows",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4} -*4", .prot = RW },
	  "{Wdyx*4 -*8 Wdyx*4} -*4", "@1 {-*4 Wdyx*8 -*4} -*4", .pages = 15 },
	{ "shrinks in a folio",
	  { "{Wdyx*16}", .prot = RW }, "-*16", "@16 {Wdyx*10 -*6}",
	  .pages = 10 },
	{ "shrinks to a folio less",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW }, "-*32", "{Wdyx*16} -*16",
	  .pages = 16 },
	{ "stays mapped",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW }, "{Wdyx*4 -*8 Wdyx*4}",
	  "@1 {-*4 Wdyx*8 -*4}", .flags = MREMAP_DONTUNMAP },
	{ "stays mapped, a VMA of its own",
	  { "{Wdyx*16} Sx S", .prot = RW }, "-*18", "{Wdyx*16} Sx S",
	  .stage = ALONE, .flags = MREMAP_DONTUNMAP },
	{ "locked into memory",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .mlocked = true },
	  "{Wdyx*4 -*8 Wdyx*4}", "{-*4 Wdyx*8 -*4}" },
	{ "locked into memory, stays mapped",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .mlocked = true },
	  "{Wdyx*4 -*8 Wdyx*4}", "{-*4 Wdyx*8 -*4}",
	  .flags = MREMAP_DONTUNMAP },

	/* Other mappings, and mapped twice. */
	{ "file", { "{Ry*8 Rdy*4 Wdy*4}", PTEBATCH_FILE, RW }, "-*16",
	  "@16 {Ry*8 Rdy*4 Wdy*4}" },
	{ "shmem, part of a folio",
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW },
	  "{Wdy*3 -*9 Wdy*4}", "@5 {-*3 Wdy*9 -*4}" },
	{ "shmem stays mapped",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "-*16", "{Wdy*16}",
	  .flags = MREMAP_DONTUNMAP },
	{ "shmem mapped twice",
	  { "{Wdy*4 | Wdy*8 | Wdy*4}", PTEBATCH_SHMEM, RW, .twice = true },
	  "{Wdy*4 -*8 Wdy*4}", "@3 {-*4 Wdy*8 -*4}" },
	{ "shmem to where it is mapped a second time",
	  { "{Wdy*4 | Wdy*8 | Wdy*4}", PTEBATCH_SHMEM, RW, .twice = true },
	  "{Wdy*4 -*8 Wdy*4}", "{Wdy*16}", .stage = ONTO_ITSELF },
	{ "private file, its own pages beside copies",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "-*16",
	  "@8 {Ry*8} {Wdyx*8}" },
	{ "after a fork",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  "{Rdy*4 -*8 Rdy*4}", "@1 {-*4 Rdy*8 -*4}" },

	/* What maps no page. */
	{ "swap entries",
	  { "{Wdyx*4 Sx*8 S*2 Wdyx*2}", .prot = RW, .swap = true }, "-*16",
	  "@1 {Wdyx*4 Sx*8 S*2 Wdyx*2}" },
	{ "swap entries of nobody's",
	  { "Sx*4 {Wdyx*8} S*4", .prot = RW }, "-*16", "Sx*4 {Wdyx*8} S*4" },
	{ "migration entries",
	  { "{Mw*4 Mx*4 M*4 Wdyx*4}", .prot = RW }, "-*16",
	  "@16 {Mw*4 Mx*4 M*4 Wdyx*4}" },
	{ "guards and poison",
	  { "{Wdyx*2} G*2 P*2 {Wdyx*2} G", .prot = RW }, "-*9",
	  "{Wdyx*2} G*2 P*2 {Wdyx*2} G" },

	/* Rule 6. */
	{ "soft-dirty is set",
	  { "{Wdyx*8 Rdyx*8}", .prot = RW, .track = true }, "-*16",
	  "{Wdysx*8 Rdysx*8}" },
	{ "soft-dirty is set, and not beside the range",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .track = true },
	  "{Wdyx*4 -*8 Wdyx*4}", "@1 {-*4 Wdysx*8 -*4}" },
	{ "soft-dirty is set in what maps no page",
	  { "{Mw*4 M*4} Sx S {Wdysx*4}", .prot = RW, .track = true }, "-*14",
	  "{Mws*4 Ms*4} Ssx Ss {Wdysx*4}" },
	{ "soft-dirty is set in a PMD",
	  { "[Wdyx]", .prot = RW, .track = true }, "-*T", "[Wdysx]" },
	{ "soft-dirty is set in a whole page table",
	  { "{Wdyx*T}", .prot = RW, .track = true }, "-*T", "{Wdysx*T}" },

	/* Rule 14. */
	{ "uffd-wp stays",
	  { "{Rdyux*4 Wdyx*4 Rdyux*8}", .prot = RW, .uffd_wp = true }, "-*16",
	  "@16 {Rdyux*4 Wdyx*4 Rdyux*8}" },
	{ "uffd-wp stays where there is no page",
	  { "{Mxu*2 Mu*2} Sxu Su {Rdyux*2}", .prot = RW, .uffd_wp = true },
	  "-*8", "@1 {Mxu*2 Mu*2} Sxu Su {Rdyux*2}" },
	{ "uffd-wp markers stay",
	  { "U*4 {Rdyu*4} U", PTEBATCH_SHMEM, RW, .uffd_wp = true }, "-*9",
	  "@4 U*4 {Rdyu*4} U" },
	{ "uffd-wp stays in a whole page table",
	  { "{Rdyux*T}", .prot = RW, .uffd_wp = true }, "-*T", "{Rdyux*T}" },
	{ "uffd-wp ends with the registration",
	  { "{Rdyux*4 Wdyx*4 Rdyux*8}", .prot = RW, .uffd_wp = true,
	    .uffd_deaf = true }, "-*16", "@16 {Rdyx*4 Wdyx*4 Rdyx*8}" },
	{ "uffd-wp ends with the registration, not beside the range",
	  { "{Rdyux*4 | Rdyux*8 | Rdyux*4}", .prot = RW, .uffd_wp = true,
	    .uffd_deaf = true }, "{Rdyux*4 -*8 Rdyux*4}",
	  "{-*4 Rdyx*8 -*4}" },
	{ "uffd-wp ends where there is no page",
	  { "{Mxu*2 Mu*2} Sxu Su {Rdyux*2}", .prot = RW, .uffd_wp = true,
	    .uffd_deaf = true }, "-*8", "@1 {Mx*2 M*2} Sx S {Rdyx*2}" },
	{ "uffd-wp markers end with the registration",
	  { "U*4 {Rdyu*4} U G P", PTEBATCH_SHMEM, RW, .uffd_wp = true,
	    .uffd_deaf = true }, "-*11", "@4 -*4 {Rdy*4} - G P" },
	{ "uffd-wp ends in a whole page table",
	  { "{Rdyux*T}", .prot = RW, .uffd_wp = true, .uffd_deaf = true },
	  "-*T", "{Rdyx*T}" },
	{ "uffd-wp ends in a PMD",
	  { "[Rdyux]", .prot = RW, .uffd_wp = true, .uffd_deaf = true },
	  "-*T", "[Rdyx]" },
	{ "uffd-rwp stays",
	  { "{Ndyux*8 Wdyx*8}", .prot = RW, .uffd_rwp = true }, "-*16",
	  "@16 {Ndyux*8 Wdyx*8}" },
	{ "uffd-rwp ends with the registration",
	  { "{Ndyux*8 Wdyx*8}", .prot = RW, .uffd_rwp = true,
	    .uffd_deaf = true }, "-*16", "@16 {Rdyx*8 Wdyx*8}" },

	/* Rule 16. */
	{ "PMD", { "[Wdyx]", .prot = RW }, "-*T", "[Wdyx]" },
	{ "PMD of shmem", { "[Wdy]", PTEBATCH_SHMEM, RW }, "-*T", "[Wdy]" },
	{ "PMD to another alignment",
	  { "[Wdyx]", .prot = RW }, "-*T", "@16 {Wdyx*T}" },
	{ "part of a PMD",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}", "@3 {-*T/4 Wdyx*T/2 -*T/4}" },
	{ "PMD between page tables",
	  { "@-4 {Wdyx*4} [Rdyx] {Wdyx*4}", .prot = RW }, "@-4 -*4 -*T -*4",
	  "@-4 {Wdyx*4} [Rdyx] {Wdyx*4}" },
	{ "PMD after a fork", { "[Wdyx]", .prot = RW, .twice = true }, "-*T",
	  "[Rdy]" },
	{ "2M folio mapped by page table entries",
	  { "{Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4}", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}", "@16 {-*T/4 Wdyx*T/2 -*T/4}" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void mremap_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/* Reclaim finds what was moved, and unmaps all of it. */

static const struct mremap_row found_rows[] = {
	{ "lazyfree folio",
	  { "{Wyx*16}", .prot = RW, .lazyfree = true }, "-*16",
	  "@5 {Wyx*16}" },
	{ "lazyfree folio over the edge of a page table",
	  { "{Wyx*16}", .prot = RW, .lazyfree = true }, "-*16",
	  "@-5 {Wyx*16}" },
	{ "lazyfree folio, moved in part",
	  { "{Wyx*4 | Wyx*8 | Wyx*4}", .prot = RW, .lazyfree = true },
	  "{Wyx*4 -*8 Wyx*4}", "{-*4 Wyx*8 -*4}" },
	{ "lazyfree folio, stays mapped",
	  { "{Wyx*16}", .prot = RW, .lazyfree = true }, "-*16", "{Wyx*16}",
	  .stage = ALONE, .flags = MREMAP_DONTUNMAP },
	{ "lazyfree folio after a fork",
	  { "{Wyx*16}", .prot = RW, .lazyfree = true, .twice = true }, "-*16",
	  "@1 {Ry*16}" },
	{ "lazyfree folios with a whole page table",
	  { "{Wyx*T/2}*2", .prot = RW, .lazyfree = true }, "-*T",
	  "{Wyx*T/2}*2" },
	{ "shmem mapped twice",
	  { "{Wdy*4 | Wdy*8 | Wdy*4}", PTEBATCH_SHMEM, RW, .twice = true },
	  "{Wdy*4 -*8 Wdy*4}", "@3 {-*4 Wdy*8 -*4}" },
	{ "file", { "{Ry*16} Wdy*3", PTEBATCH_FILE, RW }, "-*19",
	  "@-3 {Ry*16} Wdy*3" },
	{ "private file, its own pages beside lazyfree copies",
	  { "{Ry*8} {Wyx*8}", PTEBATCH_PRIVATE_FILE, RW, .lazyfree = true },
	  "-*16", "@8 {Ry*8} {Wyx*8}" },
};

KUNIT_ARRAY_PARAM_DESC(found_rows, found_rows, name);

static void mremap_found(struct kunit *test)
{
	struct ptebatch_space *space;
	unsigned int i;

	space = move(test, "mremap()", test->param_value,
		     PTEBATCH_SYSCALL(mremap)).here->space;
	if (ptebatch_failed(test))
		return;
	ptebatch_unmap(space, 0, try_to_unmap);
	for (i = 0; i < space->row.nr_folios; i++)
		KUNIT_EXPECT_FALSE_MSG(test, folio_mapped(space->folios[i]),
				       "folio %u is mapped where nobody finds it",
				       i);
}

/* Every order, every kind of range, to several alignments. */

static const struct kind {
	const char *name;
	struct ptebatch_setup setup;
	const char *token;
} kinds[] = {
	{ "anonymous", { .prot = RW }, "Wdyx" },
	{ "of a file", { .mapping = PTEBATCH_FILE, .prot = RW }, "Wdy" },
	{ "of shmem", { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Rdy" },
};

PTEBATCH_ORDER_PARAM(orders, kinds);

static void check_range(struct kunit *test, const struct ptebatch_order *param,
			unsigned int from, unsigned int to, unsigned int first)
{
	const struct kind *kind = &kinds[param->kind];
	char before[64], here[64], there[64];
	unsigned int nr = 1U << param->order;
	struct mremap_row *row;
	int at;

	if (from >= to || ptebatch_failed(test))
		return;
	row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, row);
	row->setup = kind->setup;
	row->setup.picture = ptebatch_row_of_folio(before, sizeof(before), nr,
						   from, to, kind->token,
						   kind->token);
	row->here = ptebatch_row_of_folio(here, sizeof(here), nr, from, to,
					  kind->token, "-");
	at = snprintf(there, sizeof(there), "@%u ", first);
	ptebatch_row_of_folio(there + at, sizeof(there) - at, nr, from, to,
			      "-", kind->token);
	row->there = there;
	check_row(test, row);
}

static void mremap_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	unsigned int nr = 1U << param->order;

	check_range(test, param, 0, nr, 0);
	check_range(test, param, 0, nr, 1);
	check_range(test, param, 0, nr, (PTRS_PER_PTE - nr / 2) % PTRS_PER_PTE);
	check_range(test, param, 0, nr / 2, 0);
	check_range(test, param, nr / 2, nr, nr / 2);
	if (nr < 4)
		return;
	check_range(test, param, 1, nr - 1, 16);
	check_range(test, param, nr / 2 - 1, nr / 2 + 1, 7);
}

/* What is refused leaves all as it was. */

#define ROW	"{Wdyx*4 | Wdyx*8 | Wdyx*4}"

/**
 * struct refusal - a call that is in error
 * @name: of the case
 * @setup: the address space
 * @stage: what else there is
 * @addr: added to the old address, in bytes
 * @old: added to the old length
 * @new: added to the new length
 * @to: added to the new address, or if @onto to the old
 * @onto: the new address is near the old one
 * @capped: nobody may lock memory
 * @flags: MREMAP_*
 * @err: the error
 */
struct refusal {
	const char *name;
	struct ptebatch_setup setup;
	enum stage stage;
	long addr;
	long old;
	long new;
	long to;
	bool onto;
	bool capped;
	unsigned long flags;
	int err;
};

static const struct refusal refusals[] = {
	{ "old address off a page's edge", { ROW, .prot = RW },
	  .addr = 1, .flags = MOVE, .err = -EINVAL },
	{ "new address off a page's edge", { ROW, .prot = RW },
	  .to = 1, .flags = MOVE, .err = -EINVAL },
	{ "new address beyond the address space", { ROW, .prot = RW },
	  .to = LONG_MIN, .flags = MOVE, .err = -EINVAL },
	{ "nothing at the new place", { ROW, .prot = RW },
	  .new = -8 * (long)PAGE_SIZE, .flags = MOVE, .err = -EINVAL },
	{ "no flag has all bits", { ROW, .prot = RW }, .flags = ~0UL,
	  .err = -EINVAL },
	{ "may not move", { ROW, .prot = RW }, .flags = MREMAP_FIXED,
	  .err = -EINVAL },
	{ "stays mapped and grows", { ROW, .prot = RW }, .new = PAGE_SIZE,
	  .flags = KEEP, .err = -EINVAL },
	{ "onto its own end", { ROW, .prot = RW }, .to = 4 * PAGE_SIZE,
	  .onto = true, .flags = MOVE, .err = -EINVAL },
	{ "onto itself", { ROW, .prot = RW }, .onto = true, .flags = MOVE,
	  .err = -EINVAL },
	{ "grows onto itself", { ROW, .prot = RW }, .to = -9 * (long)PAGE_SIZE,
	  .new = 2 * PAGE_SIZE, .onto = true, .flags = MOVE, .err = -EINVAL },
	{ "nothing there", { ROW, .prot = RW }, .addr = -3 * (long)PMD_SIZE,
	  .flags = MOVE, .err = -EFAULT },
	{ "grows and has a hole", { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW }, GAP,
	  .new = PAGE_SIZE, .flags = MOVE, .err = -EFAULT },
	{ "grows and reaches beyond the VMA", { "{Wdyx*16}", .prot = RW },
	  ALONE, .old = PAGE_SIZE, .new = 2 * PAGE_SIZE, .flags = MOVE,
	  .err = -EFAULT },
	{ "two copies of a private mapping", { ROW, .prot = RW },
	  .old = -8 * (long)PAGE_SIZE, .flags = MOVE, .err = -EINVAL },
	{ "grows beyond what may be locked", { ROW, .prot = RW,
	  .mlocked = true }, .new = PAGE_SIZE, .capped = true,
	  .flags = MOVE, .err = -EAGAIN },
};

KUNIT_ARRAY_PARAM_DESC(refusals, refusals, name);

static void refuse(struct kunit *test, const char *who,
		   const struct refusal *refusal, ptebatch_syscall_t how)
{
	struct ptebatch_trial *here, *there;
	struct books before, after;
	typeof(ptebatch_syscall_in) *call =
		refusal->capped ? ptebatch_syscall_capped : ptebatch_syscall_in;
	unsigned long args[5];
	long ret;

	here = ptebatch_trial_begin(test, who, &refusal->setup);
	there = ptebatch_trial_there(here,
				     ptebatch_space_add_place(here->space, 0));
	set_stage(here, there, refusal->stage);
	before = read_books(here);
	args[0] = range_start(here) + refusal->addr;
	args[1] = range_bytes(here) + refusal->old;
	args[2] = range_bytes(here) + refusal->new;
	args[3] = refusal->flags;
	args[4] = (refusal->onto ? range_start(here) : range_start(there)) +
		  refusal->to;
	ret = call(here->place->mm, how, args[0], args[1], args[2], args[3],
		   args[4]);
	KUNIT_EXPECT_EQ_MSG(test, ret, refusal->err, "%s returns %ld", who,
			    ret);
	ptebatch_trial_end(there);
	ptebatch_trial_end(here);
	ptebatch_trial_expect(here, refusal->setup.picture);
	ptebatch_trial_expect(there, "-*16");
	after = read_books(here);
	KUNIT_EXPECT_EQ(test, after.flags, before.flags);
	KUNIT_EXPECT_EQ(test, after.total, before.total);
	KUNIT_EXPECT_EQ(test, after.locked, before.locked);
}

static void mremap_refusal(struct kunit *test)
{
	refuse(test, "mremap()", test->param_value, PTEBATCH_SYSCALL(mremap));
	if (!ptebatch_failed(test))
		refuse(test, "the twin", test->param_value,
		       ptebatch_twin_mremap);
}

static struct kunit_case mremap_cases[] = {
	KUNIT_CASE_PARAM(mremap_row, rows_gen_params),
	KUNIT_CASE_PARAM(mremap_found, found_rows_gen_params),
	KUNIT_CASE_PARAM(mremap_order, orders_gen_params),
	KUNIT_CASE_PARAM(mremap_refusal, refusals_gen_params),
	{}
};

static struct kunit_suite mremap_suite = {
	.name = "ptebatch_mremap",
	.suite_init = ptebatch_swap_on,
	.suite_exit = ptebatch_swap_off,
	.test_cases = mremap_cases,
};

kunit_test_suite(mremap_suite);
