// SPDX-License-Identifier: GPL-2.0
/*
 * The files of this folder as one object: to compile their headers takes longer than
 * to compile them.
 */
#include "anon_orders.c"
#include "calls.c"
#include "condition.c"
#include "entries.c"
#include "folio.c"
#include "hook.c"
#include "instruction.c"
#include "lock.c"
#include "lost.c"
#include "machine_check.c"
#include "memory.c"
#include "mm.c"
#include "policy.c"
#include "swap.c"
#include "table.c"
#include "task.c"
#include "vma.c"
