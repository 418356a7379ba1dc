// SPDX-License-Identifier: GPL-2.0
/*
 * change_protection() changes the entries of a large folio in batches;
 * mprotect_fixup() splits or merges the VMA and calls change_protection().
 *
 * Each row runs three times, each time in a new address space of its own:
 * mprotect_fixup(), change_protection() on a part of a VMA, and the twin of
 * change_protection(), which changes one entry at a time.
 */
#include <kunit/test.h>
#include <linux/mman.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/checks.h"
#include "../lib/check/compare.h"
#include "../lib/inject/conditions.h"
#include "../lib/kernel/process.h"
#include "../lib/op/protect.h"
#include "../lib/run/case.h"
#include "../lib/run/orders.h"
#include "../lib/service/device.h"
#include "../lib/space/pte.h"

#define NONE	PROT_NONE
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)
#define RX	(PROT_READ | PROT_EXEC)

#define UFFD_WP_SET			(&ptebatch_protections[PTEBATCH_UFFD_WP])
#define UFFD_WP_RESOLVE		(&ptebatch_protections[PTEBATCH_UFFD_WP_RESOLVE])
#define UFFD_RWP_SET		(&ptebatch_protections[PTEBATCH_UFFD_RWP])
#define UFFD_RWP_RESOLVE	(&ptebatch_protections[PTEBATCH_UFFD_RWP_RESOLVE])
#define NUMA_HINT		(&ptebatch_protections[PTEBATCH_NUMA_HINT])

/*
 * The argument of a case of mprotect(): the new protection of the row's range and, with
 * KEY(), its new protection key.
 */
#define KEY_SHIFT	16
#define KEY(pkey)	((pkey) << KEY_SHIFT)

static bool check_row(struct kunit *test, struct ptebatch_case c)
{
	enum ptebatch_protection_id id =
		c.arg & PROT_WRITE ? PTEBATCH_TO_WRITABLE :
		c.arg & PROT_READ ? PTEBATCH_TO_READABLE : PTEBATCH_TO_NONE;
	struct ptebatch_op ops[] = { ptebatch_fixups[id], ptebatch_protections[id] };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		ops[i].prot = c.arg & (KEY(1) - 1);
		ops[i].pkey = c.arg >> KEY_SHIFT;
	}
	c.arg = 0;
	c.op = &ops[0];
	if (!ptebatch_case_run(test, &c))
		return false;
	c.op = &ops[1];
	return ptebatch_case_run(test, &c);
}

