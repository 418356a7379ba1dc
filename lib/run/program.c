// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/seq_buf.h>
#include <linux/uaccess.h>

#include "../arch/arch.h"
#include "../check/checks.h"
#include "../check/memory.h"
#include "../check/places.h"
#include "../check/unused.h"
#include "../inject/conditions.h"
#include "../kernel/log.h"
#include "../op/step.h"
#include "../service/anon_orders.h"
#include "program.h"

/**
 * struct run - a run of a program
 * @test: the case
 * @space: the address space; its first place is that of the process of the step
 * @memory: the reference memory
 * @child_first: that process is the child
 * @quiet: a violation does not fail the case, and no row is printed
 * @full: more folios than the space can hold: the program ended with the last step
 * @wrong: what the step does wrong
 * @text: buffer of @wrong
 * @why: receives the first step that does something wrong, and what; may be %NULL
 */
struct run {
	struct kunit *test;
	struct ptebatch_space *space;
	struct ptebatch_memory *memory;
	bool child_first;
	bool quiet;
	bool full;
	struct seq_buf wrong;
	char text[512];
	struct seq_buf *why;
};

/* Make the place of a process the first one: operations and trials take that. */
static void turn_to(struct run *run, bool child)
{
	if (run->child_first != child)
		swap(run->space->places[0], run->space->places[1]);
	run->child_first = child;
}

/* The space holds no references to folios: it may fault. */
static void access_pages(struct run *run, const struct ptebatch_step *step)
{
	const struct ptebatch_row *row = &run->space->row;
	bool write = ptebatch_step_writes(step->kind);
	unsigned int i;

	kthread_use_mm(run->space->places[0].mm);
	for (i = row->from; i < row->to && !seq_buf_used(&run->wrong); i++) {
		u64 __user *at = (u64 __user *)ptebatch_addr(run->space, i);
		u32 value = 0;
		bool permitted = ptebatch_memory_access(run->memory, step, i, &value);
		u64 got = value;
		int err = 0;

		if (step->kind == PTEBATCH_STEP_ZERO || step->kind == PTEBATCH_STEP_EQUAL)
			err = clear_user(at, PAGE_SIZE) ? -EFAULT : 0;
		err = err ?: write ? put_user(got, at) : get_user(got, at);
		if (!err && !permitted && !write && PTEBATCH_READS_PROT_NONE)
			continue;
		if (!err != permitted && !ptebatch_left_out("promised_access"))
			seq_buf_printf(&run->wrong, "page %u: a %s returns %d, expected %s\n",
				       i, write ? "write" : "read", err,
				       permitted ? "success" : "a fault that fails");
		else if (!err && permitted && got != value &&
			 !ptebatch_left_out("promised_contents"))
			seq_buf_printf(&run->wrong, "page %u: a read returns %#llx, expected %#x\n",
				       i, got, value);
	}
	kthread_unuse_mm(run->space->places[0].mm);
}

/* Faults may allocate large folios, but map nothing outside of the row. */
static void access_with_thp(struct run *run, const struct ptebatch_step *step)
{
	const struct ptebatch_anon_orders orders = {
		.always = ptebatch_row_orders(&run->space->row),
	};
	struct mm_struct *mm = run->space->places[0].mm;

	ptebatch_anon_orders_begin(mm, &orders);
	access_pages(run, step);
	ptebatch_anon_orders_end(mm);
}

static void set_range(struct ptebatch_row *row, const struct ptebatch_step *step)
{
	row->from = step->from;
	row->to = step->to ?: row->nr;
}

static void set_whole(struct ptebatch_row *row)
{
	row->from = 0;
	row->to = row->nr;
}

/*
 * The page that a fault of entry @i would find in the swap cache or in the page cache:
 * its index among those of the row's folios; -1: none. A clean page of a file would leave
 * the page cache.
 */
static int find_page(const struct ptebatch_space *space, unsigned int i)
{
	const struct ptebatch_row *row = &space->row;
	const struct ptebatch_entry *entry = &row->entries[i];
	unsigned int folio, page;

	if (entry->kind == PTEBATCH_SWAP && entry->folio != PTEBATCH_NO_FOLIO)
		return row->folios[entry->folio].first + entry->page;
	if (entry->kind != PTEBATCH_NONE)
		return -1;
	for_each_set_bit(folio, space->cached, row->nr_folios) {
		page = i - row->folios[folio].at;
		if (page < 1U << row->folios[folio].order &&
		    folio_test_dirty(space->folios[folio]))
			return row->folios[folio].first + page;
	}
	return -1;
}

/* What happens during a step. */
static const struct ptebatch_condition conditions[PTEBATCH_NR_STEPS] = {
	[PTEBATCH_STEP_POISONED_READ] = HWPOISON(0),
	[PTEBATCH_STEP_MOVE_FAILS] = NO_TABLE(0),
};

/* Does something happen during the step? */
static bool find_condition(struct run *run, const struct ptebatch_step *step,
			   struct ptebatch_condition *condition)
{
	const struct ptebatch_row *row = &run->space->row;
	unsigned int i, to = step->to ?: row->nr;
	int page = -1;

