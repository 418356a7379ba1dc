// SPDX-License-Identifier: GPL-2.0
#include "conditions.h"

static void count_call(struct ptebatch_use *use, const unsigned long *args, struct pt_regs *regs)
{
}

static void expect(struct ptebatch_use *use)
{
	const struct ptebatch_condition *condition = use->condition;
	struct ptebatch_trial *trial = use->trial;

	if (!trial->one_by_one)
		KUNIT_EXPECT_EQ_MSG(trial->test, use->hook.hits, condition->value,
				    "%s: calls of %s()", trial->function,
				    condition->function);
}

const struct ptebatch_condition_type ptebatch_condition_calls = {
	.name = "calls are counted", .occur = count_call, .end = expect,
	.always = true, .optional = true,
};
