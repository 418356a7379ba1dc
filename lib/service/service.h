/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a suite needs from its begin to its end: swap space, the memory of a device,
 * khugepaged, a second CPU.
 */
#ifndef PTEBATCH_SERVICE_H
#define PTEBATCH_SERVICE_H

#include <kunit/test.h>

#include "part.h"

/**
 * struct ptebatch_service - what a suite may need
 * @on: provides it; may sleep, returns 0 or a negative errno
 * @off: ends it, after @on has returned 0; may sleep
 */
struct ptebatch_service {
	int (*on)(struct kunit_suite *suite);
	void (*off)(struct kunit_suite *suite);
};

/*
 * Define and register suite ptebatch_<suite> with @cases, and the services that it
 * needs, if any, which headers define as PTEBATCH_<SERVICE>.
 */
#define PTEBATCH_SUITE(suite, cases, ...)					\
static const struct ptebatch_service suite##_needs[] = { __VA_ARGS__ };		\
										\
static int suite##_on(struct kunit_suite *self)					\
{										\
	return ptebatch_services_on(self, suite##_needs, ARRAY_SIZE(suite##_needs)); \
}										\
										\
static void suite##_off(struct kunit_suite *self)				\
{										\
	ptebatch_services_off(self, suite##_needs, ARRAY_SIZE(suite##_needs));	\
}										\
										\
static struct kunit_suite suite##_suite;					\
										\
static int suite##_case_init(struct kunit *test)					\
{										\
	return ptebatch_part_init(test, suite##_suite.test_cases);		\
}										\
										\
static struct kunit_suite suite##_suite = {					\
	.name = "ptebatch_" #suite,						\
	.suite_init = suite##_on,						\
	.suite_exit = suite##_off,						\
	.init = suite##_case_init,							\
	.test_cases = cases,							\
};										\
										\
kunit_test_suite(suite##_suite)

int ptebatch_services_on(struct kunit_suite *suite,
			 const struct ptebatch_service *services, unsigned int nr);
void ptebatch_services_off(struct kunit_suite *suite,
			   const struct ptebatch_service *services, unsigned int nr);

#endif /* PTEBATCH_SERVICE_H */
