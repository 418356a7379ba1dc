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
#include <linux/userfaultfd_k.h>

#include "../lib/run/program.h"
#include "../lib/run/program_random.h"
#include "../lib/service/khugepaged.h"
#include "../lib/service/ksmd.h"
#include "../lib/service/proc.h"
#include "../lib/service/service.h"
#include "../lib/service/swap.h"

#define RW	(PROT_READ | PROT_WRITE)

#define ANON(picture)	{ picture, PTEBATCH_ANON, RW, .folios = ON_LRU }
#define SHMEM(picture)	{ picture, PTEBATCH_SHMEM, RW, .folios = ON_LRU }
#define FILE(picture)	{ picture, PTEBATCH_FILE, RW, .folios = ON_LRU }
#define PRIVATE(picture) { picture, PTEBATCH_PRIVATE_FILE, RW, .folios = ON_LRU }
/* Soft-dirty is tracked. */
#define TRACKED(picture) { picture, PTEBATCH_ANON, RW, .folios = ON_LRU, .track = true }
/* Registered for write protection. */
#define UFFD_ANON(picture) \
	{ picture, PTEBATCH_ANON, RW, .folios = ON_LRU, .uffd = UFFD_WP }
#define UFFD_SHMEM(picture) \
	{ picture, PTEBATCH_SHMEM, RW, .folios = ON_LRU, .uffd = UFFD_WP }
#define UFFD_PRIVATE(picture) \
	{ picture, PTEBATCH_PRIVATE_FILE, RW, .folios = ON_LRU, .uffd = UFFD_WP }
/* Until fork() or mremap(). */
#define UFFD_NO_EVENTS(picture) \
	{ picture, PTEBATCH_ANON, RW, .folios = ON_LRU, .uffd = UFFD_WP | NO_REMAP_EVENT }
#define UFFD_NO_EVENTS_SHMEM(picture) \
	{ picture, PTEBATCH_SHMEM, RW, .folios = ON_LRU, .uffd = UFFD_WP | NO_REMAP_EVENT }
/* A write ends the protection. */
#define UFFD_ASYNC(picture) \
	{ picture, PTEBATCH_ANON, RW, .folios = ON_LRU, .uffd = UFFD_WP_ASYNC }
#define UFFD_ASYNC_SHMEM(picture) \
	{ picture, PTEBATCH_SHMEM, RW, .folios = ON_LRU, .uffd = UFFD_WP_ASYNC }
#define UFFD_TRACKED(picture) \
	{ picture, PTEBATCH_ANON, RW, .folios = ON_LRU, .track = true, .uffd = UFFD_WP }

