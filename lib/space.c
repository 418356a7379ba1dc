// SPDX-License-Identifier: GPL-2.0
/*
 * The VMA is made by mmap() itself and the entries under the page table lock,
 * in an mm that no task runs in: on UML, each change in the current mm goes to
 * the host.
 */
#include <kunit/resource.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/swap.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "arch.h"
#include "contpte.h"
#include "file.h"
#include "folio.h"
#include "hold.h"
#include "populate.h"
#include "space.h"
#include "swap.h"
#include "warnings.h"

/* On a page table's edge, away from what an mm has at its ends. */
#define SPACE_BASE	ALIGN(SZ_1G, PMD_SIZE)

/* A page table's worth on each side shows what strays over the edges. */
#define SPACE_MARGIN	PMD_SIZE

static unsigned long row_tables(const struct ptebatch_row *row)
{
	return DIV_ROUND_UP(row->first + row->nr, PTRS_PER_PTE);
}

static unsigned long vma_bytes(const struct ptebatch_row *row)
{
	return row_tables(row) * PMD_SIZE + 2 * SPACE_MARGIN;
}

/*
 * UML's set_ptes() advanced the frame by the entries left, not by one. A fork
 * stands on it; what the suites say of it is said in ptebatch_pgtable.
 */
static bool fork_works(void)
{
#ifdef CONFIG_UML
	pte_t ptes[3];

	set_ptes(&init_mm, 0, ptes, pfn_pte(0, PAGE_KERNEL), ARRAY_SIZE(ptes));
	return pte_pfn(ptes[1]) == 1;
#else
	return true;
#endif
}

/* Why this kernel cannot have such a space, %NULL if it can. */
static const char *missing(const struct ptebatch_setup *setup,
			   const struct ptebatch_row *row)
{
	bool file = setup->mapping != PTEBATCH_ANON;
	unsigned long kinds = 0;
	bool in_swap = setup->swap;
	u8 flags = 0;
	unsigned int i;

	for (i = 0; i < row->nr; i++) {
		kinds |= BIT(row->entries[i].kind);
		flags |= row->entries[i].flags;
		in_swap |= row->entries[i].kind == PTEBATCH_SWAP &&
			   row->entries[i].folio != PTEBATCH_NO_FOLIO;
	}
	if (setup->track && !pgtable_supports_soft_dirty())
		return "page table entries have no soft-dirty bit here";
	if ((setup->uffd_wp || setup->uffd_rwp || flags & PTEBATCH_UFFD) &&
	    !pgtable_supports_uffd())
		return "page table entries have no uffd bit here";
	if (setup->uffd_rwp && VM_UFFD_RWP == VM_NONE)
		return "no read-write protection by userfaultfd here";
	if (kinds & BIT(PTEBATCH_MARKER) && !uffd_supports_wp_marker())
		return "no markers of userfaultfd here";
	if (kinds & BIT(PTEBATCH_SHADOW_STACK) && !ptebatch_has_shadow_stack())
		return "no shadow stacks here, see setcpuid=519";
	if (kinds & BIT(PTEBATCH_MIGRATION) && !IS_ENABLED(CONFIG_MIGRATION))
		return "no migration without CONFIG_MIGRATION";

	if (setup->swap && ptebatch_swap_missing())
		return ptebatch_swap_missing();
	if (setup->twice && setup->mapping == PTEBATCH_ANON && !fork_works())
		return "fork() maps the wrong pages here, see ptebatch_pgtable";

	for (i = 0; i < row->nr_folios; i++) {
		const struct ptebatch_shape *shape = &row->folios[i];

		if (shape->order && !IS_ENABLED(CONFIG_THP_SWAP) && in_swap)
			return "no large folios in swap without CONFIG_THP_SWAP";
		if (shape->node && !node_state(shape->node - 1, N_MEMORY))
			return "too few NUMA nodes with memory here";
		if (shape->order > MAX_PAGE_ORDER)
			return "no folios of this order here";
		if (PAGE_SIZE << shape->order > SZ_64M)
			return "no folios of more than 64 MiB, for want of memory";
		if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
			continue;
		if (shape->pmd)
			return "no PMD-mapped folios without CONFIG_TRANSPARENT_HUGEPAGE";
		if (shape->order && file)
			return "no large folios of files without CONFIG_TRANSPARENT_HUGEPAGE";
	}
	return NULL;
}

