/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run programs: all checks of an operation after each step, and what user space was
 * promised; at the end, each process reads all pages.
 */
#ifndef PTEBATCH_RUN_PROGRAM_H
#define PTEBATCH_RUN_PROGRAM_H

#include <kunit/test.h>
#include <linux/seq_buf.h>

#include "../row/program.h"
#include "../space/types.h"

/**
 * struct ptebatch_program_case - a program in a table
 * @name: name of the case: the steps in short, and what must hold
 * @setup: the address space before the first step
 * @steps: the steps, see program.h
 */
struct ptebatch_program_case {
	const char *name;
	struct ptebatch_setup setup;
	const char *steps;
};

bool ptebatch_program_passes(struct kunit *test, const struct ptebatch_setup *setup,
			     const struct ptebatch_program *program, struct seq_buf *why);
void ptebatch_program_log(struct kunit *test, const struct ptebatch_setup *setup,
			  const struct ptebatch_program *program);
void ptebatch_program_report(struct kunit *test, const struct ptebatch_setup *setup,
			     const struct ptebatch_program *program, struct seq_buf *why);
const char *ptebatch_step_missing(enum ptebatch_step_kind kind);
void ptebatch_program_param(struct kunit *test);

#endif /* PTEBATCH_RUN_PROGRAM_H */
