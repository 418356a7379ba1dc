// SPDX-License-Identifier: GPL-2.0
/*
 * change_protection() changes the entries of a large folio in batches;
 * mprotect_fixup() splits or merges the VMA and calls change_protection().
 *
 * Each row runs three times, each time in a new address space of its own:
 * mprotect_fixup(), change_protection() on a part of a VMA, and the twin of
 * change_protection(), which changes one entry at a time.
 */
#include "../lib/arch/tlb.h"

#include <kunit/test.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/topology.h>
#include <uapi/linux/userfaultfd.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/check/rules.h"
#include "../lib/kernel/counter.h"
#include "../lib/kernel/device.h"
#include "../lib/kernel/process.h"
#include "../lib/kernel/syscall.h"
#include "../lib/op/protect.h"
#include "../lib/run/orders.h"
#include "../lib/run/rows.h"
#include "../lib/space/pte.h"
#include "../lib/space/folio.h"
#include "../lib/twin/twin.h"

#define NONE	PROT_NONE
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)
#define RX	(PROT_READ | PROT_EXEC)

/**
 * struct mprotect_row - a case of mprotect()
 * @name: name of the case
 * @setup: the address space before mprotect()
 * @to: new protection of the row's range
 * @after: the row expected after mprotect()
 * @pkey: new protection key of the row's range, 0: the old one
 */
struct mprotect_row {
	const char *name;
	struct ptebatch_setup setup;
	unsigned long to;
	const char *after;
	unsigned int pkey;
};

static bool check_row(struct kunit *test, const struct ptebatch_setup *setup,
		      unsigned long to, unsigned int pkey, const char *after)
{
	enum ptebatch_protection_id id =
		to & PROT_WRITE ? PTEBATCH_TO_WRITABLE :
		to & PROT_READ ? PTEBATCH_TO_READABLE : PTEBATCH_TO_NONE;
	struct ptebatch_op op = ptebatch_fixups[id];
	const struct ptebatch_run run = {
		.op = &op, .setup = setup, .after = after,
	};
	const char *missing;

	op.prot = to;
	op.pkey = pkey;
	missing = ptebatch_op_missing(&op);
	if (missing)
		kunit_skip(test, "%s", missing);
	if (!ptebatch_row_run(test, &run))
		return false;
	op = ptebatch_protections[id];
	op.prot = to;
	op.pkey = pkey;
	return ptebatch_row_run(test, &run);
}

