/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program: the steps that a process and its child take on a row, one after the
 * other. It is written, parsed and printed as
 *
 *	fork; write 5; child read 3-7; mprotect ro; pageout 0-7; child exit; write 9
 *
 * A step is a name of steps.h and the entries of the row: one, a first and a last, or
 * none for the whole row. After "child" it is a step of the child, otherwise one of
 * the process that has the row from the beginning.
 */
#ifndef PTEBATCH_PROGRAM_H
#define PTEBATCH_PROGRAM_H

#include <linux/seq_buf.h>
#include <linux/types.h>

enum ptebatch_step_kind {
#define STEP(id, name)	PTEBATCH_STEP_##id,
#include "steps.h"
#undef STEP
	PTEBATCH_NR_STEPS
};

/**
 * struct ptebatch_step - a step of a program
 * @kind: one of enum ptebatch_step_kind
 * @child: step of the child
 * @from: index of the first entry in the row
 * @to: index of the first entry after the range; 0: after the row
 */
struct ptebatch_step {
	u8 kind;
	bool child;
	u16 from;
	u16 to;
};

#define PTEBATCH_PROGRAM_STEPS	16

/**
 * struct ptebatch_program - steps on a row
 * @nr: number of steps
 * @steps: the steps
 */
struct ptebatch_program {
	unsigned int nr;
	struct ptebatch_step steps[PTEBATCH_PROGRAM_STEPS];
};

bool ptebatch_step_accesses(enum ptebatch_step_kind kind);
void ptebatch_step_print(struct seq_buf *out, const struct ptebatch_step *step);
int ptebatch_program_parse(struct ptebatch_program *program, const char *text,
			   const char **error);
const char *ptebatch_program_error(const struct ptebatch_program *program,
				   unsigned int entries);
void ptebatch_program_print(struct seq_buf *out,
			    const struct ptebatch_program *program);

#endif /* PTEBATCH_PROGRAM_H */
