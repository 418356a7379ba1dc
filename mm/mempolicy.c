// SPDX-License-Identifier: GPL-2.0
/*
 * mbind() and migrate_pages() queue the folios on the wrong node and migrate
 * them. queue_folios_pte_range() handles the entries of a large folio in one
 * batch. A folio moves as a whole, even if the range maps only a part of it.
 *
 * The rows of mbind() have no twin: the twin's mempolicy slab caches are never
 * created. The rows of do_migrate_pages(), which uses the same page table walk
 * and returns the number of folios that failed to move, have one.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/contents.h"
#include "../lib/kernel/device.h"
#include "../lib/kernel/process.h"
#include "../lib/kernel/syscall.h"
#include "../lib/op/mempolicy.h"
#include "../lib/run/orders.h"
#include "../lib/run/rows.h"
#include "../lib/twin/twin.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

#define STRICT	MPOL_MF_STRICT
#define MOVE	MPOL_MF_MOVE
#define ALL	MPOL_MF_MOVE_ALL

/**
 * struct policy_row - a case of mbind() or migrate_pages()
 * @name: name of the case
 * @setup: the address space before; the folios are on the LRU lists, unless
 *         @off_lru
 * @flags: MPOL_MF_*
 * @after: the expected row after; %NULL if no entry may change in any bit
 * @ret: expected return value
 * @mode: MPOL_* for mbind(); 0 stands for MPOL_BIND
 * @off_lru: the folios are not on the LRU lists
 * @disputed: whether migrate_pages(2) counts pages or folios is a question to
 *            the mailing list; @ret is what 7.3 counts, the first batch. The
 *            twin, with batches of one, counts 1
 * @referenced: the last folio has an extra reference, so it cannot be migrated
 * @reserved: the first folio, a small one, has PG_reserved, as pages of the vDSO
 * @io: the VMA has VM_IO, so its folios cannot be migrated
 */
struct policy_row {
	const char *name;
	struct ptebatch_setup setup;
	unsigned long flags;
	const char *after;
	int ret;
	int mode;
	bool off_lru;
	bool disputed;
	bool referenced;
	bool reserved;
	bool io;
};

#ifdef CONFIG_NUMA
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mbind));

/* mbind() needs the nodemask in user memory: map a page for it. */
static long bind(const struct ptebatch_op *op, struct ptebatch_space *space,
		 bool twin)
{
	unsigned long start = ptebatch_addr(space, space->row.from);
	unsigned long end = ptebatch_addr(space, space->row.to);
	struct ptebatch_args args;
	const unsigned long nodes = BIT(PTEBATCH_TARGET_NODE);
	unsigned long mask;
	long ret;

	kthread_use_mm(space->places[0].mm);
	mask = ptebatch_to_user(&nodes, sizeof(nodes));
	if (IS_ERR_VALUE(mask)) {
		ret = mask;
	} else {
		args = ptebatch_args6(start, end - start, op->prot, mask,
				      BITS_PER_LONG, op->arg);
		ret = ptebatch_syscall(PTEBATCH_SYSCALL(mbind), &args);
		vm_munmap(mask, PAGE_SIZE);
	}
	kthread_unuse_mm(space->places[0].mm);
	return ret;
}

#else
static long bind(const struct ptebatch_op *op, struct ptebatch_space *space,
		 bool twin)
{
	return -EOPNOTSUPP;
}
#endif

static const struct ptebatch_op bind_op = {
	.function = "mbind()", .call = bind, .no_twin = true,
};

/* A folio moves as a whole: widen the range to all entries of its folios. */
static void widen_range(struct ptebatch_row *row)
{
	unsigned int i;

	for (i = row->from; i < row->to; i++) {
		s16 folio = row->entries[i].folio;

		while (folio != PTEBATCH_NO_FOLIO && row->from &&
		       row->entries[row->from - 1].folio == folio)
			row->from--;
		while (folio != PTEBATCH_NO_FOLIO && row->to < row->nr &&
		       row->entries[row->to].folio == folio)
			row->to++;
	}
}

