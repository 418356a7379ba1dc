// SPDX-License-Identifier: GPL-2.0
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "program.h"

static const char * const names[] = {
	[PTEBATCH_STEP_WRITE] = "write",
	[PTEBATCH_STEP_THP_WRITE] = "thp write",
	[PTEBATCH_STEP_ZERO] = "zero",
	[PTEBATCH_STEP_EQUAL] = "equal",
	[PTEBATCH_STEP_READ] = "read",
	[PTEBATCH_STEP_THP_READ] = "thp read",
	[PTEBATCH_STEP_POISONED_READ] = "poisoned read",
	[PTEBATCH_STEP_PROTECT_NONE] = "mprotect none",
	[PTEBATCH_STEP_PROTECT_RO] = "mprotect ro",
	[PTEBATCH_STEP_PROTECT_RW] = "mprotect rw",
	[PTEBATCH_STEP_COLD] = "cold",
	[PTEBATCH_STEP_PAGEOUT] = "pageout",
	[PTEBATCH_STEP_RECLAIM] = "reclaim",
	[PTEBATCH_STEP_FREE] = "free",
	[PTEBATCH_STEP_DONTNEED] = "dontneed",
	[PTEBATCH_STEP_GUARD_INSTALL] = "guard install",
	[PTEBATCH_STEP_GUARD_REMOVE] = "guard remove",
	[PTEBATCH_STEP_COLLAPSE] = "collapse",
	[PTEBATCH_STEP_KHUGEPAGED] = "khugepaged",
	[PTEBATCH_STEP_KSM] = "ksm",
	[PTEBATCH_STEP_SPLIT] = "split",
	[PTEBATCH_STEP_MIGRATE] = "migrate",
	[PTEBATCH_STEP_IDLE] = "idle",
	[PTEBATCH_STEP_DAMON] = "damon",
	[PTEBATCH_STEP_NUMA_HINT] = "numa hint",
	[PTEBATCH_STEP_HOLE] = "hole",
	[PTEBATCH_STEP_TRUNCATE] = "truncate",
	[PTEBATCH_STEP_NAME] = "name",
	[PTEBATCH_STEP_UNNAME] = "unname",
	[PTEBATCH_STEP_MLOCK] = "mlock",
	[PTEBATCH_STEP_MUNLOCK] = "munlock",
	[PTEBATCH_STEP_PIN] = "pin",
	[PTEBATCH_STEP_UFFD_REGISTER] = "uffd register",
	[PTEBATCH_STEP_UFFD_UNREGISTER] = "uffd unregister",
	[PTEBATCH_STEP_UFFD_PROTECT] = "uffd protect",
	[PTEBATCH_STEP_UFFD_RESOLVE] = "uffd resolve",
	[PTEBATCH_STEP_SCAN] = "scan",
	[PTEBATCH_STEP_MMAP] = "mmap",
	/* A name must come before the one that it begins with. */
	[PTEBATCH_STEP_MOVE_FAILS] = "move fails",
	[PTEBATCH_STEP_MOVE_DONTUNMAP] = "move dontunmap",
	[PTEBATCH_STEP_MOVE] = "move",
	[PTEBATCH_STEP_UFFD_MOVE] = "uffd move",
	[PTEBATCH_STEP_RESIZE] = "resize",
	[PTEBATCH_STEP_CLEAR_REFS] = "clear refs",
	[PTEBATCH_STEP_FORK] = "fork",
	[PTEBATCH_STEP_EXIT] = "exit",
};

#define CHILD	"child "

/**
 * ptebatch_step_needs_uffd() - check what a step needs of its process
 * @kind: kind of the step
 *
 * Return: true if it fails without a registration with userfaultfd.
 */
bool ptebatch_step_needs_uffd(enum ptebatch_step_kind kind)
{
	return kind == PTEBATCH_STEP_UFFD_PROTECT || kind == PTEBATCH_STEP_UFFD_RESOLVE ||
	       kind == PTEBATCH_STEP_SCAN;
}

/**
 * ptebatch_step_registers() - check whether a step is UFFDIO_REGISTER or UFFDIO_UNREGISTER
 * @kind: kind of the step
 *
 * Return: true if it changes the registration with userfaultfd.
 */
bool ptebatch_step_registers(enum ptebatch_step_kind kind)
{
	return kind == PTEBATCH_STEP_UFFD_REGISTER || kind == PTEBATCH_STEP_UFFD_UNREGISTER;
}

/**
 * ptebatch_step_remaps() - check whether a step is mremap() or UFFDIO_MOVE
 * @kind: kind of the step
 *
 * Return: true if it moves the whole row.
 */
bool ptebatch_step_remaps(enum ptebatch_step_kind kind)
{
	return kind == PTEBATCH_STEP_MOVE || kind == PTEBATCH_STEP_MOVE_FAILS ||
	       kind == PTEBATCH_STEP_MOVE_DONTUNMAP || kind == PTEBATCH_STEP_UFFD_MOVE ||
	       kind == PTEBATCH_STEP_RESIZE;
}

