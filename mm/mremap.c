// SPDX-License-Identifier: GPL-2.0
/*
 * mremap() moves page table entries. move_ptes() moves the entries of a large
 * folio in batches if the architecture asks for it, as arm64 does.
 *
 * Each row expects two pictures: of the source and of the destination. "@" in
 * the latter is the destination's offset in its page table. The argument is MREMAP_*
 * in addition to MREMAP_MAYMOVE and MREMAP_FIXED.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/userfaultfd_k.h>

#include "../lib/arch/arch.h"
#include "../lib/inject/conditions.h"
#include "../lib/kernel/syscall.h"
#include "../lib/op/op.h"
#include "../lib/row/rules.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/device.h"
#include "../lib/service/swap.h"
#include "../lib/twin/twin.h"

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mremap));

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

#define MOVE	(MREMAP_MAYMOVE | MREMAP_FIXED)
#define KEEP	(MOVE | MREMAP_DONTUNMAP)

/* The start of the range in a place, and its length. */
static unsigned long range_start(const struct ptebatch_space *space,
				 const struct ptebatch_place *place)
{
	return place->start + space->row.from * PAGE_SIZE;
}

static unsigned long range_bytes(const struct ptebatch_space *space)
{
	return (space->row.to - space->row.from) * PAGE_SIZE;
}

static void unmap(const struct ptebatch_use *use, unsigned long start,
		  unsigned long end)
{
	struct mm_struct *mm = use->trial->place->mm;

	kthread_use_mm(mm);
	/* Not KUNIT_ASSERT: the thread would exit while it uses the mm. */
	if (start < end)
		KUNIT_EXPECT_EQ(use->trial->test, 0, vm_munmap(start, end - start));
	kthread_unuse_mm(mm);
}

static void unmap_gap(struct ptebatch_use *use, const unsigned long *args,
		      struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	unsigned int from = space->row.from, to;

	while (space->row.entries[from].kind != PTEBATCH_NONE)
		from++;
	for (to = from; space->row.entries[to].kind == PTEBATCH_NONE; )
		to++;
	unmap(use, ptebatch_addr(space, from), ptebatch_addr(space, to));
}

static const struct ptebatch_condition_type gap = {
	.name = "the row's empty entries are a gap between two VMAs", .occur = unmap_gap,
};

#define GAP	{ .type = &gap }

static void unmap_outside_range(struct ptebatch_use *use, const unsigned long *args,
				struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	const struct ptebatch_place *place = use->trial->place;
	unsigned long from = range_start(space, place);
	struct vm_area_struct *vma;
	unsigned long start, end;

	mmap_read_lock(place->mm);
	vma = vma_lookup(place->mm, from);
	start = vma->vm_start;
	end = vma->vm_end;
	mmap_read_unlock(place->mm);
	unmap(use, start, from);
	unmap(use, from + range_bytes(space), end);
}

static const struct ptebatch_condition_type whole_vma = {
	.name = "the range is a whole VMA", .occur = unmap_outside_range,
};

#define WHOLE_VMA	{ .type = &whole_vma }

static void map_over_start(struct ptebatch_use *use, const unsigned long *args,
			   struct pt_regs *regs)
{
	const struct ptebatch_trial *dst = use->trial->second;
	unsigned long start = range_start(dst->space, dst->place) - PAGE_SIZE;
	unsigned long bytes = range_bytes(dst->space) / 2 + PAGE_SIZE;

	kthread_use_mm(dst->place->mm);
	KUNIT_EXPECT_EQ(dst->test, start,
			vm_mmap(NULL, start, PAGE_ALIGN(bytes), RO,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, 0));
	kthread_unuse_mm(dst->place->mm);
}

static const struct ptebatch_condition_type occupied = {
	.name = "a VMA overlaps the beginning of the destination",
	.occur = map_over_start,
};

#define OCCUPIED	{ .type = &occupied }

/**
 * struct vma_counts - accounting of a VMA and its mm, for rule 7
 * @flags: VM_* of the VMA at the range's start, 0 if there is none
 * @total: total_vm of the mm, in pages
 * @locked: locked_vm of the mm, in pages
 * @committed: committed memory of the system, in pages
 * @left: VM_* of the VMA before the range, 0 if there is none
 * @right: VM_* of the VMA after the range, 0 if there is none
 */
struct vma_counts {
	vm_flags_t flags;
	unsigned long total;
	unsigned long locked;
	unsigned long committed;
	vm_flags_t left;
	vm_flags_t right;
};

/* The VMA flags at an address, 0 if there is no VMA. */
static vm_flags_t read_vma_flags(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;
	vm_flags_t flags;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, addr);
	flags = vma ? vma->vm_flags : 0;
	mmap_read_unlock(mm);
	return flags;
}

static struct vma_counts read_vma_counts(const struct ptebatch_space *space,
					 const struct ptebatch_place *place)
{
	unsigned long start = range_start(space, place);
	struct mm_struct *mm = place->mm;

	return (struct vma_counts) {
		.flags = read_vma_flags(mm, start),
		.total = mm->total_vm,
		.locked = mm->locked_vm,
		.committed = vm_memory_committed(),
		.left = read_vma_flags(mm, start - PAGE_SIZE),
		.right = read_vma_flags(mm, start + range_bytes(space)),
	};
}

/* At the source and at the destination, before the last call. */
static struct vma_counts before, dst_before;

static void count_before(const struct ptebatch_space *space)
{
	before = read_vma_counts(space, &space->places[0]);
	dst_before = read_vma_counts(space, &space->places[space->nr_places - 1]);
}

static long move(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	count_before(space);
	return ptebatch_move.call(op, space, twin);
}

#define MOVE_OP	.name = "move", .function = "mremap()", .call = move, .moves = true, \
		.vma_flags = VM_LOCKED_MASK, .model = ptebatch_model_move_source

static const struct ptebatch_op move_op = { MOVE_OP, .second_model = ptebatch_model_move };

/* The model does not cover the entries of a new length, in pages. */
#define NEW_LENGTH(nr)	(&(const struct ptebatch_op) { MOVE_OP, .new_pages = (nr) })

/* What remains of the source's VMA keeps its flags. */
static void expect_flags_around(const struct ptebatch_trial *src,
				const struct vma_counts *after)
{
	KUNIT_EXPECT_EQ_MSG(src->test, after->left, before.left,
			    "%s changes flags of the VMA before the range",
			    src->function);
	KUNIT_EXPECT_EQ_MSG(src->test, after->right, before.right,
			    "%s changes flags of the VMA after the range",
			    src->function);
}

static void expect_failed(struct ptebatch_trial *src, const struct ptebatch_case *row)
{
	struct vma_counts after = read_vma_counts(src->space, src->place);
	struct kunit *test = src->test;

	expect_flags_around(src, &after);
	KUNIT_EXPECT_EQ_MSG(test, after.flags, before.flags,
			    PTEBATCH_RULE_HALFWAY ": %s changes the flags of the source's VMA",
			    src->function);
	KUNIT_EXPECT_EQ_MSG(test, read_vma_counts(src->space, src->second->place).flags, 0,
			    PTEBATCH_RULE_HALFWAY ": %s leaves a VMA at the destination",
			    src->function);
	KUNIT_EXPECT_EQ_MSG(test, after.total, before.total,
			    PTEBATCH_RULE_ACCOUNTING ": %s changes total_vm, in pages",
			    src->function);
	KUNIT_EXPECT_EQ_MSG(test, after.locked, before.locked,
			    PTEBATCH_RULE_ACCOUNTING ": %s changes locked_vm, in pages",
			    src->function);
	KUNIT_EXPECT_EQ_MSG(test, after.committed, before.committed,
			    PTEBATCH_RULE_ACCOUNTING ": %s changes committed memory, in pages",
			    src->function);
}

