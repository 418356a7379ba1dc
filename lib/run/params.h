/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays of case parameters that are computed: combinations of other arrays.
 */
#ifndef PTEBATCH_PARAMS_H
#define PTEBATCH_PARAMS_H

#include <kunit/test.h>

/**
 * PTEBATCH_CASE_PARAMS() - a case for each parameter of a computed array
 * @name: function of the case; name_params() calls ptebatch_params()
 */
#define PTEBATCH_CASE_PARAMS(name) \
	KUNIT_CASE_PARAM_WITH_INIT(name, kunit_array_gen_params, name##_params, NULL)

/* EXHAUSTIVE=1: cases that try a sample of their combinations try all of them. */
extern bool ptebatch_exhaustive;

int ptebatch_params(struct kunit *test, unsigned int nr, size_t size,
		    bool (*fill)(unsigned int i, void *param),
		    void (*describe)(struct kunit *test, const void *param,
				     char *desc));

#endif /* PTEBATCH_PARAMS_H */
