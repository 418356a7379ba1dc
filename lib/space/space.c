// SPDX-License-Identifier: GPL-2.0
/*
 * The VMA is as mmap() makes it, then the entries are written under the page
 * table lock.
 * No task runs in the mm: UML applies changes of the current mm on the host.
 */
#include <kunit/resource.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/mmu_notifier.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/swap.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../arch/arch.h"
#include "../kernel/file.h"
#include "../kernel/log.h"
#include "../kernel/process.h"
#include "../kernel/uffd.h"
#include "../row/rules.h"
#include "../service/device.h"
#include "../service/swap.h"
#include "blocks.h"
#include "folio.h"
#include "populate.h"
#include "refs.h"
#include "space.h"
#include "tables.h"
#include "vmas.h"

/* One page table on each side, to detect accesses outside of the row. */
#define SPACE_MARGIN	PMD_SIZE

/* Aligned to a page table, and away from both ends of the address space. */
static unsigned long space_base(const struct ptebatch_space *space)
{
	return ALIGN(SZ_1G, PMD_SIZE) - (space->setup.pud_boundary ? PMD_SIZE : 0);
}

static unsigned long row_tables(const struct ptebatch_row *row)
{
	return DIV_ROUND_UP(row->first + row->nr, PTRS_PER_PTE);
}

static unsigned long vma_bytes(const struct ptebatch_row *row)
{
	return row_tables(row) * PMD_SIZE + 2 * SPACE_MARGIN;
}

/* The index in the file, in pages, of entry @i of the row. */
static unsigned long file_index(const struct ptebatch_row *row,
				unsigned long offset, int i)
{
	return offset + SPACE_MARGIN / PAGE_SIZE + row->first + i;
}

