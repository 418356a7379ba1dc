// SPDX-License-Identifier: GPL-2.0
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "part.h"

static unsigned int part = 1;
module_param(part, uint, 0444);
MODULE_PARM_DESC(part, "run only this part of the cases, from 1");

static unsigned int parts = 1;
module_param(parts, uint, 0444);
MODULE_PARM_DESC(parts, "number of parts");

/**
 * ptebatch_in_part() - whether this part includes a piece of work
 * @nr: number of the piece, the same in each part
 *
 * Return: true for every piece in exactly one part.
 */
bool ptebatch_in_part(u64 nr)
{
	return parts < 2 || nr % parts == part - 1;
}

/**
 * ptebatch_part_init() - skip a case that belongs to another part
 * @test: the case, or one of its parameters
 * @cases: the cases of its suite
 *
 * A case that KUnit calls slow belongs to all parts: it divides its own loop.
 *
 * Context: kunit_suite.init
 * Return: 0.
 */
int ptebatch_part_init(struct kunit *test, const struct kunit_case *cases)
{
	unsigned int nr = 0;

	while (cases[nr].name && strcmp(cases[nr].name, test->name))
		nr++;
	if (cases[nr].attr.speed != KUNIT_SPEED_SLOW &&
	    !ptebatch_in_part(nr + test->param_index))
		kunit_skip(test, "in another part (SHARD=)");
	return 0;
}
