// SPDX-License-Identifier: GPL-2.0
#include <linux/sched.h>

#include "checks.h"

/*
 * In lazy MMU mode changes of entries may be deferred, see lazy_mmu_mode_enable()
 * in include/linux/pgtable.h. An operation that does not leave the mode fails
 * once: the check leaves it.
 */
static void check_lazy_mmu(struct ptebatch_trial *trial, struct seq_buf *out)
{
#ifdef CONFIG_ARCH_HAS_LAZY_MMU_MODE
	unsigned int nested = current->lazy_mmu_state.enable_count;

	if (!nested)
		return;
	while (current->lazy_mmu_state.enable_count)
		lazy_mmu_mode_disable();
	seq_buf_printf(out, "lazy MMU mode was enabled and not disabled %u times\n", nested);
#endif
}

const struct ptebatch_check ptebatch_check_lazy_mmu = {
	.rule = PTEBATCH_RULE_LAZY_MMU, .name = "lazy_mmu", .check = check_lazy_mmu,
};
