/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A condition: what holds or happens while an operation runs, for example that a
 * page is pinned, that no folio can be allocated, or that another thread changes an
 * entry. Rows list conditions by the names in conditions.h. A condition ends
 * however the case ends, and fails the case if the operation does not meet it.
 */
#ifndef PTEBATCH_CONDITION_H
#define PTEBATCH_CONDITION_H

#include "../check/trial.h"
#include "hook.h"

struct ptebatch_condition_type;

/* Maximum number of conditions of a case. */
#define PTEBATCH_CONDITIONS	4

/**
 * struct ptebatch_condition - a condition in a row
 * @type: the kind of condition; %NULL: none, the end of the list
 * @function: the condition occurs at a call of this function of the kernel, by this
 *            task or khugepaged; %NULL: it occurs before the operation
 * @calls: it occurs at the call after so many calls
 * @value: of @type: a number of pages, the index of an entry or of a folio, a flag
 * @optional: the operation need not meet it
 * @picture: of @type: a row, or a name
 */
struct ptebatch_condition {
	const struct ptebatch_condition_type *type;
	const char *function;
	unsigned int calls;
	unsigned long value;
	const char *picture;
	bool optional;
};

/**
 * struct ptebatch_use - a condition during an operation
 * @trial: the trial of the first place
 * @condition: the condition
 * @hook: hook on @condition->function; begin() may restrict the calls that count
 * @folio: for the type: the folio that it changed
 * @data: for the type: memory of begin(), by kunit_kzalloc()
 * @word: for the type
 * @met: the operation has met the condition
 * @begun: the condition has to end
 */
struct ptebatch_use {
	struct ptebatch_trial *trial;
	const struct ptebatch_condition *condition;
	struct ptebatch_hook hook;
	struct folio *folio;
	void *data;
	unsigned long word;
	bool met;
	bool begun;
};

/* The function to hook for TLB flushes. */
#define PTEBATCH_FLUSH_HOOK	"__mmu_notifier_arch_invalidate_secondary_tlbs"

/**
 * struct ptebatch_condition_type - a kind of condition
 * @name: what it is, for messages: "the page table is gone"
 * @missing: returns what the kernel lacks for it, for kunit_skip(), or %NULL; may
 *           be %NULL. Not for hooks.
 * @begin: what is to be done before the operation, if the condition occurs later; may
 *         be %NULL
 * @occur: makes it happen: at the call, with its arguments and registers, under
 *         whatever locks the caller holds; without @function after @begin, with %NULL
 *         for both
 * @end: ends it after the operation, before the checks; may be %NULL. Called once, and
 *       also if @begin or @occur has ended the case, or if it has not occurred.
 * @at_return: occurs when the function returns, not at its begin
 * @always: occurs at each further call, too; otherwise once
 * @optional: the operation need not meet it
 * @tells: @end sets @met of the use; otherwise a condition without @function is met
 */
struct ptebatch_condition_type {
	const char *name;
	const char *(*missing)(const struct ptebatch_condition *condition);
	void (*begin)(struct ptebatch_use *use);
	void (*occur)(struct ptebatch_use *use, const unsigned long *args,
		      struct pt_regs *regs);
	void (*end)(struct ptebatch_use *use);
	bool at_return;
	bool always;
	bool optional;
	bool tells;
};

bool ptebatch_conditions_have(const struct ptebatch_condition *with,
			      const struct ptebatch_condition_type *type);
const char *ptebatch_condition_missing(const struct ptebatch_condition *condition);
void ptebatch_conditions_need(struct kunit *test, const struct ptebatch_condition *with);
struct ptebatch_use *ptebatch_conditions_begin(struct ptebatch_trial *trial,
					       const struct ptebatch_condition *with);
void ptebatch_conditions_end(struct ptebatch_use *uses);

#endif /* PTEBATCH_CONDITION_H */
