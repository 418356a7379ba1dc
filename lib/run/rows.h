/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run an operation on a row: the kernel's function and its twin, on equal
 * address spaces.
 */
#ifndef PTEBATCH_ROWS_H
#define PTEBATCH_ROWS_H

#include "case.h"

/**
 * struct ptebatch_run - an operation on a row, and what is expected
 * @op: the operation
 * @setup: the address space before the operation
 * @after: expected row after the operation; %NULL if no entry may change
 * @second: expected row of the second place: of a destination, in which "@" is
 *          its offset in the page table, or of a child; otherwise %NULL
 * @ret: expected return value, if @op does not count pages
 * @onto_second: the destination is the second mapping of the row
 * @prepare: prepares the address space, before the operation
 * @undo: removes what @prepare did, after the operation, before the checks
 * @check: makes the suite's own checks, after the others
 * @data: for @prepare, @undo and @check
 */
struct ptebatch_run {
	const struct ptebatch_op *op;
	const struct ptebatch_setup *setup;
	const char *after;
	const char *second;
	long ret;
	bool onto_second;
	void (*prepare)(struct ptebatch_trial *trial, const void *data);
	void (*undo)(struct ptebatch_trial *trial, const void *data);
	void (*check)(struct ptebatch_trial *trial, const void *data);
	const void *data;
};

struct ptebatch_trial *ptebatch_row_call(struct kunit *test,
					 const struct ptebatch_run *run, bool twin,
					 bool *passes);
struct ptebatch_trial *ptebatch_row_try(struct kunit *test,
					const struct ptebatch_run *run, bool twin,
					bool *passes);
bool ptebatch_row_run(struct kunit *test, const struct ptebatch_run *run);

#endif /* PTEBATCH_ROWS_H */