static const struct ptebatch_case rows[] = {
	/* The page table disappears before it is locked. */
	{ "corrupt PMD: cleared and reported, no entry becomes read-only",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", .arg = RO, .with = { BAD_PMD } },
	{ "corrupt PMD, next page table: only its entries become read-only",
	  { "@-4 {Wdyx*16}", .prot = RW }, "@-4 {Wdyx*4 Rdyx*12}", .arg = RO,
	  .with = { BAD_PMD } },

	/* The PMD changes before the page table is locked. */
	{ "PMD changes before the lock: looked at again, all entries become read-only",
	  { "{Wdyx*16}", .prot = RW }, "{Rdyx*16}", .arg = RO, .with = { TABLE_LOST } },

	/* Whole folios; a shared page is one that is not AnonExclusive. */
	{ "64K folio to read-only: all entries become read-only",
	  { "{Wdyx*16}", .prot = RW }, "{Rdyx*16}", .arg = RO },
	{ "64K folio to writable: all entries become writable",
	  { "{Rdyx*16}", .prot = RO }, "{Wdyx*16}", .arg = RW },
	{ "64K folio to no access: all entries become PROT_NONE",
	  { "{Wdyx*16}", .prot = RW }, "{Ndyx*16}", .arg = NONE },
	{ "64K folio from no access to writable: all entries become writable",
	  { "{Ndyx*16}", .prot = NONE }, "{Wdyx*16}", .arg = RW },
	{ "64K folio from no access to read-only: all entries become read-only",
	  { "{Ndyx*16}", .prot = NONE }, "{Rdyx*16}", .arg = RO },
	{ "shared 64K folio to writable: all entries stay read-only",
	  { "{Rdy*16}", .prot = RO }, "{Rdy*16}", .arg = RW },
	{ "shared 64K folio from no access to writable: all entries become read-only",
	  { "{Ndy*16}", .prot = NONE }, "{Rdy*16}", .arg = RW },

	/* Rule 11, to writable: only runs of exclusive pages become writable. */
	{ "64K folio, second half shared: first half becomes writable",
	  { "{Rdyx*8 Rdy*8}", .prot = RO }, "{Wdyx*8 Rdy*8}", .arg = RW },
	{ "64K folio, first half shared: second half becomes writable",
	  { "{Rdy*8 Rdyx*8}", .prot = RO }, "{Rdy*8 Wdyx*8}", .arg = RW },
	{ "64K folio, first page shared: all other pages become writable",
	  { "{Rdy Rdyx*15}", .prot = RO }, "{Rdy Wdyx*15}", .arg = RW },
	{ "64K folio, last page shared: all other pages become writable",
	  { "{Rdyx*15 Rdy}", .prot = RO }, "{Wdyx*15 Rdy}", .arg = RW },
	{ "64K folio, only page 7 exclusive: page 7 becomes writable",
	  { "{Rdy*7 Rdyx Rdy*8}", .prot = RO }, "{Rdy*7 Wdyx Rdy*8}", .arg = RW },
	{ "32K folio, every other page shared: exclusive pages become writable",
	  { "{Rdyx Rdy Rdyx Rdy Rdyx Rdy Rdyx Rdy}", .prot = RO },
	  "{Wdyx Rdy Wdyx Rdy Wdyx Rdy Wdyx Rdy}", .arg = RW },
	{ "64K folio, shared runs of 1, 2 and 3 pages: exclusive pages become writable",
	  { "{Rdy Rdyx Rdy*2 Rdyx*2 Rdy*3 Rdyx*3 Rdyx*4}", .prot = RO },
	  "{Rdy Wdyx Rdy*2 Wdyx*2 Rdy*3 Wdyx*7}", .arg = RW },
	{ "exclusivity changes at both ends of the range: exclusive run in it becomes writable",
	  { "{Rdy*2 | Rdyx*6 Rdy*4 | Rdyx*4}", .prot = RO },
	  "{Rdy*2 Wdyx*6 Rdy*4 Rdyx*4}", .arg = RW },
	{ "64K folio, exclusive and clean, to writable: all entries become writable",
	  { "{Ryx*16}", .prot = RO }, "{Wyx*16}", .arg = RW },
	{ "64K folio, shared and clean, to writable: all entries stay read-only",
	  { "{Ry*16}", .prot = RO }, "{Ry*16}", .arg = RW },
	{ "shared range between exclusive pages: all entries stay read-only",
	  { "{Rdyx | Rdy*14 | Rdyx}", .prot = RO }, "{Rdyx Rdy*14 Rdyx}", .arg = RW },

	/* Rule 3: where a batch ends inside a folio. */
	{ "read-only run in a writable folio, to no access: all become PROT_NONE",
	  { "{Wdyx*4 Rdyx*4 Wdyx*8}", .prot = RW }, "{Ndyx*16}", .arg = NONE },
	{ "writable and read-only pages alternate, to read-only: all become read-only",
	  { "{Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx Wdyx Rdyx}", .prot = RW }, "{Rdyx*8}",
	  .arg = RO },
	{ "read-only before writable pages, to read-only: all become read-only",
	  { "{Rdyx*4 Wdyx*12}", .prot = RW }, "{Rdyx*16}", .arg = RO },
	{ "PROT_NONE run in a read-only folio, to writable: all become writable",
	  { "{Rdyx*3 Ndyx*2 Rdyx*3}", .prot = RO }, "{Wdyx*8}", .arg = RW },
	{ "4 none entries inside a folio, to read-only: mapped pages become read-only",
	  { "{Wdyx*6 -*4 Wdyx*6}", .prot = RW }, "{Rdyx*6 -*4 Rdyx*6}", .arg = RO },
	{ "entries 5 and 6 map pages 5 and 10, to read-only: all become read-only",
	  { "{Wdyx*6 .*4 Wdyx*6}", .prot = RW }, "{Rdyx*6 .*4 Rdyx*6}", .arg = RO },
	{ "pages mapped in the order 3, 1, 2, 0, to read-only: all become read-only",
	  { "{Wdyx=3 Wdyx=1 Wdyx=2 Wdyx=0 .*3}", .prot = RW },
	  "{Rdyx=3 Rdyx=1 Rdyx=2 Rdyx=0 .*3}", .arg = RO },

	/* Rule 1: accessed and dirty may spread in a batch, but never vanish. */
	{ "old run between young pages, to read-only: young bits stay",
	  { "{Wdyx*4 Wdx*4 Wdyx*8}", .prot = RW }, "{Rdyx*4 Rdx*4 Rdyx*8}", .arg = RO },
	{ "only the last page young, to read-only: its young bit stays",
	  { "{Wdx*15 Wdyx}", .prot = RW }, "{Rdx*15 Rdyx}", .arg = RO },
	{ "only the last page dirty, to read-only: its dirty bit stays",
	  { "{Wyx*15 Wdyx}", .prot = RW }, "{Ryx*15 Rdyx}", .arg = RO },
	{ "only page 7 dirty, to no access: its dirty bit stays",
	  { "{Wyx*7 Wdyx Wyx*8}", .prot = RW }, "{Nyx*7 Ndyx Nyx*8}", .arg = NONE },
	{ "clean and old folio, to read-only: stays clean and old",
	  { "{Wx*16}", .prot = RW }, "{Rx*16}", .arg = RO },
	{ "dirty and young outside the range only, to read-only: range stays clean and old",
	  { "{Wdyx*4 | Wx*8 | Wdyx*4}", .prot = RW }, "{Wdyx*4 Rx*8 Wdyx*4}", .arg = RO },

	/* Rules 3 and 4: boundaries of folios, ranges and page tables. */
	{ "exclusive folio, then shared folio: only the exclusive one becomes writable",
	  { "{Rdyx*16} {Rdy*16}", .prot = RO }, "{Wdyx*16} {Rdy*16}", .arg = RW },
	{ "exclusive folio, physically adjacent shared folio: only the first becomes writable",
	  { "{Rdyx*16} +{Rdy*16}", .prot = RO }, "{Wdyx*16} +{Rdy*16}", .arg = RW },
	{ "dirty folio, physically adjacent clean folio: second folio stays clean",
	  { "{Wdyx*16} +{Wx*16}", .prot = RW }, "{Rdyx*16} +{Rx*16}", .arg = RO },
	{ "range ends before a physically adjacent folio: that folio stays writable",
	  { "|{Wdyx*16}| +{Wdyx*16}", .prot = RW }, "{Rdyx*16} +{Wdyx*16}", .arg = RO },
	{ "physically adjacent small folios, exclusive and shared: exclusive become writable",
	  { "Rdyx +Rdy +Rdyx +Rdy", .prot = RO }, "Wdyx +Rdy +Wdyx +Rdy", .arg = RW },
	{ "folios of 1, 2, 4, 16 and 8 pages, to read-only: all become read-only",
	  { "Wdyx {Wdyx*2} {Wdyx*4} Wdyx {Wdyx*16} {Wdyx*8} Wdyx*3", .prot = RW },
	  "Rdyx {Rdyx*2} {Rdyx*4} Rdyx {Rdyx*16} {Rdyx*8} Rdyx*3", .arg = RO },
	{ "64K folio at entry 3 of its page table, to read-only: all become read-only",
	  { "@3 {Wdyx*16}", .prot = RW }, "@3 {Rdyx*16}", .arg = RO },
	{ "64K folio mapped from page 5 on, to read-only: all become read-only",
	  { "{.*5 Wdyx*11} Wdyx", .prot = RW }, "{.*5 Rdyx*11} Rdyx", .arg = RO },
	{ "64K folio mapped up to page 4, to read-only: all become read-only",
	  { "{Wdyx*5 .*11} Wdyx", .prot = RW }, "{Rdyx*5 .*11} Rdyx", .arg = RO },
	{ "16K folio between none entries, to read-only: only its entries change",
	  { "-*3 {Wdyx*4} -*9", .prot = RW }, "-*3 {Rdyx*4} -*9", .arg = RO },
	{ "range of none entries between folios, to read-only: nothing changes",
	  { "{Wdyx*4} |-*8| {Wdyx*4}", .prot = RW }, "{Wdyx*4} -*8 {Wdyx*4}", .arg = RO },
	{ "64K folio across two page tables, to read-only: all become read-only",
	  { "@-8 {Wdyx*16}", .prot = RW }, "@-8 {Rdyx*16}", .arg = RO },
	{ "64K folio across two page tables, second half shared: first half becomes writable",
	  { "@-8 {Rdyx*8 Rdy*8}", .prot = RO }, "@-8 {Wdyx*8 Rdy*8}", .arg = RW },
	{ "64K folio across two page tables, first half in range: second half stays writable",
	  { "@-8 |{Wdyx*8 | Wdyx*8}", .prot = RW }, "@-8 {Rdyx*8 Wdyx*8}", .arg = RO },
	{ "64K folio across two page tables, second half in range: first half stays writable",
	  { "@-8 {Wdyx*8 | Wdyx*8}|", .prot = RW }, "@-8 {Wdyx*8 Rdyx*8}", .arg = RO },
	{ "2M folio across two page tables, to read-only: all become read-only",
	  { "@T/2 {Wdyx*T}", .prot = RW }, "@T/2 {Rdyx*T}", .arg = RO },
	{ "three page tables, middle one missing, to read-only: all mapped become read-only",
	  { "@-2 {Wdyx*2} -*T {Wdyx*2}", .prot = RW }, "@-2 {Rdyx*2} -*T {Rdyx*2}",
	  .arg = RO },
	{ "three page tables of 64K folios, to read-only: all become read-only",
	  { "{Wdyx*16}*T/16 {Wdyx*16}*T/16 {Wdyx*16}*T/16", .prot = RW },
	  "{Rdyx*16}*T/16 {Rdyx*16}*T/16 {Rdyx*16}*T/16", .arg = RO },

	/* Rule 3: one folio in several VMAs. */
	{ "64K folio in two VMAs, to read-only: all become read-only",
	  { "{Wdyx*8 ; Wdyx*8}", .prot = RW }, "{Rdyx*16}", .arg = RO },
	{ "64K folio in two VMAs, first VMA in range: second half stays writable",
	  { "|{Wdyx*8 | ; Wdyx*8}", .prot = RW }, "{Rdyx*8 Wdyx*8}", .arg = RO },
	{ "64K folio in two VMAs, second half shared, to writable: first half becomes writable",
	  { "{Rdyx*6 ; Rdyx*2 Rdy*8}", .prot = RO }, "{Wdyx*8 Rdy*8}", .arg = RW },
	{ "64K folio in three VMAs, range in the middle of two, to no access: range PROT_NONE",
	  { "{Wdyx*2 | Wdyx*3 ; Wdyx*6 | ; Wdyx*5}", .prot = RW },
	  "{Wdyx*2 Ndyx*9 Wdyx*5}", .arg = NONE },
	{ "shmem folio in two VMAs, to read-only: all become read-only",
	  { "{Wdy*5 ; Wdy*11}", PTEBATCH_SHMEM, RW }, "{Rdy*16}", .arg = RO },

	/* Other mappings. */
	{ "shmem, 4 of 16 pages dirty, to read-only: dirty bits stay",
	  { "{Wdy*4 Wy*12}", PTEBATCH_SHMEM, RW }, "{Rdy*4 Ry*12}", .arg = RO },
	{ "shmem, clean and dirty pages, to writable: all become writable",
	  { "{Ry*8 Rdy*8}", PTEBATCH_SHMEM, RO }, "{Wy*8 Wdy*8}", .arg = RW },
	{ "shmem, range inside a folio, to read-only: pages outside stay writable",
	  { "{Wdy*3 | Wdy*10 | Wdy*3}", PTEBATCH_SHMEM, RW }, "{Wdy*3 Rdy*10 Wdy*3}",
	  .arg = RO },
	{ "shared file, clean folio, write notification: stays read-only",
	  { "{Ry*16}", PTEBATCH_FILE, RO }, "{Ry*16}", .arg = RW },
	{ "shared file, dirty folio, write notification: becomes writable",
	  { "{Rdy*16}", PTEBATCH_FILE, RO }, "{Wdy*16}", .arg = RW },
	/* Rule 1 lets dirty spread in a batch, and by rule 5 write permission follows. */
	{ "shared file, dirty and clean folios: only dirty folios become writable",
	  { "{Ry*4} {Rdy*4}", PTEBATCH_FILE, RO }, "{Ry*4} {Wdy*4}", .arg = RW },
	{ "shared file, write notification, 4 of 8 pages dirty: all 8 dirty and writable",
	  { "{Rdy*4 Ry*4} {Ry*4}", PTEBATCH_FILE, RO }, "{Wdy*8} {Ry*4}", .arg = RW },
	{ "private file, page cache folio, to writable: stays read-only",
	  { "{Rdy*16}", PTEBATCH_PRIVATE_FILE, RO }, "{Rdy*16}", .arg = RW },
	{ "private file, COW copy and page cache folios: only the copy becomes writable",
	  { "{Ry*4} {Rdyx*4} {Ry*4}", PTEBATCH_PRIVATE_FILE, RO },
	  "{Ry*4} {Wdyx*4} {Ry*4}", .arg = RW },

	/* Folios that are mapped twice. */
	{ "anonymous folio after fork(), to writable: all entries stay read-only",
	  { "{Rdyx*16}", .prot = RO, .twice = true }, "{Rdy*16}", .arg = RW },
	{ "anonymous folio after fork(), to no access: all entries become PROT_NONE",
	  { "{Wdyx*16}", .prot = RW, .twice = true }, "{Ndy*16}", .arg = NONE },
	{ "shmem folio mapped by two VMAs, to read-only: all entries become read-only",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW, .twice = true }, "{Rdy*16}", .arg = RO },

	/* Rule 12: one reason for a write fault keeps the entry read-only. */
	{ "soft-dirty tracked, folio not soft-dirty, to writable: stays read-only",
	  { "{Rdyx*16}", .prot = RO, .track = true }, "{Rdyx*16}", .arg = RW },
	{ "soft-dirty tracked, folio soft-dirty, to writable: becomes writable",
	  { "{Rdysx*16}", .prot = RO, .track = true }, "{Wdysx*16}", .arg = RW },
	{ "soft-dirty tracked, 4 of 16 pages soft-dirty: only these become writable",
	  { "{Rdyx*4 Rdysx*4 Rdyx*8}", .prot = RO, .track = true },
	  "{Rdyx*4 Wdysx*4 Rdyx*8}", .arg = RW },
	{ "soft-dirty tracked, 1 page dirty, none soft-dirty: all stay read-only",
	  { "{Ryx*7 Rdyx Ryx*8}", .prot = RO, .track = true }, "{Ryx*7 Rdyx Ryx*8}",
	  .arg = RW },
	{ "soft-dirty tracked, 12 of 16 pages soft-dirty, to read-only: soft-dirty stays",
	  { "{Wdysx*4 Rdyx*4 Wdysx*8}", .prot = RW, .track = true },
	  "{Rdysx*4 Rdyx*4 Rdysx*8}", .arg = RO },
	{ "soft-dirty tracked, 12 of 16 pages soft-dirty, to no access: soft-dirty stays",
	  { "{Rdysx*4 Rdyx*4 Rdysx*8}", .prot = RO, .track = true },
	  "{Ndysx*4 Ndyx*4 Ndysx*8}", .arg = NONE },
	{ "soft-dirty tracked, 4 of 16 pages dirty, to no access: none becomes soft-dirty",
	  { "{Rdyx*4 Ryx*12}", .prot = RO, .track = true }, "{Ndyx*4 Nyx*12}",
	  .arg = NONE },
	{ "uffd-wp folio, to writable: all entries stay read-only",
	  { "{Rdyux*16}", .prot = RO, .uffd = UFFD_WP }, "{Rdyux*16}", .arg = RW },
	{ "4 of 16 pages uffd-wp, to writable: all other pages become writable",
	  { "{Rdyx*4 Rdyux*4 Rdyx*8}", .prot = RO, .uffd = UFFD_WP },
	  "{Wdyx*4 Rdyux*4 Wdyx*8}", .arg = RW },
	{ "4 of 16 pages uffd-wp, to no access: uffd-wp stays",
	  { "{Rdyux*4 Wdyx*12}", .prot = RW, .uffd = UFFD_WP }, "{Ndyux*4 Ndyx*12}",
	  .arg = NONE },

	/*
	 * Rule 12: no write is spared for a PTE without a folio, or for a KSM
	 * page. A special PTE maps a PFN, even if the PFN is that of a folio.
	 */
	{ "zero page between exclusive folios, to writable: stays read-only",
	  { "{Rdyx*4} Rzy*2 Rz {Rdyx*4}", .prot = RO }, "{Wdyx*4} Rzy*2 Rz {Wdyx*4}",
	  .arg = RW },
	{ "zero page in a hole of a 64K folio, to writable: stays read-only",
	  { "{Rdyx*4 Rzy*4 Rdyx*8}", .prot = RO }, "{Wdyx*4 Rzy*4 Wdyx*8}", .arg = RW },
	{ "zero page to no access: becomes PROT_NONE",
	  { "{Wdyx*4} Rzy Rz", .prot = RW }, "{Ndyx*4} Nzy Nz", .arg = NONE },
	{ "zero page from no access to writable: becomes read-only",
	  { "{Ndyx*4} Nzy Nz", .prot = NONE }, "{Wdyx*4} Rzy Rz", .arg = RW },
	{ "zero page, soft-dirty tracked, to writable: stays read-only, soft-dirty stays",
	  { "Rzys Rzy Rdysx", .prot = RO, .track = true }, "Rzys Rzy Wdysx", .arg = RW },
	{ "special PTEs in a private mapping, to writable: stay read-only",
	  { "{Rdpy*4} {Rdyx*4}", .prot = RO, .vma = VM_MIXEDMAP }, "{Rdpy*4} {Wdyx*4}",
	  .arg = RW },
	{ "special PTEs between PTEs of the same 64K folio, to writable: stay read-only",
	  { "{Rdyx*4 Rdpy*4 Rdyx*8}", .prot = RO, .vma = VM_MIXEDMAP },
	  "{Wdyx*4 Rdpy*4 Wdyx*8}", .arg = RW },
	{ "special PTEs of a shared file, to writable: only dirty ones become writable",
	  { "{Rdpy*4 Rpy*4}", PTEBATCH_FILE, RO, .vma = VM_MIXEDMAP }, "{Wdpy*4 Rpy*4}",
	  .arg = RW },
	{ "special PTEs of shmem, dirty and clean alternate, to read-only: dirty stays per PTE",
	  { "{Wdpy Wpy Wdpy Wpy}", PTEBATCH_SHMEM, RW, .vma = VM_MIXEDMAP },
	  "{Rdpy Rpy Rdpy Rpy}", .arg = RO },
	{ "KSM page between exclusive pages, to writable: stays read-only",
	  { "Rdyx Rdyk Ryk Rdyx", .prot = RO }, "Wdyx Rdyk Ryk Wdyx", .arg = RW },

	/*
	 * Rules 3 and 5: a shadow-stack PTE of x86 is write-protected and dirty.
	 * Read-only PTEs after it, clean or dirty, are not part of its batch.
	 */
	{ "shadow-stack PTE before shared clean PTEs: shared PTEs stay read-only",
	  { "{Cdyx Ry*15}", .prot = RO }, "{Cdyx Ry*15}", .arg = RW },
	{ "shadow-stack PTE before shared dirty PTEs: shared PTEs stay read-only",
	  { "{Cdyx Rdy*15}", .prot = RO }, "{Cdyx Rdy*15}", .arg = RW },
	{ "shadow-stack PTEs before exclusive dirty PTEs: exclusive PTEs become writable",
	  { "{Cdyx*4 Rdyx*12}", .prot = RO }, "{Cdyx*4 Wdyx*12}", .arg = RW },

	/* Rule 29: execute permission and protection key come from the VMA. */
	{ "executable 64K folio to read-only: no PTE stays executable",
	  { "{Rdyx*16}", .prot = RX }, "{Rdyx*16}", .arg = RO },
	{ "executable 64K folio, second half shared, to writable: no PTE stays executable",
	  { "{Rdyx*8 Rdy*8}", .prot = RX }, "{Wdyx*8 Rdy*8}", .arg = RW },
	{ "middle of an executable 64K folio to writable: these PTEs become writable",
	  { "{Rdyx*5 | Rdyx*6 | Rdyx*5}", .prot = RX }, "{Rdyx*5 Wdyx*6 Rdyx*5}",
	  .arg = RW },
	{ "64K folio from writable to executable: all PTEs become read-only and executable",
	  { "{Wdyx*16}", .prot = RW }, "{Rdyx*16}", .arg = RX },
	{ "64K folio from no access to executable: all PTEs become executable",
	  { "{Ndyx*16}", .prot = NONE }, "{Rdyx*16}", .arg = RX },
	{ "executable 64K folio in two VMAs, to read-only: no PTE stays executable",
	  { "{Rdyx*8 ; Rdyx*8}", .prot = RX }, "{Rdyx*16}", .arg = RO },
	{ "executable shmem folio to read-only: no PTE stays executable",
	  { "{Rdy*16}", PTEBATCH_SHMEM, RX }, "{Rdy*16}", .arg = RO },
	{ "executable PMD to writable: PMD does not stay executable",
	  { "[Rdyx]", .prot = RX }, "[Wdyx]", .arg = RW },
	{ "executable PMD split, second half to read-only: these PTEs not executable",
	  { "[Rdyx*T/2 | Rdyx*T/2]|", .prot = RX }, "{Rdyx*T}", .arg = RO },
	{ "64K folio to memory with tags: tags of all pages initialized",
	  { "{Wdyx*16}", .prot = RW }, "{Wdyx*16}", .arg = RW | PTEBATCH_PROT_MTE },
	{ "64K folio, second half shared, to memory with tags: all tags initialized",
	  { "{Rdyx*8 Rdy*8}", .prot = RO }, "{Wdyx*8 Rdy*8}",
	  .arg = RW | PTEBATCH_PROT_MTE },
	{ "64K folio, memory with tags, to read-only: tags stay",
	  { "{Wdyx*16}", .prot = RW | PTEBATCH_PROT_MTE }, "{Rdyx*16}", .arg = RO },
	{ "64K folio, protection key 5, to read-only: PTEs keep the key",
	  { "{Wdyx*16}", .prot = RW, .pkey = 5 }, "{Rdyx*16}", .arg = RO },
	{ "64K folio from protection key 5 to 10: PTEs get key 10",
	  { "{Wdyx*16}", .prot = RW, .pkey = 5 }, "{Wdyx*16}", .arg = RW | KEY(10) },
	{ "middle of a 64K folio, half shared, to protection key 15: only these PTEs get it",
	  { "{Rdyx*4 | Rdyx*4 Rdy*4 | Rdy*4}", .prot = RO }, "{Rdyx*4 Wdyx*4 Rdy*8}",
	  .arg = RW | KEY(15) },
	{ "64K folio from no access to protection key 1: PTEs get key 1",
	  { "{Ndyx*16}", .prot = NONE, .pkey = 14 }, "{Wdyx*16}", .arg = RW | KEY(1) },
	{ "PMD from protection key 5 to 10: PMD gets key 10",
	  { "[Wdyx]", .prot = RW, .pkey = 5 }, "[Wdyx]", .arg = RW | KEY(10) },

	/* Rule 15: non-present entries. */
	{ "migration entries to read-only: writable ones become exclusive",
	  { "{Mw*4 Mx*4 M*4 Rdyx*4}", .prot = RW }, "{Mx*8 M*4 Rdyx*4}", .arg = RO },
	{ "shmem migration entries to read-only: writable ones become readable",
	  { "{Mw*4 M*4 Wdy*8}", PTEBATCH_SHMEM, RW }, "{M*8 Rdy*8}", .arg = RO },
	{ "migration entries to writable: stay readable",
	  { "{Mx*4 M*4 Rdyx*8}", .prot = RO }, "{Mx*4 M*4 Wdyx*8}", .arg = RW },
	{ "swap entries between folios, to no access: swap entries stay unchanged",
	  { "{Wdyx*4} Sx*2 S*2 {Wdyx*4}", .prot = RW }, "{Ndyx*4} Sx*2 S*2 {Ndyx*4}",
	  .arg = NONE },
	{ "migration and swap entries to read-only: soft-dirty stays",
	  { "{Mws*2 Mx*2} Ssx S", .prot = RW, .track = true }, "{Mxs*2 Mx*2} Ssx S",
	  .arg = RO },
	{ "device-private entries to read-only: become readable, stay exclusive",
	  { "Dwx {Dwx*4 Dx*2 D*2} {Wdyx*4}", .prot = RW }, "Dx {Dx*6 D*2} {Rdyx*4}",
	  .arg = RO },
	{ "device-private entries to writable: stay readable",
	  { "{Dx*4} {Rdyx*4}", .prot = RO }, "{Dx*4} {Wdyx*4}", .arg = RW },
	{ "device-exclusive entries in a 64K folio, to read-only: stay",
	  { "{Wdyx*4 Ex*4 Wdyx*8}", .prot = RW }, "{Rdyx*4 Ex*4 Rdyx*8}", .arg = RO },
	{ "poison and guard markers between folios, to read-only: markers stay",
	  { "{Wdyx*2} P G {Wdyx*2} P", .prot = RW }, "{Rdyx*2} P G {Rdyx*2} P",
	  .arg = RO },

	/* Rule 16: PMD-mapped folios. */
	{ "PMD to read-only: PMD becomes read-only",
	  { "[Wdyx]", .prot = RW }, "[Rdyx]", .arg = RO },
	{ "PMD to writable: PMD becomes writable",
	  { "[Rdyx]", .prot = RO }, "[Wdyx]", .arg = RW },
	{ "shared PMD to writable: PMD stays read-only",
	  { "[Rdy]", .prot = RO }, "[Rdy]", .arg = RW },
	{ "PMD to no access: PMD becomes PROT_NONE",
	  { "[Wdyx]", .prot = RW }, "[Ndyx]", .arg = NONE },
	{ "PMD split, soft-dirty tracked, PMD not soft-dirty: no PTE is soft-dirty",
	  { "[Rdyx*T/2 | Rdyx*T/2]|", .prot = RO, .track = true }, "{Rdyx*T}",
	  .arg = RW },
	{ "PMD split, soft-dirty tracked, PMD soft-dirty: all PTEs are soft-dirty",
	  { "[Wdysx*T/2 | Wdysx*T/2]|", .prot = RW, .track = true },
	  "{Wdysx*T/2 Rdysx*T/2}", .arg = RO },
	{ "shmem PMD to read-only: PMD becomes read-only",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, "[Rdy]", .arg = RO },
	{ "PMD split, middle half to read-only: both ends stay writable",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW },
	  "{Wdyx*T/4 Rdyx*T/2 Wdyx*T/4}", .arg = RO },
	{ "PMD split, second half to writable: first half stays read-only",
	  { "[Rdyx*T/2 | Rdyx*T/2]|", .prot = RO }, "{Rdyx*T/2 Wdyx*T/2}", .arg = RW },
	{ "shared PMD split, first half to writable: all PTEs stay read-only",
	  { "|[Rdy*T/2 | Rdy*T/2]", .prot = RO }, "{Rdy*T}", .arg = RW },
	{ "huge zero page to writable: PMD stays read-only",
	  { "[Rzy] {Rdyx*4}", .prot = RO }, "[Rzy] {Wdyx*4}",
	  .arg = RW },
	{ "huge zero page to no access and soft-dirty tracked: becomes PROT_NONE",
	  { "[Rzys]", .prot = RW, .track = true }, "[Nzys]", .arg = NONE },
	{ "huge zero page split, first half to writable: all PTEs stay read-only",
	  { "|[Rzy*T/2 | Rzy*T/2]", .prot = RO }, "Rzy*T", .arg = RW },
	{ "huge zero page split, soft-dirty tracked, PMD soft-dirty: all PTEs are soft-dirty",
	  { "[Rzys*T/2 | Rzys*T/2]|", .prot = RW, .track = true },
	  "Rzys*T", .arg = RO },
	{ "huge zero page split, soft-dirty tracked, PMD not soft-dirty: no PTE is soft-dirty",
	  { "[Rzy*T/2 | Rzy*T/2]|", .prot = RW, .track = true }, "Rzy*T",
	  .arg = RO },
	{ "writable PMD migration entry to read-only: becomes readable and exclusive",
	  { "[Mw]", .prot = RW }, "[Mx]", .arg = RO },
	{ "shared PMD migration entry to read-only: stays shared",
	  { "[M]", .prot = RW }, "[M]", .arg = RO },
	{ "exclusive PMD migration entry to writable: stays readable",
	  { "[Mx]", .prot = RO }, "[Mx]", .arg = RW },
	{ "writable soft-dirty PMD migration entry to read-only: soft-dirty stays",
	  { "[Mws]", .prot = RW, .track = true }, "[Mxs]", .arg = RO },
	{ "writable PMD migration entry split, middle half to read-only: both ends stay writable",
	  { "[Mw*T/4 | Mw*T/2 | Mw*T/4]", .prot = RW }, "{Mw*T/4 Mx*T/2 Mw*T/4}",
	  .arg = RO },
	{ "soft-dirty PMD migration entry split: all entries stay exclusive and soft-dirty",
	  { "[Mxs*T/2 | Mxs*T/2]|", .prot = RO, .track = true }, "{Mxs*T}", .arg = RW },
	{ "clean exclusive PMD to writable: PMD becomes writable, stays clean",
	  { "[Ryx]", .prot = RO }, "[Wyx]", .arg = RW },
	{ "PMD to writable, soft-dirty tracked, not soft-dirty: PMD stays read-only",
	  { "[Rdyx]", .prot = RO, .track = true }, "[Rdyx]", .arg = RW },
	{ "PMD to writable, soft-dirty tracked and soft-dirty: PMD becomes writable",
	  { "[Rdysx]", .prot = RO, .track = true }, "[Wdysx]", .arg = RW },
	{ "uffd-wp PMD to writable: PMD stays read-only and uffd-wp",
	  { "[Rdyux]", .prot = RO, .uffd = UFFD_WP }, "[Rdyux]", .arg = RW },
	{ "uffd-rwp PMD to writable: PMD stays PROT_NONE and uffd-rwp",
	  { "[Ndyux]", .prot = RO, .uffd = UFFD_RWP }, "[Ndyux]", .arg = RW },
	{ "uffd-rwp PMD split, second half to writable: all PTEs PROT_NONE and uffd-rwp",
	  { "[Ndyux*T/2 | Ndyux*T/2]|", .prot = RO, .uffd = UFFD_RWP }, "{Ndyux*T}",
	  .arg = RW },
	{ "writable device-private PMD to read-only: becomes readable, stays exclusive",
	  { "[Dwx]", .prot = RW }, "[Dx]", .arg = RO },
	{ "readable device-private PMD to writable: stays readable",
	  { "[Dx]", .prot = RO }, "[Dx]", .arg = RW },
	{ "writable device-private PMD split, second half to read-only: first half stays writable",
	  { "[Dwx*T/2 | Dwx*T/2]|", .prot = RW }, "{Dwx*T/2 Dx*T/2}", .arg = RO },
	{ "PMD between page tables, to read-only: PMD and PTEs become read-only",
	  { "@-4 {Wdyx*4} [Wdyx] {Wdyx*4}", .prot = RW }, "@-4 {Rdyx*4} [Rdyx] {Rdyx*4}",
	  .arg = RO },
	{ "PTE-mapped 2M folio to read-only: all entries become read-only",
	  { "{Wdyx*T}", .prot = RW }, "{Rdyx*T}", .arg = RO },
	{ "PTE-mapped 2M folio, 2 pages shared: all other pages become writable",
	  { "{Rdyx*255 Rdy*2 Rdyx*255}", .prot = RO }, "{Wdyx*255 Rdy*2 Wdyx*255}",
	  .arg = RW },
};

