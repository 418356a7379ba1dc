// SPDX-License-Identifier: GPL-2.0
/*
 * make_device_exclusive() replaces one PTE by a device-exclusive entry, also in the
 * middle of a large folio: the other PTEs stay, and on arm64 the contpte block is
 * unfolded. A fault restores the PTE, old and clean:
 *
 *	{Wdyx*5 | Wdyx | Wdyx*10}  ->  {Wdyx*5 Ex Wdyx*10}  ->  {Wdyx*5 Wx Wdyx*10}
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/rmap.h>

#include "../lib/run/case.h"
#include "../lib/service/service.h"

#ifdef CONFIG_DEVICE_PRIVATE
#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

/* Call make_device_exclusive() for each page of the range. */
static long make_exclusive(const struct ptebatch_op *op, struct ptebatch_space *space,
			   bool twin)
{
	struct mm_struct *mm = space->places[0].mm;
	struct folio *folio;
	struct page *page;
	unsigned int i;
	long err = 0;

	mmap_read_lock(mm);
	for (i = space->row.from; i < space->row.to && !err; i++) {
		page = make_device_exclusive(mm, ptebatch_addr(space, i), space, &folio);
		if (IS_ERR(page)) {
			err = PTR_ERR(page);
			break;
		}
		folio_unlock(folio);
		folio_put(folio);
	}
	mmap_read_unlock(mm);
	return err;
}

static const struct ptebatch_op exclusive_op = {
	.function = "make_device_exclusive()", .call = make_exclusive, .no_twin = true,
};

static const struct ptebatch_case exclusive_rows[] = {
	{ "small folio: device-exclusive", { "Wdyx", .prot = RW }, "Ex" },
	{ "page 5 of a 64K folio: device-exclusive, the rest unchanged",
	  { "{Wdyx*5 | Wdyx | Wdyx*10}", .prot = RW }, "{Wdyx*5 Ex Wdyx*10}" },
	{ "first and last page of a 64K folio across a page table boundary: device-exclusive",
	  { "@-1 {| Wdyx*2 | Wdyx*14}", .prot = RW }, "@-1 {Ex*2 Wdyx*14}" },
	{ "64K folio: all device-exclusive", { "{Wdyx*16}", .prot = RW }, "{Ex*16}" },
	{ "64K folio, clean and old: device-exclusive",
	  { "{Wx*16}", .prot = RW }, "{Ex*16}" },
	{ "read-only exclusive pages of a 64K folio: device-exclusive",
	  { "{Rdyx*4 | Rdyx*4 | Rdyx*8}", .prot = RW }, "{Rdyx*4 Ex*4 Rdyx*8}" },
	{ "64K folio, second half read-only and not soft-dirty: all soft-dirty",
	  { "{Wdysx*8 Rdyx*8}", .prot = RW, .track = true }, "{Exs*16}" },
	{ "64K folio, some PTEs device-exclusive: the others, too",
	  { "{Ex*4 Wdyx*8 Ex*4}", .prot = RW }, "{Ex*16}" },
	{ "page of a PMD-mapped folio: PMD split, device-exclusive",
	  { "[Wdyx*5 | Wdyx | Wdyx*T-6]", .prot = RW }, "{Wdyx*5 Ex Wdyx*T-6}" },
	{ "64K shmem folio: -EOPNOTSUPP",
	  { "{Wdy*16}", PTEBATCH_SHMEM, RW }, .ret = -EOPNOTSUPP },
	{ "64K folio in a read-only VMA: -EFAULT",
	  { "{Rdyx*16}", .prot = RO }, .ret = -EFAULT },
};

KUNIT_ARRAY_PARAM_DESC(exclusive, exclusive_rows, name);

/* The entry has no dirty bit: the folio must have that of the PTE. */
static void expect_dirty(struct ptebatch_trial *trial, const struct ptebatch_case *row)
{
	const struct ptebatch_row *was = &trial->before.row;
	unsigned int i;

	for (i = was->from; i < was->to && !row->ret; i++)
		if (was->entries[i].flags & PTEBATCH_DIRTY)
			KUNIT_EXPECT_TRUE_MSG(trial->test,
					      folio_test_dirty(trial->space->folios[0]),
					      "PTE %u is dirty, its folio is not", i);
}

static void exclusive_row(struct kunit *test)
{
	struct ptebatch_case row = *(const struct ptebatch_case *)test->param_value;

	row.op = &exclusive_op;
	row.check = expect_dirty;
	ptebatch_case_run(test, &row);
}

#define READ_FAULT(entry)	.op = &ptebatch_read_fault, .arg = (entry)
#define WRITE_FAULT(entry)	.op = &ptebatch_write_fault, .arg = (entry)

/* The fault restores the PTE, old and clean; the access then repeats. */
static const struct ptebatch_case restore_rows[] = {
	{ "device-exclusive page of a 64K folio, write fault: writable",
	  { "{Wdyx*5 Ex Wdyx*10}", .prot = RW }, "{Wdyx*5 Wx Wdyx*10}",
	  WRITE_FAULT(5) },
	{ "64K folio, all pages device-exclusive, write fault of page 9: only it restored",
	  { "{Ex*16}", .prot = RW }, "{Ex*9 Wx Ex*6}", WRITE_FAULT(9) },
	{ "64K folio, soft-dirty tracked, write fault: soft-dirty page writable",
	  { "{Exs*8 Ex*8}", .prot = RW, .track = true }, "{Exs*3 Wsx Exs*4 Ex*8}",
	  WRITE_FAULT(3) },
	{ "64K folio, soft-dirty tracked, write fault: page that is not soft-dirty read-only",
	  { "{Exs*8 Ex*8}", .prot = RW, .track = true }, "{Exs*8 Rx Ex*7}",
	  WRITE_FAULT(8) },
	{ "device-exclusive page of a 64K folio, VMA read-only, read fault: read-only",
	  { "{Ex*16}", .prot = RO }, "{Rx Ex*15}", READ_FAULT(0) },
	{ "last of 16 device-exclusive pages, uffd-wp, read fault: uffd-wp",
	  { "{Ex*15 Exu}", .prot = RW, .uffd = UFFD_WP }, "{Ex*15 Rux}",
	  READ_FAULT(15) },
};

KUNIT_ARRAY_PARAM_DESC(restore, restore_rows, name);

static void restore_row(struct kunit *test)
{
	ptebatch_case_param(test);
}

static struct kunit_case rmap_device_cases[] = {
	KUNIT_CASE_PARAM(exclusive_row, exclusive_gen_params),
	KUNIT_CASE_PARAM(restore_row, restore_gen_params),
	{}
};

PTEBATCH_SUITE(rmap_device, rmap_device_cases);
#endif
