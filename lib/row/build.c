// SPDX-License-Identifier: GPL-2.0
/*
 * The files of this folder as one object: to compile their headers takes longer than
 * to compile them.
 */
#include "program.c"
#include "row.c"
