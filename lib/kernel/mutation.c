// SPDX-License-Identifier: GPL-2.0
/*
 * Run the cases on one mutant: for make mutation, which builds a kernel in which
 * each function has a copy for each of its mutants (tests/mutation/weave.py).
 * A function calls the copy that ptebatch_mutant selects, 0 while no case runs.
 *
 * ptebatch_kunit.mutant=17,3,1,8 runs cases 3, 1 and 8 on mutant 17, in this
 * order, until one fails. ptebatch_kunit.mutant=-1 runs all cases on copies
 * without a change, and prints which mutants each case reaches. With
 * ptebatch_kunit.mutant=wait, the host writes what to run into the memory of the
 * guest, or of many copies of the guest (tests/guests/snapshot.py).
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/init.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "../arch/console.h"
#include "mutation.h"

/* More than there are mutants. */
#define MUTANTS_MAX	65536
/* Mutants per line of the log; the limit of %*ph is 64 bytes. */
#define PER_LINE	512

int ptebatch_mutant;

static char wanted[4096];
module_param_string(mutant, wanted, sizeof(wanted), 0444);
static int selected;

static DECLARE_BITMAP(reached, MUTANTS_MAX);

/**
 * ptebatch_mutant_reached() - record that the place of a mutant is executed
 * @mutant: its number
 *
 * Context: any. The woven functions call it with ptebatch_mutant == -1.
 */
void ptebatch_mutant_reached(unsigned int mutant)
{
	if (!WARN_ON_ONCE(mutant >= MUTANTS_MAX))
		set_bit(mutant, reached);
}

static void print_reached(void)
{
	unsigned int first;

	for (first = 0; first < MUTANTS_MAX; first += PER_LINE)
		if (find_next_bit(reached, first + PER_LINE, first) < first + PER_LINE)
			pr_notice("ptebatch: reached from %u: %*phN\n", first, PER_LINE / 8,
				  reached + BIT_WORD(first));
}

/* Run one case of a suite in a copy of the suite that has only this case. */
static bool run_case(const struct kunit_suite *suite, const struct kunit_case *test_case)
{
	static struct kunit_case cases[2];
	static struct kunit_suite copy;
	struct kunit_suite *copies[] = { &copy };

	/* The name is an array of constants. */
	memcpy(&copy, suite, sizeof(copy));
	cases[0] = *test_case;
	copy.test_cases = cases;
	WRITE_ONCE(ptebatch_mutant, selected);
	__kunit_test_suites_init(copies, 1, true);
	WRITE_ONCE(ptebatch_mutant, 0);
	__kunit_test_suites_exit(copies, 1);
	return !copy.suite_init_err && cases[0].status != KUNIT_FAILURE;
}

/* Run case @only, or all if it is negative; return whether all passed. */
static bool run_cases(int only)
{
	struct kunit_suite * const *next;
	struct kunit_case *test_case;
	bool good = true;
	int nr = 0;

	for (next = __kunit_suites_start; next < __kunit_suites_end; next++) {
		const struct kunit_suite *suite = *next;

		if (!strstarts(suite->name, "ptebatch_"))
			continue;
		kunit_suite_for_each_test_case(suite, test_case) {
			ktime_t begun = ktime_get();
			bool passed;

			if (only >= 0 && nr++ != only)
				continue;
			bitmap_zero(reached, MUTANTS_MAX);
			passed = run_case(suite, test_case);
			good &= passed;
			pr_notice("ptebatch: case %s.%s %s after %lld us\n", suite->name,
				  test_case->name, passed ? "passed" : "failed",
				  ktime_us_delta(ktime_get(), begun));
			if (selected < 0)
				print_reached();
		}
	}
	return good;
}

/* Return once the host has written into the memory of the guest. */
static void wait_for_host(void)
{
	wanted[0] = '\0';
	pr_notice("ptebatch: waits for a text at 0x%lx\n", (unsigned long)wanted);
	while (!READ_ONCE(wanted[0]))
		cpu_relax();
}

static int __init run_mutant(void)
{
	char *left = wanted, *next;

	if (!*wanted)
		return 0;
	ptebatch_console_wait_for_host();
	if (!strcmp(wanted, "wait"))
		wait_for_host();
	next = strsep(&left, ",");
	if (kstrtoint(next, 10, &selected)) {
		pr_err("ptebatch: ptebatch_kunit.mutant=%s: no number\n", next);
		return 0;
	}
	pr_notice("ptebatch: mutant %d begins\n", selected);
	if (!left)
		run_cases(-1);
	while ((next = strsep(&left, ","))) {
		int only;

		if (kstrtoint(next, 10, &only) || !run_cases(only))
			break;
	}
	pr_notice("ptebatch: mutant %d done\n", selected);
	return 0;
}
late_initcall_sync(run_mutant);