/* Which folios are the file's, and which are anonymous? */
static void divide_folios(struct ptebatch_space *space)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i;

	if (space->setup.mapping == PTEBATCH_ANON)
		return;
	bitmap_set(space->cached, 0, row->nr_folios);
	if (space->setup.mapping != PTEBATCH_PRIVATE_FILE)
		return;
	for (i = 0; i < row->nr; i++)
		if (row->entries[i].flags & PTEBATCH_EXCLUSIVE)
			clear_bit(row->entries[i].folio, space->cached);
}

/*
 * The page cache has a folio only at multiples of its size. Where must the VMA
 * begin in the file, in pages, for the row to lie so?
 */
static long file_offset(const struct ptebatch_space *space)
{
	const struct ptebatch_row *row = &space->row;
	unsigned long offset, i;

	for (offset = 0; offset < PTRS_PER_PTE; offset++) {
		for (i = 0; i < row->nr; i++) {
			const struct ptebatch_entry *entry = &row->entries[i];
			unsigned long index = offset + PTRS_PER_PTE +
					      row->first + i - entry->page;

			if (entry->folio == PTEBATCH_NO_FOLIO ||
			    !test_bit(entry->folio, space->cached))
				continue;
			if (index % (1UL << row->folios[entry->folio].order))
				break;
		}
		if (i == row->nr)
			return offset;
	}
	return -EINVAL;
}

static int fill_cache(struct ptebatch_space *space, unsigned long offset)
{
	const struct ptebatch_row *row = &space->row;
	struct folio *folio;
	unsigned int i;
	int err;

	for (i = 0; i < row->nr; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];

		if (entry->folio == PTEBATCH_NO_FOLIO ||
		    !test_bit(entry->folio, space->cached))
			continue;
		folio = space->folios[entry->folio];
		if (folio->mapping)
			continue;
		err = ptebatch_folio_cache(folio, space->file,
					   offset + PTRS_PER_PTE + row->first +
					   i - entry->page);
		if (err)
			return err;
	}
	return 0;
}

static int open_file(struct ptebatch_space *space)
{
	long offset = file_offset(space);

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
	return fill_cache(space, offset) ?: offset;
}

#ifdef CONFIG_USERFAULTFD
/* One that nobody reads from: it has asked for no events. */
static int open_uffd(struct ptebatch_space *space)
{
	space->uffd = kzalloc_obj(*space->uffd);
	return space->uffd ? 0 : -ENOMEM;
}

static void set_uffd(struct vm_area_struct *vma, struct userfaultfd_ctx *uffd)
{
	vma->vm_userfaultfd_ctx.ctx = uffd;
}
#else
static int open_uffd(struct ptebatch_space *space)
{
	return -EOPNOTSUPP;
}

static void set_uffd(struct vm_area_struct *vma, struct userfaultfd_ctx *uffd)
{
}
#endif

/* mmap() as the kernel does it for itself, in our mm. */
static int map_vma(struct ptebatch_space *space, struct mm_struct *mm,
		   unsigned long addr, unsigned long offset)
{
	bool shared = ptebatch_shared(space->setup.mapping);
	struct vm_area_struct *vma;
	unsigned long at;

	kthread_use_mm(mm);
	at = vm_mmap(space->file, addr, vma_bytes(&space->row),
		     space->setup.prot, MAP_FIXED_NOREPLACE |
		     (shared ? MAP_SHARED : MAP_PRIVATE) |
		     (space->file ? 0 : MAP_ANONYMOUS), offset * PAGE_SIZE);
	kthread_unuse_mm(mm);
	if (IS_ERR_VALUE(at))
		return at;

	mmap_write_lock(mm);
	vma = vma_lookup(mm, addr);
	vma_start_write(vma);
	/* As clear_refs_write() and userfaultfd_set_vm_flags() do. */
	if (space->setup.track)
		vm_flags_clear(vma, VM_SOFTDIRTY);
	if (space->setup.uffd_wp)
		vm_flags_set(vma, VM_UFFD_WP);
	if (space->setup.uffd_rwp)
		vm_flags_set(vma, VM_UFFD_RWP);
	if (space->uffd)
		set_uffd(vma, space->uffd);
	if (space->setup.mlocked)
		vm_flags_set(vma, VM_LOCKED);
	vma_set_page_prot(vma);
	mmap_write_unlock(mm);
	return 0;
}