/* The reason to skip the case, %NULL if the kernel supports the set-up. */
static const char *unsupported(const struct ptebatch_setup *setup,
			       const struct ptebatch_row *row)
{
	bool file = setup->mapping != PTEBATCH_ANON;
	unsigned long kinds = 0;
	bool in_swap = setup->folios & WITH_SWAP;
	u16 flags = 0;
	unsigned int i;

	for (i = 0; i < row->nr; i++) {
		kinds |= BIT(row->entries[i].kind);
		flags |= row->entries[i].flags;
		in_swap |= row->entries[i].kind == PTEBATCH_SWAP &&
			   row->entries[i].folio != PTEBATCH_NO_FOLIO;
	}
	if (setup->track && !pgtable_supports_soft_dirty())
		return "page table entries have no soft-dirty bit in this kernel";
	if ((setup->uffd & (UFFD_WP | UFFD_RWP) || flags & PTEBATCH_UFFD) &&
	    !pgtable_supports_uffd())
		return "page table entries have no uffd bit in this kernel";
	if (setup->uffd & UFFD_RWP && VM_UFFD_RWP == VM_NONE)
		return "no read-write protection by userfaultfd in this kernel";
	if (kinds & BIT(PTEBATCH_MARKER) && !uffd_supports_wp_marker())
		return "no uffd-wp markers in this kernel";
	if (kinds & BIT(PTEBATCH_SHADOW_STACK) && !ptebatch_has_shadow_stack())
		return "no shadow stacks; on x86-64, boot with setcpuid=519";
	if (setup->pkey && !calc_vm_prot_bits(0, setup->pkey))
		return "no protection keys without CONFIG_X86_INTEL_MEMORY_PROTECTION_KEYS";
	if (setup->prot & PTEBATCH_PROT_MTE && !ptebatch_has_tags())
		return "no memory tags; on arm64, VARIANTS=mte has them";
	if (flags & PTEBATCH_POISONED && !IS_ENABLED(CONFIG_MEMORY_FAILURE))
		return "no PG_hwpoison without CONFIG_MEMORY_FAILURE";
	if (kinds & BIT(PTEBATCH_MIGRATION) && !IS_ENABLED(CONFIG_MIGRATION))
		return "no migration without CONFIG_MIGRATION";

	if (kinds & (BIT(PTEBATCH_DEVICE_PRIVATE) | BIT(PTEBATCH_DEVICE_EXCLUSIVE)) &&
	    !IS_ENABLED(CONFIG_DEVICE_PRIVATE))
		return "no device entries without CONFIG_DEVICE_PRIVATE";
	if (flags & PTEBATCH_SPECIAL && !IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL))
		return "no special PTEs in this kernel";
	if (flags & PTEBATCH_KSM && !IS_ENABLED(CONFIG_KSM))
		return "no KSM pages without CONFIG_KSM";

	if (setup->folios & COHERENT && ptebatch_coherent_missing())
		return ptebatch_coherent_missing();
	if (row->huge_zero && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		return "no huge zero page without CONFIG_TRANSPARENT_HUGEPAGE";

	if (setup->folios & WITH_SWAP && ptebatch_swap_missing())
		return ptebatch_swap_missing();
	if (setup->folios & SWAP_ALTERNATES && ptebatch_swap_second_missing())
		return ptebatch_swap_second_missing();
	if (setup->folios & SWAP_FOLLOWS && ptebatch_swap_used() < 0)
		return "swap slots that follow one another: not in the machine's swap space";
	if (setup->twice && setup->mapping == PTEBATCH_ANON && !ptebatch_set_ptes_works())
		return "fork() maps wrong pages in this kernel, see suite ptebatch_pgtable";

	for (i = 0; i < row->nr_folios; i++) {
		const struct ptebatch_shape *shape = &row->folios[i];

		if (shape->order && !IS_ENABLED(CONFIG_THP_SWAP) && in_swap)
			return "no large folios in swap without CONFIG_THP_SWAP";
		if (shape->node && !node_state(shape->node - 1, N_MEMORY))
			return "too few NUMA nodes with memory";
		if (kinds & BIT(PTEBATCH_DEVICE_PRIVATE) &&
		    PAGE_SIZE << shape->order > PTEBATCH_DEVICE_FOLIO)
			return "folio is larger than 2 MiB, the limit of device-private folios";
		if (shape->order > PMD_ORDER)
			return "folio is larger than a PMD maps";
		if (shape->order > MAX_PAGE_ORDER)
			return "folio order is above MAX_PAGE_ORDER";
		if (PAGE_SIZE << shape->order > SZ_64M)
			return "folio is larger than 64 MiB, the limit of the suites";
		if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
			continue;
		if (shape->pmd)
			return "no PMD-mapped folios without CONFIG_TRANSPARENT_HUGEPAGE";
		if (shape->order && file)
			return "no large folios of files without CONFIG_TRANSPARENT_HUGEPAGE";
	}
	return NULL;
}

/* Mark the folios that belong to the page cache; the rest is anonymous. */
static void mark_cached_folios(struct ptebatch_space *space)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i;

	if (space->setup.mapping == PTEBATCH_ANON)
		return;
	bitmap_set(space->cached, 0, row->nr_folios);
	if (space->setup.mapping != PTEBATCH_PRIVATE_FILE)
		return;
	for (i = 0; i < row->nr; i++)
		if (row->entries[i].flags & (PTEBATCH_EXCLUSIVE | PTEBATCH_KSM))
			clear_bit(row->entries[i].folio, space->cached);
}

/*
 * The offset of the VMA in the file, in pages, at which the index of each folio
 * is a multiple of the folio's size, as the page cache requires.
 */
static long file_offset(const struct ptebatch_space *space)
{
	const struct ptebatch_row *row = &space->row;
	unsigned long offset, i;

	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];

		if (entry->folio != PTEBATCH_NO_FOLIO &&
		    test_bit(entry->folio, space->cached) &&
		    (int)i - entry->page != row->folios[entry->folio].at)
			return -EINVAL;
	}
	for (offset = 0; offset < PTRS_PER_PTE; offset++) {
		for (i = 0; i < row->nr_folios; i++) {
			unsigned long index = file_index(row, offset, row->folios[i].at);

			if (test_bit(i, space->cached) &&
			    index % (1UL << row->folios[i].order))
				break;
		}
		if (i == row->nr_folios)
			return offset;
	}
	return -EINVAL;
}

