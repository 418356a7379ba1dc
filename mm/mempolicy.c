// SPDX-License-Identifier: GPL-2.0
/*
 * mbind() and migrate_pages() look for folios that are on the wrong node, to
 * move them, and pass over all entries of a large folio in one go. A folio is
 * moved as a whole, even if the range has only a part of it.
 *
 * The rows of mbind() are judged by pictures, bytes and books alone: a twin
 * would need caches for policies that the kernel's policies do not come from.
 * Those of migrate_pages(), which walks in the same way and says how many folios
 * have failed, have one.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>

#include "internal.h"

#include "../lib/bytes.h"
#include "../lib/syscall.h"
#include "../lib/trial.h"
#include "../lib/twin.h"

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

#define STRICT	MPOL_MF_STRICT
#define MOVE	MPOL_MF_MOVE
#define ALL	MPOL_MF_MOVE_ALL

/* All rows are wanted on this node. */
#define WANTED	1

typedef int (*migrate_t)(struct mm_struct *mm, const nodemask_t *from,
			 const nodemask_t *to, int flags);

/**
 * struct policy_row - a case of mbind() or migrate_pages()
 * @name: of the case
 * @setup: the address space before; the folios are on the LRU lists, if not @off
 * @flags: MPOL_MF_*
 * @after: the row as it shall be then; %NULL: to the bit as it was
 * @ret: what is returned
 * @mode: MPOL_* of mbind(), if not MPOL_BIND
 * @off: the folios are not on the LRU lists
 * @referenced: who knows whom has a reference to the last folio
 */
struct policy_row {
	const char *name;
	struct ptebatch_setup setup;
	unsigned long flags;
	const char *after;
	int ret;
	int mode;
	bool off;
	bool referenced;
};

#ifdef CONFIG_NUMA
PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(mbind));

/* As a user's program would, but for a page of memory for the mask. */
static long bind(struct ptebatch_space *space, const struct policy_row *row)
{
	unsigned long start = ptebatch_addr(space, space->row.from);
	unsigned long end = ptebatch_addr(space, space->row.to);
	struct ptebatch_args args;
	const unsigned long nodes = BIT(WANTED);
	unsigned long mask;
	long ret;

	kthread_use_mm(space->places[0].mm);
	mask = ptebatch_to_user(&nodes, sizeof(nodes));
	if (IS_ERR_VALUE(mask)) {
		ret = mask;
	} else {
		args = ptebatch_args6(start, end - start,
				      row->mode ?: MPOL_BIND, mask,
				      BITS_PER_LONG, row->flags);
		ret = ptebatch_syscall(PTEBATCH_SYSCALL(mbind), &args);
		vm_munmap(mask, PAGE_SIZE);
	}
	kthread_unuse_mm(space->places[0].mm);
	return ret;
}

static const migrate_t migrate_kernel = do_migrate_pages;
static const migrate_t migrate_twin = ptebatch_twin_do_migrate_pages;
#else
static long bind(struct ptebatch_space *space, const struct policy_row *row)
{
	return -EOPNOTSUPP;
}

static const migrate_t migrate_kernel, migrate_twin;
#endif

static int migrate(struct ptebatch_space *space, unsigned long flags,
		   migrate_t how)
{
	nodemask_t from = nodemask_of_node(!WANTED);
	nodemask_t to = nodemask_of_node(WANTED);

	return how(space->places[0].mm, &from, &to, flags);
}

/* A folio moves as a whole: what the call may change is more than its range. */
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

static struct ptebatch_trial *move(struct kunit *test,
				   const struct policy_row *row,
				   const struct ptebatch_setup *setup,
				   const char *who, migrate_t how)
{
	struct ptebatch_trial *trial;
	struct ptebatch_space *space;
	struct folio *last;
	long ret;

	trial = ptebatch_trial_begin(test, who, setup);
	space = trial->space;
	ptebatch_bytes_fill(space);
	last = space->folios[space->row.nr_folios - 1];
	if (row->referenced)
		folio_get(last);
	ret = how ? migrate(space, row->flags, how) : bind(space, row);
	if (row->referenced)
		folio_put(last);
	widen_range(&trial->before.row);
	ptebatch_trial_end(trial);
	if (!row->off)
		ptebatch_trial_on_lists(trial);
	KUNIT_EXPECT_EQ(test, ret, row->ret);
	if (row->after)
		ptebatch_trial_expect(trial, row->after);
	else
		ptebatch_trial_untouched(trial);
	ptebatch_bytes_expect(trial);
	return trial;
}