/* Set or clear VM_IO of all VMAs of the row. */
static void set_io(const struct ptebatch_space *space, bool io)
{
	struct mm_struct *mm = space->places[0].mm;
	struct vm_area_struct *vma;
	struct vma_iterator vmi;

	mmap_write_lock(mm);
	vma_iter_init(&vmi, mm, ptebatch_addr(space, 0));
	for_each_vma_range(vmi, vma, ptebatch_addr(space, space->row.nr)) {
		vma_start_write(vma);
		if (io)
			vm_flags_set(vma, VM_IO);
		else
			vm_flags_clear(vma, VM_IO);
	}
	mmap_write_unlock(mm);
}

static void prepare(struct ptebatch_trial *trial, const void *data)
{
	const struct policy_row *row = data;
	struct ptebatch_space *space = trial->space;

	/* No memory is behind the device's addresses. */
	if (!trial->space->setup.coherent)
		ptebatch_contents_fill(trial);
	if (row->referenced)
		folio_get(space->folios[space->row.nr_folios - 1]);
	if (row->reserved)
		folio_set_reserved(space->folios[0]);
	if (row->io)
		set_io(space, true);
}

static void undo(struct ptebatch_trial *trial, const void *data)
{
	const struct policy_row *row = data;
	struct ptebatch_space *space = trial->space;

	if (row->referenced)
		folio_put(space->folios[space->row.nr_folios - 1]);
	if (row->reserved)
		folio_clear_reserved(space->folios[0]);
	if (row->io)
		set_io(space, false);
	widen_range(&trial->before.row);
}

#ifdef CONFIG_NUMA
/* The VMAs in the range have the policy of mbind(), unless it refused. */
static void check_policy(struct ptebatch_trial *trial, const void *data)
{
	const struct ptebatch_space *space = trial->space;
	const struct policy_row *row = data;
	bool refused = row->ret && !(row->flags & (MOVE | ALL));
	unsigned short mode = row->mode ?: MPOL_BIND;
	struct mm_struct *mm = trial->place->mm;
	unsigned int i, wrong = 0;

	mmap_read_lock(mm);
	for (i = 0; i < space->row.nr; i++) {
		struct mempolicy *pol =
			vma_lookup(mm, ptebatch_addr(space, i))->vm_policy;
		bool bound = !refused && i >= space->row.from && i < space->row.to;

		wrong += bound ? !pol || pol->mode != mode : !!pol;
	}
	mmap_read_unlock(mm);
	KUNIT_EXPECT_EQ_MSG(trial->test, wrong, 0,
			    "%s leaves %u pages in a VMA with a wrong memory policy",
			    trial->function, wrong);
}
#else
static void check_policy(struct ptebatch_trial *trial, const void *data)
{
}
#endif

static bool check_row(struct kunit *test, const struct policy_row *row,
		      const struct ptebatch_op *kind)
{
	struct ptebatch_setup setup = row->setup;
	struct ptebatch_op op = *kind;
	const struct ptebatch_run run = {
		.op = &op, .setup = &setup, .after = row->after,
		.ret = row->ret, .prepare = prepare, .undo = undo,
		.check = kind == &bind_op ? check_policy : NULL, .data = row,
	};

	if (ptebatch_nodes_missing())
		kunit_skip(test, "%s", ptebatch_nodes_missing());
	op.arg = row->flags;
	op.no_twin |= row->disputed;
	op.prot = row->mode ?: MPOL_BIND;
	setup.lru = !row->off_lru;
	return ptebatch_row_run(test, &run);
}