static int fill_cache(struct ptebatch_space *space, unsigned long offset)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i;
	int err = 0;

	for_each_set_bit(i, space->cached, row->nr_folios) {
		unsigned long index = file_index(row, offset, row->folios[i].at);

		err = ptebatch_folio_cache(space->folios[i], space->file, index);
		if (err)
			break;
	}
	return err;
}

/* Unless the set-up ends the file in the row, it ends behind the VMA. */
static void set_file_size(struct ptebatch_space *space, unsigned long offset)
{
	const struct ptebatch_row *row = &space->row;
	loff_t bytes = offset * PAGE_SIZE + vma_bytes(row);

	if (space->setup.eof)
		bytes = file_index(row, offset, space->setup.eof) * PAGE_SIZE;
	i_size_write(file_inode(space->file), bytes);
}

static int open_file(struct ptebatch_space *space)
{
	long offset = file_offset(space);
	int err;

	if (offset < 0)
		return offset;
	if (space->setup.mapping == PTEBATCH_SHMEM)
		space->file = shmem_file_setup("ptebatch",
					       vma_bytes(&space->row) + PMD_SIZE,
					       EMPTY_VMA_FLAGS);
	else
		space->file = ptebatch_file();
	if (IS_ERR(space->file)) {
		int err = PTR_ERR(space->file);

		space->file = NULL;
		return err;
	}
	err = fill_cache(space, offset);
	set_file_size(space, offset);
	return err ?: offset;
}

/* It requests no events and has no reader: faults do not wait, but fail. */
static int open_uffd(struct ptebatch_space *space)
{
	struct file *uffd = ptebatch_uffd_open(space->places[0].mm,
					       space->setup.uffd & WP_ASYNC ?
					       UFFD_FEATURE_WP_ASYNC : UFFD_FEATURE_SIGBUS);

	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	space->uffd = uffd;
	return 0;
}

static void set_uffd(struct vm_area_struct *vma, const struct file *uffd)
{
#ifdef CONFIG_USERFAULTFD
	vma->vm_userfaultfd_ctx.ctx = uffd->private_data;
#endif
}

static unsigned long map_flags(const struct ptebatch_setup *setup)
{
	return MAP_FIXED_NOREPLACE |
	       (setup->mapping == PTEBATCH_ANON ? MAP_ANONYMOUS : 0) |
	       (ptebatch_shared(setup->mapping) ? MAP_SHARED :
		setup->vma & VM_DROPPABLE ? MAP_DROPPABLE : MAP_PRIVATE);
}

/*
 * Map private anonymous memory as mmap() does, without @mm as current->mm, as
 * execve() makes the VMA of the stack. QEMU empties its TLB and its cache of
 * jumps at each switch of the mm, and most operations need no switch.
 */
static int insert_vma(struct mm_struct *mm, unsigned long addr,
		      unsigned long bytes, unsigned long prot)
{
	struct vm_area_struct *vma = vm_area_alloc(mm);
	vm_flags_t flags;
	int err;

	if (!vma)
		return -ENOMEM;
	flags = calc_vm_prot_bits(prot, 0) | calc_vm_flag_bits(NULL, MAP_ANONYMOUS) |
		mm->def_flags | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC;
	if (flags & VM_WRITE)
		flags |= VM_ACCOUNT;
	if (pgtable_supports_soft_dirty())
		flags |= VM_SOFTDIRTY;

	vma_set_anonymous(vma);
	vma->vm_start = addr;
	vma->vm_end = addr + bytes;
	vm_flags_init(vma, flags);
	vma->vm_page_prot = vm_get_page_prot(flags);
	mmap_write_lock(mm);
	err = insert_vm_struct(mm, vma);
	if (err)
		vm_area_free(vma);
	else
		vm_stat_account(mm, flags, bytes >> PAGE_SHIFT);
	mmap_write_unlock(mm);
	return err;
}