/**
 * ptebatch_setup_call() - what the model is to know of an address space
 * @setup: the address space; the pages of a private file are the file's
 * @model: what the rules say of the call
 * @prot: PROT_READ and PROT_WRITE of the VMA from the call on
 *
 * Return: the call.
 */
struct ptebatch_call ptebatch_setup_call(const struct ptebatch_setup *setup,
					 ptebatch_model_t model,
					 unsigned long prot)
{
	return (struct ptebatch_call) {
		.model = model,
		.readable = prot & PROT_READ,
		.writable = prot & PROT_WRITE,
		.shared = ptebatch_shared(setup->mapping),
		.anonymous = setup->mapping == PTEBATCH_ANON,
		.file = setup->mapping != PTEBATCH_ANON,
		.notify = setup->mapping == PTEBATCH_FILE,
		.track = setup->track,
		.uffd_wp = setup->uffd_wp,
		.uffd_rwp = setup->uffd_rwp,
		.uffd_deaf = setup->uffd_deaf,
		.swap = setup->swap,
	};
}

/**
 * ptebatch_mm_alloc() - an address space with nothing in it
 *
 * Context: Process context, may sleep.
 * Return: the mm, to be given back by mmput(), or %NULL.
 */
struct mm_struct *ptebatch_mm_alloc(void)
{
	struct mm_struct *mm = mm_alloc();

	if (!mm)
		return NULL;
	mm->task_size = TASK_SIZE;
	arch_pick_mmap_layout(mm, &current->signal->rlim[RLIMIT_STACK]);
	/* khugepaged shall not tidy up here. */
	mm_flags_set(MMF_DISABLE_THP_COMPLETELY, mm);
	return mm;
}

/**
 * ptebatch_vma_flags() - change what a VMA is, and its protection with that
 * @mm: where
 * @addr: an address in the VMA
 * @set: VM_* that it gets
 * @clear: VM_* that it loses
 *
 * Context: Process context, may sleep; takes the mmap_lock.
 */
void ptebatch_vma_flags(struct mm_struct *mm, unsigned long addr,
			vm_flags_t set, vm_flags_t clear)
{
	struct vm_area_struct *vma;

	mmap_write_lock(mm);
	vma = vma_lookup(mm, addr);
	vma_start_write(vma);
	vm_flags_mod(vma, set, clear);
	vma_set_page_prot(vma);
	mmap_write_unlock(mm);
}

/* The second place: what fork() or a second mmap() makes of the first. */
static int map_again(struct ptebatch_space *space, unsigned long offset)
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
		unsigned long away = ALIGN(2 * vma_bytes(&space->row), PMD_SIZE);

		mmget(first->mm);
		second->mm = first->mm;
		second->start = first->start + away;
		err = map_vma(space, second->mm,
			      SPACE_BASE - SPACE_MARGIN + away, offset);
		if (!err)
			err = ptebatch_populate(space, second);
	}
	space->nr_places = 2;
	return err;
}

/* A split would map the shared zero page for those with nothing in them. */
static void write_pages(struct folio *folio)
{
	unsigned int i;

	for (i = 0; i < folio_nr_pages(folio); i++)
		memset(page_address(folio_page(folio, i)), 1 + i % 255,
		       sizeof(long));
}

/*
 * What is on its way to the LRU lists and back, or locked into memory and out of
 * it, is held meanwhile.
 */
static void drain_lru(const struct ptebatch_space *space)
{
	if (space->setup.lru || space->setup.mlocked)
		lru_add_drain_all();
}