	*condition = conditions[step->kind];
	if (step->kind == PTEBATCH_STEP_POISONED_READ)
		for (i = step->from; i < to && page < 0; i++)
			page = find_page(run->space, i);
	ptebatch_memory_poison(run->memory, step->child, row, page < 0 ? -1 : (int)i - 1);
	if (page >= 0) {
		condition->value = page;
		return true;
	}
	/* Of several VMAs, mremap() moves those before the one for which it fails. */
	if (step->kind != PTEBATCH_STEP_MOVE_FAILS || !bitmap_empty(row->vma_starts, row->nr))
		return false;
	/* The last page table of the destination; it may exist. */
	condition->calls = (row->first + row->nr - 1) / PTRS_PER_PTE;
	condition->optional = true;
	return true;
}

static long take_step(struct run *run, const struct ptebatch_step *step)
{
	const struct ptebatch_op *op = ptebatch_step_op(step->kind);
	struct ptebatch_row *row = &run->space->row;
	long ret = 0;

	set_range(row, step);
	if (op)
		ret = op->call(op, run->space, false);
	else if (step->kind == PTEBATCH_STEP_EXIT)
		ptebatch_space_drop_place(run->space);
	else if (step->kind == PTEBATCH_STEP_THP_WRITE || step->kind == PTEBATCH_STEP_THP_READ)
		access_with_thp(run, step);
	else
		access_pages(run, step);
	ptebatch_memory_step(run->memory, step, ret, &run->wrong);
	if (!ptebatch_step_is_exact(step->kind))
		set_whole(row);
	return ret;
}

static void check_memory(const struct ptebatch_trial *trial,
			 const struct ptebatch_place *place,
			 const struct ptebatch_snapshot *snapshot, void *data)
{
	struct run *run = data;
	bool second = place != &run->space->places[0];

	if (!seq_buf_used(&run->wrong))
		ptebatch_memory_check(run->memory, run->child_first != second, run->space,
				      snapshot, &run->wrong);
}

static struct ptebatch_trial *begin_step(struct run *run, const struct ptebatch_step *step)
{
	struct ptebatch_space *space = run->space;
	struct ptebatch_trial *trial;
	struct seq_buf name;
	char text[48];

	seq_buf_init(&name, text, sizeof(text));
	ptebatch_step_print(&name, step);
	if (ptebatch_step_is_exact(step->kind))
		set_range(&space->row, step);
	else
		set_whole(&space->row);
	trial = ptebatch_trial_next(run->test, seq_buf_str(&name), space);
	trial->quiet = run->quiet;
	trial->call.vma_flags = ptebatch_op_vma_flags(ptebatch_step_op(step->kind));
	if (step->kind == PTEBATCH_STEP_FORK)
		ptebatch_trial_second(trial, &space->places[1]);
	return trial;
}

/* A program that fails once may pass later: what is wrong is known here only. */
static void note_why(const struct run *run, struct ptebatch_trial *trial)
{
	const struct ptebatch_trial *at = trial->violated || !trial->second ? trial : trial->second;

	if (!run->why || seq_buf_used(run->why))
		return;
	if (at->violated)
		seq_buf_printf(run->why, "%s violates %s\n%s", trial->function, at->violated,
			       at->report);
	else
		seq_buf_printf(run->why, "%s violates " PTEBATCH_RULE_PROMISE "\n%s",
			       trial->function, run->text);
}

/* Returns whether the step does nothing wrong. */
static bool run_step(struct run *run, const struct ptebatch_step *step)
{
	struct ptebatch_trial *trial;
	struct ptebatch_slots_before *slots;
	struct ptebatch_condition with[PTEBATCH_CONDITIONS] = {};
	struct ptebatch_use *uses = NULL;
	bool passes;

	turn_to(run, step->child && step->kind != PTEBATCH_STEP_EXIT);
	seq_buf_clear(&run->wrong);
	trial = begin_step(run, step);
	slots = ptebatch_slots_list(trial);
	if (find_condition(run, step, with))
		uses = ptebatch_conditions_begin(trial, with);
	trial->returned = take_step(run, step);
	if (uses)
		ptebatch_conditions_end(uses);
	ptebatch_slots_free_unused(trial, slots);
	passes = ptebatch_trial_end(trial);
	run->full = trial->full;
	if (!run->full && ptebatch_each_place(trial, check_memory, run))
		seq_buf_puts(&run->wrong, "not checked: out of memory\n");
	if (!run->quiet && !run->full)
		ptebatch_print_row(run->test, "", &trial->after.row, NULL);
	if (passes && seq_buf_used(&run->wrong)) {
		passes = false;
		if (!run->quiet) {
			bitmap_zero(trial->differs, PTEBATCH_ROW_ENTRIES);
			ptebatch_trial_print(trial, "violates " PTEBATCH_RULE_PROMISE);
			ptebatch_print_lines(run->test, &run->wrong);
		}
	}
	if (!passes)
		note_why(run, trial);
	ptebatch_trial_free(trial);
	return passes;
}

