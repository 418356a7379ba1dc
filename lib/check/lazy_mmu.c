// SPDX-License-Identifier: GPL-2.0
#include <linux/sched.h>

#include "checks.h"

ptebatch_check_t ptebatch_check_lazy_mmu;

/**
 * ptebatch_check_lazy_mmu() - check rule 31 (lazy MMU mode)
 * @trial: the trial, stopped
 * @out: receives a line if the task is in lazy MMU mode
 *
 * In lazy MMU mode changes of entries may be deferred, see lazy_mmu_mode_enable()
 * in include/linux/pgtable.h. An operation that does not leave the mode fails
 * once: the check leaves it.
 *
 * Return: true if the task is not in lazy MMU mode.
 */
bool ptebatch_check_lazy_mmu(struct ptebatch_trial *trial, struct seq_buf *out)
{
#ifdef CONFIG_ARCH_HAS_LAZY_MMU_MODE
	unsigned int nested = current->lazy_mmu_state.enable_count;

	if (!nested)
		return true;
	while (current->lazy_mmu_state.enable_count)
		lazy_mmu_mode_disable();
	seq_buf_printf(out, "lazy MMU mode was enabled and not disabled %u times\n", nested);
	return false;
#else
	return true;
#endif
}