static void expect_moved(struct ptebatch_trial *src, const struct ptebatch_case *row)
{
	struct vma_counts after = read_vma_counts(src->space, src->second->place);
	struct vma_counts src_after = read_vma_counts(src->space, src->place);
	long pages = range_bytes(src->space) / PAGE_SIZE;
	long added = row->op->new_pages ? row->op->new_pages - pages : 0;
	struct kunit *test = src->test;

	expect_flags_around(src, &src_after);
	if (row->setup.uffd & NO_REMAP_EVENT)
		after.flags |= before.flags & (VM_UFFD_WP | VM_UFFD_RWP);
	/* As new memory, with what was empty. */
	KUNIT_EXPECT_EQ_MSG(test, after.flags,
			    before.flags | (row->setup.track ? VM_SOFTDIRTY : 0),
			    "%s: VMA flags at the destination differ from the source's",
			    src->function);
	KUNIT_EXPECT_EQ_MSG(test, after.locked - before.locked,
			    before.flags & VM_LOCKED ? added : 0,
			    PTEBATCH_RULE_ACCOUNTING
			    ": %s: wrong change of locked_vm, in pages",
			    src->function);
	if (row->arg & MREMAP_DONTUNMAP) {
		KUNIT_EXPECT_EQ_MSG(test, src_after.flags, before.flags & ~VM_LOCKED_MASK,
				    "%s with MREMAP_DONTUNMAP: flags of the source's VMA",
				    src->function);
		added = pages;
	}
	/* The VMA at the destination is unmapped, too. */
	if (dst_before.flags)
		return;
	KUNIT_EXPECT_EQ_MSG(test, after.total - before.total, added,
			    PTEBATCH_RULE_ACCOUNTING
			    ": %s: wrong change of total_vm, in pages",
			    src->function);
	KUNIT_EXPECT_EQ_MSG(test, after.committed - before.committed,
			    before.flags & VM_ACCOUNT ? added : 0,
			    PTEBATCH_RULE_ACCOUNTING
			    ": %s: wrong change of committed memory, in pages",
			    src->function);
}