/* Each process reads all pages that it may read; the others must fault. */
static bool read_all(struct run *run)
{
	struct ptebatch_step step = { .kind = PTEBATCH_STEP_READ };

	if (!run_step(run, &step))
		return false;
	step.child = true;
	return !run->memory->child || run_step(run, &step);
}

static bool run_program(struct run *run, const struct ptebatch_setup *setup,
			const struct ptebatch_program *program)
{
	bool passes = true;
	unsigned int i;

	run->space = ptebatch_space(run->test, setup);
	ptebatch_memory_begin(run->memory, run->space);
	for (i = 0; i < program->nr && passes && !run->full; i++)
		passes = run_step(run, &program->steps[i]);
	if (!run->full)
		passes = passes && read_all(run);
	turn_to(run, false);
	ptebatch_space_release(run->space);
	return passes;
}

static struct run *make_run(struct kunit *test, bool quiet)
{
	struct run *run = kunit_kzalloc(test, sizeof(*run), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, run);
	run->memory = kunit_kzalloc(test, sizeof(*run->memory), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, run->memory);
	run->test = test;
	run->quiet = quiet;
	seq_buf_init(&run->wrong, run->text, sizeof(run->text));
	return run;
}

static bool run_once(struct kunit *test, const struct ptebatch_setup *setup,
		     const struct ptebatch_program *program, bool quiet, struct seq_buf *why)
{
	struct run *run = make_run(test, quiet);
	bool passes;

	run->why = why;
	passes = run_program(run, setup, program);

	kunit_kfree(test, run->memory);
	kunit_kfree(test, run);
	return passes;
}

/**
 * ptebatch_program_passes() - run a program
 * @test: the case, which a violation does not fail
 * @setup: the address space before the first step
 * @program: the program; all its steps are possible
 * @why: receives, if it is empty, the first step that does something wrong, and what
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: true if no step does anything wrong.
 */
bool ptebatch_program_passes(struct kunit *test, const struct ptebatch_setup *setup,
			     const struct ptebatch_program *program, struct seq_buf *why)
{
	return run_once(test, setup, program, true, why);
}

/**
 * ptebatch_program_log() - print a program
 * @test: the case
 * @setup: the address space before the first step
 * @program: the program
 */
void ptebatch_program_log(struct kunit *test, const struct ptebatch_setup *setup,
			  const struct ptebatch_program *program)
{
	struct seq_buf steps;
	char text[400];

	seq_buf_init(&steps, text, sizeof(text));
	ptebatch_program_print(&steps, program);
	kunit_err(test, "program %s: %s\n", setup->picture, seq_buf_str(&steps));
}

/**
 * ptebatch_program_report() - run a program that fails, and report why
 * @test: the case; fails
 * @setup: the address space before the first step
 * @program: the program
 * @why: what was wrong when it failed before
 *
 * Prints the row after each step.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 */
void ptebatch_program_report(struct kunit *test, const struct ptebatch_setup *setup,
			     const struct ptebatch_program *program, struct seq_buf *why)
{
	ptebatch_program_log(test, setup, program);
	if (!run_once(test, setup, program, false, NULL))
		return;
	KUNIT_FAIL(test, "the program has failed, but not again");
	ptebatch_print_lines(test, why);
}

/**
 * ptebatch_step_missing() - check that the kernel supports a step
 * @kind: kind of the step
 *
 * Return: what the kernel lacks, %NULL if it supports the step.
 */
const char *ptebatch_step_missing(enum ptebatch_step_kind kind)
{
	const struct ptebatch_op *op = ptebatch_step_op(kind);
	const char *missing = op ? ptebatch_op_missing(op) : NULL;

	if (!missing && conditions[kind].type)
		missing = ptebatch_condition_missing(&conditions[kind]);
	return missing;
}

/**
 * ptebatch_program_param() - run the program that is the parameter of the test
 * @test: the case, with a struct ptebatch_program_case as its parameter
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 */
void ptebatch_program_param(struct kunit *test)
{
	const struct ptebatch_program_case *row = test->param_value;
	struct ptebatch_program program;
	struct ptebatch_row *drawn;
	const char *error, *missing;
	struct seq_buf why;
	unsigned int i;
	char text[300];
	int at;

	seq_buf_init(&why, text, sizeof(text));
	at = ptebatch_program_parse(&program, row->steps, &error);
	if (at)
		KUNIT_FAIL_AND_ABORT(test, "%s, at character %d of \"%s\"", error, -at,
				     row->steps);
	drawn = kunit_kzalloc(test, sizeof(*drawn), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, drawn);
	ptebatch_parse(test, drawn, row->setup.picture);
	error = ptebatch_program_error(&program, drawn->nr);
	if (error)
		KUNIT_FAIL_AND_ABORT(test, "%s: \"%s\"", error, row->steps);
	kunit_kfree(test, drawn);
	for (i = 0; i < program.nr; i++) {
		missing = ptebatch_step_missing(program.steps[i].kind);
		if (missing)
			kunit_skip(test, "%s", missing);
	}
	if (!ptebatch_program_passes(test, &row->setup, &program, &why))
		ptebatch_program_report(test, &row->setup, &program, &why);
}
