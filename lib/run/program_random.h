/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Randomly generated programs. Every ordered pair of steps occurs on each kind of
 * memory and on folios of several orders; a program that fails is shrunk, then
 * printed as a line of a table.
 */
#ifndef PTEBATCH_PROGRAM_RANDOM_H
#define PTEBATCH_PROGRAM_RANDOM_H

#include <kunit/test.h>

void ptebatch_programs_random(struct kunit *test);

#endif /* PTEBATCH_PROGRAM_RANDOM_H */
