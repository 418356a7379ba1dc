// SPDX-License-Identifier: GPL-2.0
#include "../arch/tlb.h"

#include <linux/mm.h>

#include "../service/damon.h"
#include "../service/sysfs.h"
#include "idle.h"

/* The bitmap is read and written in words of 64 bits. */
#define FOLDER		"mm/page_idle"
#define BYTE_OF(pfn)	(round_down(pfn, BITS_PER_TYPE(u64)) / BITS_PER_BYTE)

/**
 * ptebatch_idle_mark() - set the bit of a page
 * @pfn: its page frame number
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error.
 */
long ptebatch_idle_mark(unsigned long pfn)
{
	u64 bits = BIT_ULL(pfn % BITS_PER_TYPE(u64));
	ssize_t len = ptebatch_sysfs_write_binary(FOLDER, "bitmap", &bits, BYTE_OF(pfn),
						  sizeof(bits));

	return len == sizeof(bits) ? 0 : len;
}

/**
 * ptebatch_idle_read() - read the bit of a page
 * @pfn: its page frame number
 *
 * Context: Process context, may sleep.
 * Return: 1 if the folio that begins with the page is idle, 0 if not, or an error.
 */
long ptebatch_idle_read(unsigned long pfn)
{
	u64 bits;
	ssize_t len = ptebatch_sysfs_read_binary(FOLDER, "bitmap", &bits, BYTE_OF(pfn),
						 sizeof(bits));

	return len == sizeof(bits) ? !!(bits & BIT_ULL(pfn % BITS_PER_TYPE(u64))) : len;
}

static long use_bitmap(const struct ptebatch_space *space, long (*use)(unsigned long pfn))
{
	const struct ptebatch_row *row = &space->row;
	struct folio *last = NULL, *folio;
	long ret = 0, sum = 0;
	unsigned int i;

	for (i = row->from; i < row->to && ret >= 0; i++) {
		const struct ptebatch_entry *entry = &row->entries[i];

		if (!ptebatch_entry_normal(entry))
			continue;
		folio = page_folio(&space->folios[entry->folio]->page + entry->page);
		if (folio != last)
			ret = use(folio_pfn(folio));
		last = folio;
		sum += ret;
	}
	return ret < 0 ? ret : sum;
}

/* A folio may be mapped in several places: all bits are read before one is set. */
static long track_idle(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	long idle = use_bitmap(space, ptebatch_idle_read);
	long ret = use_bitmap(space, ptebatch_idle_mark);
	unsigned int i;

	/* The kernel relies on the TLB losing the entries some time. */
	for (i = 0; i < space->nr_places; i++)
		flush_tlb_mm(space->places[i].mm);
	return idle < 0 || !ret ? idle : ret;
}

static const char *idle_missing(void)
{
	return IS_ENABLED(CONFIG_IDLE_PAGE_TRACKING) ? NULL :
	       "no idle page tracking without CONFIG_IDLE_PAGE_TRACKING";
}

const struct ptebatch_op ptebatch_track_idle = {
	.name = "idle", .function = "the bitmap of page_idle", .call = track_idle,
	.missing = idle_missing, .no_twin = true,
};

static unsigned int list_mapped(const struct ptebatch_space *space, unsigned long *addresses)
{
	const struct ptebatch_row *row = &space->row;
	unsigned int i, nr = 0;

	for (i = row->from; i < row->to; i++)
		if (ptebatch_entry_normal(&row->entries[i]))
			addresses[nr++] = ptebatch_addr(space, i);
	return nr;
}

static long sample(const struct ptebatch_op *op, struct ptebatch_space *space, bool twin)
{
	struct mm_struct *mm = space->places[0].mm;
	unsigned long *addresses;
	int accessed = 0, err = 0;
	unsigned int nr;

	addresses = kvmalloc_objs(*addresses, space->row.nr);
	if (!addresses)
		return -ENOMEM;
	nr = list_mapped(space, addresses);
	if (nr)
		accessed = ptebatch_damon_check(mm, addresses, nr);
	if (nr && accessed >= 0)
		err = ptebatch_damon_prepare(mm, addresses, nr);
	kvfree(addresses);
	/* As above. */
	flush_tlb_mm(mm);
	return accessed < 0 ? accessed : err ?: nr - accessed;
}

static const char *damon_missing(void)
{
	return IS_ENABLED(CONFIG_DAMON_VADDR) && IS_ENABLED(CONFIG_DAMON_PADDR) ? NULL :
	       "no DAMON without CONFIG_DAMON_VADDR and CONFIG_DAMON_PADDR";
}

const struct ptebatch_op ptebatch_sample = {
	.name = "damon", .function = "damon_va_check_accesses()", .call = sample,
	.missing = damon_missing, .no_twin = true,
};