/* What reclaim or MADV_FREE have made of the folios. */
static int prepare_folios(struct ptebatch_space *space)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < space->row.nr; i++)
		if (space->row.entries[i].flags & PTEBATCH_LAZYFREE)
			folio_clear_swapbacked(space->folios[space->row.entries[i].folio]);
	for (i = 0; i < space->row.nr_folios && !err; i++) {
		struct folio *folio = space->folios[i];

		if (space->setup.lazyfree && folio_test_anon(folio))
			folio_clear_swapbacked(folio);
		if (space->setup.swap && folio_test_anon(folio) &&
		    !folio_test_swapcache(folio))
			err = ptebatch_swap_alloc(folio);
		if (space->setup.lru) {
			write_pages(folio);
			folio_mark_uptodate(folio);
			folio_add_lru(folio);
		}
	}
	drain_lru(space);
	return err;
}

static int build(struct ptebatch_space *space)
{
	struct ptebatch_place *place = &space->places[0];
	long offset = 0;
	int err;

	divide_folios(space);
	err = ptebatch_hold(space);
	if (err)
		return err;
	if (space->setup.mapping != PTEBATCH_ANON) {
		offset = open_file(space);
		if (offset < 0)
			return offset;
	}

	if (space->setup.uffd_deaf) {
		err = open_uffd(space);
		if (err)
			return err;
	}
	place->mm = ptebatch_mm_alloc();
	if (!place->mm)
		return -ENOMEM;
	place->start = SPACE_BASE + space->row.first * PAGE_SIZE;
	space->nr_places = 1;
	err = map_vma(space, place->mm, SPACE_BASE - SPACE_MARGIN, offset);
	if (!err)
		err = ptebatch_populate(space, place);
	if (!err && space->setup.twice)
		err = map_again(space, offset);
	return err ?: prepare_folios(space);
}

/* What the page cache holds goes now, not when the file's last user does. */
static void empty_cache(struct file *file)
{
	if (shmem_mapping(file->f_mapping))
		shmem_truncate_range(file_inode(file), 0, -1);
	else
		truncate_inode_pages(file->f_mapping, 0);
}

/* Rule 7, the end of it: after teardown nothing is left. */
static void check_nothing_left(struct ptebatch_space *space, unsigned int i)
{
	unsigned int page, nr = 1U << space->row.folios[i].order;
	struct folio *folio;

	for (page = 0; page < nr; page += folio ? folio_nr_pages(folio) : 1) {
		folio = ptebatch_held(space, i, page);
		if (!folio)
			continue;
		KUNIT_EXPECT_EQ_MSG(space->test, folio_mapcount(folio), 0,
				    "folio %u, page %u is still mapped after teardown",
				    i, page);
		KUNIT_EXPECT_EQ_MSG(space->test, folio_ref_count(folio), 1,
				    "folio %u, page %u has references left after teardown",
				    i, page);
		KUNIT_EXPECT_FALSE_MSG(space->test, folio_test_mlocked(folio),
				       "folio %u, page %u is still mlocked after teardown",
				       i, page);
	}
}

/**
 * ptebatch_print_lines() - say what a check has collected, each line by itself
 * @test: the case
 * @out: has the lines, and not any more afterwards
 */
void ptebatch_print_lines(struct kunit *test, struct seq_buf *out)
{
	char *lines = (char *)seq_buf_str(out);
	char *line;

	while ((line = strsep(&lines, "\n")))
		if (*line)
			kunit_err(test, "%s\n", line);
}

/* A line for each entry of the largest block. */
#define BLOCK_TEXT	SZ_8K

/**
 * ptebatch_space_blocks_agree() - rule 25: all blocks are contiguous or not
 * @space: the address space
 * @who: has left them so; fails the case if one is in between
 *
 * Context: Process context, may sleep; takes the mmap_lock and the page table
 * locks.
 * Return: whether they are.
 */
