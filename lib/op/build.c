// SPDX-License-Identifier: GPL-2.0
/*
 * The files of this folder as one object: to compile their headers takes longer than
 * to compile them. The first header must come before all others.
 */
#include "../arch/tlb.h"

#include "access.c"
#include "advise.c"
#include "clear_refs.c"
#include "collapse.c"
#include "fault.c"
#include "fork.c"
#include "hole.c"
#include "idle.c"
#include "lock.c"
#include "mempolicy.c"
#include "merge.c"
#include "migrate.c"
#include "move.c"
#include "op.c"
#include "process_madvise.c"
#include "protect.c"
#include "reference.c"
#include "remap.c"
#include "scan.c"
#include "step.c"
#include "uffd.c"
#include "unmap.c"