static const struct policy_row bind_rows[] = {
	/* The page table disappears before it is locked. */
	{ "corrupt PMD: cleared and reported, only the folio of the next page table moved",
	  { "@-4 0Wdyx*4 0{Wdyx*16}", .prot = RW, .bad_pmd = true }, MOVE,
	  "@-4 0Wdyx*4 ~1{Wdyx*16}" },

	/* The PMD changes before the page table is locked. */
	{ "PMD changes before the lock: looked at again, folios moved",
	  { "0Wdyx 0{Wdyx*16}", .prot = RW, .lost_in = "pte_offset_map_lock" },
	  MOVE, "~1Wdyx ~1{Wdyx*16}" },

	/* A folio of a device cannot be moved. */
	{ "64K and small folios in device-coherent memory, STRICT: skipped, no error",
	  { "{Wdyx*16} Wdyx", .prot = RW, .coherent = true }, MOVE | STRICT,
	  .off_lru = true },

	{ "64K folio on the wrong node: moved",
	  { "0{Wdyx*16}", .prot = RW }, MOVE, "~1{Wdyx*16}" },
	{ "64K folio on the right node: not moved",
	  { "1{Wdyx*16}", .prot = RW }, MOVE },
	{ "MPOL_PREFERRED, 64K folios on both nodes: only the one on the wrong node moved",
	  { "0{Wdyx*16} 1{Wdyx*16}", .prot = RW }, MOVE,
	  "~1{Wdyx*16} 1{Wdyx*16}", .mode = MPOL_PREFERRED },
	{ "small folios on both nodes: only those on the wrong node moved",
	  { "0Wdyx*3 1Wdyx*2 0Wdyx", .prot = RW }, MOVE,
	  "~1Wdyx*3 1Wdyx*2 ~1Wdyx" },
	{ "folios of mixed orders on both nodes: only those on the wrong node moved",
	  { "0{Wdyx*4} 1{Wdyx*8} 0Wdyx 0{Wdyx*2} 1Wdyx 0{Wdyx*16}", .prot = RW },
	  MOVE | STRICT, "~1{Wdyx*4} 1{Wdyx*8} ~1Wdyx ~1{Wdyx*2} 1Wdyx ~1{Wdyx*16}" },
	{ "zero page between 64K folios on the wrong node: stays, folios moved",
	  { "Rzy 0{Wdyx*16} Rz*2 0{Wdyx*16} Rzy", .prot = RW }, MOVE | STRICT,
	  "Rzy ~1{Wdyx*16} Rz*2 ~1{Wdyx*16} Rzy" },
	{ "PMD migration entry, MPOL_MF_STRICT: -EIO",
	  { "0[Mx]", .prot = RW }, MOVE | STRICT, .ret = -EIO },
	{ "2M folio mapped by PTEs: moved",
	  { "0{Wdyx*T}", .prot = RW }, MOVE | STRICT, "~1{Wdyx*T}" },
	{ "PMD-mapped folio: moved, stays PMD-mapped",
	  { "0[Wdyx]", .prot = RW }, MOVE | STRICT, "~1[Wdyx]" },
	{ "64K shmem folios on both nodes: only the one on the wrong node moved",
	  { "0{Wdy*16} 1{Wdy*16}", PTEBATCH_SHMEM, RW },
	  MOVE | STRICT, "~1{Wdy*16} 1{Wdy*16}" },

	/* Rule 3 (ends of a batch). Partially mapped folios are split first. */
	{ "64K folio with a hole of 3 pages: split, mapped pages moved",
	  { "0{Wdyx*5 -*3 Wdyx*8}", .prot = RW }, MOVE | STRICT,
	  "~1Wdyx*5 -*3 ~1Wdyx*8" },
	{ "64K folio with a hole, then a 16K folio: split, all mapped pages moved",
	  { "0{Wdyx*5 -*3 Wdyx*8} 0{Wdyx*4}", .prot = RW }, MOVE | STRICT,
	  "~1Wdyx*5 -*3 ~1Wdyx*8 ~1{Wdyx*4}" },
	{ "two half-mapped 64K folios: split, mapped pages moved",
	  { "0{.*8 Wdyx*8} 0{Wdyx*8 .*8}", .prot = RW }, MOVE | STRICT,
	  "~1Wdyx*16" },
	{ "two physically adjacent 64K folios on the wrong node: both moved",
	  { "1{Wdyx*16} 0{Wdyx*16} 0+{Wdyx*16}", .prot = RW }, MOVE | STRICT,
	  "1{Wdyx*16} ~1{Wdyx*16} ~1{Wdyx*16}" },
	{ "64K folio across a page table boundary: moved",
	  { "@-8 0{Wdyx*16}", .prot = RW }, MOVE | STRICT,
	  "@-8 ~1{Wdyx*16}" },
	{ "middle 8 pages of a 64K folio in the range: whole folio moved",
	  { "0{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW }, MOVE | STRICT,
	  "~1{Wdyx*16}" },
	{ "first page of a 64K folio in the range: whole folio moved, previous folio not",
	  { "0{Wdyx*16} | 0{Wdyx | Wdyx*15}", .prot = RW }, MOVE | STRICT,
	  "0{Wdyx*16} ~1{Wdyx*16}" },
	{ "last page of a 64K folio in the range: whole folio moved, next folio not",
	  { "0{Wdyx*15 | Wdyx} | 0{Wdyx*16}", .prot = RW }, MOVE | STRICT,
	  "~1{Wdyx*16} 0{Wdyx*16}" },

	/* Rule 6 (soft-dirty, uffd-wp), and all other bits survive the move. */
	{ "64K folio, write, dirty, young and exclusive bits differ: moved, bits stay",
	  { "0{Wdyx*4 Rdyx*3 Rdy*3 Wyx*2 Rx*2 Wdx*2}", .prot = RW }, MOVE,
	  "~1{Wdyx*4 Rdyx*3 Rdy*3 Wyx*2 Rx*2 Wdx*2}" },
	{ "64K folio, read-only VMA, second half shared: moved, exclusive bits stay",
	  { "0{Rdyx*8 Rdy*8}", .prot = RO }, MOVE, "~1{Rdyx*8 Rdy*8}" },
	{ "64K folio, first half soft-dirty: moved, soft-dirty bits stay",
	  { "0{Wdysx*8 Rdyx*8}", .prot = RW, .track = true }, MOVE,
	  "~1{Wdysx*8 Rdyx*8}" },
	{ "64K folio, first half uffd-wp: moved, uffd-wp bits stay",
	  { "0{Rdyux*8 Wdyx*8}", .prot = RW, .uffd_wp = true }, MOVE,
	  "~1{Rdyux*8 Wdyx*8}" },
	{ "executable 64K folio, protection key 6: moved, PTEs keep both",
	  { "0{Rdyx*16}", .prot = RO | PROT_EXEC, .pkey = 6 }, MOVE,
	  "~1{Rdyx*16}" },
	{ "64K folio, memory tags: moved with the tags of each page",
	  { "0{Wdyx*16}", .prot = RW | PTEBATCH_PROT_MTE }, MOVE,
	  "~1{Wdyx*16}" },
	{ "64K folio in two VMAs: moved",
	  { "0{Wdyx*8 ; Wdyx*8}", .prot = RW }, MOVE, "~1{Wdyx*16}" },
	{ "lazyfree 64K folio: moved, stays lazyfree",
	  { "0{Wyxl*16}", .prot = RW }, MOVE, "~1{Wyxl*16}" },
	{ "64K folio in a VM_LOCKED VMA: moved",
	  { "0{Wdyx*16}", .prot = RW, .mlocked = true }, MOVE,
	  "~1{Wdyx*16}" },

	/* Folios that are not moved, and MPOL_MF_STRICT. */
	{ "MPOL_MF_STRICT, 64K folio on the wrong node: -EIO",
	  { "1{Wdyx*16} 0{Wdyx*16}", .prot = RW }, STRICT, .ret = -EIO },
	{ "MPOL_MF_STRICT, last page of a 64K folio on the wrong node in the range: -EIO",
	  { "1{Wdyx*16} 0{Wdyx*15 | Wdyx} | 1Wdyx", .prot = RW }, STRICT,
	  .ret = -EIO },
	{ "MPOL_MF_STRICT, small folio on the wrong node: -EIO",
	  { "1{Wdyx*16} 0Wdyx", .prot = RW }, STRICT, .ret = -EIO },
	{ "MPOL_MF_STRICT, folios in the range on the right node: returns 0",
	  { "0{Wdyx*15 Wdyx} | 1{Wdyx*16} 1Wdyx | 0Wdyx", .prot = RW }, STRICT },
	{ "MPOL_MF_STRICT, PMD-mapped folio on the wrong node: -EIO",
	  { "0[Wdyx]", .prot = RW }, STRICT, .ret = -EIO },
	{ "no MPOL_MF_* flags, 64K folio on the wrong node: not moved, returns 0",
	  { "0{Wdyx*16}", .prot = RW }, 0 },
	{ "MPOL_MF_MOVE, folio shared after a fork: not moved, returns 0",
	  { "0{Wdyx*16}", .prot = RW, .twice = true }, MOVE },
	{ "MPOL_MF_MOVE and MPOL_MF_STRICT, folio shared after a fork: not moved, returns 0",
	  { "0{Wdyx*16}", .prot = RW, .twice = true }, MOVE | STRICT },
	{ "MPOL_MF_MOVE_ALL, folio shared after a fork: moved",
	  { "0{Wdyx*16}", .prot = RW, .twice = true }, ALL | STRICT,
	  "~1{Rdy*16}" },
	{ "MPOL_MF_MOVE_ALL, shmem folio mapped twice: moved",
	  { "0{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, ALL | STRICT,
	  "~1{Wdy*16}" },
	{ "MPOL_MF_MOVE, folio not on the LRU lists: not moved, returns 0",
	  { "0{Wdyx*16}", .prot = RW }, MOVE, .off_lru = true },
	{ "MPOL_MF_MOVE and MPOL_MF_STRICT, folio not on the LRU lists: -EIO",
	  { "0{Wdyx*16}", .prot = RW }, MOVE | STRICT, .ret = -EIO,
	  .off_lru = true },
	{ "MPOL_MF_MOVE, last folio has an extra reference: not moved, returns 0",
	  { "0{Wdyx*16} 1{Wdyx*16} 0{Wdyx*16}", .prot = RW }, MOVE,
	  "~1{Wdyx*16} 1{Wdyx*16} 0{Wdyx*16}", .referenced = true },
	{ "MPOL_MF_MOVE and MPOL_MF_STRICT, last folio has an extra reference: -EIO",
	  { "0{Wdyx*16} 1{Wdyx*16} 0{Wdyx*16}", .prot = RW }, MOVE | STRICT,
	  "~1{Wdyx*16} 1{Wdyx*16} 0{Wdyx*16}", -EIO, .referenced = true },
	{ "MPOL_MF_STRICT, small folio with PG_reserved: skipped, returns 0",
	  { "0Wdyx 1{Wdyx*16}", .prot = RW }, STRICT, .reserved = true },
	{ "MPOL_MF_MOVE, small folio with PG_reserved, 64K folio: only the latter moved",
	  { "0Wdyx 0{Wdyx*16}", .prot = RW }, MOVE, "0Wdyx ~1{Wdyx*16}",
	  .reserved = true },
	{ "MPOL_MF_MOVE and MPOL_MF_STRICT, VM_IO: not moved, -EIO",
	  { "0{Wdyx*16}", .prot = RW }, MOVE | STRICT, .ret = -EIO, .io = true },
	{ "MPOL_MF_MOVE, VM_IO: not moved, returns 0",
	  { "0{Wdyx*16}", .prot = RW }, MOVE, .io = true },
	{ "MPOL_MF_MOVE and MPOL_MF_STRICT, empty entries, guard, poison: skipped, returns 0",
	  { "0{Wdyx*4} -*3 G P 0{Wdyx*4}", .prot = RW }, MOVE | STRICT,
	  "~1{Wdyx*4} -*3 G P ~1{Wdyx*4}" },
	{ "MPOL_MF_STRICT, empty entries, guard, poison: skipped, returns 0",
	  { "1{Wdyx*4} -*3 G P 1{Wdyx*4}", .prot = RW }, STRICT },
	{ "MPOL_MF_MOVE, migration entries and a mapped folio: mapped folio moved",
	  { "0{Mx*16} 0{Wdyx*16}", .prot = RW }, MOVE,
	  "0{Mx*16} ~1{Wdyx*16}" },
	{ "MPOL_MF_STRICT, migration entries: -EIO",
	  { "1{Mx*16} 1{Wdyx*16}", .prot = RW }, STRICT, .ret = -EIO },
};

KUNIT_ARRAY_PARAM_DESC(bind_rows, bind_rows, name);

static void mbind_row(struct kunit *test)
{
	check_row(test, test->param_value, &bind_op);
}

/* do_migrate_pages() returns the number of folios that failed to move. */
static const struct policy_row migrate_rows[] = {
	{ "64K folio: moved",
	  { "0{Wdyx*16}", .prot = RW }, MOVE, "~1{Wdyx*16}" },
	{ "folios of mixed orders on both nodes: only those on the wrong node moved",
	  { "0{Wdyx*4} 1{Wdyx*8} 0Wdyx 0{Wdyx*2} 1Wdyx 0{Wdyx*16}", .prot = RW },
	  MOVE, "~1{Wdyx*4} 1{Wdyx*8} ~1Wdyx ~1{Wdyx*2} 1Wdyx ~1{Wdyx*16}" },
	{ "64K folio with a hole of 3 pages: split, mapped pages moved",
	  { "0{Wdyx*5 -*3 Wdyx*8}", .prot = RW }, MOVE,
	  "~1Wdyx*5 -*3 ~1Wdyx*8" },
	{ "64K folio, write, dirty, young and exclusive bits differ: moved, bits stay",
	  { "0{Wdyx*4 Rdyx*3 Rdy*3 Wyx*2 Rx*2 Wdx*2}", .prot = RW }, MOVE,
	  "~1{Wdyx*4 Rdyx*3 Rdy*3 Wyx*2 Rx*2 Wdx*2}" },
	{ "64K folio across a page table boundary: moved",
	  { "@-8 0{Wdyx*16}", .prot = RW }, MOVE, "@-8 ~1{Wdyx*16}" },
	{ "PMD-mapped folio: moved, stays PMD-mapped",
	  { "0[Wdyx]", .prot = RW }, MOVE, "~1[Wdyx]" },
	{ "64K shmem folios on both nodes: only the one on the wrong node moved",
	  { "0{Wdy*16} 1{Wdy*16}", PTEBATCH_SHMEM, RW }, MOVE,
	  "~1{Wdy*16} 1{Wdy*16}" },
	{ "MPOL_MF_MOVE, folio shared after a fork: not moved, returns 0",
	  { "0{Wdyx*16}", .prot = RW, .twice = true }, MOVE },
	{ "MPOL_MF_MOVE_ALL, folio shared after a fork: moved",
	  { "0{Wdyx*16}", .prot = RW, .twice = true }, ALL, "~1{Rdy*16}" },
	{ "MPOL_MF_MOVE_ALL, 64K shmem folio mapped twice: moved",
	  { "0{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, ALL,
	  "~1{Wdy*16}" },
	{ "MPOL_MF_MOVE_ALL, small shmem folio mapped twice: moved, counted once, returns 1",
	  { "0Wdy", PTEBATCH_SHMEM, RW, .twice = true }, ALL, "~1Wdy", 1 },
	{ "4 migration entries and a 16K folio: folio moved, returns 4",
	  { "0{Mx*4} 0{Wdyx*4}", .prot = RW }, MOVE, "0{Mx*4} ~1{Wdyx*4}", 4 },
	{ "two 64K folios, the last has an extra reference: not moved, returns 1",
	  { "0{Wdyx*16} 0{Wdyx*16}", .prot = RW }, MOVE,
	  "~1{Wdyx*16} 0{Wdyx*16}", 1, .referenced = true },
	{ "two small folios not on the LRU lists: not moved, returns 2",
	  { "0Wdyx*2", .prot = RW }, MOVE, .ret = 2, .off_lru = true },
	{ "64K folio not on the LRU lists: not moved, returns 16",
	  { "0{Wdyx*16}", .prot = RW }, MOVE, .ret = 16, .off_lru = true,
	  .disputed = true },
	{ "64K folio with a hole, not on the LRU lists: not moved, returns 5",
	  { "0{Wdyx*5 -*3 Wdyx*8}", .prot = RW }, MOVE, .ret = 5,
	  .off_lru = true, .disputed = true },
	{ "PMD-mapped folio not on the LRU lists: not moved, returns 1",
	  { "0[Wdyx]", .prot = RW }, MOVE, .ret = 1, .off_lru = true },
};

KUNIT_ARRAY_PARAM_DESC(migrate_rows, migrate_rows, name);

static void migrate_row(struct kunit *test)
{
	check_row(test, test->param_value, &ptebatch_migrate_pages);
}

#ifdef CONFIG_NUMA
static void put_mm(void *mm)
{
	mmput(mm);
}

/* A process that has unmapped everything. */
static void migrate_nothing(struct kunit *test)
{
	const nodemask_t from = nodemask_of_node(!PTEBATCH_TARGET_NODE);
	const nodemask_t to = nodemask_of_node(PTEBATCH_TARGET_NODE);
	struct mm_struct *mm = ptebatch_mm_alloc();

	KUNIT_ASSERT_NOT_NULL(test, mm);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, put_mm, mm));
	KUNIT_EXPECT_EQ(test, do_migrate_pages(mm, &from, &to, MOVE), 0);
	KUNIT_EXPECT_EQ(test, ptebatch_twin_do_migrate_pages(mm, &from, &to, MOVE), 0);
	KUNIT_EXPECT_FALSE_MSG(test, rwsem_is_locked(&mm->mmap_lock),
			       "mmap_lock is still held");
}
#endif

/* Every order, and the ranges of ptebatch_each_range(). */

static const struct kind {
	const char *name;
} kinds[] = {
	{ "folio, whole and parts in the range: the whole folio moves" },
};

PTEBATCH_ORDER_PARAMS(mbind_order, kinds);

static bool bind_range(struct kunit *test, const void *kind, unsigned int nr,
		       unsigned int from, unsigned int to)
{
	struct policy_row row = {
		.setup = { .prot = RW },
		.flags = MOVE | STRICT,
		.after = ptebatch_draw(test, "~1{Wdyx*%u}", nr),
	};

	row.setup.picture =
		ptebatch_draw(test, "0%s", ptebatch_draw_range(test, nr, from, to,
							       "Wdyx", "Wdyx"));
	return check_row(test, &row, &bind_op);
}

static void mbind_order(struct kunit *test)
{
	ptebatch_each_range(test, bind_range);
}

static struct kunit_case mempolicy_cases[] = {
	KUNIT_CASE_PARAM(mbind_row, bind_rows_gen_params),
	PTEBATCH_CASE_PARAMS(mbind_order),
	KUNIT_CASE_PARAM(migrate_row, migrate_rows_gen_params),
#ifdef CONFIG_NUMA
	KUNIT_CASE(migrate_nothing),
#endif
	{}
};

PTEBATCH_SUITE(mempolicy, mempolicy_cases, PTEBATCH_COHERENT_DEVICE);
