// SPDX-License-Identifier: GPL-2.0
/*
 * Between two looks of a function, what it looks for may be gone: another thread has changed
 * the PMD, has turned swap off, has truncated the file or has unmapped the VMA. The function
 * that looks it up then finds nothing, and its caller has to look again or to give up. During
 * the operation no condition takes a lock, as the caller may hold it; no other thread exists.
 */
#include <linux/err.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/swap.h>

#include "../space/pte.h"
#include "conditions.h"

static void lose_locked_table(const unsigned long *args, unsigned long found)
{
	pte_unmap_unlock((pte_t *)found, *(spinlock_t **)args[3]);
}

static void lose_table(const unsigned long *args, unsigned long found)
{
	pte_unmap((pte_t *)found);
}

static void lose_device(const unsigned long *args, unsigned long found)
{
	put_swap_device((struct swap_info_struct *)found);
}

static void lose_folio(const unsigned long *args, unsigned long found)
{
	struct folio *folio = (struct folio *)found;

	if ((__force fgf_t)args[2] & FGP_LOCK)
		folio_unlock(folio);
	folio_put(folio);
}

/*
 * The functions that look something up: how to give back what they have found, and what they
 * return if they find nothing.
 */
static const struct lookup {
	const char *function;
	void (*put)(const unsigned long *args, unsigned long found);
	long nothing;
} lookups[] = {
	{ "pte_offset_map_lock", lose_locked_table },
	{ "pte_offset_map_rw_nolock", lose_table },
	{ "get_swap_device", lose_device },
	{ "__filemap_get_folio_mpol", lose_folio, -ENOENT },
	{ "mtree_load" },
};

/* Something is found, a page table only if it is that of the row's addresses. */
static bool finds(struct ptebatch_hook *hook, const unsigned long *args, struct pt_regs *regs)
{
	const struct ptebatch_use *use = hook->data;
	const struct ptebatch_space *space = use->trial->space;

	if (IS_ERR_OR_NULL((void *)regs_return_value(regs)))
		return false;
	return strcmp(hook->function, "pte_offset_map_lock") ||
	       (args[2] >= ptebatch_addr(space, 0) &&
		args[2] < ptebatch_addr(space, space->row.nr));
}

static void lost_begin(struct ptebatch_use *use)
{
	unsigned int i;

	use->hook.counts = finds;
	for (i = 0; i < ARRAY_SIZE(lookups); i++)
		if (!strcmp(lookups[i].function, use->condition->function))
			use->data = (void *)&lookups[i];
	KUNIT_ASSERT_NOT_NULL_MSG(use->trial->test, use->data, "%s() looks up nothing",
				  use->condition->function);
}

static void find_nothing(struct ptebatch_use *use, const unsigned long *args, struct pt_regs *regs)
{
	const struct lookup *lookup = use->data;

	if (lookup->put)
		lookup->put(args, regs_return_value(regs));
	ptebatch_hook_return(regs, lookup->nothing);
}

const struct ptebatch_condition_type ptebatch_condition_lost = {
	.name = "it finds nothing", .begin = lost_begin, .occur = find_nothing, .at_return = true,
};