static int mmap_in(struct ptebatch_space *space, struct mm_struct *mm,
		   unsigned long addr, unsigned long offset)
{
	const struct ptebatch_setup *setup = &space->setup;
	/* The files are on file systems without execute permission. */
	unsigned long prot = setup->prot & (PROT_READ | PROT_WRITE);
	unsigned long at;

	if (setup->mapping == PTEBATCH_ANON && !(setup->vma & VM_DROPPABLE))
		return insert_vma(mm, addr, vma_bytes(&space->row), prot);
	kthread_use_mm(mm);
	at = vm_mmap(space->file, addr, vma_bytes(&space->row), prot,
		     map_flags(setup), offset * PAGE_SIZE);
	kthread_unuse_mm(mm);
	return IS_ERR_VALUE(at) ? (int)at : 0;
}

/* Map the row's VMA in @mm, then set the VMA flags of the set-up. */
static int map_vma(struct ptebatch_space *space, struct mm_struct *mm,
		   unsigned long addr, unsigned long offset)
{
	const struct ptebatch_setup *setup = &space->setup;
	struct vm_area_struct *vma;
	vm_flags_t was;
	int err;

	err = mmap_in(space, mm, addr, offset);
	if (err)
		return err;

	vma = ptebatch_vma_lock(mm, addr);
	/* As clear_refs_write() and userfaultfd_set_vm_flags() do. */
	if (setup->track)
		vm_flags_clear(vma, VM_SOFTDIRTY);
	if (setup->uffd & UFFD_WP)
		vm_flags_set(vma, VM_UFFD_WP);
	if (setup->uffd & UFFD_RWP)
		vm_flags_set(vma, VM_UFFD_RWP);
	if (space->uffd)
		set_uffd(vma, space->uffd);
	was = vma->vm_flags;
	vm_flags_set(vma, setup->vma);
	vm_flags_set(vma, calc_vm_prot_bits(setup->prot & (PROT_EXEC | PTEBATCH_PROT_MTE),
					    setup->pkey));
	ptebatch_vma_account(vma, was);
	vma_set_page_prot(vma);
	mmap_write_unlock(mm);
	return 0;
}

/* Make the second place: by fork(), or by a second mmap() of the file. */
static int map_second_place(struct ptebatch_space *space, unsigned long offset)
{
	struct ptebatch_place *first = &space->places[0];
	struct ptebatch_place *second = &space->places[1];
	int err;

	if (space->setup.mapping == PTEBATCH_ANON) {
		second->mm = ptebatch_mm_alloc();
		if (!second->mm)
			return -ENOMEM;
		second->start = first->start;
		err = dup_mmap(second->mm, first->mm);
	} else {
		unsigned long distance = ALIGN(2 * vma_bytes(&space->row),
					       PMD_SIZE);

		mmget(first->mm);
		second->mm = first->mm;
		second->start = first->start + distance;
		err = map_vma(space, second->mm,
			      space_base(space) - SPACE_MARGIN + distance, offset);
		if (!err)
			err = ptebatch_populate(space, second);
		if (!err)
			err = ptebatch_vmas_split(space, second);
	}
	space->nr_places = 2;
	return err;
}

/* A split maps the shared zero page in place of zero-filled pages. */
static void write_pages(struct folio *folio)
{
	unsigned int i;

	for (i = 0; i < folio_nr_pages(folio); i++)
		memset(page_address(folio_page(folio, i)), 1 + i % 255,
		       sizeof(long));
}

/* Per-CPU LRU and mlock batches hold references to their folios. */
static void drain_lru(const struct ptebatch_space *space)
{
	if (space->setup.folios & ON_LRU || (space->setup.vma | space->setup.next_vma) & VM_LOCKED)
		lru_add_drain_all();
}

