/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selects the mutant on which cases run. tests/mutation/weave.py repeats the
 * first two declarations in the functions that have mutants.
 */
#ifndef PTEBATCH_MUTATION_H
#define PTEBATCH_MUTATION_H

#include <kunit/test.h>

extern int ptebatch_mutant;
void ptebatch_mutant_reached(unsigned int mutant);

/* From include/asm-generic/vmlinux.lds.h, as in lib/kunit/executor.c. */
extern struct kunit_suite * const __kunit_suites_start[];
extern struct kunit_suite * const __kunit_suites_end[];

#endif /* PTEBATCH_MUTATION_H */