KUNIT_ARRAY_PARAM_DESC(rows, rows, name);

static void mprotect_row(struct kunit *test)
{
	check_row(test, *(const struct ptebatch_case *)test->param_value);
}

/*
 * Rule 8 with erratum 2645198 of Cortex-A715: mprotect() empties executable
 * entries and flushes them before it sets them again.
 */
static bool flushed_empty;

/* At a flush, under the page table lock or not: are all entries empty? */
static void see_entries(struct ptebatch_use *use, const unsigned long *args,
			struct pt_regs *regs)
{
	const struct ptebatch_space *space = use->trial->space;
	bool empty = true;
	unsigned int i;

	for (i = 0; i < space->row.nr; i++) {
		unsigned long addr = ptebatch_addr(space, i);
		pmd_t *pmd = ptebatch_find_pmd(space->places[0].mm, addr);
		pte_t *ptep = pte_offset_map(pmd, addr);

		empty &= pte_none(ptep_get_lockless(ptep));
		pte_unmap(ptep);
	}
	flushed_empty |= empty;
}

static const struct ptebatch_condition_type flush_seen = {
	.name = "the TLB is flushed", .occur = see_entries, .always = true, .optional = true,
};

/* Does mprotect() to read-only flush all entries while they are empty? */
static bool breaks_before_make(struct kunit *test, unsigned long prot)
{
	const struct ptebatch_case c = {
		.setup = { "{Rdyx*16}", .prot = prot },
		.op = &ptebatch_protections[PTEBATCH_TO_READABLE],
		.with = { { &flush_seen, PTEBATCH_FLUSH_HOOK } },
	};
	bool passes;

	flushed_empty = false;
	ptebatch_trial_release(ptebatch_case_call(test, &c, false, &passes));
	return flushed_empty;
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

static const struct ptebatch_case protection_rows[] = {
	/* Rule 14: userfaultfd. */
	{ "uffd-wp protect, present, migration, swap, none: all get uffd-wp except none entries",
	  { "{Wdyx*8 Rdy*4 Mw*2 M*2} Sx -", .prot = RW, .uffd = UFFD_WP },
	  "{Rdyux*8 Rdyu*4 Mxu*2 Mu*2} Sxu -", .op = UFFD_WP_SET },
	{ "uffd-wp protect, part of a folio: pages outside the range stay writable",
	  { "{Wdyx*5 | Wdyx*6 | Wdyx*5}", .prot = RW, .uffd = UFFD_WP },
	  "{Wdyx*5 Rdyux*6 Wdyx*5}", .op = UFFD_WP_SET },
	{ "uffd-wp protect, shmem: none entries become uffd-wp markers",
	  { "{Wdy*4} -*2 G P", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "{Rdyu*4} U*2 G P",
	  .op = UFFD_WP_SET },
	{ "uffd-wp resolve, present, migration, swap: all lose uffd-wp",
	  { "{Rdyux*8 Rdyu*4 Mxu*2 Mu*2} Sxu -", .prot = RW, .uffd = UFFD_WP },
	  "{Wdyx*8 Rdy*4 Mx*2 M*2} Sx -", .op = UFFD_WP_RESOLVE },
	{ "uffd-wp resolve, 4 of 16 pages uffd-wp: all become writable",
	  { "{Rdyux*4 Rdyx*4 Wdyx*8}", .prot = RW, .uffd = UFFD_WP }, "{Wdyx*16}",
	  .op = UFFD_WP_RESOLVE },
	{ "uffd-wp resolve, shmem: uffd-wp markers dropped, guard and poison stay",
	  { "{Rdyu*4} U*2 G P", PTEBATCH_SHMEM, RW, .uffd = UFFD_WP }, "{Wdy*4} -*2 G P",
	  .op = UFFD_WP_RESOLVE },
	{ "uffd-rwp protect, present, migration, swap, none: all get uffd-rwp except none entries",
	  { "{Wdyx*8 Rdy*4 Mw*2 M*2} Sx -", .prot = RW, .uffd = UFFD_RWP },
	  "{Ndyux*8 Ndyu*4 Mxu*2 Mu*2} Sxu -", .op = UFFD_RWP_SET },
	{ "uffd-rwp resolve, present, migration, swap: all lose uffd-rwp",
	  { "{Ndyux*8 Ndyu*4 Mxu*2 Mu*2} Sxu -", .prot = RW, .uffd = UFFD_RWP },
	  "{Wdyx*8 Rdy*4 Mx*2 M*2} Sx -", .op = UFFD_RWP_RESOLVE },

	{ "uffd-wp protect, PMD migration entry: becomes readable, gets uffd-wp",
	  { "[Mw]", .prot = RW, .uffd = UFFD_WP }, "[Mxu]", .op = UFFD_WP_SET },
	{ "uffd-wp resolve, PMD migration entry: loses uffd-wp",
	  { "[Mxu]", .prot = RW, .uffd = UFFD_WP }, "[Mx]", .op = UFFD_WP_RESOLVE },
	{ "uffd-wp protect, PMD: read-only, gets uffd-wp",
	  { "[Wdyx]", .prot = RW, .uffd = UFFD_WP }, "[Rdyux]", .op = UFFD_WP_SET },
	{ "uffd-wp protect, shared PMD: gets uffd-wp",
	  { "[Rdy]", .prot = RW, .uffd = UFFD_WP }, "[Rdyu]", .op = UFFD_WP_SET },
	{ "uffd-wp protect, middle half of a PMD: PMD split, these PTEs get uffd-wp",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW, .uffd = UFFD_WP },
	  "{Wdyx*T/4 Rdyux*T/2 Wdyx*T/4}", .op = UFFD_WP_SET },
	{ "uffd-wp resolve, exclusive PMD: writable, loses uffd-wp",
	  { "[Rdyux]", .prot = RW, .uffd = UFFD_WP }, "[Wdyx]", .op = UFFD_WP_RESOLVE },
	{ "uffd-wp resolve, shared PMD: read-only, loses uffd-wp",
	  { "[Rdyu]", .prot = RW, .uffd = UFFD_WP }, "[Rdy]", .op = UFFD_WP_RESOLVE },
	{ "uffd-wp resolve, second half of a PMD: PMD split, first half stays uffd-wp",
	  { "[Rdyux*T/2 | Rdyux*T/2]|", .prot = RW, .uffd = UFFD_WP },
	  "{Rdyux*T/2 Wdyx*T/2}", .op = UFFD_WP_RESOLVE },
	{ "uffd-wp protect, huge zero page: gets uffd-wp",
	  { "[Rzy]", .prot = RW, .uffd = UFFD_WP }, "[Rzyu]",
	  .op = UFFD_WP_SET },
	{ "uffd-wp resolve, huge zero page: loses uffd-wp, stays read-only",
	  { "[Rzyu]", .prot = RW, .uffd = UFFD_WP }, "[Rzy]",
	  .op = UFFD_WP_RESOLVE },
	{ "uffd-rwp protect, PMD: PROT_NONE, gets uffd-rwp",
	  { "[Wdyx]", .prot = RW, .uffd = UFFD_RWP }, "[Ndyux]", .op = UFFD_RWP_SET },
	{ "uffd-rwp protect, PMD with a NUMA hint: gets uffd-rwp",
	  { "[Ndyx]", .prot = RW, .uffd = UFFD_RWP }, "[Ndyux]", .op = UFFD_RWP_SET },
	{ "uffd-rwp protect, PMD with uffd-rwp: unchanged",
	  { "[Ndyux]", .prot = RW, .uffd = UFFD_RWP }, "[Ndyux]", .op = UFFD_RWP_SET },
	{ "uffd-rwp protect, middle half of a PMD: PMD split, these PTEs PROT_NONE",
	  { "[Wdyx*T/4 | Wdyx*T/2 | Wdyx*T/4]", .prot = RW, .uffd = UFFD_RWP },
	  "{Wdyx*T/4 Ndyux*T/2 Wdyx*T/4}", .op = UFFD_RWP_SET },
	{ "uffd-rwp resolve, exclusive PMD: writable, loses uffd-rwp",
	  { "[Ndyux]", .prot = RW, .uffd = UFFD_RWP }, "[Wdyx]", .op = UFFD_RWP_RESOLVE },
	{ "uffd-rwp resolve, second half of a PMD: PMD split, first half stays uffd-rwp",
	  { "[Ndyux*T/2 | Ndyux*T/2]|", .prot = RW, .uffd = UFFD_RWP },
	  "{Ndyux*T/2 Wdyx*T/2}", .op = UFFD_RWP_RESOLVE },
	{ "uffd-rwp protect, huge zero page: PROT_NONE, gets uffd-rwp",
	  { "[Rzy]", .prot = RW, .uffd = UFFD_RWP }, "[Nzyu]",
	  .op = UFFD_RWP_SET },
	{ "uffd-rwp protect, PMD migration entry: becomes readable, gets uffd-rwp",
	  { "[Mw]", .prot = RW, .uffd = UFFD_RWP }, "[Mxu]", .op = UFFD_RWP_SET },
	{ "uffd-wp protect, device-private PMD: becomes readable, gets uffd-wp",
	  { "[Dwx]", .prot = RW, .uffd = UFFD_WP }, "[Dxu]", .op = UFFD_WP_SET },
	{ "uffd-wp resolve, device-private PMD: loses uffd-wp",
	  { "[Dxu]", .prot = RW, .uffd = UFFD_WP }, "[Dx]", .op = UFFD_WP_RESOLVE },
	{ "uffd-wp protect, device entries: get uffd-wp, device-private ones readable",
	  { "{Dwx*2 Dx D} {Wdyx*2 Ex*2}", .prot = RW, .uffd = UFFD_WP },
	  "{Dxu*3 Du} {Rdyux*2 Exu*2}", .op = UFFD_WP_SET },
	{ "uffd-wp resolve, device entries: lose uffd-wp",
	  { "{Dxu*3 Du} {Rdyux*2 Exu*2}", .prot = RW, .uffd = UFFD_WP },
	  "{Dx*3 D} {Wdyx*2 Ex*2}", .op = UFFD_WP_RESOLVE },
	{ "uffd-wp protect, zero and KSM pages: get uffd-wp",
	  { "Rzy {Wdyx*4} Rdyk", .prot = RW, .uffd = UFFD_WP }, "Rzyu {Rdyux*4} Rdyku",
	  .op = UFFD_WP_SET },
	{ "uffd-wp resolve, zero and KSM pages: lose uffd-wp, stay read-only",
	  { "Rzyu {Rdyux*4} Rdyku", .prot = RW, .uffd = UFFD_WP }, "Rzy {Wdyx*4} Rdyk",
	  .op = UFFD_WP_RESOLVE },
	{ "uffd-rwp protect, zero and KSM pages: become PROT_NONE",
	  { "Rzy {Wdyx*4} Rdyk", .prot = RW, .uffd = UFFD_RWP }, "Nzyu {Ndyux*4} Ndyku",
	  .op = UFFD_RWP_SET },

	/* Rule 13: NUMA hinting. */
	{ "NUMA hint, 64K folio: all entries become PROT_NONE",
	  { "{Wdyx*16}", .prot = RW }, "{Ndyx*16}", .op = NUMA_HINT },
	{ "NUMA hint, part of a folio: pages outside the range stay writable",
	  { "{Wdyx*3 | Wdyx*9 | Wdyx*4}", .prot = RW }, "{Wdyx*3 Ndyx*9 Wdyx*4}",
	  .op = NUMA_HINT },
	{ "NUMA hint, 4 of 16 entries PROT_NONE before: all are PROT_NONE",
	  { "{Wdyx*4 Ndyx*4 Rdy*4 Wdyx*4}", .prot = RW }, "{Ndyx*8 Ndy*4 Ndyx*4}",
	  .op = NUMA_HINT },
	{ "NUMA hint, shared COW folios after fork(): entries stay unchanged",
	  { "{Rdy*16} {Rdy*4}", .prot = RW, .twice = true }, "{Rdy*16} {Rdy*4}",
	  .op = NUMA_HINT },
	{ "NUMA hint, shmem folio: all entries become PROT_NONE",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, "{Ndy*16}", .op = NUMA_HINT },
	{ "NUMA hint, zero page before, in and after folios: zero page unchanged",
	  { "Rzy {Wdyx*4 Rzy*4 Wdyx*8} Rz {Wdyx*4}", .prot = RW },
	  "Rzy {Ndyx*4 Rzy*4 Ndyx*8} Rz {Ndyx*4}", .op = NUMA_HINT },
	{ "NUMA hint, huge zero page between folios: unchanged",
	  { "@-4 {Wdyx*4} [Rzy] {Wdyx*4}", .prot = RW },
	  "@-4 {Ndyx*4} [Rzy] {Ndyx*4}", .op = NUMA_HINT },
	{ "NUMA hint, PMD: becomes PROT_NONE",
	  { "[Wdyx]", .prot = RW }, "[Ndyx]", .op = NUMA_HINT },
	{ "NUMA hint, second half of a PMD: PMD split, these PTEs become PROT_NONE",
	  { "[Wdyx*T/2 | Wdyx*T/2]|", .prot = RW }, "{Wdyx*T/2 Ndyx*T/2}",
	  .op = NUMA_HINT },
	{ "NUMA hint, PMD with a hint: unchanged",
	  { "[Ndyx] {Wdyx*4}", .prot = RW }, "[Ndyx] {Ndyx*4}", .op = NUMA_HINT },
	{ "NUMA hint, shared COW PMD after fork(): unchanged",
	  { "[Rdy]", .prot = RW, .twice = true }, "[Rdy]", .op = NUMA_HINT },
	{ "NUMA hint, shmem PMD: becomes PROT_NONE",
	  { "[Wdy]", PTEBATCH_SHMEM, RW }, "[Ndy]", .op = NUMA_HINT },
	{ "NUMA hint, PMD migration and device-private entry: unchanged",
	  { "[Mx] [Dx] {Wdyx*4}", .prot = RW }, "[Mx] [Dx] {Ndyx*4}", .op = NUMA_HINT },
	{ "NUMA hint, KSM pages between folios: KSM pages unchanged",
	  { "Rdyk*2 {Wdyx*4} Rdyk Wdyx", .prot = RW }, "Rdyk*2 {Ndyx*4} Rdyk Ndyx",
	  .op = NUMA_HINT },
	{ "NUMA hint, special PTEs in a folio: unchanged, the other PTEs become PROT_NONE",
	  { "{Wdyx*4 Rpy*4 Wdyx*8}", .prot = RW, .vma = VM_MIXEDMAP },
	  "{Ndyx*4 Rpy*4 Ndyx*8}", .op = NUMA_HINT },
	{ "NUMA hint, migration, swap, none and guard entries: only present ones change",
	  { "{Wdyx*4 Mx*4} Sx - G", .prot = RW }, "{Ndyx*4 Mx*4} Sx - G",
	  .op = NUMA_HINT },
};

KUNIT_ARRAY_PARAM_DESC(protection_rows, protection_rows, name);

static void mprotect_protection(struct kunit *test)
{
	ptebatch_case_param(test);
}

/* Rule 5: without VM_WRITE, MM_CP_TRY_CHANGE_WRITABLE warns and upgrades nothing. */
static void mprotect_no_write(struct kunit *test)
{
	struct ptebatch_op op = ptebatch_protections[PTEBATCH_TO_WRITABLE];
	const struct ptebatch_case c = {
		.setup = { "{Rdyx*8 Ndyx*8}", .prot = RO }, .after = "{Rdyx*16}", .op = &op,
	};

	op.prot = RO;
	kunit_warning_suppress(test) {
		ptebatch_case_run(test, &c);
		KUNIT_EXPECT_TRUE_MSG(test, KUNIT_SUPPRESSED_WARNING_COUNT() > 0,
				      "%s does not warn", op.function);
	}
}

/*
 * The worst case inside a folio: exclusive and shared, or writable and
 * read-only pages alternate, so that each batch is one entry.
 */

static const struct alternation {
	const char *name;
	unsigned long from, to;
	const char *before[2], *after[2];	/* tokens of even and odd pages */
} alternations[] = {
	{ "exclusive and shared pages alternate, orders 1, 4 and 9: exclusive become writable",
	  NONE, RW, .before = { "Ndyx", "Ndy" }, .after = { "Wdyx", "Rdy" } },
	{ "shared and exclusive pages alternate, orders 1, 4 and 9: all become PROT_NONE",
	  RW, NONE, .before = { "Rdy", "Wdyx" }, .after = { "Ndy", "Ndyx" } },
	{ "writable and read-only pages alternate, orders 1, 4 and 9: all become PROT_NONE",
	  RW, NONE, .before = { "Wdyx", "Rdyx" }, .after = { "Ndyx", "Ndyx" } },
	{ "PROT_NONE and read-only pages alternate, orders 1, 4 and 9: all become writable",
	  RO, RW, .before = { "Ndyx", "Rdyx" }, .after = { "Wdyx", "Wdyx" } },
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
		const struct ptebatch_case c = {
			.setup.picture = draw_alternating(test, row->before, nr),
			.setup.prot = row->from,
			.after = draw_alternating(test, row->after, nr),
			.arg = row->to,
		};

		if (!check_row(test, c))
			return;
	}
}

