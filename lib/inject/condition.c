// SPDX-License-Identifier: GPL-2.0
#include <kunit/resource.h>
#include <linux/string.h>

#include "../arch/arch.h"
#include "condition.h"

static unsigned int nr_conditions(const struct ptebatch_condition *with)
{
	unsigned int nr = 0;

	while (nr < PTEBATCH_CONDITIONS && with[nr].type)
		nr++;
	return nr;
}

/**
 * ptebatch_conditions_have() - test whether a case has a condition of a type
 * @with: PTEBATCH_CONDITIONS conditions
 * @type: the type
 *
 * Return: true if one of them is of this type.
 */
bool ptebatch_conditions_have(const struct ptebatch_condition *with,
			      const struct ptebatch_condition_type *type)
{
	unsigned int i;

	for (i = 0; i < nr_conditions(with); i++)
		if (with[i].type == type)
			return true;
	return false;
}

/**
 * ptebatch_condition_missing() - check that the kernel supports a condition
 * @condition: the condition
 *
 * Return: what the kernel lacks, %NULL if it supports the condition.
 */
const char *ptebatch_condition_missing(const struct ptebatch_condition *condition)
{
	const struct ptebatch_condition_type *type = condition->type;
	const char *missing = type->missing ? type->missing(condition) : NULL;

	return missing || !condition->function ? missing : ptebatch_hook_missing();
}

/**
 * ptebatch_conditions_need() - skip the case if the kernel lacks a condition
 * @test: the case
 * @with: PTEBATCH_CONDITIONS conditions
 *
 * Context: Process context, may sleep.
 */
void ptebatch_conditions_need(struct kunit *test, const struct ptebatch_condition *with)
{
	unsigned int i;

	for (i = 0; i < nr_conditions(with); i++) {
		const char *missing = ptebatch_condition_missing(&with[i]);

		if (missing)
			kunit_skip(test, "%s", missing);
	}
}

static void occur(struct ptebatch_hook *hook, const unsigned long *args,
		  struct pt_regs *regs)
{
	struct ptebatch_use *use = hook->data;

	use->met = true;
	use->condition->type->occur(use, args, regs);
}

static void end_use(void *data)
{
	struct ptebatch_use *use = data;

	ptebatch_hook_end(&use->hook);
	if (use->begun && use->condition->type->end)
		use->condition->type->end(use);
	use->begun = false;
}

static void begin_use(struct ptebatch_use *use)
{
	const struct ptebatch_condition_type *type = use->condition->type;
	const char *function = use->condition->function;
	struct kunit *test = use->trial->test;

	use->hook = (struct ptebatch_hook) {
		.function = function, .calls = use->condition->calls,
		.at_return = type->at_return, .act = occur, .data = use,
		.times = type->always ? 0 : 1,
	};
	if (function && !strcmp(function, "try_to_unmap_flush") &&
	    !IS_ENABLED(CONFIG_ARCH_WANT_BATCHED_UNMAP_TLB_FLUSH))
		kunit_skip(test, "this architecture defers no TLB flush");
	if (function && !strcmp(function, PTEBATCH_FLUSH_HOOK) && !PTEBATCH_FLUSHES_SEEN)
		kunit_skip(test, "TLB flushes that no MMU notifier sees");
	/* Kprobes map kernel text in an mm of their own. */
	if (function && strstarts(function, "pte_offset_map"))
		use->hook.match = use->trial->place->mm;
	/* Not of the folios that a split has made of the first one. */
	if (function && !strcmp(function, "folio_unlock"))
		use->hook.match = use->trial->space->folios[0];
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_use, use));
	use->begun = true;
	if (type->begin)
		type->begin(use);
	if (function) {
		KUNIT_ASSERT_EQ_MSG(test, 0, ptebatch_hook_begin(&use->hook),
				    "no hook on %s()", function);
		return;
	}
	use->met = !type->tells;
	if (type->occur)
		type->occur(use, NULL, NULL);
}

/**
 * ptebatch_conditions_begin() - begin the conditions of an operation
 * @trial: the trial of the first place, begun, also that of a second place
 * @with: PTEBATCH_CONDITIONS conditions
 *
 * In the order of the list. Fails and ends the case if the kernel does not have a
 * function.
 *
 * Context: Process context, may sleep.
 * Return: the conditions, for ptebatch_conditions_end().
 */
struct ptebatch_use *ptebatch_conditions_begin(struct ptebatch_trial *trial,
					       const struct ptebatch_condition *with)
{
	struct kunit *test = trial->test;
	struct ptebatch_condition *list;
	struct ptebatch_use *uses;
	unsigned int i;

	uses = kunit_kcalloc(test, PTEBATCH_CONDITIONS + 1, sizeof(*uses), GFP_KERNEL);
	/* @with may be on the stack of a task that a failed assertion ends. */
	list = kunit_kcalloc(test, PTEBATCH_CONDITIONS, sizeof(*list), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, uses && list);
	memcpy(list, with, PTEBATCH_CONDITIONS * sizeof(*list));
	for (i = 0; i < nr_conditions(list); i++) {
		uses[i].trial = trial;
		uses[i].condition = &list[i];
		begin_use(&uses[i]);
	}
	return uses;
}

/**
 * ptebatch_conditions_end() - end the conditions; fail the case if the operation
 *                             has not met one
 * @uses: the conditions, from ptebatch_conditions_begin()
 *
 * In reverse order.
 *
 * Context: Process context, may sleep.
 */
void ptebatch_conditions_end(struct ptebatch_use *uses)
{
	unsigned int i = 0;

	while (uses[i].trial)
		i++;
	while (i--) {
		const struct ptebatch_condition *condition = uses[i].condition;
		struct ptebatch_trial *trial = uses[i].trial;

		kunit_release_action(trial->test, end_use, &uses[i]);
		if (uses[i].met || condition->optional || condition->type->optional)
			continue;
		if (condition->function)
			KUNIT_FAIL(trial->test,
				   "%s does not call %s() often enough, after %u calls %s",
				   trial->function, condition->function,
				   condition->calls, condition->type->name);
		else
			KUNIT_FAIL(trial->test, "%s does not meet the condition: %s",
				   trial->function, condition->type->name);
	}
}