static struct ptebatch_setup *setup_of(struct kunit *test,
				       const struct policy_row *row)
{
	struct ptebatch_setup *setup;

	if (!IS_ENABLED(CONFIG_NUMA))
		kunit_skip(test, "no NUMA nodes without CONFIG_NUMA");
	if (num_online_nodes() < 2)
		kunit_skip(test, "one NUMA node here");
	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	*setup = row->setup;
	setup->lru = !row->off;
	return setup;
}

static void check_migration(struct kunit *test, const struct policy_row *row)
{
	const struct ptebatch_setup *setup = setup_of(test, row);
	struct ptebatch_trial *kernel, *twin;

	kernel = move(test, row, setup, "do_migrate_pages()", migrate_kernel);
	if (ptebatch_failed(test))
		return;
	twin = move(test, row, setup, "the twin", migrate_twin);
	ptebatch_trial_same(kernel, twin);
}

static const struct policy_row bind_rows[] = {
	{ "64K folio on the wrong node",
	  { "0{Wdyx*16}", .prot = RW }, MOVE, "~1{Wdyx*16}" },
	{ "64K folio on the right node",
	  { "1{Wdyx*16}", .prot = RW }, MOVE },
	{ "preferred node",
	  { "0{Wdyx*16} 1{Wdyx*16}", .prot = RW }, MOVE,
	  "~1{Wdyx*16} 1{Wdyx*16}", .mode = MPOL_PREFERRED },
	{ "small folios of both nodes",
	  { "0Wdyx*3 1Wdyx*2 0Wdyx", .prot = RW }, MOVE,
	  "~1Wdyx*3 1Wdyx*2 ~1Wdyx" },
	{ "folios of mixed orders of both nodes",
	  { "0{Wdyx*4} 1{Wdyx*8} 0Wdyx 0{Wdyx*2} 1Wdyx 0{Wdyx*16}", .prot = RW },
	  MOVE | STRICT, "~1{Wdyx*4} 1{Wdyx*8} ~1Wdyx ~1{Wdyx*2} 1Wdyx ~1{Wdyx*16}" },
	{ "2M folio mapped by page table entries",
	  { "0{Wdyx*T}", .prot = RW }, MOVE | STRICT, "~1{Wdyx*T}" },
	{ "PMD", { "0[Wdyx]", .prot = RW }, MOVE | STRICT, "~1[Wdyx]" },
	{ "shmem", { "0{Wdy*16} 1{Wdy*16}", PTEBATCH_SHMEM, RW },
	  MOVE | STRICT, "~1{Wdy*16} 1{Wdy*16}" },

	/* Where batches end. Folios that are mapped in part are split first. */
	{ "folio with holes",
	  { "0{Wdyx*5 -*3 Wdyx*8}", .prot = RW }, MOVE | STRICT,
	  "~1Wdyx*5 -*3 ~1Wdyx*8" },
	{ "parts of folios",
	  { "0{.*8 Wdyx*8} 0{Wdyx*8 .*8}", .prot = RW }, MOVE | STRICT,
	  "~1Wdyx*16" },
	{ "folios physically side by side",
	  { "1{Wdyx*16} 0{Wdyx*16} 0+{Wdyx*16}", .prot = RW }, MOVE | STRICT,
	  "1{Wdyx*16} ~1{Wdyx*16} ~1{Wdyx*16}" },
	{ "over the edge of a page table",
	  { "@-8 0{Wdyx*16}", .prot = RW }, MOVE | STRICT,
	  "@-8 ~1{Wdyx*16}" },
	{ "part of a folio in the range",
	  { "0{Wdyx*4 | Wdyx*8 | Wdyx*4}", .prot = RW }, MOVE | STRICT,
	  "~1{Wdyx*16}" },
	{ "first page of a folio in the range",
	  { "0{Wdyx*16} | 0{Wdyx | Wdyx*15}", .prot = RW }, MOVE | STRICT,
	  "0{Wdyx*16} ~1{Wdyx*16}" },
	{ "last page of a folio in the range",
	  { "0{Wdyx*15 | Wdyx} | 0{Wdyx*16}", .prot = RW }, MOVE | STRICT,
	  "~1{Wdyx*16} 0{Wdyx*16}" },

	/* Rule 6, and what else an entry knows. */
	{ "pages of all kinds in one folio",
	  { "0{Wdyx*4 Rdyx*3 Rdy*3 Wyx*2 Rx*2 Wdx*2}", .prot = RW }, MOVE,
	  "~1{Wdyx*4 Rdyx*3 Rdy*3 Wyx*2 Rx*2 Wdx*2}" },
	{ "read-only memory", { "0{Rdyx*8 Rdy*8}", .prot = RO }, MOVE,
	  "~1{Rdyx*8 Rdy*8}" },
	{ "soft-dirty in part",
	  { "0{Wdysx*8 Rdyx*8}", .prot = RW, .track = true }, MOVE,
	  "~1{Wdysx*8 Rdyx*8}" },
	{ "uffd-wp in part",
	  { "0{Rdyux*8 Wdyx*8}", .prot = RW, .uffd_wp = true }, MOVE,
	  "~1{Rdyux*8 Wdyx*8}" },
	{ "lazyfree", { "0{Wyxl*16}", .prot = RW }, MOVE, "~1{Wyxl*16}" },
	{ "locked into memory",
	  { "0{Wdyx*16}", .prot = RW, .mlocked = true }, MOVE,
	  "~1{Wdyx*16}" },

	/* What is not moved. */
	{ "strict", { "1{Wdyx*16} 0{Wdyx*16}", .prot = RW }, STRICT,
	  .ret = -EIO },
	{ "strict, part of a folio",
	  { "1{Wdyx*16} 0{Wdyx*15 | Wdyx} | 1Wdyx", .prot = RW }, STRICT,
	  .ret = -EIO },
	{ "strict, a small folio",
	  { "1{Wdyx*16} 0Wdyx", .prot = RW }, STRICT, .ret = -EIO },
	{ "strict, all on the right node",
	  { "0{Wdyx*15 Wdyx} | 1{Wdyx*16} 1Wdyx | 0Wdyx", .prot = RW }, STRICT },
	{ "strict, a PMD", { "0[Wdyx]", .prot = RW }, STRICT, .ret = -EIO },
	{ "not asked to move anything", { "0{Wdyx*16}", .prot = RW }, 0 },
	{ "shared after a fork",
	  { "0{Wdyx*16}", .prot = RW, .twice = true }, MOVE },
	{ "shared after a fork, strict",
	  { "0{Wdyx*16}", .prot = RW, .twice = true }, MOVE | STRICT },
	{ "shared after a fork, all",
	  { "0{Wdyx*16}", .prot = RW, .twice = true }, ALL | STRICT,
	  "~1{Rdy*16}" },
	{ "shmem mapped twice, all",
	  { "0{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, ALL | STRICT,
	  "~1{Wdy*16}" },
	{ "not on the LRU lists",
	  { "0{Wdyx*16}", .prot = RW }, MOVE, .off = true },
	{ "not on the LRU lists, strict",
	  { "0{Wdyx*16}", .prot = RW }, MOVE | STRICT, .ret = -EIO,
	  .off = true },
	{ "referenced",
	  { "0{Wdyx*16} 1{Wdyx*16} 0{Wdyx*16}", .prot = RW }, MOVE,
	  "~1{Wdyx*16} 1{Wdyx*16} 0{Wdyx*16}", .referenced = true },
	{ "referenced, strict",
	  { "0{Wdyx*16} 1{Wdyx*16} 0{Wdyx*16}", .prot = RW }, MOVE | STRICT,
	  "~1{Wdyx*16} 1{Wdyx*16} 0{Wdyx*16}", -EIO, .referenced = true },
	{ "what maps no page",
	  { "0{Wdyx*4} -*3 G P 0{Wdyx*4}", .prot = RW }, MOVE | STRICT,
	  "~1{Wdyx*4} -*3 G P ~1{Wdyx*4}" },
	{ "strict, what maps no page",
	  { "1{Wdyx*4} -*3 G P 1{Wdyx*4}", .prot = RW }, STRICT },
	{ "migration entries",
	  { "0{Mx*16} 0{Wdyx*16}", .prot = RW }, MOVE,
	  "0{Mx*16} ~1{Wdyx*16}" },
	{ "migration entries, strict",
	  { "1{Mx*16} 1{Wdyx*16}", .prot = RW }, STRICT, .ret = -EIO },
};

KUNIT_ARRAY_PARAM_DESC(bind_rows, bind_rows, name);

static void mbind_row(struct kunit *test)
{
	const struct policy_row *row = test->param_value;

	move(test, row, setup_of(test, row), "mbind()", NULL);
}

/* What is returned is the number of folios that are where they were. */
static const struct policy_row migrate_rows[] = {
	{ "64K folio", { "0{Wdyx*16}", .prot = RW }, MOVE, "~1{Wdyx*16}" },
	{ "folios of mixed orders of both nodes",
	  { "0{Wdyx*4} 1{Wdyx*8} 0Wdyx 0{Wdyx*2} 1Wdyx 0{Wdyx*16}", .prot = RW },
	  MOVE, "~1{Wdyx*4} 1{Wdyx*8} ~1Wdyx ~1{Wdyx*2} 1Wdyx ~1{Wdyx*16}" },
	{ "folio with holes",
	  { "0{Wdyx*5 -*3 Wdyx*8}", .prot = RW }, MOVE,
	  "~1Wdyx*5 -*3 ~1Wdyx*8" },
	{ "pages of all kinds in one folio",
	  { "0{Wdyx*4 Rdyx*3 Rdy*3 Wyx*2 Rx*2 Wdx*2}", .prot = RW }, MOVE,
	  "~1{Wdyx*4 Rdyx*3 Rdy*3 Wyx*2 Rx*2 Wdx*2}" },
	{ "over the edge of a page table",
	  { "@-8 0{Wdyx*16}", .prot = RW }, MOVE, "@-8 ~1{Wdyx*16}" },
	{ "PMD", { "0[Wdyx]", .prot = RW }, MOVE, "~1[Wdyx]" },
	{ "shmem", { "0{Wdy*16} 1{Wdy*16}", PTEBATCH_SHMEM, RW }, MOVE,
	  "~1{Wdy*16} 1{Wdy*16}" },
	{ "shared after a fork",
	  { "0{Wdyx*16}", .prot = RW, .twice = true }, MOVE },
	{ "shared after a fork, all",
	  { "0{Wdyx*16}", .prot = RW, .twice = true }, ALL, "~1{Rdy*16}" },
	{ "referenced",
	  { "0{Wdyx*16} 0{Wdyx*16}", .prot = RW }, MOVE,
	  "~1{Wdyx*16} 0{Wdyx*16}", 1, .referenced = true },
	{ "small folio not on the LRU lists",
	  { "0Wdyx*2", .prot = RW }, MOVE, .ret = 2, .off = true },
	{ "64K folio not on the LRU lists",
	  { "0{Wdyx*16}", .prot = RW }, MOVE, .ret = 1, .off = true },
	{ "folio with a hole not on the LRU lists",
	  { "0{Wdyx*5 -*3 Wdyx*8}", .prot = RW }, MOVE, .ret = 1,
	  .off = true },
	{ "PMD not on the LRU lists",
	  { "0[Wdyx]", .prot = RW }, MOVE, .ret = 1, .off = true },
};

KUNIT_ARRAY_PARAM_DESC(migrate_rows, migrate_rows, name);

static void migrate_row(struct kunit *test)
{
	check_migration(test, test->param_value);
}

/* Every order, every kind of range. */

#define ORDERS	10	/* 0 to 9 */

static const void *orders_gen_params(struct kunit *test, const void *prev,
				     char *desc)
{
	static unsigned int order;

	order = prev ? order + 1 : 0;
	if (order == ORDERS)
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "order %u", order);
	return &order;
}