bool ptebatch_space_blocks_agree(const struct ptebatch_space *space,
				 const char *who)
{
	struct seq_buf out;
	char *text = kvmalloc(BLOCK_TEXT, GFP_KERNEL);
	bool agree = true;
	unsigned int i;

	if (!text) {
		KUNIT_FAIL(space->test, "no memory to check contpte blocks");
		return false;
	}
	for (i = 0; i < space->nr_places && agree; i++) {
		const struct ptebatch_place *place = &space->places[i];
		unsigned long end = place->start + space->row.nr * PAGE_SIZE;

		seq_buf_init(&out, text, BLOCK_TEXT);
		agree = ptebatch_blocks_agree(place->mm,
					      ALIGN_DOWN(place->start, PMD_SIZE) -
					      SPACE_MARGIN,
					      ALIGN(end, PMD_SIZE) +
					      SPACE_MARGIN, &out);
	}
	if (!agree) {
		KUNIT_FAIL(space->test, "%s breaks rule 25 (contpte blocks)", who);
		ptebatch_print_lines(space->test, &out);
	}
	kvfree(text);
	return agree;
}

static void destroy(void *data)
{
	struct ptebatch_space *space = data;
	struct seq_buf complaints;
	char text[512];
	unsigned int i;

	ptebatch_space_blocks_agree(space, "the case");
	for (i = space->nr_places; i--;) {
		ptebatch_unpopulate(space, &space->places[i]);
		mmput(space->places[i].mm);
	}
	/* No migration or reclaim is on its way any more. */
	for (i = 0; i < space->row.nr_folios && space->folios[i]; i++) {
		if (!ptebatch_held_whole(space, i) ||
		    !folio_test_locked(space->folios[i]))
			continue;
		ptebatch_swap_free(space->folios[i]);
		folio_unlock(space->folios[i]);
	}
	if (space->file)
		empty_cache(space->file);
	drain_lru(space);
	for (i = 0; i < space->row.nr_folios && space->folios[i]; i++)
		check_nothing_left(space, i);
	ptebatch_hold_end(space);
	if (space->file)
		__fput_sync(space->file);

	/* Rule 10. A leak may show as late as here: bad page, bad rss counter. */
	seq_buf_init(&complaints, text, sizeof(text));
	if (ptebatch_warnings_found(&space->log, &complaints))
		KUNIT_FAIL(space->test, "rule 10: %s", seq_buf_str(&complaints));
	kfree(space->uffd);
	kfree(space->setup.picture);
	kvfree(space);
}

/**
 * ptebatch_space() - make an address space
 * @test: the case; skipped where this kernel cannot have such a space, failed
 *        and ended where the picture is wrong or memory is short
 * @setup: the address space to make; the space keeps a copy
 *
 * It goes with the case, however that ends, and fails it if anything is left
 * then, or if the kernel complained meanwhile.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: the space.
 */
struct ptebatch_space *ptebatch_space(struct kunit *test,
				      const struct ptebatch_setup *setup)
{
	struct ptebatch_space *space;
	const char *error;
	int at;

	space = kvzalloc_obj(*space);
	KUNIT_ASSERT_NOT_NULL(test, space);
	space->test = test;
	space->setup = *setup;
	space->setup.picture = kstrdup(setup->picture, GFP_KERNEL);
	ptebatch_warnings_begin(&space->log);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, destroy, space));
	KUNIT_ASSERT_NOT_NULL(test, space->setup.picture);

	at = ptebatch_row_parse(&space->row, setup->picture, &error);
	if (at)
		KUNIT_FAIL_AND_ABORT(test, "%s, at character %d of \"%s\"",
				     error, -at, setup->picture);
	if (setup->small)
		ptebatch_row_break_up(&space->row);
	error = missing(setup, &space->row);
	if (error)
		kunit_skip(test, "%s", error);
	KUNIT_ASSERT_EQ_MSG(test, 0, build(space), "cannot set up %s",
			    setup->picture);
	return space;
}

/**
 * ptebatch_space_release() - be done with an address space before the case is
 * @space: the address space
 *
 * Context: Process context, may sleep.
 */
void ptebatch_space_release(struct ptebatch_space *space)
{
	kunit_release_action(space->test, destroy, space);
}

/**
 * ptebatch_space_add_place() - look at one more place of the first mm
 * @space: the address space
 * @first: index in its page table that the row's first entry would have there
 *
 * It is away from all others, and nothing is mapped there. From now on what is
 * mapped there counts.
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
