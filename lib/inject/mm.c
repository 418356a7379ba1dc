// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>

#include "../arch/arch.h"
#include "conditions.h"

/* The word of the condition: the flag differs. */
static void set(struct ptebatch_use *use, const unsigned long *args, struct pt_regs *regs)
{
	struct mm_struct *mm = use->trial->place->mm;

	use->word = !mm_flags_test(use->condition->value, mm);
	mm_flags_set(use->condition->value, mm);
}

static void clear(struct ptebatch_use *use, const unsigned long *args, struct pt_regs *regs)
{
	struct mm_struct *mm = use->trial->place->mm;

	use->word = mm_flags_test(use->condition->value, mm);
	mm_flags_clear(use->condition->value, mm);
}

static void clear_flag_again(struct ptebatch_use *use)
{
	if (use->word)
		mm_flags_clear(use->condition->value, use->trial->place->mm);
}

static void set_flag_again(struct ptebatch_use *use)
{
	if (use->word)
		mm_flags_set(use->condition->value, use->trial->place->mm);
}

const struct ptebatch_condition_type ptebatch_condition_mm_flag = {
	.name = "a flag of the mm is set", .occur = set, .end = clear_flag_again,
};

const struct ptebatch_condition_type ptebatch_condition_no_mm_flag = {
	.name = "a flag of the mm is clear", .occur = clear, .end = set_flag_again,
};

static const char *secondary_missing(const struct ptebatch_condition *condition)
{
	return PTEBATCH_NOTIFIES ? NULL : "no secondary MMU without CONFIG_MMU_NOTIFIER";
}

/* Each trial has a secondary MMU, see record/secondary.h. */
static void make_young(struct ptebatch_use *use, const unsigned long *args,
		       struct pt_regs *regs)
{
	set_bit(use->condition->value, use->trial->secondary.young);
}

const struct ptebatch_condition_type ptebatch_condition_secondary_young = {
	.name = "a page is young in a secondary MMU", .missing = secondary_missing,
	.occur = make_young,
};