/* Bring folios into the state that MADV_FREE, swap-out or the LRU needs. */
static int prepare_folios(struct ptebatch_space *space)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < space->row.nr; i++) {
		const struct ptebatch_entry *entry = &space->row.entries[i];

		if (entry->flags & PTEBATCH_LAZYFREE)
			folio_clear_swapbacked(space->folios[entry->folio]);
		if (entry->flags & PTEBATCH_POISONED)
			ptebatch_folio_poison(space->folios[entry->folio], entry->page);
	}
	for (i = 0; i < space->row.nr_folios && !err; i++) {
		struct folio *folio = space->folios[i];

		if (space->setup.folios & WITH_SWAP && folio_test_anon(folio))
			err = ptebatch_alloc_swap(space, i);
		if (space->setup.folios & ON_LRU) {
			if (folio_test_large(folio))
				write_pages(folio);
			folio_mark_uptodate(folio);
			folio_add_lru(folio);
		}
	}
	drain_lru(space);
	return err;
}

/* As a fault in a VM_LOCKED VMA does, once the folios are on the LRU lists. */
static void mlock_folios(const struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		if (folio_mapped(space->folios[i]))
			mlock_folio(space->folios[i]);
	drain_lru(space);
}

static int set_up(struct ptebatch_space *space)
{
	struct ptebatch_place *place = &space->places[0];
	long offset = 0;
	int err;

	mark_cached_folios(space);
	err = ptebatch_space_get_refs(space);
	if (err)
		return err;
	if (space->setup.mapping != PTEBATCH_ANON) {
		offset = open_file(space);
		if (offset < 0)
			return offset;
		space->pgoff = file_index(&space->row, offset, 0);
	}

	place->mm = ptebatch_mm_alloc();
	if (!place->mm)
		return -ENOMEM;
	place->start = space_base(space) + space->row.first * PAGE_SIZE;
	space->nr_places = 1;
	if (space->setup.uffd & NO_REMAP_EVENT)
		err = open_uffd(space);
	if (!err)
		err = map_vma(space, place->mm, space_base(space) - SPACE_MARGIN, offset);
	if (!err)
		err = ptebatch_tables_alloc(space, place);
	if (!err)
		err = ptebatch_populate(space, place);
	if (!err)
		err = ptebatch_vmas_split(space, place);
	if (!err && space->setup.twice)
		err = map_second_place(space, offset);
	if (!err)
		err = prepare_folios(space);
	if (!err && space->setup.folios & FOLIOS_MLOCKED)
		mlock_folios(space);
	ptebatch_tables_copy(space);
	return err;
}

/* Drop the page cache now, not with the last reference to the file. */
static void empty_cache(struct file *file)
{
	if (shmem_mapping(file->f_mapping))
		shmem_truncate_range(file_inode(file), 0, -1);
	else
		truncate_inode_pages(file->f_mapping, 0);
}

#define NOTHING_LEFT	PTEBATCH_RULE_ACCOUNTING ", after teardown: "

static void expect_folio_unused(struct ptebatch_space *space, unsigned int i)
{
	struct ptebatch_part part = { .i = i };

	while (ptebatch_next_part(space, &part)) {
		KUNIT_EXPECT_EQ_MSG(space->test, folio_mapcount(part.folio), 0,
				    NOTHING_LEFT "mapcount of folio %u, page %u",
				    i, part.page);
		KUNIT_EXPECT_EQ_MSG(space->test, folio_ref_count(part.folio), 1,
				    NOTHING_LEFT "reference count of folio %u, page %u",
				    i, part.page);
		KUNIT_EXPECT_FALSE_MSG(space->test, folio_test_mlocked(part.folio),
				       NOTHING_LEFT "folio %u, page %u is mlocked",
				       i, part.page);
	}
}

static void expect_blocks_consistent(const struct ptebatch_space *space,
				     const struct ptebatch_place *place)
{
	unsigned long end = place->start + space->row.nr * PAGE_SIZE;
	struct seq_buf out;
	char text[160];

	seq_buf_init(&out, text, sizeof(text));
	if (!ptebatch_blocks_consistent(place->mm, place->start, end, &out))
		KUNIT_FAIL(space->test, PTEBATCH_RULE_BLOCKS ", before teardown: %s",
			   seq_buf_str(&out));
}