/**
 * ptebatch_step_writes() - check whether a step writes to pages
 * @kind: kind of the step
 *
 * Return: true if its process writes to each page of the range.
 */
bool ptebatch_step_writes(enum ptebatch_step_kind kind)
{
	return kind == PTEBATCH_STEP_WRITE || kind == PTEBATCH_STEP_THP_WRITE ||
	       kind == PTEBATCH_STEP_ZERO || kind == PTEBATCH_STEP_EQUAL;
}

/**
 * ptebatch_step_accesses() - check whether a step accesses pages
 * @kind: kind of the step
 *
 * Return: true if its process reads or writes each page of the range.
 */
bool ptebatch_step_accesses(enum ptebatch_step_kind kind)
{
	return ptebatch_step_writes(kind) || kind == PTEBATCH_STEP_READ ||
	       kind == PTEBATCH_STEP_THP_READ || kind == PTEBATCH_STEP_POISONED_READ;
}

/**
 * ptebatch_step_print() - print a step
 * @out: receives the text
 * @step: the step
 */
void ptebatch_step_print(struct seq_buf *out, const struct ptebatch_step *step)
{
	seq_buf_printf(out, "%s%s", step->child ? CHILD : "", names[step->kind]);
	if (!step->to)
		return;
	seq_buf_printf(out, " %u", step->from);
	if (step->to > step->from + 1)
		seq_buf_printf(out, "-%u", step->to - 1);
}

/* Skip @word if the text at @at begins with it and it ends there. */
static bool skip_word(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*at, word, length) || isalpha((*at)[length]))
		return false;
	*at = skip_spaces(*at + length);
	return true;
}

static bool parse_index(const char **at, unsigned int *entry)
{
	if (!isdigit(**at))
		return false;
	for (*entry = 0; isdigit(**at) && *entry < U16_MAX; ++*at)
		*entry = *entry * 10 + **at - '0';
	return *entry < U16_MAX;
}

/* Returns an error, or %NULL. */
static const char *parse_step(const char **at, struct ptebatch_step *step)
{
	unsigned int kind, first, last;

	*step = (struct ptebatch_step) {
		.child = skip_word(at, "child"),
	};
	for (kind = 0; kind < PTEBATCH_NR_STEPS; kind++)
		if (skip_word(at, names[kind]))
			break;
	if (kind == PTEBATCH_NR_STEPS)
		return "no step of this name";
	step->kind = kind;
	if (isdigit(**at)) {
		if (!parse_index(at, &first))
			return "number too large";
		last = first;
		if (**at == '-') {
			++*at;
			if (!parse_index(at, &last) || last < first)
				return "the range ends before it begins";
		}
		step->from = first;
		step->to = last + 1;
	}
	*at = skip_spaces(*at);
	return **at && **at != ';' ? "; is missing after a step" : NULL;
}

/**
 * ptebatch_program_parse() - parse the steps of a program
 * @program: program to fill
 * @text: the steps
 * @error: set to what is wrong, or to %NULL
 *
 * Return: 0, or the negative index in @text of the character that is wrong, less 1.
 */
int ptebatch_program_parse(struct ptebatch_program *program, const char *text,
			   const char **error)
{
	const char *at = text;

	program->nr = 0;
	for (;;) {
		at = skip_spaces(at);
		if (program->nr == PTEBATCH_PROGRAM_STEPS)
			*error = "too many steps";
		else
			*error = parse_step(&at, &program->steps[program->nr++]);
		if (*error)
			return text - at - 1;
		if (!*at++)
			return 0;
	}
}

/**
 * ptebatch_program_error() - check that the steps of a program are possible
 * @program: the program
 * @entries: number of entries of its row
 *
 * Return: why a step is not possible, %NULL if all are.
 */
const char *ptebatch_program_error(const struct ptebatch_program *program,
				   unsigned int entries)
{
	bool child = false;
	unsigned int i;

	for (i = 0; i < program->nr; i++) {
		const struct ptebatch_step *step = &program->steps[i];

		if (step->to > entries)
			return "a step is on entries after the row";
		if (step->child && !child)
			return "a step of a child that does not exist";
		if (step->child && ptebatch_step_registers(step->kind))
			return "the child has no userfaultfd";
		if (step->kind == PTEBATCH_STEP_RESIZE && !step->from)
			return "no page is left: mremap() cannot do that";
		if (step->kind == PTEBATCH_STEP_FORK) {
			if (child || step->child)
				return "a second child";
			child = true;
		}
		if (step->kind == PTEBATCH_STEP_EXIT) {
			if (!step->child)
				return "only the child can exit";
			child = false;
		}
	}
	return NULL;
}

/**
 * ptebatch_program_print() - print the steps of a program
 * @out: receives the text, as ptebatch_program_parse() takes it
 * @program: the program
 */
void ptebatch_program_print(struct seq_buf *out,
			    const struct ptebatch_program *program)
{
	unsigned int i;

	for (i = 0; i < program->nr; i++) {
		seq_buf_puts(out, i ? "; " : "");
		ptebatch_step_print(out, &program->steps[i]);
	}
}