static const struct mprotect_row rows[] = {
	/* The page table disappears before it is locked. */
	{ "corrupt PMD: cleared and reported, no entry becomes read-only",
	  { "{Wdyx*16}", .prot = RW, .bad_pmd = true }, RO, "{Wdyx*16}" },
	{ "corrupt PMD, next page table: only its entries become read-only",
	  { "@-4 {Wdyx*16}", .prot = RW, .bad_pmd = true }, RO,
	  "@-4 {Wdyx*4 Rdyx*12}" },

	/* The PMD changes before the page table is locked. */
	{ "PMD changes before the lock: looked at again, all entries become read-only",
	  { "{Wdyx*16}", .prot = RW, .lost_in = "pte_offset_map_lock" }, RO,
	  "{Rdyx*16}" },

	/* Whole folios; a shared page is one that is not AnonExclusive. */
	{ "64K folio to read-only: all entries become read-only",
	  { "{Wdyx*16}", .prot = RW }, RO, "{Rdyx*16}" },
	{ "64K folio to writable: all entries become writable",
	  { "{Rdyx*16}", .prot = RO }, RW, "{Wdyx*16}" },
	{ "64K folio to no access: all entries become PROT_NONE",
	  { "{Wdyx*16}", .prot = RW }, NONE, "{Ndyx*16}" },
	{ "64K folio from no access to writable: all entries become writable",
	  { "{Ndyx*16}", .prot = NONE }, RW, "{Wdyx*16}" },
	{ "64K folio from no access to read-only: all entries become read-only",
	  { "{Ndyx*16}", .prot = NONE }, RO, "{Rdyx*16}" },
	{ "shared 64K folio to writable: all entries stay read-only",
	  { "{Rdy*16}", .prot = RO }, RW, "{Rdy*16}" },
	{ "shared 64K folio from no access to writable: all entries become read-only",
	  { "{Ndy*16}", .prot = NONE }, RW, "{Rdy*16}" },

	/* Rule 11, to writable: only runs of exclusive pages become writable. */
	{ "64K folio, second half shared: first half becomes writable",
	  { "{Rdyx*8 Rdy*8}", .prot = RO }, RW, "{Wdyx*8 Rdy*8}" },
	{ "64K folio, first half shared: second half becomes writable",
	  { "{Rdy*8 Rdyx*8}", .prot = RO }, RW, "{Rdy*8 Wdyx*8}" },
	{ "64K folio, first page shared: all other pages become writable",
	  { "{Rdy Rdyx*15}", .prot = RO }, RW, "{Rdy Wdyx*15}" },
	{ "64K folio, last page shared: all other pages become writable",
	  { "{Rdyx*15 Rdy}", .prot = RO }, RW, "{Wdyx*15 Rdy}" },
	{ "64K folio, only page 7 exclusive: page 7 becomes writable",
	  { "{Rdy*7 Rdyx Rdy*8}", .prot = RO }, RW, "{Rdy*7 Wdyx Rdy*8}" },
	{ "32K folio, every other page shared: exclusive pages become writable",
	  { "{Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy}", .prot = RO }, RW,
	  "{Wdyx Rdy Wdyx Rdy Wdyx Rdy Wdyx Rdy}" },
	{ "64K folio, shared runs of 1, 2 and 3 pages: exclusive pages become writable",
	  { "{Rdy Rdyx Rdy*2 Rdyx*2 Rdy*3 Rdyx*3 Rdyx*4}", .prot = RO }, RW,
	  "{Rdy Wdyx Rdy*2 Wdyx*2 Rdy*3 Wdyx*7}" },
	{ "exclusivity changes at both ends of the range: exclusive run in it becomes writable",
	  { "{Rdy*2 | Rdyx*6 Rdy*4 | Rdyx*4}", .prot = RO }, RW,
	  "{Rdy*2 Wdyx*6 Rdy*4 Rdyx*4}" },
	{ "64K folio, exclusive and clean, to writable: all entries become writable",
	  { "{Ryx*16}", .prot = RO }, RW, "{Wyx*16}" },
	{ "64K folio, shared and clean, to writable: all entries stay read-only",
	  { "{Ry*16}", .prot = RO }, RW, "{Ry*16}" },
	{ "shared range between exclusive pages: all entries stay read-only",
	  { "{Rdyx | Rdy*14 | Rdyx}", .prot = RO }, RW, "{Rdyx Rdy*14 Rdyx}" },

	/* Rule 3: where a batch ends inside a folio. */
	{ "read-only run in a writable folio, to no access: all become PROT_NONE",
	  { "{Wdyx*4 Rdyx*4 Wdyx*8}", .prot = RW }, NONE,
	  "{Ndyx*16}" },
	{ "writable and read-only pages alternate, to read-only: all become read-only",
	  { "{Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx}", .prot = RW }, RO,
	  "{Rdyx*8}" },
	{ "read-only before writable pages, to read-only: all become read-only",
	  { "{Rdyx*4 Wdyx*12}", .prot = RW }, RO, "{Rdyx*16}" },
	{ "PROT_NONE run in a read-only folio, to writable: all become writable",
	  { "{Rdyx*3 Ndyx*2 Rdyx*3}", .prot = RO }, RW, "{Wdyx*8}" },
	{ "4 none entries inside a folio, to read-only: mapped pages become read-only",
	  { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW }, RO,
	  "{Rdyx*6 -*4 Rdyx*6}" },
	{ "entries 5 and 6 map pages 5 and 10, to read-only: all become read-only",
	  { "{Wdyx*6 .*4 Wdyx*6}", .prot = RW }, RO, "{Rdyx*6 .*4 Rdyx*6}" },
	{ "pages mapped in the order 3, 1, 2, 0, to read-only: all become read-only",
	  { "{Wdyx=3 Wdyx=1 Wdyx=2 Wdyx=0 .*3}", .prot = RW }, RO,
	  "{Rdyx=3 Rdyx=1 Rdyx=2 Rdyx=0 .*3}" },

	/* Rule 1: accessed and dirty may spread in a batch, but never vanish. */
	{ "old run between young pages, to read-only: young bits stay",
	  { "{Wdyx*4 Wdx*4 Wdyx*8}", .prot = RW }, RO,
	  "{Rdyx*4 Rdx*4 Rdyx*8}" },
	{ "only the last page young, to read-only: its young bit stays",
	  { "{Wdx*15 Wdyx}", .prot = RW }, RO, "{Rdx*15 Rdyx}" },
	{ "only the last page dirty, to read-only: its dirty bit stays",
	  { "{Wyx*15 Wdyx}", .prot = RW }, RO, "{Ryx*15 Rdyx}" },
	{ "only page 7 dirty, to no access: its dirty bit stays",
	  { "{Wyx*7 Wdyx Wyx*8}", .prot = RW }, NONE, "{Nyx*7 Ndyx Nyx*8}" },
	{ "clean and old folio, to read-only: stays clean and old",
	  { "{Wx*16}", .prot = RW }, RO, "{Rx*16}" },
	{ "dirty and young outside the range only, to read-only: range stays clean and old",
	  { "{Wdyx*4 | Wx*8 | Wdyx*4}", .prot = RW }, RO,
	  "{Wdyx*4 Rx*8 Wdyx*4}" },

	/* Rules 3 and 4: boundaries of folios, ranges and page tables. */
	{ "exclusive folio, then shared folio: only the exclusive one becomes writable",
	  { "{Rdyx*16} {Rdy*16}", .prot = RO }, RW, "{Wdyx*16} {Rdy*16}" },
	{ "exclusive folio, physically adjacent shared folio: only the first becomes writable",
	  { "{Rdyx*16} +{Rdy*16}", .prot = RO }, RW, "{Wdyx*16} +{Rdy*16}" },
	{ "dirty folio, physically adjacent clean folio: second folio stays clean",
	  { "{Wdyx*16} +{Wx*16}", .prot = RW }, RO, "{Rdyx*16} +{Rx*16}" },
	{ "range ends before a physically adjacent folio: that folio stays writable",
	  { "|{Wdyx*16}| +{Wdyx*16}", .prot = RW }, RO, "{Rdyx*16} +{Wdyx*16}" },
	{ "physically adjacent small folios, exclusive and shared: exclusive become writable",
	  { "Rdyx +Rdy +Rdyx +Rdy", .prot = RO }, RW, "Wdyx +Rdy +Wdyx +Rdy" },
	{ "folios of 1, 2, 4, 16 and 8 pages, to read-only: all become read-only",
	  { "Wdyx {Wdyx*2} {Wdyx*4} Wdyx {Wdyx*16} {Wdyx*8} Wdyx*3", .prot = RW },
	  RO, "Rdyx {Rdyx*2} {Rdyx*4} Rdyx {Rdyx*16} {Rdyx*8} Rdyx*3" },
	{ "64K folio at entry 3 of its page table, to read-only: all become read-only",
	  { "@3 {Wdyx*16}", .prot = RW }, RO, "@3 {Rdyx*16}" },
	{ "64K folio mapped from page 5 on, to read-only: all become read-only",
	  { "{.*5 Wdyx*11} Wdyx", .prot = RW }, RO, "{.*5 Rdyx*11} Rdyx" },
	{ "64K folio mapped up to page 4, to read-only: all become read-only",
	  { "{Wdyx*5 .*11} Wdyx", .prot = RW }, RO, "{Rdyx*5 .*11} Rdyx" },
	{ "16K folio between none entries, to read-only: only its entries change",
	  { "-*3 {Wdyx*4} -*9", .prot = RW }, RO, "-*3 {Rdyx*4} -*9" },
	{ "range of none entries between folios, to read-only: nothing changes",
	  { "{Wdyx*4} |-*8| {Wdyx*4}", .prot = RW }, RO, "{Wdyx*4} -*8 {Wdyx*4}" },
	{ "64K folio across two page tables, to read-only: all become read-only",
	  { "@-8 {Wdyx*16}", .prot = RW }, RO, "@-8 {Rdyx*16}" },
	{ "64K folio across two page tables, second half shared: first half becomes writable",
	  { "@-8 {Rdyx*8 Rdy*8}", .prot = RO }, RW, "@-8 {Wdyx*8 Rdy*8}" },
	{ "64K folio across two page tables, first half in range: second half stays writable",
	  { "@-8 |{Wdyx*8 | Wdyx*8}", .prot = RW }, RO, "@-8 {Rdyx*8 Wdyx*8}" },
	{ "64K folio across two page tables, second half in range: first half stays writable",
	  { "@-8 {Wdyx*8 | Wdyx*8}|", .prot = RW }, RO, "@-8 {Wdyx*8 Rdyx*8}" },
	{ "2M folio across two page tables, to read-only: all become read-only",
	  { "@T/2 {Wdyx*T}", .prot = RW }, RO, "@T/2 {Rdyx*T}" },
	{ "three page tables, middle one missing, to read-only: all mapped become read-only",
	  { "@-2 {Wdyx*2} -*T {Wdyx*2}", .prot = RW }, RO,
	  "@-2 {Rdyx*2} -*T {Rdyx*2}" },
	{ "three page tables of 64K folios, to read-only: all become read-only",
	  { "{Wdyx*16}*96", .prot = RW }, RO, "{Rdyx*16}*96" },

	/* Rule 3: one folio in several VMAs. */
	{ "64K folio in two VMAs, to read-only: all become read-only",
	  { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, RO, "{Rdyx*16}" },
	{ "64K folio in two VMAs, first VMA in range: second half stays writable",
	  { "|{Wdyx*8 | ; Wdyx*8}", .prot = RW }, RO, "{Rdyx*8 Wdyx*8}" },
	{ "64K folio in two VMAs, second half shared, to writable: first half becomes writable",
	  { "{Rdyx*6 ; Rdyx*2 Rdy*8}", .prot = RO }, RW, "{Wdyx*8 Rdy*8}" },
	{ "64K folio in three VMAs, range in the middle of two, to no access: range PROT_NONE",
	  { "{Wdyx*2 | Wdyx*3 ; Wdyx*6 | ; Wdyx*5}", .prot = RW }, NONE,
	  "{Wdyx*2 Ndyx*9 Wdyx*5}" },
	{ "shmem folio in two VMAs, to read-only: all become read-only",
	  { "{Wdy*5 ; Wdy*11}", PTEBATCH_SHMEM, RW }, RO, "{Rdy*16}" },

	/* Other mappings. */
	{ "shmem, 4 of 16 pages dirty, to read-only: dirty bits stay",
	  { "{Wdy*4 Wy*12}", PTEBATCH_SHMEM, RW }, RO, "{Rdy*4 Ry*12}" },
	{ "shmem, clean and dirty pages, to writable: all become writable",
	  { "{Ry*8 Rdy*8}", PTEBATCH_SHMEM, RO }, RW, "{Wy*8 Wdy*8}" },
	{ "shmem, range inside a folio, to read-only: pages outside stay writable",
	  { "{Wdy*3 | Wdy*10 | Wdy*3}", PTEBATCH_SHMEM, RW }, RO,
	  "{Wdy*3 Rdy*10 Wdy*3}" },
	{ "shared file, clean folio, write notification: stays read-only",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, RW, "{Ry*16}" },
	{ "shared file, dirty folio, write notification: becomes writable",
	  { "{Rdy*16}", PTEBATCH_FILE, RO }, RW, "{Wdy*16}" },
	/* Rule 1 lets dirty spread in a batch, and by rule 5 write permission follows. */
	{ "shared file, dirty and clean folios: only dirty folios become writable",
	  { "{Ry*4} {Rdy*4}", PTEBATCH_FILE, RO }, RW, "{Ry*4} {Wdy*4}" },
	{ "shared file, write notification, 4 of 8 pages dirty: all 8 dirty and writable",
	  { "{Rdy*4 Ry*4} {Ry*4}", PTEBATCH_FILE, RO }, RW, "{Wdy*8} {Ry*4}" },
	{ "private file, page cache folio, to writable: stays read-only",
	  { "{Rdy*16}", PTEBATCH_PRIVATE_FILE, RO }, RW, "{Rdy*16}" },
	{ "private file, COW copy and page cache folios: only the copy becomes writable",
	  { "{Ry*4} {Rdyx*4} {Ry*4}", PTEBATCH_PRIVATE_FILE, RO }, RW,
	  "{Ry*4} {Wdyx*4} {Ry*4}" },

	/* Folios that are mapped twice. */
	{ "anonymous folio after fork(), to writable: all entries stay read-only",
	  { "{Rdyx*16}", .prot = RO, .twice = true }, RW, "{Rdy*16}" },
	{ "anonymous folio after fork(), to no access: all entries become PROT_NONE",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, NONE, "{Ndy*16}" },
	{ "shmem folio mapped by two VMAs, to read-only: all entries become read-only",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, RO, "{Rdy*16}" },

	/* Rule 12: one reason for a write fault keeps the entry read-only. */
	{ "soft-dirty tracked, folio not soft-dirty, to writable: stays read-only",
	  { "{Rdyx*16}", .prot = RO, .track = true }, RW, "{Rdyx*16}" },
	{ "soft-dirty tracked, folio soft-dirty, to writable: becomes writable",
	  { "{Rdysx*16}", .prot = RO, .track = true }, RW, "{Wdysx*16}" },
	{ "soft-dirty tracked, 4 of 16 pages soft-dirty: only these become writable",
	  { "{Rdyx*4 Rdysx*4 Rdyx*8}", .prot = RO, .track = true }, RW,
	  "{Rdyx*4 Wdysx*4 Rdyx*8}" },
	{ "soft-dirty tracked, 1 page dirty, none soft-dirty: all stay read-only",
	  { "{Ryx*7 Rdyx Ryx*8}", .prot = RO, .track = true }, RW,
	  "{Ryx*7 Rdyx Ryx*8}" },
	{ "soft-dirty tracked, 12 of 16 pages soft-dirty, to read-only: soft-dirty stays",
	  { "{Wdysx*4 Rdyx*4 Wdysx*8}", .prot = RW, .track = true }, RO,
	  "{Rdysx*4 Rdyx*4 Rdysx*8}" },
	{ "soft-dirty tracked, 12 of 16 pages soft-dirty, to no access: soft-dirty stays",
	  { "{Rdysx*4 Rdyx*4 Rdysx*8}", .prot = RO, .track = true }, NONE,
	  "{Ndysx*4 Ndyx*4 Ndysx*8}" },
	{ "soft-dirty tracked, 4 of 16 pages dirty, to no access: none becomes soft-dirty",
	  { "{Rdyx*4 Ryx*12}", .prot = RO, .track = true }, NONE,
	  "{Ndyx*4 Nyx*12}" },
	{ "uffd-wp folio, to writable: all entries stay read-only",
	  { "{Rdyux*16}", .prot = RO, .uffd_wp = true }, RW, "{Rdyux*16}" },
	{ "4 of 16 pages uffd-wp, to writable: all other pages become writable",
	  { "{Rdyx*4 Rdyux*4 Rdyx*8}", .prot = RO, .uffd_wp = true }, RW,
	  "{Wdyx*4 Rdyux*4 Wdyx*8}" },
	{ "4 of 16 pages uffd-wp, to no access: uffd-wp stays",
	  { "{Rdyux*4 Wdyx*12}", .prot = RW, .uffd_wp = true }, NONE,
	  "{Ndyux*4 Ndyx*12}" },

	/*
	 * Rule 12: no write is spared for a PTE without a folio, or for a KSM
	 * page. A special PTE maps a PFN, even if the PFN is that of a folio.
	 */
	{ "zero page between exclusive folios, to writable: stays read-only",
	  { "{Rdyx*4} Rzy*2 Rz {Rdyx*4}", .prot = RO }, RW,
	  "{Wdyx*4} Rzy*2 Rz {Wdyx*4}" },
	{ "zero page in a hole of a 64K folio, to writable: stays read-only",
	  { "{Rdyx*4 Rzy*4 Rdyx*8}", .prot = RO }, RW,
	  "{Wdyx*4 Rzy*4 Wdyx*8}" },
	{ "zero page to no access: becomes PROT_NONE",
	  { "{Wdyx*4} Rzy Rz", .prot = RW }, NONE, "{Ndyx*4} Nzy Nz" },
	{ "zero page from no access to writable: becomes read-only",
	  { "{Ndyx*4} Nzy Nz", .prot = NONE }, RW, "{Wdyx*4} Rzy Rz" },
	{ "zero page, soft-dirty tracked, to writable: stays read-only, soft-dirty stays",
	  { "Rzys Rzy Rdysx", .prot = RO, .track = true }, RW,
	  "Rzys Rzy Wdysx" },
	{ "special PTEs in a private mapping, to writable: stay read-only",
	  { "{Rdpy*4} {Rdyx*4}", .prot = RO, .mixedmap = true }, RW,
	  "{Rdpy*4} {Wdyx*4}" },
	{ "special PTEs between PTEs of the same 64K folio, to writable: stay read-only",
	  { "{Rdyx*4 Rdpy*4 Rdyx*8}", .prot = RO, .mixedmap = true }, RW,
	  "{Wdyx*4 Rdpy*4 Wdyx*8}" },
	{ "special PTEs of a shared file, to writable: only dirty ones become writable",
	  { "{Rdpy*4 Rpy*4}", PTEBATCH_FILE, RO, .mixedmap = true }, RW,
	  "{Wdpy*4 Rpy*4}" },
	{ "special PTEs of shmem, dirty and clean alternate, to read-only: dirty stays per PTE",
	  { "{Wdpy Wpy Wdpy Wpy}", PTEBATCH_SHMEM, RW, .mixedmap = true }, RO,
	  "{Rdpy Rpy Rdpy Rpy}" },
	{ "KSM page between exclusive pages, to writable: stays read-only",
	  { "Rdyx Rdyk Ryk Rdyx", .prot = RO }, RW, "Wdyx Rdyk Ryk Wdyx" },

	/*
	 * Rules 3 and 5: a shadow-stack PTE of x86 is write-protected and dirty.
	 * Read-only PTEs after it, clean or dirty, are not part of its batch.
	 */
	{ "shadow-stack PTE before shared clean PTEs: shared PTEs stay read-only",
	  { "{Cdyx Ry*15}", .prot = RO }, RW, "{Cdyx Ry*15}" },
	{ "shadow-stack PTE before shared dirty PTEs: shared PTEs stay read-only",
	  { "{Cdyx Rdy*15}", .prot = RO }, RW, "{Cdyx Rdy*15}" },
	{ "shadow-stack PTEs before exclusive dirty PTEs: exclusive PTEs become writable",
	  { "{Cdyx*4 Rdyx*12}", .prot = RO }, RW, "{Cdyx*4 Wdyx*12}" },

	/* Rule 29: execute permission and protection key come from the VMA. */
	{ "executable 64K folio to read-only: no PTE stays executable",
	  { "{Rdyx*16}", .prot = RX }, RO, "{Rdyx*16}" },
	{ "executable 64K folio, second half shared, to writable: no PTE stays executable",
	  { "{Rdyx*8 Rdy*8}", .prot = RX }, RW, "{Wdyx*8 Rdy*8}" },
	{ "middle of an executable 64K folio to writable: these PTEs become writable",
	  { "{Rdyx*5 | Rdyx*6 | Rdyx*5}", .prot = RX }, RW,
	  "{Rdyx*5 Wdyx*6 Rdyx*5}" },
	{ "64K folio from writable to executable: all PTEs become read-only and executable",
	  { "{Wdyx*16}", .prot = RW }, RX, "{Rdyx*16}" },
	{ "64K folio from no access to executable: all PTEs become executable",
	  { "{Ndyx*16}", .prot = NONE }, RX, "{Rdyx*16}" },
	{ "executable 64K folio in two VMAs, to read-only: no PTE stays executable",
	  { "{Rdyx*8 ; Rdyx*8}", .prot = RX }, RO, "{Rdyx*16}" },
	{ "executable shmem folio to read-only: no PTE stays executable",
	  { "{Rdy*16}", PTEBATCH_SHMEM, RX }, RO, "{Rdy*16}" },
	{ "executable PMD to writable: PMD does not stay executable",
	  { "[Rdyx]", .prot = RX }, RW, "[Wdyx]" },
	{ "executable PMD split, second half to read-only: these PTEs not executable",
	  { "[Rdyx*T/2 | Rdyx*T/2]|", .prot = RX }, RO, "{Rdyx*T}" },
	{ "64K folio to memory with tags: tags of all pages initialized",
	  { "{Wdyx*16}", .prot = RW }, RW | PTEBATCH_PROT_MTE, "{Wdyx*16}" },
	{ "64K folio, second half shared, to memory with tags: all tags initialized",
	  { "{Rdyx*8 Rdy*8}", .prot = RO }, RW | PTEBATCH_PROT_MTE,
	  "{Wdyx*8 Rdy*8}" },
	{ "64K folio, memory with tags, to read-only: tags stay",
	  { "{Wdyx*16}", .prot = RW | PTEBATCH_PROT_MTE }, RO, "{Rdyx*16}" },
	{ "64K folio, protection key 5, to read-only: PTEs keep the key",
	  { "{Wdyx*16}", .prot = RW, .pkey = 5 }, RO, "{Rdyx*16}" },
	{ "64K folio from protection key 5 to 10: PTEs get key 10",
	  { "{Wdyx*16}", .prot = RW, .pkey = 5 }, RW, "{Wdyx*16}", 10 },
	{ "middle of a 64K folio, half shared, to protection key 15: only these PTEs get it",
	  { "{Rdyx*4 | Rdyx*4 Rdy*4 | Rdy*4}", .prot = RO }, RW,
	  "{Rdyx*4 Wdyx*4 Rdy*8}", 15 },
	{ "64K folio from no access to protection key 1: PTEs get key 1",
	  { "{Ndyx*16}", .prot = NONE, .pkey = 14 }, RW, "{Wdyx*16}", 1 },
	{ "PMD from protection key 5 to 10: PMD gets key 10",
	  { "[Wdyx]", .prot = RW, .pkey = 5 }, RW, "[Wdyx]", 10 },

	/* Rule 15: non-present entries. */
	{ "migration entries to read-only: writable ones become exclusive",
	  { "{Mw*4 Mx*4 M*4 Rdyx*4}", .prot = RW }, RO,
	  "{Mx*8 M*4 Rdyx*4}" },
	{ "shmem migration entries to read-only: writable ones become readable",
	  { "{Mw*4 M*4 Wdy*8}", PTEBATCH_SHMEM, RW }, RO, "{M*8 Rdy*8}" },
	{ "migration entries to writable: stay readable",
	  { "{Mx*4 M*4 Rdyx*8}", .prot = RO }, RW, "{Mx*4 M*4 Wdyx*8}" },
	{ "swap entries between folios, to no access: swap entries stay unchanged",
	  { "{Wdyx*4} Sx*2 S*2 {Wdyx*4}", .prot = RW }, NONE,
	  "{Ndyx*4} Sx*2 S*2 {Ndyx*4}" },
	{ "migration and swap entries to read-only: soft-dirty stays",
	  { "{Mws*2 Mx*2} Ssx S", .prot = RW, .track = true }, RO,
	  "{Mxs*2 Mx*2} Ssx S" },
	{ "device-private entries to read-only: become readable, stay exclusive",
	  { "Dwx {Dwx*4 Dx*2 D*2} {Wdyx*4}", .prot = RW }, RO,
	  "Dx {Dx*6 D*2} {Rdyx*4}" },
	{ "device-private entries to writable: stay readable",
	  { "{Dx*4} {Rdyx*4}", .prot = RO }, RW, "{Dx*4} {Wdyx*4}" },
	{ "device-exclusive entries in a 64K folio, to read-only: stay",
	  { "{Wdyx*4 Ex*4 Wdyx*8}", .prot = RW }, RO, "{Rdyx*4 Ex*4 Rdyx*8}" },
	{ "poison and guard markers between folios, to read-only: markers stay",
	  { "{Wdyx*2} P G {Wdyx*2} P", .prot = RW }, RO,
	  "{Rdyx*2} P G {Rdyx*2} P" },

	/* Rule 16: PMD-mapped folios. */
	{ "PMD to read-only: PMD becomes read-only",
	  { "[Wdyx]", .prot = RW }, RO, "[Rdyx]" },
	{ "PMD to writable: PMD becomes writable",
	  { "[Rdyx]", .prot = RO }, RW, "[Wdyx]" },
	{ "shared PMD to writable: PMD stays read-only",
	  { "[Rdy]", .prot = RO }, RW, "[Rdy]" },
	{ "PMD to no access: PMD becomes PROT_NONE",
	  { "[Wdyx]", .prot = RW }, NONE, "[Ndyx]" },
	{ "PMD split, soft-dirty tracked, PMD not soft-dirty: no PTE is soft-dirty",
	  { "[Rdyx*T/2 | Rdyx*T/2]|", .prot = RO, .track = true }, RW,
	  "{Rdyx*T}" },
	{ "PMD split, soft-dirty tracked, PMD soft-dirty: all PTEs are soft-dirty",
	  { "[Wdysx*T/2 | Wdysx*T/2]|", .prot = RW, .track = true }, RO,
	  "{Wdysx*T/2 Rdysx*T/2}" },
	{ "shmem PMD to read-only: PMD becomes read-only",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, RO, "[Rdy]" },
	{ "PMD split, middle half to read-only: both ends stay writable",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW }, RO,
	  "{Wdyx*T/4 Rdyx*T/2 Wdyx*T/4}" },
	{ "PMD split, second half to writable: first half stays read-only",
	  { "[Rdyx*T/2 | Rdyx*T/2]|", .prot = RO }, RW,
	  "{Rdyx*T/2 Wdyx*T/2}" },
	{ "shared PMD split, first half to writable: all PTEs stay read-only",
	  { "|[Rdy*T/2 | Rdy*T/2]", .prot = RO }, RW, "{Rdy*T}" },
	{ "huge zero page to writable: PMD stays read-only",
	  { "Rzy*T {Rdyx*4}", .prot = RO, .huge_zero = true }, RW,
	  "Rzy*T {Wdyx*4}" },
	{ "huge zero page to no access and soft-dirty tracked: becomes PROT_NONE",
	  { "Rzys*T", .prot = RW, .track = true, .huge_zero = true }, NONE,
	  "Nzys*T" },
	{ "huge zero page split, first half to writable: all PTEs stay read-only",
	  { "|Rzy*T/2 | Rzy*T/2", .prot = RO, .huge_zero = true }, RW,
	  "Rzy*T" },
	{ "huge zero page split, soft-dirty tracked, PMD soft-dirty: all PTEs are soft-dirty",
	  { "Rzys*T/2 | Rzys*T/2|", .prot = RW, .track = true, .huge_zero = true }, RO,
	  "Rzys*T" },
	{ "huge zero page split, soft-dirty tracked, PMD not soft-dirty: no PTE is soft-dirty",
	  { "Rzy*T/2 | Rzy*T/2|", .prot = RW, .track = true, .huge_zero = true }, RO,
	  "Rzy*T" },
	{ "writable PMD migration entry to read-only: becomes readable and exclusive",
	  { "[Mw]", .prot = RW }, RO, "[Mx]" },
	{ "shared PMD migration entry to read-only: stays shared",
	  { "[M]", .prot = RW }, RO, "[M]" },
	{ "exclusive PMD migration entry to writable: stays readable",
	  { "[Mx]", .prot = RO }, RW, "[Mx]" },
	{ "writable soft-dirty PMD migration entry to read-only: soft-dirty stays",
	  { "[Mws]", .prot = RW, .track = true }, RO, "[Mxs]" },
	{ "writable PMD migration entry split, middle half to read-only: both ends stay writable",
	  { "[Mw*T/4 | Mw*T/2 | Mw*T/4]", .prot = RW }, RO,
	  "{Mw*T/4 Mx*T/2 Mw*T/4}" },
	{ "soft-dirty PMD migration entry split: all entries stay exclusive and soft-dirty",
	  { "[Mxs*T/2 | Mxs*T/2]|", .prot = RO, .track = true }, RW,
	  "{Mxs*T}" },
	{ "clean exclusive PMD to writable: PMD becomes writable, stays clean",
	  { "[Ryx]", .prot = RO }, RW, "[Wyx]" },
	{ "PMD to writable, soft-dirty tracked, not soft-dirty: PMD stays read-only",
	  { "[Rdyx]", .prot = RO, .track = true }, RW, "[Rdyx]" },
	{ "PMD to writable, soft-dirty tracked and soft-dirty: PMD becomes writable",
	  { "[Rdysx]", .prot = RO, .track = true }, RW, "[Wdysx]" },
	{ "uffd-wp PMD to writable: PMD stays read-only and uffd-wp",
	  { "[Rdyux]", .prot = RO, .uffd_wp = true }, RW, "[Rdyux]" },
	{ "uffd-rwp PMD to writable: PMD stays PROT_NONE and uffd-rwp",
	  { "[Ndyux]", .prot = RO, .uffd_rwp = true }, RW, "[Ndyux]" },
	{ "uffd-rwp PMD split, second half to writable: all PTEs PROT_NONE and uffd-rwp",
	  { "[Ndyux*T/2 | Ndyux*T/2]|", .prot = RO, .uffd_rwp = true }, RW,
	  "{Ndyux*T}" },
	{ "writable device-private PMD to read-only: becomes readable, stays exclusive",
	  { "[Dwx]", .prot = RW }, RO, "[Dx]" },
	{ "readable device-private PMD to writable: stays readable",
	  { "[Dx]", .prot = RO }, RW, "[Dx]" },
	{ "writable device-private PMD split, second half to read-only: first half stays writable",
	  { "[Dwx*T/2 | Dwx*T/2]|", .prot = RW }, RO, "{Dwx*T/2 Dx*T/2}" },
	{ "PMD between page tables, to read-only: PMD and PTEs become read-only",
	  { "@-4 {Wdyx*4} [Wdyx] {Wdyx*4}", .prot = RW }, RO,
	  "@-4 {Rdyx*4} [Rdyx] {Rdyx*4}" },
	{ "PTE-mapped 2M folio to read-only: all entries become read-only",
	  { "{Wdyx*T}", .prot = RW }, RO, "{Rdyx*T}" },
	{ "PTE-mapped 2M folio, 2 pages shared: all other pages become writable",
	  { "{Rdyx*255 Rdy*2 Rdyx*255}", .prot = RO }, RW,
	  "{Wdyx*255 Rdy*2 Wdyx*255}" },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void mprotect_row(struct kunit *test)
{
	const struct mprotect_row *row = test->param_value;

	check_row(test, &row->setup, row->to, row->pkey, row->after);
}

/*
 * Rule 8 with erratum 2645198 of Cortex-A715: mprotect() empties executable
 * entries and flushes them before it sets them again.
 */
struct breaks {
	const struct ptebatch_trial *trial;
	bool empty;
};

/* At a flush, under the page table lock or not: are all entries empty? */
static void see_entries(void *data)
{
	struct breaks *breaks = data;
	const struct ptebatch_space *space = breaks->trial->space;
	bool empty = true;
	unsigned int i;

	for (i = 0; i < space->row.nr; i++) {
		unsigned long addr = ptebatch_addr(space, i);
		pmd_t *pmd = ptebatch_find_pmd(space->places[0].mm, addr);
		pte_t *ptep = pte_offset_map(pmd, addr);

		empty &= pte_none(ptep_get_lockless(ptep));
		pte_unmap(ptep);
	}
	breaks->empty |= empty;
}

/* Does mprotect() to read-only flush all entries while they are empty? */
static bool breaks_before_make(struct kunit *test, unsigned long prot)
{
	const struct ptebatch_op *op = &ptebatch_protections[PTEBATCH_TO_READABLE];
	const struct ptebatch_setup setup = { "{Rdyx*16}", .prot = prot };
	struct breaks breaks = {};
	struct ptebatch_trial *trial;

	trial = ptebatch_op_begin(test, op, &setup, false);
	breaks.trial = trial;
	trial->flush.data = &breaks;
	trial->flush.on_flush = see_entries;
	trial->returned = op->call(op, trial->space, false);
	trial->flush.on_flush = NULL;
	ptebatch_trial_end(trial);
	ptebatch_trial_release(trial);
	return breaks.empty;
}

static void mprotect_erratum(struct kunit *test)
{
	if (!ptebatch_exec_breaks())
		kunit_skip(test, "no CPU with erratum 2645198; on arm64, VARIANTS=a715 has one");
	KUNIT_EXPECT_TRUE_MSG(test, breaks_before_make(test, RX),
			      "executable entries are not flushed while they are empty");
	KUNIT_EXPECT_FALSE_MSG(test, breaks_before_make(test, RW),
			       "entries that are not executable are flushed twice");
}

/* Callers of change_protection() other than mprotect(). */

static const struct protection_row {
	const char *name;
	struct ptebatch_setup setup;
	enum ptebatch_protection_id how;
	const char *after;
} protection_rows[] = {
	/* Rule 14: userfaultfd. */
	{ "uffd-wp protect, present, migration, swap, none: all get uffd-wp except none entries",
	  { "{Wdyx*8 Rdy*4 Mw*2 M*2} Sx -", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP, "{Rdyux*8 Rdyu*4 Mxu*2 Mu*2} Sxu -" },
	{ "uffd-wp protect, part of a folio: pages outside the range stay writable",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP, "{Wdyx*5 Rdyux*6 Wdyx*5}" },
	{ "uffd-wp protect, shmem: none entries become uffd-wp markers",
	  { "{Wdy*4} -*2 G P", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP, "{Rdyu*4} U*2 G P" },
	{ "uffd-wp resolve, present, migration, swap: all lose uffd-wp",
	  { "{Rdyux*8 Rdyu*4 Mxu*2 Mu*2} Sxu -", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "{Wdyx*8 Rdy*4 Mx*2 M*2} Sx -" },
	{ "uffd-wp resolve, 4 of 16 pages uffd-wp: all become writable",
	  { "{Rdyux*4 Rdyx*4 Wdyx*8}", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "{Wdyx*16}" },
	{ "uffd-wp resolve, shmem: uffd-wp markers dropped, guard and poison stay",
	  { "{Rdyu*4} U*2 G P", PTEBATCH_SHMEM, RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "{Wdy*4} -*2 G P" },
	{ "uffd-rwp protect, present, migration, swap, none: all get uffd-rwp except none entries",
	  { "{Wdyx*8 Rdy*4 Mw*2 M*2} Sx -", .prot = RW, .uffd_rwp = true },
	  PTEBATCH_UFFD_RWP, "{Ndyux*8 Ndyu*4 Mxu*2 Mu*2} Sxu -" },
	{ "uffd-rwp resolve, present, migration, swap: all lose uffd-rwp",
	  { "{Ndyux*8 Ndyu*4 Mxu*2 Mu*2} Sxu -", .prot = RW, .uffd_rwp = true },
	  PTEBATCH_UFFD_RWP_RESOLVE, "{Wdyx*8 Rdy*4 Mx*2 M*2} Sx -" },

	{ "uffd-wp protect, PMD migration entry: becomes readable, gets uffd-wp",
	  { "[Mw]", .prot = RW, .uffd_wp = true }, PTEBATCH_UFFD_WP, "[Mxu]" },
	{ "uffd-wp resolve, PMD migration entry: loses uffd-wp",
	  { "[Mxu]", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "[Mx]" },
	{ "uffd-wp protect, PMD: read-only, gets uffd-wp",
	  { "[Wdyx]", .prot = RW, .uffd_wp = true }, PTEBATCH_UFFD_WP, "[Rdyux]" },
	{ "uffd-wp protect, shared PMD: gets uffd-wp",
	  { "[Rdy]", .prot = RW, .uffd_wp = true }, PTEBATCH_UFFD_WP, "[Rdyu]" },
	{ "uffd-wp protect, middle half of a PMD: PMD split, these PTEs get uffd-wp",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP, "{Wdyx*T/4 Rdyux*T/2 Wdyx*T/4}" },
	{ "uffd-wp resolve, exclusive PMD: writable, loses uffd-wp",
	  { "[Rdyux]", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "[Wdyx]" },
	{ "uffd-wp resolve, shared PMD: read-only, loses uffd-wp",
	  { "[Rdyu]", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "[Rdy]" },
	{ "uffd-wp resolve, second half of a PMD: PMD split, first half stays uffd-wp",
	  { "[Rdyux*T/2 | Rdyux*T/2]|", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "{Rdyux*T/2 Wdyx*T/2}" },
	{ "uffd-wp protect, huge zero page: gets uffd-wp",
	  { "Rzy*T", .prot = RW, .uffd_wp = true, .huge_zero = true },
	  PTEBATCH_UFFD_WP, "Rzyu*T" },
	{ "uffd-wp resolve, huge zero page: loses uffd-wp, stays read-only",
	  { "Rzyu*T", .prot = RW, .uffd_wp = true, .huge_zero = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "Rzy*T" },
	{ "uffd-rwp protect, PMD: PROT_NONE, gets uffd-rwp",
	  { "[Wdyx]", .prot = RW, .uffd_rwp = true }, PTEBATCH_UFFD_RWP, "[Ndyux]" },
	{ "uffd-rwp protect, PMD with a NUMA hint: gets uffd-rwp",
	  { "[Ndyx]", .prot = RW, .uffd_rwp = true }, PTEBATCH_UFFD_RWP, "[Ndyux]" },
	{ "uffd-rwp protect, PMD with uffd-rwp: unchanged",
	  { "[Ndyux]", .prot = RW, .uffd_rwp = true }, PTEBATCH_UFFD_RWP, "[Ndyux]" },
	{ "uffd-rwp protect, middle half of a PMD: PMD split, these PTEs PROT_NONE",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW, .uffd_rwp = true },
	  PTEBATCH_UFFD_RWP, "{Wdyx*T/4 Ndyux*T/2 Wdyx*T/4}" },
	{ "uffd-rwp resolve, exclusive PMD: writable, loses uffd-rwp",
	  { "[Ndyux]", .prot = RW, .uffd_rwp = true },
	  PTEBATCH_UFFD_RWP_RESOLVE, "[Wdyx]" },
	{ "uffd-rwp resolve, second half of a PMD: PMD split, first half stays uffd-rwp",
	  { "[Ndyux*T/2 | Ndyux*T/2]|", .prot = RW, .uffd_rwp = true },
	  PTEBATCH_UFFD_RWP_RESOLVE, "{Ndyux*T/2 Wdyx*T/2}" },
	{ "uffd-rwp protect, huge zero page: PROT_NONE, gets uffd-rwp",
	  { "Rzy*T", .prot = RW, .uffd_rwp = true, .huge_zero = true },
	  PTEBATCH_UFFD_RWP, "Nzyu*T" },
	{ "uffd-rwp protect, PMD migration entry: becomes readable, gets uffd-rwp",
	  { "[Mw]", .prot = RW, .uffd_rwp = true }, PTEBATCH_UFFD_RWP, "[Mxu]" },
	{ "uffd-wp protect, device-private PMD: becomes readable, gets uffd-wp",
	  { "[Dwx]", .prot = RW, .uffd_wp = true }, PTEBATCH_UFFD_WP, "[Dxu]" },
	{ "uffd-wp resolve, device-private PMD: loses uffd-wp",
	  { "[Dxu]", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "[Dx]" },
	{ "uffd-wp protect, device entries: get uffd-wp, device-private ones readable",
	  { "{Dwx*2 Dx D} {Wdyx*2 Ex*2}", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP, "{Dxu*3 Du} {Rdyux*2 Exu*2}" },
	{ "uffd-wp resolve, device entries: lose uffd-wp",
	  { "{Dxu*3 Du} {Rdyux*2 Exu*2}", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "{Dx*3 D} {Wdyx*2 Ex*2}" },
	{ "uffd-wp protect, zero and KSM pages: get uffd-wp",
	  { "Rzy {Wdyx*4} Rdyk", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP, "Rzyu {Rdyux*4} Rdyku" },
	{ "uffd-wp resolve, zero and KSM pages: lose uffd-wp, stay read-only",
	  { "Rzyu {Rdyux*4} Rdyku", .prot = RW, .uffd_wp = true },
	  PTEBATCH_UFFD_WP_RESOLVE, "Rzy {Wdyx*4} Rdyk" },
	{ "uffd-rwp protect, zero and KSM pages: become PROT_NONE",
	  { "Rzy {Wdyx*4} Rdyk", .prot = RW, .uffd_rwp = true },
	  PTEBATCH_UFFD_RWP, "Nzyu {Ndyux*4} Ndyku" },

	/* Rule 13: NUMA hinting. */
	{ "NUMA hint, 64K folio: all entries become PROT_NONE",
	  { "{Wdyx*16}", .prot = RW }, PTEBATCH_NUMA_HINT, "{Ndyx*16}" },
	{ "NUMA hint, part of a folio: pages outside the range stay writable",
	  { "{Wdyx*3 | Wdyx*9 | Wdyx*4}", .prot = RW }, PTEBATCH_NUMA_HINT,
	  "{Wdyx*3 Ndyx*9 Wdyx*4}" },
	{ "NUMA hint, 4 of 16 entries PROT_NONE before: all are PROT_NONE",
	  { "{Wdyx*4 Ndyx*4 Rdy*4 Wdyx*4}", .prot = RW }, PTEBATCH_NUMA_HINT,
	  "{Ndyx*8 Ndy*4 Ndyx*4}" },
	{ "NUMA hint, shared COW folios after fork(): entries stay unchanged",
	  { "{Rdy*16} {Rdy*4}", .prot = RW, .twice = true },
	  PTEBATCH_NUMA_HINT, "{Rdy*16} {Rdy*4}" },
	{ "NUMA hint, shmem folio: all entries become PROT_NONE",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, PTEBATCH_NUMA_HINT, "{Ndy*16}" },
	{ "NUMA hint, zero page before, in and after folios: zero page unchanged",
	  { "Rzy {Wdyx*4 Rzy*4 Wdyx*8} Rz {Wdyx*4}", .prot = RW },
	  PTEBATCH_NUMA_HINT, "Rzy {Ndyx*4 Rzy*4 Ndyx*8} Rz {Ndyx*4}" },
	{ "NUMA hint, huge zero page between folios: unchanged",
	  { "@-4 {Wdyx*4} Rzy*T {Wdyx*4}", .prot = RW, .huge_zero = true },
	  PTEBATCH_NUMA_HINT, "@-4 {Ndyx*4} Rzy*T {Ndyx*4}" },
	{ "NUMA hint, PMD: becomes PROT_NONE",
	  { "[Wdyx]", .prot = RW }, PTEBATCH_NUMA_HINT, "[Ndyx]" },
	{ "NUMA hint, second half of a PMD: PMD split, these PTEs become PROT_NONE",
	  { "[Wdyx*T/2 | Wdyx*T/2]|", .prot = RW }, PTEBATCH_NUMA_HINT,
	  "{Wdyx*T/2 Ndyx*T/2}" },
	{ "NUMA hint, PMD with a hint: unchanged",
	  { "[Ndyx] {Wdyx*4}", .prot = RW }, PTEBATCH_NUMA_HINT, "[Ndyx] {Ndyx*4}" },
	{ "NUMA hint, shared COW PMD after fork(): unchanged",
	  { "[Rdy]", .prot = RW, .twice = true }, PTEBATCH_NUMA_HINT, "[Rdy]" },
	{ "NUMA hint, shmem PMD: becomes PROT_NONE",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, PTEBATCH_NUMA_HINT, "[Ndy]" },
	{ "NUMA hint, PMD migration and device-private entry: unchanged",
	  { "[Mx] [Dx] {Wdyx*4}", .prot = RW }, PTEBATCH_NUMA_HINT,
	  "[Mx] [Dx] {Ndyx*4}" },
	{ "NUMA hint, KSM pages between folios: KSM pages unchanged",
	  { "Rdyk*2 {Wdyx*4} Rdyk Wdyx", .prot = RW }, PTEBATCH_NUMA_HINT,
	  "Rdyk*2 {Ndyx*4} Rdyk Ndyx" },
	{ "NUMA hint, special PTEs in a folio: unchanged, the other PTEs become PROT_NONE",
	  { "{Wdyx*4 Rpy*4 Wdyx*8}", .prot = RW, .mixedmap = true },
	  PTEBATCH_NUMA_HINT, "{Ndyx*4 Rpy*4 Ndyx*8}" },
	{ "NUMA hint, migration, swap, none and guard entries: only present ones change",
	  { "{Wdyx*4 Mx*4} Sx - G", .prot = RW }, PTEBATCH_NUMA_HINT,
	  "{Ndyx*4 Mx*4} Sx - G" },
};

KUNIT_ARRAY_PARAM_DESC(protection_rows, protection_rows, name);

static void mprotect_protection(struct kunit *test)
{
	const struct protection_row *row = test->param_value;
	const struct ptebatch_run run = {
		.op = &ptebatch_protections[row->how], .setup = &row->setup,
		.after = row->after,
	};
	const char *missing = ptebatch_op_missing(run.op);

	if (missing)
		kunit_skip(test, "%s", missing);
	ptebatch_row_run(test, &run);
}

/*
 * Rule 13: NUMA hinting skips a folio in one batch, which ends with the folio
 * and with the range. One folio of each row has a reason to be skipped, all
 * others get hints.
 */

enum skip_reason {
	PINNED,			/* a GUP pin */
	DIRTY_FILE,		/* dirty page cache */
	LOCAL,			/* on the node of the mm's only user */
	SHARED,			/* mapped by a child; true for all folios */
};

static const struct skip_row {
	const char *name;
	struct ptebatch_setup setup;
	enum skip_reason reason;
	unsigned int folio;	/* index of the folio that is skipped */
	unsigned int batches;	/* that its entries are skipped in */
	const char *after;
} skip_rows[] = {
	{ "pinned folio: skipped in 1 batch, next folio gets hints",
	  { "{Wdyx*16} {Wdyx*16}", .prot = RW }, PINNED, 0, 1,
	  "{Wdyx*16} {Ndyx*16}" },
	{ "pinned folio, physically adjacent folio: only the adjacent folio gets hints",
	  { "{Wdyx*16} +{Wdyx*16}", .prot = RW }, PINNED, 0, 1,
	  "{Wdyx*16} +{Ndyx*16}" },
	{ "pages 4 to 15 of a pinned folio in the range: next folio gets hints",
	  { "{Wdyx*4 | Wdyx*12} {Wdyx*16} |", .prot = RW }, PINNED, 0, 1,
	  "{Wdyx*16} {Ndyx*16}" },
	{ "pages 0 to 7 of a pinned folio in the range: only the previous folio gets hints",
	  { "| {Wdyx*16} {Wdyx*8 | Wdyx*8} {Wdyx*16}", .prot = RW }, PINNED, 1, 1,
	  "{Ndyx*16} {Wdyx*16} {Wdyx*16}" },
	{ "last 12 pages of a pinned folio mapped: next folio gets hints",
	  { "{.*4 Wdyx*12} {Wdyx*16}", .prot = RW }, PINNED, 0, 1,
	  "{.*4 Wdyx*12} {Ndyx*16}" },
	{ "pinned folio, writable and read-only pages alternate: skipped in 1 batch",
	  { "{Wdyx Rdyx Wdyx Rdyx Wdyx*4} {Wdyx*8}", .prot = RW }, PINNED, 0, 1,
	  "{Wdyx Rdyx Wdyx Rdyx Wdyx*4} {Ndyx*8}" },
	{ "pinned folio, dirty and clean pages alternate: skipped in 1 batch",
	  { "{Wdyx Wyx Wdyx Wyx Wdyx*4} {Wdyx*8}", .prot = RW }, PINNED, 0, 1,
	  "{Wdyx Wyx Wdyx Wyx Wdyx*4} {Ndyx*8}" },
	{ "pinned folio with a hole of 3 pages: skipped in 2 batches",
	  { "{Wdyx*5 -*3 Wdyx*8} {Wdyx*4}", .prot = RW }, PINNED, 0, 2,
	  "{Wdyx*5 -*3 Wdyx*8} {Ndyx*4}" },
	{ "pinned folio across two page tables: skipped in 2 batches",
	  { "@-8 {Wdyx*16} {Wdyx*4}", .prot = RW }, PINNED, 0, 2,
	  "@-8 {Wdyx*16} {Ndyx*4}" },
	{ "pinned small folio: only its entry is skipped",
	  { "Wdyx*3", .prot = RW }, PINNED, 1, 1, "Ndyx Wdyx Ndyx" },
	{ "dirty page cache folio: skipped in 1 batch, clean folio gets hints",
	  { "{Wdy*16} {Wdy*16}", PTEBATCH_FILE, RW }, DIRTY_FILE, 0, 1,
	  "{Wdy*16} {Ndy*16}" },
	{ "folio on the node of the mm's only user: skipped in 1 batch, other node gets hints",
	  { "0{Wdyx*16} 1{Wdyx*16}", .prot = RW }, LOCAL, 0, 1,
	  "0{Wdyx*16} 1{Ndyx*16}" },
	{ "pinned PMD-mapped folio: skipped, next folio gets hints",
	  { "[Wdyx] {Wdyx*16}", .prot = RW }, PINNED, 0, 1, "[Wdyx] {Ndyx*16}" },
	{ "PMD-mapped folio on the node of the mm's only user: skipped, other node gets hints",
	  { "0[Wdyx] 1{Wdyx*16}", .prot = RW }, LOCAL, 0, 1, "0[Wdyx] 1{Ndyx*16}" },
	{ "folio shared after fork(): skipped in 1 batch",
	  { "{Rdy*16} {Rdy*4}", .prot = RW, .twice = true }, SHARED, 0, 1,
	  "{Rdy*16} {Rdy*4}" },
};

KUNIT_ARRAY_PARAM_DESC(skip_rows, skip_rows, name);

/* change_prot_numa() calls this function once per batch. */
static struct ptebatch_counter asked = { .function = "folio_can_map_prot_numa" };
static bool is_counting;

static void give_reason(struct ptebatch_trial *trial, const void *data)
{
	const struct skip_row *row = data;
	struct folio *folio = trial->space->folios[row->folio];

	trial->call.model = NULL;
	if (row->reason == PINNED)
		ptebatch_folio_pin(folio, 1);
	else if (row->reason == DIRTY_FILE)
		folio_set_dirty(folio);
	asked.match = folio;
	is_counting = !ptebatch_counters_begin(&asked, 1);
}

static void take_reason(struct ptebatch_trial *trial, const void *data)
{
	const struct skip_row *row = data;
	struct folio *folio = trial->space->folios[row->folio];

	if (is_counting)
		ptebatch_counters_end(&asked, 1);
	if (row->reason == PINNED)
		ptebatch_folio_pin(folio, -1);
	else if (row->reason == DIRTY_FILE)
		folio_clear_dirty(folio);
}

static void check_batches(struct ptebatch_trial *trial, const void *data)
{
	const struct ptebatch_row *was = &trial->before.row;
	const struct skip_row *row = data;
	unsigned int i, entries = 0;

	for (i = was->from; i < was->to; i++)
		entries += was->entries[i].folio == row->folio &&
			   (!test_bit(i, trial->before.huge) || !was->entries[i].page);
	if (is_counting)
		KUNIT_EXPECT_EQ_MSG(trial->test, asked.hits,
				    trial->one_by_one ? entries : row->batches,
				    PTEBATCH_RULE_HINTS ": %s skips %u entries in %lu batches",
				    trial->function, entries, asked.hits);
}

/* As ptebatch_change(), which takes a second reference to the mm. */
static long hint_alone(const struct ptebatch_op *op, struct ptebatch_space *space,
		       bool twin)
{
	unsigned long start = ptebatch_addr(space, space->row.from);
	unsigned long end = ptebatch_addr(space, space->row.to);
	struct mm_struct *mm = space->places[0].mm;
	struct mmu_gather tlb;
	long pages;

	mmap_write_lock(mm);
	tlb_gather_mmu(&tlb, mm);
	pages = (twin ? ptebatch_twin_change_protection : change_protection)
		(&tlb, vma_lookup(mm, start), start, end, op->arg);
	tlb_finish_mmu(&tlb);
	mmap_write_unlock(mm);
	return pages;
}

static void mprotect_skip(struct kunit *test)
{
	const struct skip_row *row = test->param_value;
	struct ptebatch_op op = ptebatch_protections[PTEBATCH_NUMA_HINT];
	const struct ptebatch_run run = {
		.op = &op, .setup = &row->setup, .after = row->after,
		.prepare = give_reason, .undo = take_reason,
		.check = check_batches, .data = row,
	};
	const char *missing = ptebatch_op_missing(&op);

	if (missing)
		kunit_skip(test, "%s", missing);
	if (row->reason == LOCAL) {
		if (numa_node_id())
			kunit_skip(test, "the test does not run on node 0");
		op.call = hint_alone;
	}
	ptebatch_row_run(test, &run);
}

#ifdef CONFIG_USERFAULTFD

/*
 * Rules 12 and 14: UFFDIO_WRITEPROTECT, from the ioctl() on. When it ends the
 * write protection, a write that needs no fault otherwise does not fault either.
 */

static const struct uffdio_row {
	const char *name;
	struct ptebatch_setup setup;
	bool protect;
	const char *after;
	unsigned int split;	/* first entry of a second VMA, or 0 */
} uffdio_rows[] = {
	{ "UFFDIO_WRITEPROTECT, 64K folio: all entries become uffd-wp",
	  { "{Wdyx*16}", .prot = RW, .uffd_wp = true }, true, "{Rdyux*16}" },
	{ "UFFDIO_WRITEPROTECT, part of a folio: pages outside the range stay writable",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW, .uffd_wp = true }, true,
	  "{Wdyx*5 Rdyux*6 Wdyx*5}" },
	{ "UFFDIO_WRITEPROTECT, folio in two VMAs: all entries become uffd-wp",
	  { "{Wdyx*16}", .prot = RW, .uffd_wp = true }, true, "{Rdyux*16}", 6 },
	{ "UFFDIO_WRITEPROTECT, shmem folio and none entries: uffd-wp, and markers",
	  { "{Wdy*4} -*4", PTEBATCH_SHMEM, RW, .uffd_wp = true }, true,
	  "{Rdyu*4} U*4" },
	{ "UFFDIO_WRITEPROTECT ends, 64K folio: all entries become writable",
	  { "{Rdyux*16}", .prot = RW, .uffd_wp = true }, false, "{Wdyx*16}" },
	{ "UFFDIO_WRITEPROTECT ends, second half shared: first half becomes writable",
	  { "{Rdyux*8 Rdyu*8}", .prot = RW, .uffd_wp = true }, false,
	  "{Wdyx*8 Rdy*8}" },
	{ "UFFDIO_WRITEPROTECT ends, read-only VMA: all entries stay read-only",
	  { "{Rdyux*16}", .prot = RO, .uffd_wp = true }, false, "{Rdyx*16}" },
	{ "UFFDIO_WRITEPROTECT ends, folio in two VMAs: all entries become writable",
	  { "{Rdyux*16}", .prot = RW, .uffd_wp = true }, false, "{Wdyx*16}", 6 },
};

KUNIT_ARRAY_PARAM_DESC(uffdio_rows, uffdio_rows, name);

PTEBATCH_DECLARE_SYSCALL(PTEBATCH_SYSCALL(userfaultfd));

/* The userfaultfd of the row's mm, which is the current mm. */
static struct file *open_uffd(void)
{
	const struct ptebatch_args args = ptebatch_args(UFFD_USER_MODE_ONLY, 0, 0, 0, 0);
	int fd = ptebatch_syscall(PTEBATCH_SYSCALL(userfaultfd), &args);
	struct file *file;

	if (fd < 0)
		return ERR_PTR(fd);
	file = fget(fd);
	close_fd(fd);
	return file;
}

static long uffd_ioctl(struct file *file, unsigned int cmd, const void *arg,
		       size_t bytes)
{
	unsigned long addr = ptebatch_to_user(arg, bytes);
	long ret;

	if (IS_ERR_VALUE(addr))
		return addr;
	ret = file->f_op->unlocked_ioctl(file, cmd, addr);
	vm_munmap(addr, PAGE_ALIGN(bytes));
	return ret;
}

/* All entries of the row, or those of the operation's range. */
static struct uffdio_range range_of(const struct ptebatch_space *space, bool all)
{
	unsigned int from = all ? 0 : space->row.from;
	unsigned int to = all ? space->row.nr : space->row.to;

	return (struct uffdio_range) {
		.start = ptebatch_addr(space, from),
		.len = (to - from) * PAGE_SIZE,
	};
}

static struct file *uffd;

static long write_protect(const struct ptebatch_op *op,
			  struct ptebatch_space *space, bool twin)
{
	const struct uffdio_writeprotect arg = {
		.range = range_of(space, false), .mode = op->arg,
	};
	long ret;

	kthread_use_mm(space->places[0].mm);
	ret = uffd_ioctl(uffd, UFFDIO_WRITEPROTECT, &arg, sizeof(arg));
	kthread_unuse_mm(space->places[0].mm);
	return ret;
}

/* Before the space's teardown: the end of userfaultfd ends all protection. */
static void close_uffd(void *data)
{
	__fput_sync(uffd);
}

static void register_uffd(struct ptebatch_trial *trial, const void *data)
{
	const struct uffdio_row *row = data;
	const struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP |
			    UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
	};
	const struct uffdio_register reg = {
		.range = range_of(trial->space, true),
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct kunit *test = trial->test;
	long err = 0;

	/* Registration sets VM_UFFD_WP with the userfaultfd_ctx. */
	ptebatch_vma_flags(trial->place->mm, trial->place->start, 0, VM_UFFD_WP);
	kthread_use_mm(trial->place->mm);
	if (row->split)
		err = do_madvise(trial->place->mm, trial->place->start,
				 row->split * PAGE_SIZE, MADV_DONTDUMP);
	uffd = open_uffd();
	if (!err && !IS_ERR(uffd))
		err = uffd_ioctl(uffd, UFFDIO_API, &api, sizeof(api)) ?:
		      uffd_ioctl(uffd, UFFDIO_REGISTER, &reg, sizeof(reg));
	kthread_unuse_mm(trial->place->mm);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, uffd);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, close_uffd, NULL));
	KUNIT_ASSERT_EQ(test, err, 0);
}

static void mprotect_uffdio(struct kunit *test)
{
	const struct uffdio_row *row = test->param_value;
	const struct ptebatch_op op = {
		.function = "UFFDIO_WRITEPROTECT", .call = write_protect,
		.arg = row->protect ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
		.no_twin = true,
	};
	const struct ptebatch_run run = {
		.op = &op, .setup = &row->setup, .after = row->after,
		.prepare = register_uffd, .data = row,
	};

	ptebatch_row_run(test, &run);
}

#endif

/* Rule 5: without VM_WRITE, MM_CP_TRY_CHANGE_WRITABLE warns and upgrades nothing. */
static void mprotect_no_write(struct kunit *test)
{
	static const struct ptebatch_setup setup = { "{Rdyx*8 Ndyx*8}", .prot = RO };
	struct ptebatch_op op = ptebatch_protections[PTEBATCH_TO_WRITABLE];
	const struct ptebatch_run run = {
		.op = &op, .setup = &setup, .after = "{Rdyx*16}",
	};

	op.prot = RO;
	kunit_warning_suppress(test) {
		ptebatch_row_run(test, &run);
		KUNIT_EXPECT_TRUE_MSG(test, KUNIT_SUPPRESSED_WARNING_COUNT() > 0,
				      "%s does not warn", op.function);
	}
}

/*
 * The worst case of S3 inside a folio: exclusive and shared, or writable and
 * read-only pages alternate, so that each batch is one entry.
 */

static const struct alternation {
	const char *name;
	unsigned long from, to;
	const char *before[2], *after[2];	/* tokens of even and odd pages */
} alternations[] = {
	{ "exclusive and shared pages alternate, orders 1, 4 and 9: exclusive become writable",
	  NONE, RW, { "Ndyx", "Ndy" }, { "Wdyx", "Rdy" } },
	{ "shared and exclusive pages alternate, orders 1, 4 and 9: all become PROT_NONE",
	  RW, NONE, { "Rdy", "Wdyx" }, { "Ndy", "Ndyx" } },
	{ "writable and read-only pages alternate, orders 1, 4 and 9: all become PROT_NONE",
	  RW, NONE, { "Wdyx", "Rdyx" }, { "Ndyx", "Ndyx" } },
	{ "PROT_NONE and read-only pages alternate, orders 1, 4 and 9: all become writable",
	  RO, RW, { "Ndyx", "Rdyx" }, { "Wdyx", "Wdyx" } },
};

KUNIT_ARRAY_PARAM_DESC(alternations, alternations, name);

static const char *draw_alternating(struct kunit *test, const char * const *tokens,
				    unsigned int nr)
{
	const size_t bytes = nr * sizeof(" Wdyx") + sizeof("{}");
	char *text = kunit_kzalloc(test, bytes, GFP_KERNEL);
	struct seq_buf out;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, text);
	seq_buf_init(&out, text, bytes);
	seq_buf_putc(&out, '{');
	for (i = 0; i < nr; i++)
		seq_buf_printf(&out, "%s ", tokens[i % 2]);
	seq_buf_putc(&out, '}');
	return seq_buf_str(&out);
}

static void mprotect_alternates(struct kunit *test)
{
	const struct alternation *row = test->param_value;
	static const unsigned int orders[] = { 1, 4, 9 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		unsigned int nr = 1U << orders[i];
		const struct ptebatch_setup setup = {
			.picture = draw_alternating(test, row->before, nr),
			.prot = row->from,
		};

		if (!check_row(test, &setup, row->to, 0,
			       draw_alternating(test, row->after, nr)))
			return;
	}
}

/*
 * S3's reproducer changes several regions in turn, each to no access and back:
 * a call changes its region only, also if the VMA merges with its neighbours.
 * Between the regions lie pages that any upgrade would make writable.
 */

#define REGIONS		4
#define REGION_PAGES	16
#define REGION_ROUNDS	6

static const char *draw_regions(struct kunit *test, unsigned long none)
{
	const size_t bytes = REGIONS * sizeof("{Wdyx*8 Rdy*8} Rdyx ");
	char *text = kunit_kzalloc(test, bytes, GFP_KERNEL);
	struct seq_buf out;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, text);
	seq_buf_init(&out, text, bytes);
	for (i = 0; i < REGIONS; i++)
		seq_buf_printf(&out, "%s Rdyx ", none & BIT(i) ?
			       "{Ndyx*8 Ndy*8}" : "{Wdyx*8 Rdy*8}");
	return seq_buf_str(&out);
}

static void mprotect_regions(struct kunit *test)
{
	const struct ptebatch_setup setup = { draw_regions(test, 0), .prot = RW };
	struct ptebatch_trial *trial;
	unsigned long none = 0;	/* bitmap of the regions without access */
	unsigned int round, i;

	trial = ptebatch_trial_begin(test, "mprotect_fixup()", &setup);
	/* The flushes and announcements of single calls are not recorded. */
	ptebatch_trial_stop(trial);
	bitmap_fill(trial->flush.flushed, PTEBATCH_ROW_ENTRIES);
	bitmap_fill(trial->announced.entries, PTEBATCH_ROW_ENTRIES);
	for (round = 0; round < REGION_ROUNDS; round++) {
		for (i = 0; i < REGIONS; i++) {
			unsigned long start = ptebatch_addr(trial->space,
							    i * (REGION_PAGES + 1));
			bool access = (round + i) % 2;

			KUNIT_ASSERT_EQ(test, 0,
					ptebatch_mprotect(trial->place->mm, start,
							  start + REGION_PAGES * PAGE_SIZE,
							  access ? RW : NONE));
			__assign_bit(i, &none, !access);
			if (!ptebatch_trial_end(trial) ||
			    !ptebatch_trial_expect(trial, draw_regions(test, none)))
				return;
		}
	}
}

/*
 * Every order, every kind of range: all entries of the folio are in one state,
 * so a token for the state before and a token for the state after suffice.
 */

static const struct change {
	const char *name;
	enum ptebatch_mapping mapping;
	unsigned long from, to;
	const char *before, *after;
} changes[] = {
	{ "exclusive folio to read-only: range becomes read-only",
	  PTEBATCH_ANON, RW, RO, "Wdyx", "Rdyx" },
	{ "exclusive folio to writable: range becomes writable",
	  PTEBATCH_ANON, RO, RW, "Rdyx", "Wdyx" },
	{ "shared folio to writable: range stays read-only",
	  PTEBATCH_ANON, RO, RW, "Rdy", "Rdy" },
	{ "exclusive folio to no access: range becomes PROT_NONE",
	  PTEBATCH_ANON, RW, NONE, "Wdyx", "Ndyx" },
	{ "exclusive folio from no access: range becomes writable",
	  PTEBATCH_ANON, NONE, RW, "Ndyx", "Wdyx" },
	{ "shmem folio to read-only: range becomes read-only",
	  PTEBATCH_SHMEM, RW, RO, "Wdy", "Rdy" },
	{ "clean shared file folio to writable: range stays read-only",
	  PTEBATCH_FILE, RO, RW, "Ry", "Ry" },
};

PTEBATCH_ORDER_PARAMS(mprotect_order, changes);

static bool check_range(struct kunit *test, const void *kind, unsigned int nr,
			unsigned int from, unsigned int to)
{
	const struct change *change = kind;
	const struct ptebatch_setup setup = {
		.picture = ptebatch_draw_range(test, nr, from, to,
					       change->before, change->before),
		.mapping = change->mapping,
		.prot = change->from,
	};

	return check_row(test, &setup, change->to, 0,
			 ptebatch_draw_range(test, nr, from, to, change->before,
					     change->after));
}

static void mprotect_order(struct kunit *test)
{
	const struct ptebatch_order *param = test->param_value;
	unsigned int nr = 1U << param->order;

	if (!ptebatch_each_range(test, check_range) || nr < 4)
		return;
	if (check_range(test, param->kind, nr, 0, 1) &&
	    check_range(test, param->kind, nr, nr - 1, nr) &&
	    check_range(test, param->kind, nr, 0, nr - 1))
		check_range(test, param->kind, nr, 1, nr);
}

static struct kunit_case mprotect_cases[] = {
	KUNIT_CASE_PARAM(mprotect_row, rows_gen_params),
	KUNIT_CASE(mprotect_erratum),
	KUNIT_CASE_PARAM(mprotect_protection, protection_rows_gen_params),
	KUNIT_CASE_PARAM(mprotect_skip, skip_rows_gen_params),
#ifdef CONFIG_USERFAULTFD
	KUNIT_CASE_PARAM(mprotect_uffdio, uffdio_rows_gen_params),
#endif
	KUNIT_CASE(mprotect_no_write),
	KUNIT_CASE_PARAM(mprotect_alternates, alternations_gen_params),
	KUNIT_CASE(mprotect_regions),
	PTEBATCH_CASE_PARAMS(mprotect_order),
	{}
};

PTEBATCH_SUITE(mprotect, mprotect_cases, PTEBATCH_DEVICE);
