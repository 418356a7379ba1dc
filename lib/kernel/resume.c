// SPDX-License-Identifier: GPL-2.0
/*
 * Run the cases behind one that crashed an earlier guest, for make run.
 *
 * ptebatch_kunit.after=ptebatch_mprotect.mprotect_row:17 begins with parameter
 * 17 of this case, which fails without being run, so that the results have its
 * name; a case without parameters is :1. ptebatch_kunit.after=ptebatch_mprotect
 * begins behind this suite. KUnit's filter, which must be set, leaves out suites
 * without cases. Not in the module: it cannot reach the table of the suites.
 */
#include <kunit/test.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "mutation.h"

static char *after;
module_param(after, charp, 0444);

static struct kunit_case crashed;
static int crashed_param;

static const void *generate_params(struct kunit *test, const void *prev, char *desc)
{
	const void *param = crashed.generate_params(test, prev, desc);

	/* KUnit counts on from test->param_index. */
	while (param && test->param_index + 1 < crashed_param) {
		test->param_index++;
		desc[0] = '\0';
		param = crashed.generate_params(test, param, desc);
	}
	return param;
}

static void run_case(struct kunit *test)
{
	if (test->param_index <= crashed_param)
		kunit_set_failure(test);
	else
		crashed.run_case(test);
}

static void begin_with(struct kunit_case *test_case)
{
	crashed = *test_case;
	test_case->run_case = run_case;
	if (crashed.generate_params)
		test_case->generate_params = generate_params;
}

static int __init omit_cases(void)
{
	const char *suite_name = strsep(&after, "."), *case_name = strsep(&after, ":");
	struct kunit_suite * const *next;
	struct kunit_case *test_case;

	if (!suite_name || (after && kstrtoint(after, 10, &crashed_param)))
		return 0;
	for (next = __kunit_suites_start; next < __kunit_suites_end; next++) {
		struct kunit_suite *suite = *next;
		bool last = !strcmp(suite->name, suite_name);

		kunit_suite_for_each_test_case(suite, test_case) {
			if (last && case_name && !strcmp(test_case->name, case_name)) {
				begin_with(test_case);
				suite->test_cases = test_case;
				return 0;
			}
		}
		suite->test_cases = test_case;	/* the end of the array */
		if (last)
			break;
	}
	return 0;
}
late_initcall(omit_cases);