static void bind_range(struct kunit *test, unsigned int nr, unsigned int from,
		       unsigned int to)
{
	char before[64], marked[68], after[64];
	struct ptebatch_trial *trial;
	struct policy_row *row;

	if (from >= to || ptebatch_failed(test))
		return;
	row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, row);
	ptebatch_row_of_folio(before, sizeof(before), nr, from, to, "Wdyx",
			      "Wdyx");
	snprintf(marked, sizeof(marked), "0%s", before);
	snprintf(after, sizeof(after), "~1{Wdyx*%u}", nr);
	row->setup = (struct ptebatch_setup) { marked, .prot = RW };
	row->flags = MOVE | STRICT;
	row->after = after;
	trial = move(test, row, setup_of(test, row), "mbind()", NULL);
	ptebatch_trial_release(trial);
}

static void mbind_order(struct kunit *test)
{
	unsigned int nr = 1U << *(const unsigned int *)test->param_value;

	bind_range(test, nr, 0, nr);
	bind_range(test, nr, 0, nr / 2);
	bind_range(test, nr, nr / 2, nr);
	if (nr < 4)
		return;
	bind_range(test, nr, 1, nr - 1);
	bind_range(test, nr, nr / 2 - 1, nr / 2 + 1);
}

static struct kunit_case mempolicy_cases[] = {
	KUNIT_CASE_PARAM(mbind_row, bind_rows_gen_params),
	KUNIT_CASE_PARAM(mbind_order, orders_gen_params),
	KUNIT_CASE_PARAM(migrate_row, migrate_rows_gen_params),
	{}
};

static struct kunit_suite mempolicy_suite = {
	.name = "ptebatch_mempolicy",
	.test_cases = mempolicy_cases,
};

kunit_test_suite(mempolicy_suite);