static const struct ptebatch_program_case programs[] = {
	/* What each step promises. */
	{ "64K folio, write after fork(): the child keeps the old contents",
	  ANON("{Wdyx*16}"), "fork; write 5; child read; child write 7; read" },
	{ "64K folio swapped out in part, fork(), write: each process has its contents",
	  ANON("{Wdyx*16}"), "pageout 0-7; fork; write 3-10; child read; child exit; read" },
	{ "64K folio, MADV_FREE, write to one page, swap-out: this page keeps its contents",
	  ANON("{Wdyx*16}"), "free; write 4; pageout; read" },
	{ "64K folio, guard pages installed and removed: zeroes",
	  ANON("{Wdyx*16}"), "guard install 2-5; read; guard remove 2-5; read; write 3" },
	{ "64K folio, MADV_DONTNEED of mlocked pages: -EINVAL, contents stay",
	  ANON("{Wdyx*16}"), "mlock 4-7; dontneed; read; munlock; dontneed 4-7; read" },
	{ "mlocked pages, fork(): those of the child are not mlocked",
	  ANON("{Wdyx*16}"), "mlock; fork; child dontneed; child read; read" },
	{ "adjacent ranges, mprotect() to read-only and to none: two VMAs",
	  ANON("{Wdyx*16}"), "mprotect ro 4-7; mprotect none 8-11; read; write" },
	{ "64K shmem folio, hole: zeroes in both processes",
	  SHMEM("{Wdy*16}"), "fork; hole 3-6; child read; write 4; child read" },
	{ "64K folio of a private file, write, MADV_DONTNEED: contents of the file again",
	  PRIVATE("{Ry*16}"), "write 3-5; fork; dontneed 4; read; child read" },

	{ "64K folio, half of it mapped anew: zeroes there",
	  ANON("{Wdyx*16}"), "fork; mmap 8-15; read; write 9; child read" },
	{ "64K folio moved, mapped where it was: the next move unmaps that",
	  ANON("{Wdyx*16}"), "mlock; move dontunmap; write 3; munlock; move; read" },
	{ "64K folio, mremap() to its first half, and back to all: zeroes in the second",
	  ANON("{Wdyx*16}"), "mprotect ro; resize 8; read; mprotect rw; write 7-8" },
	{ "64K shmem folio, mremap() to its first half, and back to all: its contents",
	  SHMEM("{Wdy*16}"), "resize 8; read; write 7-8; read" },
	{ "64K shmem folio, file truncated: zeroes from there on, in both processes",
	  SHMEM("{Wdy*16}"), "fork; truncate 7; child read; write 7; child read" },

	{ "64K folio, PAGEMAP_SCAN, two pages written: it finds these",
	  UFFD_ASYNC("{Wdyx*16}"), "scan; write 5-6; read; scan; scan" },
	{ "PMD, PAGEMAP_SCAN, two pages written: it finds these",
	  UFFD_ASYNC("[Wdyx]"), "scan; write 5-6; scan" },
	{ "PMD, PAGEMAP_SCAN of a part of it: it finds each page once",
	  UFFD_ASYNC("[Wdyx]"), "scan 3-7; scan 5-9" },
	{ "holes, PAGEMAP_SCAN, large folios enabled: it finds the page that was written",
	  UFFD_ASYNC("-*16"), "scan; read 0-7; thp write 5; scan" },
	{ "64K folio, PAGEMAP_SCAN, swapped out: it finds the page that was written",
	  UFFD_ASYNC("{Wdyx*16}"), "scan 0-7; pageout; read 5; thp write 6; scan" },
	{ "64K folio, PAGEMAP_SCAN, MADV_DONTNEED: it finds the pages that have lost contents",
	  UFFD_ASYNC("{Wdyx*16}"),
	  "scan; dontneed 3-4; scan; guard install 5; guard remove 5; scan" },
	{ "64K shmem folio, PAGEMAP_SCAN, MADV_DONTNEED: it finds the page that was written",
	  UFFD_ASYNC_SHMEM("{Wdy*16}"), "scan; dontneed 3-4; write 3; read; scan" },
	{ "64K folio, PAGEMAP_SCAN, fork(), write: it finds that of the parent",
	  UFFD_ASYNC("{Wdyx*16}"), "scan; fork; write 3; child write 4; scan; child scan" },

	{ "64K folio, half of it is not registered any more: writes without an event there",
	  UFFD_NO_EVENTS("{Wdyx*16}"),
	  "uffd protect; uffd unregister 8-15; write 8; uffd register; uffd protect 8; write" },
	{ "64K folio, half of it is not registered, mmap() beside that: the half stays so",
	  UFFD_NO_EVENTS("{Wdyx*16}"), "uffd unregister 8-15; mmap 4-7; uffd protect 8; write 8" },
	{ "PMD, PAGEMAP_SCAN, one page is not registered: -EPERM there, then it is written",
	  UFFD_ASYNC("[Wdyx]"), "uffd unregister 7; scan; uffd register; scan" },
	{ "64K folio, the first half is registered: PAGEMAP_SCAN ends with -EPERM behind it",
	  UFFD_ASYNC("{Wdyx*16}"), "uffd unregister; uffd register 0-7; scan 4-11; write" },
	{ "shmem pages swapped out, UFFDIO_UNREGISTER: swap entries are not write-protected",
	  UFFD_NO_EVENTS_SHMEM("Wdy*8"), "uffd protect; pageout 0-3; uffd unregister; write" },
	/* A write would also show that contents differ. */
	{ "64K folio, uffd-wp, swapped out, one page read: it is still write-protected",
	  UFFD_ANON("{Wdyx*16}"), "uffd protect; pageout; read 2" },

	{ "64K folio, UFFDIO_MOVE, swapped out, migrated: the rmap finds its pages",
	  ANON("{Wdyx*16}"), "uffd move; pageout; read; migrate; uffd move; reclaim; read" },
	{ "pages swapped out, UFFDIO_MOVE: swapped in where they are now",
	  ANON("Wdyx*4"), "pageout; uffd move; read 0-1; uffd move; pageout; read" },
	{ "folio of two processes, UFFDIO_MOVE, write: each has its contents",
	  ANON("{Wdyx*16}"), "fork; write 3-5; uffd move; write 4; child uffd move; child read" },
	{ "PMD, UFFDIO_MOVE, written, split: its contents",
	  ANON("[Wdyx]"), "uffd move; write 5; split; uffd move; read 0-15" },
	{ "64K folio in three VMAs, UFFDIO_MOVE of those that can be written: contents",
	  ANON("{Wdyx*16}"), "mprotect ro 4-7; uffd move; read; mprotect rw; write 5; uffd move" },

	{ "64K folio, idle, one page read: it is not idle any more",
	  ANON("{Wdyx*16}"), "idle; read 5; idle; idle" },
	{ "64K folio, idle, one page read, migrated, moved: it is not idle any more",
	  ANON("{Wdyx*16}"), "idle; read 5; migrate; move; mprotect ro 4-7; idle" },
	{ "64K folio, idle, one page read, split: that page is not idle any more",
	  ANON("{Wdyx*16}"), "idle; read 5; split; idle; fork; child read 3; idle" },
	{ "64K shmem folio, idle, one page read, MADV_DONTNEED: it is not idle for the child",
	  SHMEM("{Wdy*16}"), "fork; child read; idle; read 5; dontneed; child idle" },
	{ "PMD, idle, one page read, split: its pages are not idle any more",
	  ANON("[Wdyx]"), "idle; read 5; mprotect ro 7; idle" },

	{ "pinned page, fork(), write: it stays the page of the parent",
	  ANON("{Wdyx*16}"), "pin 5; fork; write 5; child read; child write 5; read" },
	{ "page pinned by the child, write in both processes: each has its own",
	  ANON("{Wdyx*16}"), "fork; child pin 5; write 5; child write 5; child read 4-6" },
	{ "pinned page, swap-out, migration, split, KSM, collapse: it stays",
	  ANON("Wdyx*16"), "equal; pin 5; pageout; migrate; split 5; ksm; khugepaged; write 5" },
	{ "pinned page, MADV_DONTNEED, write: another page",
	  ANON("{Wdyx*16}"), "pin 5; dontneed; write 5; read; pin 3; pageout; read" },
	{ "pinned page of a private file: a copy",
	  PRIVATE("{Ry*16}"), "pin 5; fork; child write 5; write 5; read" },
	{ "64K folio swapped out and in as a whole, fork(), write: each process has its contents",
	  ANON("{Wdyx*16}"), "pageout; thp read 3; fork; write 5; child read" },
	{ "pages swapped out, swapped in by the child first: the rmap finds both mappings",
	  ANON("Wdyx*4"), "pageout; fork; child read; read; migrate; read" },
	{ "folio collapsed, one page mlocked, the others reclaimed: swapped in again",
	  ANON("Wdyx*T"), "collapse; mlock 15; reclaim 0-15; read 0-15" },
	{ "zero pages of KSM, collapsed: counts",
	  ANON("Wdyx*T"), "zero 0-3; ksm; collapse; read 0-15" },
	{ "KSM page written: not a KSM page any more",
	  ANON("Wdyx*4"), "equal; ksm; write 1; ksm; dontneed 2; write 1; ksm; read" },
	{ "64K shmem folio swapped in, not written, swapped out again: its contents",
	  SHMEM("{Wdy*16}"), "pageout; read; pageout; read" },
	{ "64K shmem folio, hole while it is swapped out: zeroes there",
	  SHMEM("{Wdy*16}"), "pageout; hole 3-6; read" },
	{ "0038: 64K shmem folio, file truncated in its middle while it is swapped out: returns",
	  SHMEM("{Wdy*16}"), "pageout; truncate 7; read" },
	{ "shmem pages, hole while they are swapped out: zeroes there",
	  SHMEM("Wdy*8"), "pageout; hole 2-5; read" },
	{ "64K shmem folio migrated, swapped out: its contents",
	  SHMEM("{Wdy*16}"), "mprotect ro; dontneed; read; migrate; pageout; read" },
	{ "64K shmem folio split, swapped out: its contents",
	  SHMEM("{Wdy*16}"), "mprotect ro; dontneed; read; split; read; pageout; read" },
	{ "shmem pages collapsed, swapped out: their contents",
	  SHMEM("Wdy*T"),
	  "mprotect ro; collapse; split; read 0-15; pageout 0-15; read 0-15" },

	{ "shmem, VMA split and merged: each page at its offset",
	  SHMEM("Wdy*16"),
	  "dontneed; mprotect ro 0-3; mprotect ro 4-7; read; dontneed; mprotect rw 6-7; read" },
	{ "shmem, guard page, its VMA merged with another one: the child has it, too",
	  SHMEM("Wdy*16"),
	  "mprotect ro 8-15; guard install 9; mprotect rw 8-15; fork; child read" },
	{ "KSM page in the swap cache, poisoned: it cannot be read where it is not mapped",
	  ANON("Wdyx*4"), "equal; ksm; reclaim; thp read 3; poisoned read" },
	{ "KSM pages swapped out and in: the rmap finds each page",
	  ANON("Wdyx*4"), "equal; ksm; reclaim; read; migrate; read" },
	{ "page pinned, write-protected by PAGEMAP_SCAN, written: it stays the pinned page",
	  UFFD_ASYNC("Wdyx*4"), "pin 1; scan; write 1; read" },
	{ "mlocked page, guard pages: refused", ANON("Wdyx*4"), "mlock 1; guard install; read" },
	{ "pages sampled by DAMON, one read: the others are idle",
	  ANON("Wdyx*4"), "damon; read 2; damon; read" },
	{ "written copies of a file's pages unmapped, pages mapped by fault-around: idle",
	  PRIVATE("Rdy*8"), "fork; child damon; write; resize 1; read 7; damon" },

	/* Bugs of several steps that mainline has corrected: commit, release. */
	{ "29f40594a281 (7.0): lazyfree folio, half of it written: not writable after reclaim",
	  ANON("{Wdyx*16}"), "fork; child exit; write 0-7; free; write 3; pageout" },
	{ "9658d698a8a8 (6.18): folio of zeroes, split: still soft-dirty",
	  TRACKED("{Wdysx*16}"), "zero; clear refs; zero 3; ksm; read" },
	{ "055267feaecc (6.9): pages not written, migrated: not soft-dirty",
	  TRACKED("{Wdysx*16}"), "clear refs; write 3; migrate; split; migrate" },
	{ "51d3d5eb74ff (6.2): uffd-wp shmem, mprotect() to none and back: a write faults",
	  UFFD_SHMEM("{Wdy*16}"), "uffd protect; mprotect none; mprotect rw; write 5" },
	{ "51d3d5eb74ff (6.2): uffd-wp shmem, migrated: a write faults",
	  UFFD_SHMEM("{Wdy*16}"), "uffd protect; migrate; write 5" },
	{ "f1eb1bacfba9 (6.2): uffd-wp marker of shmem, read fault: a write faults",
	  UFFD_SHMEM("Wdy*4"), "uffd protect; dontneed 1; read 1; write 1" },
	{ "f8572367eaff (6.9): uffd-wp page of a private file, zapped: a write faults",
	  UFFD_PRIVATE("Ry*4"), "uffd protect; dontneed 1; write 1; read" },
	{ "fc346d0a70a1 (6.7): folio in the swap cache, migrated: the child swaps it in",
	  ANON("{Wdyx*16}"), "pageout; fork; thp read; migrate; child read" },
	{ "60cf233b585c (6.14): shmem folio migrated, split: the file has its contents",
	  SHMEM("{Wdy*16}"), "migrate; dontneed; read; split; write 5; read" },
	{ "71e2d666ef85 (6.1): folio in the swap cache, split: swapped in again",
	  ANON("{Wdyx*16}"), "mlock 15; reclaim; split 15; read; write 9" },
	/* If a VMA is registered with userfaultfd, shmem swaps pages in one by one. */
	{ "058313515d5a (6.14): shmem folio swapped out, one page read: the others are kept",
	  UFFD_SHMEM("{Wdy*16}"), "pageout; read 5; read" },
	{ "d60fcaf00d75 (6.13): large shmem folios collapsed: counts",
	  SHMEM("{Wdy*16}*T/16"), "write 5; collapse; dontneed; read 3-8" },
	{ "e8c716bc6812 (6.5): shmem pages swapped out, collapse: all pages",
	  SHMEM("Wdy*T"), "pageout 3; pageout 64-71; collapse; read" },
	{ "db44c658f798 (6.8): PMD of a file written and split: dirty_folio() is called",
	  FILE("[Wdy]"), "mlock 0; read 4-6" },
	{ "e4e3df290f65 (6.8): file page written and zapped: dirty_folio() is called",
	  FILE("{Ry*16}"), "fork; child write 5; child exit; dontneed; read 5" },
	{ "939080834fef (7.0): PMD-mapped folio of two processes, split: both have its pages",
	  ANON("[Wdyx]"), "fork; split; child write 5; write 7; read" },
	{ "7262f208ca68 (6.10): partially mapped folio, migrated: the mapped pages",
	  ANON("{Wdyx*16}"), "dontneed 8-15; migrate; read 0-7; write 9" },
	{ "a2e0c0668a34 (7.1): folio collapsed, migrated: in the deferred split queue",
	  ANON("Wdyx*T"), "collapse; migrate; dontneed 0-7; read 0-15" },
	{ "04d1c9d60c6e (6.18): half of a folio written, mremap(): the rest is not writable",
	  ANON("{Wdyx*16}"), "fork; child exit; write 0-7; move; fork; write 9; child read" },
	{ "4d6fc29f3634 (6.18): KSM pages, fork(): counts",
	  ANON("Wdyx*4"), "equal; ksm; fork; child write 0; child exit; write 1" },
	{ "4d6fc29f3634 (6.18): zero pages of KSM, fork(): counts",
	  ANON("Wdyx*4"), "zero; ksm; fork; child exit; dontneed; read" },

	/* Bugs of several steps that mm/series/fixes corrects. */
	{ "0002: folio that is dirty, not soft-dirty, mprotect(): no page is soft-dirty",
	  TRACKED("{Wdysx*16}"), "clear refs; mprotect ro; mprotect rw" },
	{ "0003: PMD that is not soft-dirty, split: no page is soft-dirty",
	  TRACKED("[Wdysx]"), "clear refs; mprotect ro 0; mprotect rw 0" },
	{ "0003: PMD that is not soft-dirty, migrated: no page is soft-dirty",
	  TRACKED("[Wdysx]"), "clear refs; migrate; write 5" },
	{ "0005: guard pages over uffd-wp markers: installed",
	  UFFD_SHMEM("{Wdy*16}"), "uffd protect 0-3; guard install; guard remove; write 0" },
	{ "0006: whole page table moved: each page is soft-dirty",
	  TRACKED("Wdysx*T"), "clear refs; move; write 3" },
	{ "0014: huge zero PMD moved, split: each page is soft-dirty",
	  TRACKED("[Wdysx]"), "dontneed; thp read 0; move; mprotect ro 0; read 0-1" },
	{ "0015: mremap() that fails halfway: a write faults",
	  UFFD_NO_EVENTS("@-8 {Wdyx*16}"), "uffd protect; move fails; write" },
	{ "0018: page written, mprotect() to read-only, khugepaged: still soft-dirty",
	  TRACKED("Wdysx*16 -*T-16"),
	  "clear refs; write 0-15; mprotect ro; khugepaged; read 0-15" },
	{ "0020: folio in the swap cache, one page poisoned: the others can be read",
	  ANON("{Wdyx*16}"),
	  "fork; reclaim; child thp read 0; poisoned read 5-9; poisoned read 4" },
	{ "0021: folio migrated: not split as a partially mapped one",
	  ANON("{Wdyx*16}"), "migrate; pageout; read" },
	{ "0023: page written, merged by KSM: still soft-dirty",
	  TRACKED("Wdysx*4"), "clear refs; equal; ksm; read" },
	{ "0023: uffd-wp page merged by KSM: a write faults",
	  UFFD_ANON("Wdyx*4"), "equal; uffd protect 1; ksm; write" },
	/* The last mapping would be clean: reclaim would drop the page. */
	{ "0035: KSM page, MADV_FREE, merged with another page: that one keeps its contents",
	  ANON("Wdyx*4"), "equal 0-1; ksm; dontneed 1; free 0; equal 2; ksm" },
	{ "0037: clean copies of KSM pages, fork(), MADV_FREE: those of the child stay",
	  ANON("Wdyx*4"), "equal; ksm; move; fork; free; dontneed; child reclaim; child read" },
	/* Rule 10: arm64 warns of present entries that change, and are not young then. */
	{ "0039: old folio, PAGEMAP_SCAN, write: the kernel does not warn",
	  UFFD_ASYNC("{Wdyx*16}"), "cold; scan; write 5" },
	{ "0064: shmem folio, one page poisoned and read: a guard page beside it stays",
	  SHMEM("{Wdy*16}"), "dontneed; guard install 12; poisoned read 9; read 8-10" },
	{ "0064: uffd-wp shmem folio, one page poisoned and read: writes to the others fault",
	  UFFD_SHMEM("{Wdy*16}"), "uffd protect 0-7; dontneed 8-15; poisoned read 9; write 0-3" },
	{ "0046: shmem, guard page, merged with a VMA that lost its name: the child has it, too",
	  SHMEM("Wdy*16"), "name 8-15; guard install 3; unname 8-15; fork; child read" },
	{ "0046: shmem, its VMA merged with a named one that has a guard page: the child has it",
	  SHMEM("Wdy*16"), "name 0-7; guard install 3; name 8-15; fork; child read" },
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