/*
 * A reproducer of a slowdown of small folios changes several regions in turn, each
 * to no access and back: a call changes its region only, also if the VMA merges with
 * its neighbours.
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
	trial->call.vma_flags = VM_ACCESS_FLAGS;
	/* The flushes and announcements of single calls are not recorded. */
	ptebatch_trial_stop(trial);
	bitmap_fill(trial->secondary.flushed, PTEBATCH_ROW_ENTRIES);
	bitmap_fill(trial->secondary.announced, PTEBATCH_ROW_ENTRIES);
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
	  PTEBATCH_ANON, RW, .to = RO, .before = "Wdyx", .after = "Rdyx" },
	{ "exclusive folio to writable: range becomes writable",
	  PTEBATCH_ANON, RO, .to = RW, .before = "Rdyx", .after = "Wdyx" },
	{ "shared folio to writable: range stays read-only",
	  PTEBATCH_ANON, RO, .to = RW, .before = "Rdy", .after = "Rdy" },
	{ "exclusive folio to no access: range becomes PROT_NONE",
	  PTEBATCH_ANON, RW, .to = NONE, .before = "Wdyx", .after = "Ndyx" },
	{ "exclusive folio from no access: range becomes writable",
	  PTEBATCH_ANON, NONE, .to = RW, .before = "Ndyx", .after = "Wdyx" },
	{ "shmem folio to read-only: range becomes read-only",
	  PTEBATCH_SHMEM, RW, .to = RO, .before = "Wdy", .after = "Rdy" },
	{ "clean shared file folio to writable: range stays read-only",
	  PTEBATCH_FILE, RO, .to = RW, .before = "Ry", .after = "Ry" },
};

PTEBATCH_ORDER_PARAMS(mprotect_order, changes);

static bool check_range(struct kunit *test, const void *kind, unsigned int nr,
			unsigned int from, unsigned int to)
{
	const struct change *change = kind;

	return check_row(test, (struct ptebatch_case) {
		.setup.picture = ptebatch_draw_range(test, nr, from, to, change->before,
						     change->before),
		.setup.mapping = change->mapping,
		.setup.prot = change->from,
		.after = ptebatch_draw_range(test, nr, from, to, change->before,
					     change->after),
		.arg = change->to,
	});
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
	KUNIT_CASE(mprotect_no_write),
	KUNIT_CASE_PARAM(mprotect_alternates, alternations_gen_params),
	KUNIT_CASE(mprotect_regions),
	PTEBATCH_CASE_PARAMS(mprotect_order),
	{}
};

PTEBATCH_SUITE(mprotect, mprotect_cases, PTEBATCH_DEVICE);
