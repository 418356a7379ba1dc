// SPDX-License-Identifier: GPL-2.0
#include <linux/moduleparam.h>

#include "params.h"

bool ptebatch_exhaustive;
module_param_named(exhaustive, ptebatch_exhaustive, bool, 0444);
MODULE_PARM_DESC(exhaustive, "try every combination, not a sample");

/**
 * ptebatch_params() - compute the array of a case's parameters
 * @test: the parameterized test
 * @nr: number of combinations
 * @size: size of a parameter, in bytes
 * @fill: sets the parameter to combination number @i; returns false to omit it
 * @describe: prints the name of a parameter's case, of KUNIT_PARAM_DESC_SIZE
 *
 * Return: 0 or -ENOMEM.
 */
int ptebatch_params(struct kunit *test, unsigned int nr, size_t size,
		    bool (*fill)(unsigned int i, void *param),
		    void (*describe)(struct kunit *test, const void *param,
				     char *desc))
{
	unsigned int i, kept = 0;
	void *params;

	params = kunit_kcalloc(test, nr, size, GFP_KERNEL);
	if (!params)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		kept += fill(i, params + kept * size);
	test->params_array = (struct kunit_params) {
		.params = params,
		.get_description = describe,
		.num_params = kept,
		.elem_size = size,
	};
	return 0;
}
