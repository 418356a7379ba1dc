// SPDX-License-Identifier: GPL-2.0
/*
 * MGLRU does not wait for a page table lock, and gives it up if another CPU waits
 * for it: the walk skips a page table that is locked, and a look-around ends with
 * the folio it began with.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "../lib/arch/arch.h"
#include "../lib/op/op.h"
#include "../lib/op/protect.h"
#include "../lib/op/reference.h"
#include "../lib/run/threads.h"
#include "../lib/service/lru_gen.h"

#define RW	(PROT_READ | PROT_WRITE)

#define TO_READABLE	(&ptebatch_protections[PTEBATCH_TO_READABLE])

static const struct ptebatch_threads rows[] = {
	{ { "look-around, mprotect() waits for the page table: neighbour stays young",
	    { "| {Wdyx*16} {Wdyx*16} |", .prot = RW, .folios = ON_LRU }, "{Rdx*16} {Rdyx*16}",
	    .op = &ptebatch_referenced, .ret = 1 },
	  PTEBATCH_CLEAR_YOUNG, TO_READABLE, .until = PTEBATCH_UNTIL_CONTENDED,
	  .meanwhile_ret = 32 },
	/* 4 of 64 are too few: only the first walk leads to the second. */
	{ { "look-around at 4 PTEs, a walk skips the locked page table: the next walks it",
	    { "| {Wdyx*4} -*64 {Wdyx*16} |", .prot = RW, .folios = ON_LRU },
	    "{Wdx*4} -*64 {Wdx*16}", .op = &ptebatch_referenced, .ret = 1 },
	  PTEBATCH_CLEAR_YOUNG, &ptebatch_walk, .until = PTEBATCH_UNTIL_DONE,
	  .finally = &ptebatch_walk_hot, .becomes_old = true },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, c.name);

static void vmscan_threads(struct kunit *test)
{
	ptebatch_threads_run(test, test->param_value);
}

static struct kunit_case vmscan_threads_cases[] = {
	KUNIT_CASE_PARAM(vmscan_threads, rows_gen_params),
	{}
};

PTEBATCH_SUITE(vmscan_threads, vmscan_threads_cases,
	       PTEBATCH_LRU_GEN, PTEBATCH_SECOND_CPU);