static const struct ptebatch_case rows[] = {
	/* The PMD changes before the page table is locked, or mapped. */
	{ "PMD of the source changes before the lock: looked at again, 64K folio moved",
	  { "{Wdyx*16}", .prot = RW }, "-*16", .second = "@1 {Wdyx*16}",
	  .with = { TABLE_LOST } },
	{ "PMD of the destination changes before the lock: looked at again, 64K folio moved",
	  { "{Wdyx*16}", .prot = RW }, "-*16", .second = "@1 {Wdyx*16}",
	  .with = { LOST_AT("pte_offset_map_rw_nolock", 0) } },

	/* Whole folios, to the same page table offset and to another one. */
	{ "64K folio to the same page table offset: moved",
	  { "{Wdyx*16}", .prot = RW }, "-*16", .second = "{Wdyx*16}" },
	{ "64K folio to entry 1: moved",
	  { "{Wdyx*16}", .prot = RW }, "-*16", .second = "@1 {Wdyx*16}" },
	{ "64K folio to entry 16: moved",
	  { "{Wdyx*16}", .prot = RW }, "-*16", .second = "@16 {Wdyx*16}" },
	{ "64K folio at entry 5 to entry 32: moved",
	  { "@5 {Wdyx*16}", .prot = RW }, "@5 -*16", .second = "@32 {Wdyx*16}" },
	{ "64K folio, no page AnonExclusive: moved read-only",
	  { "{Rdy*16}", .prot = RW }, "-*16", .second = "{Rdy*16}" },
	{ "64K folio under PROT_NONE: moved without access",
	  { "{Ndyx*16}", .prot = PROT_NONE }, "-*16", .second = "{Ndyx*16}" },
	{ "two 64K folios to entry 3: moved",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW }, "-*32",
	  .second = "@3 {Wdyx*16} {Wdyx*16}" },
	{ "two physically adjacent 64K folios, one clean and old: moved unchanged",
	  { "{Wdyx*16} +{Wx*16}", .prot = RW }, "-*32",
	  .second = "{Wdyx*16} +{Wx*16}" },
	{ "folios of orders 0, 1, 3 and 5 and a hole to entry 7: moved",
	  { "Wdyx {Wdyx*2} {Wdyx*8} - {Rdy*32}", .prot = RW }, "-*44",
	  .second = "@7 Wdyx {Wdyx*2} {Wdyx*8} - {Rdy*32}" },
	{ "small folios and a hole to entry 9: moved",
	  { "Wdyx*3 -*2 Rdy Wyx", .prot = RW }, "-*7",
	  .second = "@9 Wdyx*3 -*2 Rdy Wyx" },

	/* Rules 1 to 3: folios with entries that differ. */
	{ "64K folio, 4 of 16 entries read-only, and read-only 64K folio: write bits kept",
	  { "{Wdyx*8 Rdyx*4 Wdyx*4} {Rdyx*16}", .prot = RW }, "-*32",
	  .second = "{Wdyx*8 Rdyx*4 Wdyx*4} {Rdyx*16}" },
	{ "32K folio, writable and read-only alternating: write bits kept",
	  { "{Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx}", .prot = RW }, "-*8",
	  .second = "{Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx}" },
	{ "128K folio, first half writable, second half read-only: write bits kept",
	  { "{Wdyx*16 Rdyx*16}", .prot = RW }, "-*32",
	  .second = "{Wdyx*16 Rdyx*16}" },
	{ "128K folio, first half read-only, second half writable, to entry 16: write bits kept",
	  { "{Rdyx*16 Wdyx*16}", .prot = RW }, "-*32",
	  .second = "@16 {Rdyx*16 Wdyx*16}" },
	{ "read-only 64K folio, page 9 not AnonExclusive: moved unchanged",
	  { "{Rdyx*9 Rdy Rdyx*6}", .prot = RW }, "-*16",
	  .second = "{Rdyx*9 Rdy Rdyx*6}" },
	{ "64K folio, only page 9 dirty, to entry 2: moved, dirty kept",
	  { "{Ryx*9 Rdyx Ryx*6}", .prot = RW }, "-*16",
	  .second = "@2 {Ryx*9 Rdyx Ryx*6}" },
	{ "64K folio, only page 15 young: moved, young kept",
	  { "{Rdx*15 Rdyx}", .prot = RW }, "-*16", .second = "{Rdx*15 Rdyx}" },
	{ "clean and old 64K folio to entry 16: stays clean and old",
	  { "{Wx*16}", .prot = RW }, "-*16", .second = "@16 {Wx*16}" },
	{ "64K folio with a hole of 4 entries to entry 16: moved with its hole",
	  { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW }, "-*16",
	  .second = "@16 {Wdyx*6 -*4 Wdyx*6}" },
	{ "64K folio, pages mapped out of order: moved in that order",
	  { "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}", .prot = RW }, "-*16",
	  .second = "{Wdyx*4 Wdyx=8*4 Wdyx=4*4 Wdyx=12*4}" },
	{ "64K folio mapped from page 5 on: 11 entries moved",
	  { "{.*5 Wdyx*11}", .prot = RW }, "-*11", .second = "@5 {.*5 Wdyx*11}" },

	{ "executable 64K folio, protection key 9, to entry 16: moved with its key",
	  { "{Rdyx*16}", .prot = RO | PROT_EXEC, .pkey = 9 }, "-*16",
	  .second = "@16 {Rdyx*16}" },
	{ "64K folio, memory tags, to entry 16: moved",
	  { "{Wdyx*16}", .prot = RW | PTEBATCH_PROT_MTE }, "-*16",
	  .second = "@16 {Wdyx*16}" },
	{ "64K droppable folio to entry 1: moved",
	  { "{Wdyxl*16}", .prot = RW, .vma = VM_DROPPABLE }, "-*16",
	  .second = "@1 {Wdyxl*16}" },
	{ "64K folio in three VMAs to entry 5: moved",
	  { "{Wdyx*5 ; Wdyx*6 ; Wdyx*5}", .prot = RW }, "-*16",
	  .second = "@5 {Wdyx*16}" },
	{ "64K shmem folio in three VMAs, all but 2 pages in the range: moved, 2 pages stay",
	  { "{Wdy | Wdy*4 ; Wdy*6 ; Wdy*4 | Wdy}", PTEBATCH_SHMEM, RW },
	  "{Wdy -*14 Wdy}", .second = "{- Wdy*14 -}" },

	/* Rules 3 and 4: parts of folios. */
	{ "64K folio, pages 5 to 10 in the range: moved, 10 pages stay",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "{Wdyx*5 -*6 Wdyx*5}",
	  .second = "{-*5 Wdyx*6 -*5}" },
	{ "64K folio, pages 5 to 10 in the range, to another alignment: moved, 10 pages stay",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW }, "{Wdyx*5 -*6 Wdyx*5}",
	  .second = "@11 {-*5 Wdyx*6 -*5}" },
	{ "64K folio, first page in the range: moved, 15 pages stay",
	  { "| {Wdyx | Wdyx*15}", .prot = RW }, "{- Wdyx*15}",
	  .second = "{Wdyx -*15}" },
	{ "64K folio, last page in the range: moved, 15 pages stay",
	  { "{Wdyx*15 | Wdyx} |", .prot = RW }, "{Wdyx*15 -}",
	  .second = "@1 {-*15 Wdyx}" },
	{ "two 64K folios, range from page 12 to page 3 of the next: moved, 12 pages of each stay",
	  { "{Wdyx*12 | Wdyx*4} {Wdyx*4 | Wdyx*12}", .prot = RW },
	  "{Wdyx*12 -*4} {-*4 Wdyx*12}",
	  .second = "@4 {-*12 Wdyx*4} {Wdyx*4 -*12}" },
	{ "256K folio, pages 16 to 39 in the range: moved, 40 pages stay",
	  { "{Wdyx*16 | Wdyx*24 | Wdyx*24}", .prot = RW }, "{Wdyx*16 -*24 Wdyx*24}",
	  .second = "{-*16 Wdyx*24 -*24}" },
	{ "256K folio, clean pages 16 to 31 in the range, rest dirty: moved pages stay clean",
	  { "{Wdyx*16 | Wx*16 | Wdyx*32}", .prot = RW }, "{Wdyx*16 -*16 Wdyx*32}",
	  .second = "@8 {-*16 Wx*16 -*32}" },
	{ "8 empty entries between two 16K folios: nothing moved",
	  { "{Wdyx*4} | -*8 | {Wdyx*4}", .prot = RW }, "{Wdyx*4} -*8 {Wdyx*4}",
	  .second = "-*16" },

	/* Page table boundaries. */
	{ "64K folio in two page tables to one page table: moved",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 -*16", .second = "{Wdyx*16}" },
	{ "64K folio in one page table to two page tables: moved",
	  { "{Wdyx*16}", .prot = RW }, "-*16", .second = "@-5 {Wdyx*16}",
	  .with = { DESTINATION_TABLES } },
	{ "64K folio in two page tables at another offset: moved",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 -*16", .second = "@-5 {Wdyx*16}",
	  .with = { DESTINATION_TABLES } },
	{ "64K folio in two page tables, second one in the range: 8 entries moved",
	  { "@-8 {Wdyx*8 | Wdyx*8} |", .prot = RW }, "@-8 {Wdyx*8 -*8}",
	  .second = "@-8 {-*8 Wdyx*8}" },
	{ "64K folio in two page tables, first one in the range: 8 entries moved",
	  { "@-8 | {Wdyx*8 | Wdyx*8}", .prot = RW }, "@-8 {-*8 Wdyx*8}",
	  .second = "@-8 {Wdyx*8 -*8}" },
	{ "two folios that fill a page table to the same offset: moved",
	  { "{Wdyx*T/2} {Rdyx*T/2}", .prot = RW }, "-*T",
	  .second = "{Wdyx*T/2} {Rdyx*T/2}" },
	{ "two PTE-mapped 2M folios at entry 3 to another page table offset: moved",
	  { "@3 {Rdyx*T} {Wdyx*T}", .prot = RW }, "@3 -*T -*T",
	  .second = "@-40 {Rdyx*T} {Wdyx*T}" },
	{ "no page table between two 64K folios: folios moved",
	  { "@-16 {Wdyx*16} -*T {Wdyx*16}", .prot = RW }, "@-16 -*16 -*T -*16",
	  .second = "@-16 {Wdyx*16} -*T {Wdyx*16}" },
	{ "full page table between two partly filled ones: moved",
	  { "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}", .prot = RW }, "@-16 -*16 -*T -*16",
	  .second = "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}" },
	{ "full page table between two partly filled ones, range is a whole VMA: moved",
	  { "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}", .prot = RW }, "@-16 -*16 -*T -*16",
	  .second = "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}", .with = { WHOLE_VMA } },

	/* VMAs. */
	{ "64K folio, range is a whole VMA, to entry 20: moved",
	  { "{Wdyx*16}", .prot = RW }, "-*16", .second = "@20 {Wdyx*16}",
	  .with = { WHOLE_VMA } },
	{ "64K folio, VMA at the destination: VMA replaced",
	  { "{Wdyx*16}", .prot = RW }, "-*16", .second = "@4 {Wdyx*16}",
	  .with = { OCCUPIED } },
	{ "64K folio in two VMAs with a gap: both VMAs moved",
	  { "{Wdyx*6 -*4 Rdyx*6}", .prot = RW }, "-*16",
	  .second = "@16 {Wdyx*6 -*4 Rdyx*6}", .with = { GAP } },
	{ "64K folio, range grows to 24 pages: moved",
	  { "| {Wdyx*16} | -*8", .prot = RW }, "-*24", .second = "{Wdyx*16} -*8",
	  .op = NEW_LENGTH(24) },
	{ "64K folio, pages 4 to 11 in the range, grows to 15 pages: moved, 8 pages stay",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4} -*4", .prot = RW },
	  "{Wdyx*4 -*8 Wdyx*4} -*4", .second = "@1 {-*4 Wdyx*8 -*4} -*4",
	  .op = NEW_LENGTH(15) },
	{ "64K folio, range shrinks to 10 pages: 10 pages moved, 6 unmapped",
	  { "{Wdyx*16}", .prot = RW }, "-*16", .second = "@16 {Wdyx*10 -*6}",
	  .op = NEW_LENGTH(10) },
	{ "two 64K folios, range shrinks to 16 pages: first moved, second unmapped",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW }, "-*32", .second = "{Wdyx*16} -*16",
	  .op = NEW_LENGTH(16) },
	{ "MREMAP_DONTUNMAP, 64K folio, pages 4 to 11 in the range: moved, source VMA stays",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW }, "{Wdyx*4 -*8 Wdyx*4}",
	  .second = "@1 {-*4 Wdyx*8 -*4}", .arg = MREMAP_DONTUNMAP },
	{ "MREMAP_DONTUNMAP, range is a whole VMA: folio and swap entries moved, source VMA stays",
	  { "{Wdyx*16} Sx S", .prot = RW }, "-*18", .second = "{Wdyx*16} Sx S",
	  .arg = MREMAP_DONTUNMAP, .with = { WHOLE_VMA } },
	{ "mlocked 64K folio, pages 4 to 11 in the range: moved, stay mlocked",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .vma = VM_LOCKED,
	    .folios = FOLIOS_MLOCKED }, "{Wdyx*4 -*8 Wdyx*4}",
	  .second = "{-*4 Wdyx*8 -*4}" },
	{ "mlocked 64K folio, MREMAP_DONTUNMAP: moved, source loses VM_LOCKED",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .vma = VM_LOCKED,
	    .folios = FOLIOS_MLOCKED }, "{Wdyx*4 -*8 Wdyx*4}",
	  .second = "{-*4 Wdyx*8 -*4}", .arg = MREMAP_DONTUNMAP },

	/* PTEs without a folio, KSM pages. */
	{ "zero page in and between folios to entry 5: moved",
	  { "Rzy {Wdyx*4 Rzy*4 Wdyx*8} Rz", .prot = RW }, "-*18",
	  .second = "@5 Rzy {Wdyx*4 Rzy*4 Wdyx*8} Rz" },
	{ "zero page, soft-dirty tracked: moved, becomes soft-dirty",
	  { "Rzy {Wdysx*4} Rz", .prot = RW, .track = true }, "-*6",
	  .second = "@5 Rzys {Wdysx*4} Rzs" },
	{ "KSM pages between exclusive pages to entry 5: moved",
	  { "Wdyx Rdyk*2 Wdyx", .prot = RW }, "-*4",
	  .second = "@5 Wdyx Rdyk*2 Wdyx" },
	{ "special PTEs of a 64K folio to entry 5: moved, dirty stays per PTE",
	  { "{Wdpy*4 Wpy*4 Wdpy*8}", PTEBATCH_SHMEM, RW, .vma = VM_MIXEDMAP }, "-*16",
	  .second = "@5 {Wdpy*4 Wpy*4 Wdpy*8}" },

	{ "device-exclusive entries in a 64K folio to entry 5: moved",
	  { "{Wdyx*4 Ex*4 Wdyx*8}", .prot = RW }, "-*16",
	  .second = "@5 {Wdyx*4 Ex*4 Wdyx*8}" },

	/* File mappings, second mappings, fork. */
	{ "64K file folio, clean, dirty and writable entries: moved unchanged",
	  { "{Ry*8 Rdy*4 Wdy*4}", PTEBATCH_FILE, RW }, "-*16",
	  .second = "@16 {Ry*8 Rdy*4 Wdy*4}" },
	{ "64K shmem folio, pages 3 to 11 in the range: moved, 7 pages stay",
	  { "{Wdy*3 | Wdy*9 | Wdy*4}", PTEBATCH_SHMEM, RW }, "{Wdy*3 -*9 Wdy*4}",
	  .second = "@5 {-*3 Wdy*9 -*4}" },
	{ "MREMAP_DONTUNMAP, 64K shmem folio: moved, source VMA stays",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "-*16", .second = "{Wdy*16}",
	  .arg = MREMAP_DONTUNMAP },
	{ "64K shmem folio with a second mapping, pages 4 to 11: moved, 8 pages stay",
	  { "{Wdy*4 | Wdy*8 | Wdy*4}", PTEBATCH_SHMEM, RW, .twice = true },
	  "{Wdy*4 -*8 Wdy*4}", .second = "@3 {-*4 Wdy*8 -*4}" },
	{ "64K shmem folio, pages 4 to 11 onto its second mapping: entries replaced",
	  { "{Wdy*4 | Wdy*8 | Wdy*4}", PTEBATCH_SHMEM, RW, .twice = true },
	  "{Wdy*4 -*8 Wdy*4}", .second = "{Wdy*16}", .onto_second = true },
	{ "private file, 32K page cache folio and 32K anonymous copy: moved",
	  { "{Ry*8} {Wdyx*8}", PTEBATCH_PRIVATE_FILE, RW }, "-*16",
	  .second = "@8 {Ry*8} {Wdyx*8}" },
	{ "64K folio shared with a child, pages 4 to 11 in the range: moved read-only",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .twice = true },
	  "{Rdy*4 -*8 Rdy*4}", .second = "@1 {-*4 Rdy*8 -*4}" },

	/* Entries that are not present. */
	{ "64K folio, 8 exclusive and 2 shared swap entries: moved unchanged",
	  { "{Wdyx*4 Sx*8 S*2 Wdyx*2}", .prot = RW, .folios = WITH_SWAP }, "-*16",
	  .second = "@1 {Wdyx*4 Sx*8 S*2 Wdyx*2}" },
	{ "swap entries without a folio around a 32K folio: moved",
	  { "Sx*4 {Wdyx*8} S*4", .prot = RW }, "-*16",
	  .second = "Sx*4 {Wdyx*8} S*4" },
	{ "writable, exclusive and shared migration entries: moved unchanged",
	  { "{Mw*4 Mx*4 M*4 Wdyx*4}", .prot = RW }, "-*16",
	  .second = "@16 {Mw*4 Mx*4 M*4 Wdyx*4}" },
	{ "guard and poison markers between folios: moved",
	  { "{Wdyx*2} G*2 P*2 {Wdyx*2} G", .prot = RW }, "-*9",
	  .second = "{Wdyx*2} G*2 P*2 {Wdyx*2} G" },

	/* Rule 6: soft-dirty. */
	{ "soft-dirty tracked, 64K folio: moved entries soft-dirty",
	  { "{Wdyx*8 Rdyx*8}", .prot = RW, .track = true }, "-*16",
	  .second = "{Wdysx*8 Rdysx*8}" },
	{ "soft-dirty tracked, pages 4 to 11 in the range: moved soft-dirty, rest not soft-dirty",
	  { "{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .track = true },
	  "{Wdyx*4 -*8 Wdyx*4}", .second = "@1 {-*4 Wdysx*8 -*4}" },
	{ "soft-dirty tracked, migration and swap entries: moved soft-dirty",
	  { "{Mw*4 M*4} Sx S {Wdysx*4}", .prot = RW, .track = true }, "-*14",
	  .second = "{Mws*4 Ms*4} Ssx Ss {Wdysx*4}" },
	{ "soft-dirty tracked, PMD-mapped folio: moved soft-dirty",
	  { "[Wdyx]", .prot = RW, .track = true }, "-*T", .second = "[Wdysx]" },
	{ "soft-dirty tracked, full page table: moved entries soft-dirty",
	  { "{Wdyx*T}", .prot = RW, .track = true }, "-*T", .second = "{Wdysx*T}" },

	/*
	 * Rule 14: uffd-wp and uffd-rwp. Where they are cleared, mremap() may make
	 * exclusive pages writable, but need not: most rows have shared pages.
	 */
	{ "64K folio, 12 of 16 entries uffd-wp: uffd-wp kept",
	  { "{Rdyux*4 Wdyx*4 Rdyux*8}", .prot = RW, .uffd = UFFD_WP }, "-*16",
	  .second = "@16 {Rdyux*4 Wdyx*4 Rdyux*8}" },
	{ "uffd-wp on migration, swap and present entries: kept",
	  { "{Mxu*2 Mu*2} Sxu Su {Rdyux*2}", .prot = RW, .uffd = UFFD_WP }, "-*8",
	  .second = "@1 {Mxu*2 Mu*2} Sxu Su {Rdyux*2}" },
	{ "uffd-wp markers around a 16K shmem folio: markers moved",
	  { "U*4 {Rdyu*4} U", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "-*9",
	  .second = "@4 U*4 {Rdyu*4} U" },
	{ "uffd-wp on a full page table: kept",
	  { "{Rdyux*T}", .prot = RW, .uffd = UFFD_WP }, "-*T",
	  .second = "{Rdyux*T}" },
	{ "no UFFD_FEATURE_EVENT_REMAP, 12 of 16 entries uffd-wp: uffd-wp cleared",
	  { "{Rdyu*4 Wdyx*4 Rdyu*8}", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT }, "-*16",
	  .second = "@16 {Rdy*4 Wdyx*4 Rdy*8}" },
	{ "no UFFD_FEATURE_EVENT_REMAP, soft-dirty tracked: uffd-wp cleared, soft-dirty",
	  { "{Rdyus*8 Rdyu*8}", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT, .track = true },
	  "-*16", .second = "@16 {Rdys*16}" },
	{ "no UFFD_FEATURE_EVENT_REMAP, pages 4 to 11 in the range: their uffd-wp cleared",
	  { "{Rdyu*4 | Rdyu*8 | Rdyu*4}", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "{Rdyu*4 -*8 Rdyu*4}",
	  .second = "{-*4 Rdy*8 -*4}" },
	{ "no UFFD_FEATURE_EVENT_REMAP, migration and swap entries: uffd-wp cleared",
	  { "{Mxu*2 Mu*2} Sxu Su {Rdyu*2}", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT }, "-*8",
	  .second = "@1 {Mx*2 M*2} Sx S {Rdy*2}" },
	{ "no UFFD_FEATURE_EVENT_REMAP, shmem: uffd-wp markers dropped, guard and poison kept",
	  { "U*4 {Rdyu*4} U G P", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP | NO_REMAP_EVENT }, "-*11",
	  .second = "@4 -*4 {Rdy*4} - G P" },
	{ "no UFFD_FEATURE_EVENT_REMAP, full page table: uffd-wp cleared",
	  { "{Rdyu*T}", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "-*T", .second = "{Rdy*T}" },
	{ "no UFFD_FEATURE_EVENT_REMAP, PMD-mapped folio: uffd-wp cleared",
	  { "[Rdyu]", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "-*T", .second = "[Rdy]" },
	{ "no UFFD_FEATURE_EVENT_REMAP, shared uffd-rwp PMD: cleared, readable",
	  { "[Ndyu]", .prot = RW, .uffd = UFFD_RWP | NO_REMAP_EVENT },
	  "-*T", .second = "[Rdy]" },
	{ "no UFFD_FEATURE_EVENT_REMAP, PMD migration entry: uffd-wp cleared",
	  { "[Mxu]", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "-*T", .second = "[Mx]" },
	{ "no UFFD_FEATURE_EVENT_REMAP, device-private PMD: uffd-wp cleared",
	  { "[Dxu]", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "-*T", .second = "[Dx]" },
	{ "no UFFD_FEATURE_EVENT_REMAP, huge zero page: uffd-wp cleared",
	  { "[Rzyu]", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "-*T", .second = "[Rzy]" },
	{ "uffd-wp PMD: uffd-wp kept",
	  { "[Rdyux]", .prot = RW, .uffd = UFFD_WP }, "-*T", .second = "[Rdyux]" },
	{ "uffd-rwp PMD: uffd-rwp kept",
	  { "[Ndyux]", .prot = RW, .uffd = UFFD_RWP }, "-*T", .second = "[Ndyux]" },
	{ "uffd-rwp PMD to entry 16: split, uffd-rwp kept",
	  { "[Ndyux]", .prot = RW, .uffd = UFFD_RWP }, "-*T",
	  .second = "@16 {Ndyux*T}" },
	{ "64K folio, 8 of 16 entries uffd-rwp: uffd-rwp kept",
	  { "{Ndyux*8 Wdyx*8}", .prot = RW, .uffd = UFFD_RWP }, "-*16",
	  .second = "@16 {Ndyux*8 Wdyx*8}" },
	{ "no UFFD_FEATURE_EVENT_REMAP, 8 of 16 entries uffd-rwp: cleared, readable",
	  { "{Ndyu*8 Wdyx*8}", .prot = RW, .uffd = UFFD_RWP | NO_REMAP_EVENT }, "-*16",
	  .second = "@16 {Rdy*8 Wdyx*8}" },

	/* Rule 16: PMD-mapped folios. */
	{ "PMD-mapped folio to an aligned address: PMD moved",
	  { "[Wdyx]", .prot = RW }, "-*T", .second = "[Wdyx]" },
	{ "huge zero page: moved",
	  { "[Rzy]", .prot = RW }, "-*T", .second = "[Rzy]" },
	{ "huge zero page to entry 16: split and moved",
	  { "[Rzy]", .prot = RW }, "-*T",
	  .second = "@16 Rzy*T" },
	{ "PMD migration entry: moved",
	  { "[Mw]", .prot = RW }, "-*T", .second = "[Mw]" },
	{ "PMD migration entry, soft-dirty tracked: moved, becomes soft-dirty",
	  { "[Mx]", .prot = RW, .track = true }, "-*T", .second = "[Mxs]" },
	{ "PMD migration entry to entry 16: split and moved",
	  { "[Mw]", .prot = RW }, "-*T", .second = "@16 {Mw*T}" },
	{ "PMD migration entry, uffd-wp: moved with uffd-wp",
	  { "[Mxu]", .prot = RW, .uffd = UFFD_WP }, "-*T", .second = "[Mxu]" },
	{ "PMD with a NUMA hint: moved",
	  { "[Ndyx]", .prot = RW }, "-*T", .second = "[Ndyx]" },
	{ "device-private PMD: moved",
	  { "[Dwx]", .prot = RW }, "-*T", .second = "[Dwx]" },
	{ "device-private PMD, soft-dirty tracked: moved, becomes soft-dirty",
	  { "[Dx]", .prot = RW, .track = true }, "-*T", .second = "[Dxs]" },
	{ "device-private PMD to entry 16: split and moved",
	  { "[Dwx]", .prot = RW }, "-*T", .second = "@16 {Dwx*T}" },
	{ "device-private PMD shared with a child: moved",
	  { "[Dwx]", .prot = RW, .twice = true }, "-*T", .second = "[D]" },
	{ "PMD-mapped shmem folio: PMD moved",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, "-*T", .second = "[Wdy]" },
	{ "PMD-mapped folio to entry 16: PMD split, entries moved",
	  { "[Wdyx]", .prot = RW }, "-*T", .second = "@16 {Wdyx*T}" },
	{ "PMD-mapped folio, middle half in the range: PMD split, half moved",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}", .second = "@3 {-*T/4 Wdyx*T/2 -*T/4}" },
	{ "PMD-mapped folio between 16K folios: PMD and entries moved",
	  { "@-4 {Wdyx*4} [Rdyx] {Wdyx*4}", .prot = RW }, "@-4 -*4 -*T -*4",
	  .second = "@-4 {Wdyx*4} [Rdyx] {Wdyx*4}" },
	{ "PMD-mapped folio shared with a child: PMD moved read-only",
	  { "[Wdyx]", .prot = RW, .twice = true }, "-*T", .second = "[Rdy]" },
	{ "PTE-mapped 2M folio, middle half in the range: moved, half stays",
	  { "{Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4}", .prot = RW },
	  "{Wdyx*T/4 -*T/2 Wdyx*T/4}", .second = "@16 {-*T/4 Wdyx*T/2 -*T/4}" },

	/* Rule 20: no memory for a page table: what was moved moves back. */
	{ "64K folio in two page tables, first page table fails: -ENOMEM, unchanged",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Wdyx*16}", .second = "@-8 -*16",
	  .ret = -ENOMEM, .with = { NO_TABLE(0) } },
	{ "64K folio in two page tables, second page table fails: 8 entries moved back",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Wdyx*16}", .second = "@-8 -*16",
	  .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "64K folio, 4 of 16 entries read-only, second page table fails: moved back unchanged",
	  { "{Wdyx*2 Rdyx*4 Wdyx*10}", .prot = RW }, "{Wdyx*2 Rdyx*4 Wdyx*10}",
	  .second = "@-5 -*16", .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "64K folio at another offset, part in the range, second page table fails: moved back",
	  { "@-8 {Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW }, "@-8 {Wdyx*16}",
	  .second = "@-6 -*16", .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "full page table between two partly filled ones, last one fails: page table moved back",
	  { "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}", .prot = RW },
	  "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}", .second = "@-16 -*16 -*T -*16",
	  .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "PMD-mapped folio between 16K folios, last page table fails: PMD moved back",
	  { "@-4 {Wdyx*4} [Rdyx] {Wdyx*4}", .prot = RW },
	  "@-4 {Wdyx*4} [Rdyx] {Wdyx*4}", .second = "@-4 -*4 -*T -*4",
	  .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "swap and migration entries, second page table fails: moved back",
	  { "@-8 Sx*4 {Mw*4 Mx*2 M*2} {Wdyx*4}", .prot = RW },
	  "@-8 Sx*4 {Mw*4 Mx*2 M*2} {Wdyx*4}", .second = "@-8 -*16", .ret = -ENOMEM,
	  .with = { NO_TABLE(1) } },
	{ "64K shmem folio in two page tables, second page table fails: moved back",
	  { "@-8 {Wdy*16}", PTEBATCH_SHMEM, RW }, "@-8 {Wdy*16}",
	  .second = "@-8 -*16", .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "no UFFD_FEATURE_EVENT_REMAP, full page table between two, last one fails: moved back",
	  { "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "@-16 {Wdyx*16} {Wdyx*T} {Wdyx*16}",
	  .second = "@-16 -*16 -*T -*16", .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "no UFFD_FEATURE_EVENT_REMAP, uffd-wp, second page table fails: uffd-wp stays",
	  { "@-8 {Rdyux*4 Wdyx*4 Rdyux*8}", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "@-8 {Rdyux*4 Wdyx*4 Rdyux*8}",
	  .second = "@-8 -*16", .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "no UFFD_FEATURE_EVENT_REMAP, uffd-wp markers, second page table fails: markers stay",
	  { "@-8 U*4 {Rdyu*4} U*4", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "@-8 U*4 {Rdyu*4} U*4",
	  .second = "@-8 -*12", .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "no UFFD_FEATURE_EVENT_REMAP, PMD uffd-wp, last page table fails: uffd-wp stays",
	  { "@-4 {Rdyux*4} [Rdyux] {Wdyx*4}", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "@-4 {Rdyux*4} [Rdyux] {Wdyx*4}",
	  .second = "@-4 -*4 -*T -*4", .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "no UFFD_FEATURE_EVENT_REMAP, swap entries, second page table fails: uffd-wp stays",
	  { "@-8 Sxu*4 {Mxu*4} {Rdyux*4}", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT },
	  "@-8 Sxu*4 {Mxu*4} {Rdyux*4}",
	  .second = "@-8 -*12", .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "no UFFD_FEATURE_EVENT_REMAP, uffd-rwp, second page table fails: uffd-rwp stays",
	  { "@-8 {Ndyux*4 Wdyx*4 Ndyux*8}", .prot = RW, .uffd = UFFD_RWP | NO_REMAP_EVENT },
	  "@-8 {Ndyux*4 Wdyx*4 Ndyux*8}",
	  .second = "@-8 -*16", .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "range grows to 24 pages, second page table fails: moved back, nothing committed",
	  { "@-8 | {Wdyx*16} | -*8", .prot = RW }, "@-8 {Wdyx*16} -*8",
	  .second = "@-8 -*24", .op = NEW_LENGTH(24), .ret = -ENOMEM,
	  .with = { NO_TABLE(1) } },
	{ "MREMAP_DONTUNMAP, second page table fails: moved back",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Wdyx*16}", .second = "@-8 -*16",
	  .arg = MREMAP_DONTUNMAP, .ret = -ENOMEM, .with = { NO_TABLE(1) } },
	{ "mlocked 64K folio, MREMAP_DONTUNMAP, second page table fails: stays mlocked",
	  { "@-8 {Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW, .vma = VM_LOCKED },
	  "@-8 {Wdyx*16}", .second = "@-8 -*16", .arg = MREMAP_DONTUNMAP,
	  .ret = -ENOMEM, .with = { NO_TABLE(1) } },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static bool check_row(struct kunit *test, const struct ptebatch_case *of)
{
	struct ptebatch_case row = *of;

	row.op = row.op ?: &move_op;
	/* Nor does the model cover failures. */
	row.no_model = row.ret;
	row.check = row.ret ? expect_failed : expect_moved;
	return ptebatch_case_run(test, &row);
}

static void mremap_row(struct kunit *test)
{
	check_row(test, test->param_value);
}

/* After a move, try_to_unmap() finds and unmaps all mappings of the folios. */

static const struct ptebatch_case found_rows[] = {
	{ "64K lazyfree folio moved to entry 5: unmapped",
	  { "{Wyxl*16}", .prot = RW }, "-*16", .second = "@5 {Wyxl*16}" },
	{ "64K lazyfree folio moved to two page tables: unmapped",
	  { "{Wyxl*16}", .prot = RW }, "-*16", .second = "@-5 {Wyxl*16}" },
	{ "64K lazyfree folio, pages 4 to 11 moved: all 16 pages unmapped",
	  { "{Wyxl*4 | Wyxl*8 | Wyxl*4}", .prot = RW },
	  "{Wyxl*4 -*8 Wyxl*4}", .second = "{-*4 Wyxl*8 -*4}" },
	{ "64K lazyfree folio moved with MREMAP_DONTUNMAP: unmapped",
	  { "{Wyxl*16}", .prot = RW }, "-*16",
	  .second = "{Wyxl*16}", .arg = MREMAP_DONTUNMAP, .with = { WHOLE_VMA } },
	{ "64K lazyfree folio shared with a child, moved by the parent: unmapped",
	  { "{Wyxl*16}", .prot = RW, .twice = true }, "-*16",
	  .second = "@1 {Ryl*16}" },
	{ "two lazyfree folios that fill a page table, moved: unmapped",
	  { "{Wyxl*T/2}*2", .prot = RW }, "-*T", .second = "{Wyxl*T/2}*2" },
	{ "64K shmem folio with a second mapping, pages 4 to 11 moved: unmapped",
	  { "{Wdy*4 | Wdy*8 | Wdy*4}", PTEBATCH_SHMEM, RW, .twice = true },
	  "{Wdy*4 -*8 Wdy*4}", .second = "@3 {-*4 Wdy*8 -*4}" },
	{ "64K file folio and 3 small ones moved to two page tables: unmapped",
	  { "{Ry*16} Wdy*3", PTEBATCH_FILE, RW }, "-*19",
	  .second = "@-3 {Ry*16} Wdy*3" },
	{ "private file, page cache folio and lazyfree copy moved: unmapped",
	  { "{Ry*8} {Wyxl*8}", PTEBATCH_PRIVATE_FILE, RW }, "-*16",
	  .second = "@8 {Ry*8} {Wyxl*8}" },
};

KUNIT_ARRAY_PARAM_DESC(found_rows, found_rows, name);

static void mremap_found(struct kunit *test)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;
	struct ptebatch_space *space;
	bool passes = true;
	unsigned int i;

	row.op = &move_op;
	row.check = expect_moved;
	space = ptebatch_case_try(test, &row, false, &passes)->space;
	if (!passes)
		return;
	ptebatch_unmap.call(&ptebatch_unmap, space, false);
	for (i = 0; i < space->row.nr_folios; i++)
		KUNIT_EXPECT_FALSE_MSG(test, folio_mapped(space->folios[i]),
				       "folio %u is still mapped after mremap() and try_to_unmap()",
				       i);
}

/*
 * Source and destination in one page table, which has only one lock: the second
 * half of the row is the destination.
 */
static void check_within(struct kunit *test, bool twin)
{
	static const struct ptebatch_setup setup = { "{Wdyx*16} -*16", .prot = RW };
	struct ptebatch_space *space = ptebatch_space(test, &setup);
	unsigned long from = ptebatch_addr(space, 0);
	unsigned long bytes = space->row.nr / 2 * PAGE_SIZE;
	struct ptebatch_snapshot *after;
	unsigned int i;

	after = kunit_kzalloc(test, sizeof(*after), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, after);
	KUNIT_EXPECT_EQ(test, from + bytes,
			ptebatch_syscall_in(space->places[0].mm,
					    twin ? ptebatch_twin_mremap :
						   PTEBATCH_SYSCALL(mremap),
					    from, bytes, bytes, MOVE, from + bytes));
	ptebatch_snapshot(after, space, &space->places[0]);
	for (i = 0; i < space->row.nr / 2; i++) {
		const struct ptebatch_entry *moved =
			&after->row.entries[i + space->row.nr / 2];

		KUNIT_EXPECT_EQ_MSG(test, after->row.entries[i].kind, PTEBATCH_NONE,
				    "mremap() leaves entry %u at the source", i);
		KUNIT_EXPECT_TRUE_MSG(test,
				      moved->kind == PTEBATCH_WRITABLE &&
				      !moved->folio && moved->page == i,
				      "mremap() does not move entry %u", i);
	}
}

static void mremap_within_table(struct kunit *test)
{
	check_within(test, false);
	check_within(test, true);
}

/* Folios of every order, several ranges, to several page table offsets. */

static const struct ptebatch_case kinds[] = {
	{ "anonymous", { "Wdyx", .prot = RW } },
	{ "file", { "Wdy", PTEBATCH_FILE, RW } },
	{ "shmem", { "Rdy", PTEBATCH_SHMEM, RW } },
};

PTEBATCH_ORDER_PARAMS(mremap_order, kinds);

static bool check_range(struct kunit *test, unsigned int from, unsigned int to,
			unsigned int first)
{
	const struct ptebatch_order *param = test->param_value;
	struct ptebatch_case row = *(const struct ptebatch_case *)param->kind;
	const char *token = row.setup.picture;
	unsigned int nr = 1U << param->order;

	if (from >= to)
		return true;
	row.setup.picture = ptebatch_draw_range(test, nr, from, to, token, token);
	row.after = ptebatch_draw_range(test, nr, from, to, token, "-");
	row.second = ptebatch_draw(test, "@%u %s", first,
				   ptebatch_draw_range(test, nr, from, to, "-", token));
	return check_row(test, &row);
}

static void mremap_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	unsigned int nr = 1U << param->order;

	if (check_range(test, 0, nr, 0) && check_range(test, 0, nr, 1) &&
	    check_range(test, 0, nr, (PTRS_PER_PTE - nr / 2) % PTRS_PER_PTE) &&
	    check_range(test, 0, nr / 2, 0) &&
	    check_range(test, nr / 2, nr, nr / 2) && nr >= 4 &&
	    check_range(test, 1, nr - 1, 16))
		check_range(test, nr / 2 - 1, nr / 2 + 1, 7);
}

/*
 * A call that fails changes neither entries nor accounting; nor does one that
 * changes neither address nor length.
 */

#define ROW	"{Wdyx*4 | Wdyx*8 | Wdyx*4}"

/**
 * struct refusal - a call of mremap() that changes nothing
 * @c: the case; its argument is MREMAP_*
 * @old_addr: added to the source address, in bytes
 * @old_len: added to the range's length, in bytes: the old length
 * @new_len: added to the range's length, in bytes: the new length
 * @new_addr: added to the destination address, in bytes; or LAST_PAGE
 * @overlap: @new_addr is added to the source address instead
 * @no_memlock: RLIMIT_MEMLOCK is 0 and the caller lacks CAP_IPC_LOCK
 */
struct refusal {
	struct ptebatch_case c;
	long old_addr;
	long old_len;
	long new_len;
	long new_addr;
	bool overlap;
	bool no_memlock;
};

/* Of the address space, also of that of user mode on s390, which it does not map. */
#define LAST_PAGE	LONG_MIN

static const struct refusal refusals[] = {
	{ { "old address not page-aligned: -EINVAL", { ROW, .prot = RW },
	    .arg = MOVE, .ret = -EINVAL }, .old_addr = 1 },
	{ { "new address not page-aligned: -EINVAL", { ROW, .prot = RW },
	    .arg = MOVE, .ret = -EINVAL }, .new_addr = 1 },
	{ { "new address beyond the address space: -EINVAL", { ROW, .prot = RW },
	    .arg = MOVE, .ret = -EINVAL }, .new_addr = LAST_PAGE },
	{ { "new length 0: -EINVAL", { ROW, .prot = RW }, .arg = MOVE,
	    .ret = -EINVAL }, .new_len = -8 * (long)PAGE_SIZE },
	{ { "new address not page-aligned, no MREMAP_FIXED, same length: ignored",
	    { ROW, .prot = RW }, .arg = MREMAP_MAYMOVE }, .new_addr = 1 },
	{ { "new address beyond the address space, no flags, same length: ignored",
	    { ROW, .prot = RW } }, .new_addr = LAST_PAGE },
	{ { "all flag bits set: -EINVAL", { ROW, .prot = RW }, .arg = ~0UL,
	    .ret = -EINVAL } },
	{ { "MREMAP_FIXED without MREMAP_MAYMOVE: -EINVAL", { ROW, .prot = RW },
	    .arg = MREMAP_FIXED, .ret = -EINVAL } },
	{ { "MREMAP_DONTUNMAP, range grows: -EINVAL", { ROW, .prot = RW },
	    .arg = KEEP, .ret = -EINVAL }, .new_len = PAGE_SIZE },
	{ { "destination overlaps the end of the source: -EINVAL",
	    { ROW, .prot = RW }, .arg = MOVE, .ret = -EINVAL },
	    .new_addr = 4 * PAGE_SIZE, .overlap = true },
	{ { "destination equals the source: -EINVAL", { ROW, .prot = RW },
	    .arg = MOVE, .ret = -EINVAL }, .overlap = true },
	{ { "range grows, destination overlaps the start of the source: -EINVAL",
	    { ROW, .prot = RW }, .arg = MOVE, .ret = -EINVAL },
	    .new_addr = -9 * (long)PAGE_SIZE, .new_len = 2 * PAGE_SIZE,
	    .overlap = true },
	{ { "no VMA at the old address: -EFAULT", { ROW, .prot = RW }, .arg = MOVE,
	    .ret = -EFAULT }, .old_addr = -3 * (long)PMD_SIZE },
	{ { "range of two VMAs with a gap grows: -EFAULT",
	    { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW }, .arg = MOVE, .ret = -EFAULT,
	    .with = { GAP } }, .new_len = PAGE_SIZE },
	{ { "range ends beyond its VMA and grows: -EFAULT",
	    { "{Wdyx*16}", .prot = RW }, .arg = MOVE, .ret = -EFAULT,
	    .with = { WHOLE_VMA } }, .old_len = PAGE_SIZE,
	    .new_len = 2 * PAGE_SIZE },
	{ { "old length 0, private mapping: -EINVAL", { ROW, .prot = RW },
	    .arg = MOVE, .ret = -EINVAL }, .old_len = -8 * (long)PAGE_SIZE },
	{ { "mlocked range grows, RLIMIT_MEMLOCK=0 without CAP_IPC_LOCK: -EAGAIN",
	    { ROW, .prot = RW, .vma = VM_LOCKED }, .arg = MOVE, .ret = -EAGAIN },
	    .new_len = PAGE_SIZE, .no_memlock = true },
};

KUNIT_ARRAY_PARAM_DESC(refusals, refusals, c.name);

/* Returns 0 if mremap() returns the old address. */
static long refuse(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	const struct refusal *refusal = space->test->param_value;
	const struct ptebatch_place *src = &space->places[0], *dst = &space->places[1];
	typeof(ptebatch_syscall_in) *call = refusal->no_memlock ?
		ptebatch_syscall_no_memlock : ptebatch_syscall_in;
	unsigned long addr = range_start(space, src) + refusal->old_addr;
	unsigned long new_addr = range_start(space, refusal->overlap ? src : dst) +
				 refusal->new_addr;
	unsigned long bytes = range_bytes(space);
	long ret;

	if (refusal->new_addr == LAST_PAGE)
		new_addr = -PAGE_SIZE;
	count_before(space);
	ret = call(src->mm, twin ? ptebatch_twin_mremap : PTEBATCH_SYSCALL(mremap), addr,
		   bytes + refusal->old_len, bytes + refusal->new_len, op->arg, new_addr);
	return ret == addr ? 0 : ret;
}

static const struct ptebatch_op refused_op = {
	.function = "mremap()", .call = refuse, .moves = true,
};

static void mremap_refusal(struct kunit *test)
{
	struct ptebatch_case row = ((const struct refusal *)test->param_value)->c;

	row.op = &refused_op;
	row.second = "-*16";
	row.check = expect_failed;
	ptebatch_case_run(test, &row);
}

/*
 * MREMAP_DONTUNMAP leaves the source without anonymous pages. Its page offset is
 * then that of its address, as of a new VMA, although it was moved before.
 */
static void mremap_offset(struct kunit *test)
{
	static const struct ptebatch_setup setup = { "Wdyx", .prot = RW };
	struct ptebatch_space *space = ptebatch_space(test, &setup);
	unsigned long middle = ptebatch_space_add_place(space, 1)->start;
	unsigned long last = ptebatch_space_add_place(space, 3)->start;
	struct mm_struct *mm = space->places[0].mm;
	struct vm_area_struct *vma;

	KUNIT_ASSERT_EQ(test, middle,
			ptebatch_syscall_in(mm, PTEBATCH_SYSCALL(mremap),
					    ptebatch_addr(space, 0), PAGE_SIZE,
					    PAGE_SIZE, MOVE, middle));
	KUNIT_ASSERT_EQ(test, last,
			ptebatch_syscall_in(mm, PTEBATCH_SYSCALL(mremap), middle,
					    PAGE_SIZE, PAGE_SIZE, KEEP, last));
	mmap_read_lock(mm);
	vma = vma_lookup(mm, middle);
	KUNIT_EXPECT_NULL(test, vma->anon_vma);
	KUNIT_EXPECT_EQ(test, linear_page_index(vma, middle), middle >> PAGE_SHIFT);
	mmap_read_unlock(mm);
}

/* Memory that a VMA grows over is soft-dirty, as new memory is. */
static void mremap_grow_soft_dirty(struct kunit *test)
{
	static const struct ptebatch_setup setup = { "Wdyx -", .prot = RW, .track = true };
	struct ptebatch_space *space = ptebatch_space(test, &setup);
	struct mm_struct *mm = space->places[0].mm;
	unsigned long addr = ptebatch_addr(space, 0);

	kthread_use_mm(mm);
	KUNIT_EXPECT_EQ(test, 0, vm_munmap(addr + PAGE_SIZE, PAGE_SIZE));
	kthread_unuse_mm(mm);
	KUNIT_EXPECT_EQ(test, 0, read_vma_flags(mm, addr) & VM_SOFTDIRTY);
	KUNIT_ASSERT_EQ(test, addr,
			ptebatch_syscall_in(mm, PTEBATCH_SYSCALL(mremap), addr, PAGE_SIZE,
					    2 * PAGE_SIZE, 0, 0));
	KUNIT_EXPECT_TRUE_MSG(test, read_vma_flags(mm, addr + PAGE_SIZE) & VM_SOFTDIRTY,
			      "mremap() does not set VM_SOFTDIRTY of a VMA that grows in place");
}

static struct kunit_case mremap_cases[] = {
	KUNIT_CASE_PARAM(mremap_row, rows_gen_params),
	KUNIT_CASE_PARAM(mremap_found, found_rows_gen_params),
	PTEBATCH_CASE_PARAMS(mremap_order),
	KUNIT_CASE_PARAM(mremap_refusal, refusals_gen_params),
	KUNIT_CASE(mremap_offset),
	KUNIT_CASE(mremap_grow_soft_dirty),
	KUNIT_CASE(mremap_within_table),
	{}
};

PTEBATCH_SUITE(mremap, mremap_cases, PTEBATCH_TWO_SWAP_SPACES, PTEBATCH_DEVICE);
