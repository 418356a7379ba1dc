// SPDX-License-Identifier: GPL-2.0
/*
 * swap_pte_batch() returns the number of PTEs in a batch of swap entries. It is
 * compared with a reference that looks at one entry after the other (rule 3), for
 * each first entry followed by all pairs of entries.
 *
 * Zapping frees the entries of a batch whatever their flags are, so that a batch
 * that continues too far shows there only with uffd-wp and at another device.
 */
#include <kunit/test.h>
#include <linux/leafops.h>
#include <linux/mm.h>

#include "internal.h"
#include <swap.h>

#include "../lib/row/row.h"
#include "../lib/row/rules.h"
#include "../lib/service/service.h"

#define DEVICE	1

/**
 * struct first - the first entry of a batch, on device DEVICE
 * @name: its letters in a picture
 * @flags: any of PTEBATCH_SOFT_DIRTY, PTEBATCH_UFFD and PTEBATCH_EXCLUSIVE
 * @offset: its slot
 */
struct first {
	const char *name;
	u8 flags;
	pgoff_t offset;
};

static const struct first firsts[] = {
	{ "S", 0, 3 },
	{ "Ss", PTEBATCH_SOFT_DIRTY, 3 },
	{ "Su", PTEBATCH_UFFD, 3 },
	{ "Sx", PTEBATCH_EXCLUSIVE, 3 },
	{ "Sux", PTEBATCH_UFFD | PTEBATCH_EXCLUSIVE, 3 },
	{ "Ssux", PTEBATCH_SOFT_DIRTY | PTEBATCH_UFFD | PTEBATCH_EXCLUSIVE, 3 },
	/* A batch does not end with the cluster. */
	{ "Sx at the end of a cluster", PTEBATCH_EXCLUSIVE, 2 * SWAPFILE_CLUSTER - 1 },
	{ "S before the end of a cluster", 0, 3 * SWAPFILE_CLUSTER - 2 },
};

static void first_desc(const struct first *first, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "%s, all pairs of entries behind it: batch as one entry after the other",
		 first->name);
}

KUNIT_ARRAY_PARAM(firsts, firsts, first_desc);

static pte_t make_swap(unsigned int device, pgoff_t offset, u8 flags)
{
	pte_t pte = swp_entry_to_pte(swp_entry(device, offset));

	if (flags & PTEBATCH_SOFT_DIRTY)
		pte = pte_swp_mksoft_dirty(pte);
	if (flags & PTEBATCH_UFFD)
		pte = pte_swp_mkuffd(pte);
	if (flags & PTEBATCH_EXCLUSIVE)
		pte = pte_swp_mkexclusive(pte);
	return pte;
}

/* Make variant @variant of the @nth entry behind @first; false after the last. */
static bool make_next(const struct first *first, unsigned int nth,
		      unsigned int variant, pte_t *pte)
{
	static const u8 changed[] = {
		0, PTEBATCH_SOFT_DIRTY, PTEBATCH_UFFD, PTEBATCH_EXCLUSIVE,
	};
	pgoff_t offset = first->offset + nth;

	switch (variant) {
	case 0 ... ARRAY_SIZE(changed) - 1:
		*pte = make_swap(DEVICE, offset, first->flags ^ changed[variant]);
		return true;
	case ARRAY_SIZE(changed):
		*pte = make_swap(DEVICE + 1, offset, first->flags);
		return true;
	case ARRAY_SIZE(changed) + 1:
		*pte = make_swap(DEVICE, offset - 1, first->flags);
		return true;
	case ARRAY_SIZE(changed) + 2:
		*pte = make_swap(DEVICE, offset + 1, first->flags);
		return true;
	case ARRAY_SIZE(changed) + 3:
		*pte = __pte(0);
		return true;
	case ARRAY_SIZE(changed) + 4:
		*pte = make_pte_marker(PTE_MARKER_POISONED);
		return true;
	case ARRAY_SIZE(changed) + 5:
		*pte = mk_pte(ZERO_PAGE(0), vm_get_page_prot(VM_READ));
		return true;
	default:
		return false;
	}
}

/* Does a batch of @first continue with its @nth entry, @next? */
static bool continues(pte_t first, pte_t next, unsigned int nth)
{
	softleaf_t from, to;

	if (pte_none(next) || pte_present(next))
		return false;
	from = softleaf_from_pte(first);
	to = softleaf_from_pte(next);
	return softleaf_is_swap(to) && swp_type(to) == swp_type(from) &&
	       swp_offset(to) == swp_offset(from) + nth &&
	       !pte_swp_soft_dirty(next) == !pte_swp_soft_dirty(first) &&
	       !pte_swp_uffd(next) == !pte_swp_uffd(first) &&
	       !pte_swp_exclusive(next) == !pte_swp_exclusive(first);
}

#define ENTRIES	4

static void swap_batch(struct kunit *test)
{
	const struct first *first = test->param_value;
	unsigned int second, third, max_nr, nr;
	pte_t ptes[ENTRIES];
	int got;

	ptes[0] = make_swap(DEVICE, first->offset, first->flags);
	/* The last entry always continues the batch, unless an earlier one ends it. */
	make_next(first, ENTRIES - 1, 0, &ptes[ENTRIES - 1]);
	for (second = 0; make_next(first, 1, second, &ptes[1]); second++)
		for (third = 0; make_next(first, 2, third, &ptes[2]); third++)
			for (max_nr = 1; max_nr <= ENTRIES; max_nr++) {
				for (nr = 1; nr < max_nr; nr++)
					if (!continues(ptes[0], ptes[nr], nr))
						break;
				got = swap_pte_batch(ptes, max_nr, ptes[0]);
				KUNIT_EXPECT_EQ_MSG(test, got, nr,
						    PTEBATCH_RULE_END
						    ": at most %u entries, then %u and %u",
						    max_nr, second, third);
			}
}

static struct kunit_case internal_cases[] = {
	KUNIT_CASE_PARAM(swap_batch, firsts_gen_params),
	{}
};

PTEBATCH_SUITE(internal, internal_cases);