/* A page that is freed with PG_hwpoison never returns to the allocator. */
static void clear_poison(const struct ptebatch_space *space)
{
	unsigned int i;

	for (i = 0; i < space->row.nr; i++) {
		const struct ptebatch_entry *entry = &space->row.entries[i];
		struct folio *folio;
		struct page *page;

		if (!(entry->flags & PTEBATCH_POISONED))
			continue;
		folio = space->held ? ptebatch_page_folio(space, entry->folio,
							  entry->page) : NULL;
		if (!folio)
			continue;
		/* The folio may have been split. */
		page = &space->folios[entry->folio]->page + entry->page;
		ptebatch_folio_unpoison(folio, folio_page_idx(folio, page));
	}
}

/* Spaces that exist, and the swap slots in use before the first of them. */
static unsigned int nr_spaces;
static long slots_before;

static void begin_slots(void)
{
	if (!nr_spaces++)
		slots_before = ptebatch_swap_used();
}

/* After the teardown of all spaces no slot is left. */
static void end_slots(struct kunit *test)
{
	if (--nr_spaces || slots_before < 0)
		return;
	KUNIT_EXPECT_EQ_MSG(test, ptebatch_swap_used(), slots_before,
			    NOTHING_LEFT "swap slots in use");
}

/* The reports that the case provokes; none if it was skipped. */
static const char * const *expected_reports(const struct ptebatch_space *space)
{
	return space->nr_places ? space->reports : NULL;
}

/*
 * Release an mm. Its RSS and its page tables must be 0 then: check_mm() reports
 * it as well, but only when the mm is freed, maybe during a later case, as an MMU
 * notifier holds a reference until the end of a grace period.
 */
static void put_mm(struct ptebatch_space *space, struct mm_struct *mm)
{
	unsigned int i;

	mmgrab(mm);
	mmput(mm);
	if (!atomic_read(&mm->mm_users)) {
		for (i = 0; i < NR_MM_COUNTERS; i++)
			KUNIT_EXPECT_EQ_MSG(space->test, 0,
					    percpu_counter_sum(&mm->rss_stat[i]),
					    "RSS counter %u after the end of the mm", i);
		KUNIT_EXPECT_EQ_MSG(space->test, 0, mm_pgtables_bytes(mm),
				    "bytes of page tables after the end of the mm");
	}
	mmdrop(mm);
}

static void end_place(struct ptebatch_space *space, struct ptebatch_place *place)
{
	expect_blocks_consistent(space, place);
	ptebatch_unpopulate(space, place);
	put_mm(space, place->mm);
	ptebatch_tables_free(place);
}

static void tear_down(void *data)
{
	struct ptebatch_space *space = data;
	struct seq_buf warnings;
	char text[512];
	unsigned int i;

	ptebatch_unpin(space);
	for (i = space->nr_places; i--;)
		end_place(space, &space->places[i]);
	clear_poison(space);
	/* Undo what set-up did for swap and migration entries. */
	for (i = 0; i < space->row.nr_folios && space->folios[i]; i++) {
		struct ptebatch_part part = { .i = i };

		while (ptebatch_next_part(space, &part)) {
			folio_trylock(part.folio);
			ptebatch_swap_free(part.folio);
			folio_unlock(part.folio);
		}
	}
	if (space->file)
		empty_cache(space->file);
	drain_lru(space);
	for (i = 0; i < space->row.nr_folios && space->folios[i]; i++)
		expect_folio_unused(space, i);
	ptebatch_space_put_refs(space);
	if (space->file)
		__fput_sync(space->file);
	if (space->uffd)
		__fput_sync(space->uffd);
	end_slots(space->test);

	/* What check_mm() reports must be in the log before the next case begins. */
	if (space->test->status == KUNIT_FAILURE)
		mmu_notifier_synchronize();
	/* A leak may be reported as late as here: bad page, bad rss counter. */
	seq_buf_init(&warnings, text, sizeof(text));
	if (ptebatch_warnings_found(&space->log, expected_reports(space), &warnings))
		KUNIT_FAIL(space->test, PTEBATCH_RULE_LOG ": %s",
			   seq_buf_str(&warnings));
	kfree(space->setup.picture);
	kvfree(space);
}

