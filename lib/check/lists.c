// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>

#include "../space/refs.h"
#include "checks.h"

static void begin_lists(struct ptebatch_trial *trial)
{
	unsigned int i;

	for (i = 0; i < trial->space->row.nr_folios; i++)
		if (folio_test_locked(trial->space->folios[i]))
			set_bit(i, trial->locked);
}

/*
 * An operation must put back each folio that it isolates from the LRU, unlock
 * each folio that it locks, and mark each folio as uptodate that it fills.
 */
static void check_lists(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	unsigned int i;

	for (i = 0; space->setup.folios & ON_LRU && i < space->row.nr_folios; i++) {
		struct folio *folio = space->folios[i];

		if (!ptebatch_folio_intact(space, i) || !folio_mapped(folio))
			continue;
		if (!folio_test_lru(folio))
			seq_buf_printf(out, "folio %u is mapped, but on no LRU list\n", i);
		else if (folio_test_locked(folio) && !test_bit(i, trial->locked))
			seq_buf_printf(out, "folio %u was left locked\n", i);
		else if (!folio_test_uptodate(folio))
			seq_buf_printf(out, "folio %u is mapped, but not uptodate\n", i);
	}
}

const struct ptebatch_check ptebatch_check_lists = {
	.rule = PTEBATCH_RULE_ACCOUNTING, .name = "lists", .whole = true,
	.begin = begin_lists, .check = check_lists,
};
