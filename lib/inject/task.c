// SPDX-License-Identifier: GPL-2.0
#include "../kernel/process.h"
#include "conditions.h"

static void kill(struct ptebatch_use *use, const unsigned long *args, struct pt_regs *regs)
{
	ptebatch_sigkill_set();
}

static void end_kill(struct ptebatch_use *use)
{
	ptebatch_sigkill_clear();
}

const struct ptebatch_condition_type ptebatch_condition_killed = {
	.name = "SIGKILL is pending", .occur = kill, .end = end_kill,
};