/* Entries of a page table for which all rows are drawn. */
#define TABLE_OF_ROWS	512

/**
 * ptebatch_parse() - parse the picture of a row
 * @test: the case; aborted if the picture is wrong, skipped if page tables are
 *        smaller than those for which it was drawn
 * @row: row to fill
 * @picture: the picture, see row.h
 */
void ptebatch_parse(struct kunit *test, struct ptebatch_row *row, const char *picture)
{
	const char *error;
	int at = ptebatch_row_parse(row, picture, &error);

	if (at && PTRS_PER_PTE < TABLE_OF_ROWS)
		kunit_skip(test, "the row does not fit in page tables of %d entries",
			   (int)PTRS_PER_PTE);
	if (at)
		KUNIT_FAIL_AND_ABORT(test, "%s, at character %d of \"%s\"", error,
				     -at, picture);
}

/**
 * ptebatch_space() - make an address space
 * @test: the case; skipped if the kernel does not support the set-up, failed
 *        and ended if the picture is invalid or the set-up fails
 * @setup: the set-up; the space keeps a copy
 *
 * Teardown runs at the end of the case. It fails the case if mappings or
 * references are left, or if the kernel warned since the space was made.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the space.
 */
struct ptebatch_space *ptebatch_space(struct kunit *test,
				      const struct ptebatch_setup *setup)
{
	struct ptebatch_space *space;
	const char *error;

	space = kvzalloc_obj(*space);
	KUNIT_ASSERT_NOT_NULL(test, space);
	space->test = test;
	space->setup = *setup;
	space->setup.picture = kstrdup(setup->picture, GFP_KERNEL);
	ptebatch_warnings_begin(&space->log);
	begin_slots();
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, tear_down, space));
	KUNIT_ASSERT_NOT_NULL(test, space->setup.picture);

	ptebatch_parse(test, &space->row, setup->picture);
	if (setup->small)
		ptebatch_row_break_up(&space->row);
	error = unsupported(setup, &space->row);
	if (error)
		kunit_skip(test, "%s", error);
	KUNIT_ASSERT_EQ_MSG(test, 0, set_up(space),
			    "cannot make the address space of \"%s\"",
			    setup->picture);
	return space;
}

/**
 * ptebatch_space_release() - tear down an address space before the case ends
 * @space: the address space
 *
 * Context: Process context, may sleep.
 */
void ptebatch_space_release(struct ptebatch_space *space)
{
	kunit_release_action(space->test, tear_down, space);
}

/**
 * ptebatch_space_drop_place() - end the last place, as exit of a child does
 * @space: the address space, with at least two places
 *
 * Fails the case if RSS or page tables are left.
 *
 * Context: Process context, may sleep.
 */
void ptebatch_space_drop_place(struct ptebatch_space *space)
{
	struct ptebatch_place *place = &space->places[--space->nr_places];

	end_place(space, place);
	*place = (struct ptebatch_place) {};
}

/**
 * ptebatch_space_add_place() - add an unmapped place in the first mm
 * @space: the address space
 * @first: index of the place's first entry in its page table
 *
 * The place does not overlap the other places. Teardown and checks include it.
 *
 * Return: the place.
 */
const struct ptebatch_place *
ptebatch_space_add_place(struct ptebatch_space *space, unsigned int first)
{
	struct ptebatch_place *place = &space->places[space->nr_places];

	KUNIT_ASSERT_LT(space->test, space->nr_places, PTEBATCH_PLACES);
	mmget(space->places[0].mm);
	place->mm = space->places[0].mm;
	place->start = ALIGN_DOWN(space->places[0].start, PMD_SIZE) +
		       5 * vma_bytes(&space->row) + first * PAGE_SIZE;
	space->nr_places++;
	return place;
}
