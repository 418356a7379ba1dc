/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of a device, without a device. Device-private: pages that no CPU
 * can access; device-coherent: a CPU could, but no case does.
 */
#ifndef PTEBATCH_DEVICE_H
#define PTEBATCH_DEVICE_H

#include <kunit/test.h>
#include <linux/mm_types.h>
#include <linux/sizes.h>

#include "service.h"

/* Size of the largest folio in the memory, in bytes. */
#define PTEBATCH_DEVICE_FOLIO	SZ_2M

int ptebatch_device_on(struct kunit_suite *suite);
int ptebatch_coherent_on(struct kunit_suite *suite);
const char *ptebatch_coherent_missing(void);
void ptebatch_device_off(struct kunit_suite *suite);
struct folio *ptebatch_device_folio(unsigned int order);
unsigned long ptebatch_device_faults(void);

/* Of a suite, see service.h. */
#define PTEBATCH_DEVICE		{ ptebatch_device_on, ptebatch_device_off }
#define PTEBATCH_COHERENT_DEVICE	{ ptebatch_coherent_on, ptebatch_device_off }

#endif /* PTEBATCH_DEVICE_H */
