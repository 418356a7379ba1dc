// SPDX-License-Identifier: GPL-2.0
/*
 * The files of this folder as one object: to compile their headers takes longer than
 * to compile them.
 * Those of benches, which few kernels have, are objects of their own.
 */
#include "case.c"
#include "interleave.c"
#include "orders.c"
#include "outcome.c"
#include "pair.c"
#include "params.c"
#include "program.c"
#include "program_random.c"
#include "random.c"
#include "random_row.c"
#include "threads.c"
#include "window.c"
