// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>

#include "../space/refs.h"
#include "checks.h"

ptebatch_check_t ptebatch_check_lists;

/**
 * ptebatch_check_lists() - check that mapped folios can be used and reclaimed
 * @trial: the trial, stopped
 * @out: receives a line for each other folio
 *
 * An operation must put back each folio that it isolates from the LRU, unlock
 * each folio that it locks, and mark each folio as uptodate that it fills.
 *
 * Return: true if all mapped folios of a set-up with LRU are on it, unlocked and
 * uptodate.
 */
bool ptebatch_check_lists(struct ptebatch_trial *trial, struct seq_buf *out)
{
	const struct ptebatch_space *space = trial->space;
	bool on_lists = true;
	unsigned int i;

	for (i = 0; space->setup.lru && i < space->row.nr_folios; i++) {
		struct folio *folio = space->folios[i];

		if (!ptebatch_folio_intact(space, i) || !folio_mapped(folio))
			continue;
		if (!folio_test_lru(folio))
			seq_buf_printf(out, "folio %u is mapped, but on no LRU list\n", i);
		else if (folio_test_locked(folio) && !test_bit(i, trial->locked))
			seq_buf_printf(out, "folio %u was left locked\n", i);
		else if (!folio_test_uptodate(folio))
			seq_buf_printf(out, "folio %u is mapped, but not uptodate\n", i);
		else
			continue;
		on_lists = false;
	}
	return on_lists;
}
