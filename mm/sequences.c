// SPDX-License-Identifier: GPL-2.0
/*
 * Programs: what one operation leaves behind must be right for the next one. After
 * each step, all checks of one operation run, and the reference memory compares the
 * page tables with what user space was promised:
 *
 *	{Wdyx*16}: fork; write 5; child read 5
 *
 * The child reads what the page contained at fork().
 */
#include <kunit/test.h>
#include <linux/mman.h>

#include "../lib/run/program.h"
#include "../lib/run/program_random.h"
#include "../lib/service/khugepaged.h"
#include "../lib/service/ksmd.h"
#include "../lib/service/proc.h"
#include "../lib/service/service.h"
#include "../lib/service/swap.h"

#define RW	(PROT_READ | PROT_WRITE)

static const struct ptebatch_program_case programs[] = {
	{ "64K folio, write after fork(): the child keeps the old page",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	  "fork; write 5; child read; child write 7; read" },
	{ "64K folio swapped out in part, written after fork(): both keep their pages",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	  "pageout 0-7; fork; write 3-10; child read; child exit; read" },
	{ "64K folio freed by MADV_FREE and swapped out: a written page stays",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	  "free; write 4; pageout; read" },
	{ "64K folio, guard pages installed and removed: zeroes",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	  "guard install 2-5; read; guard remove 2-5; read; write 3" },
	{ "64K folio, mlock(), MADV_DONTNEED fails: contents stay",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	  "mlock 4-7; dontneed; read; munlock; dontneed 4-7; read" },
	{ "64K folio, soft-dirty after clear_refs, swap-out and fork(): written pages",
	  { "{Wdysx*16}", .prot = RW, .folios = ON_LRU, .track = true },
	  "clear refs; write 3-5; pageout; fork; child write 8; read" },
	{ "64K folio split, migrated and protected: same contents",
	  { "{Wdyx*16}", .prot = RW, .folios = ON_LRU },
	  "split; migrate; mprotect ro 3-6; write; mprotect rw; write" },
};

KUNIT_ARRAY_PARAM_DESC(programs, programs, name);

static void sequences_random(struct kunit *test)
{
	ptebatch_programs_random(test);
}

static struct kunit_case sequences_cases[] = {
	KUNIT_CASE_PARAM(ptebatch_program_param, programs_gen_params),
	KUNIT_CASE_SLOW(sequences_random),
	{}
};

PTEBATCH_SUITE(sequences, sequences_cases, PTEBATCH_SWAP_SPACE, PTEBATCH_PROC,
	       PTEBATCH_KHUGEPAGED, PTEBATCH_KSMD);
