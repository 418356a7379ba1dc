/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon ksmd: let it merge the pages of an mm.
 */
#ifndef PTEBATCH_KSMD_H
#define PTEBATCH_KSMD_H

#include <kunit/test.h>

#include "service.h"

int ptebatch_ksmd_on(struct kunit_suite *suite);
void ptebatch_ksmd_off(struct kunit_suite *suite);
const char *ptebatch_ksmd_missing(void);
int ptebatch_ksmd_merge(void);

/* Of a suite, see service.h. */
#define PTEBATCH_KSMD		{ ptebatch_ksmd_on, ptebatch_ksmd_off }

#endif /* PTEBATCH_KSMD_H */
