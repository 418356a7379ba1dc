// SPDX-License-Identifier: GPL-2.0
#include "service.h"

/**
 * ptebatch_services_on() - provide what a suite needs
 * @suite: the suite
 * @services: what it needs, in this order
 * @nr: number of services
 *
 * After an error nothing is left: KUnit then does not call suite_exit().
 *
 * Context: Process context, may sleep.
 * Return: 0 or the error of a service.
 */
int ptebatch_services_on(struct kunit_suite *suite,
			 const struct ptebatch_service *services, unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		err = services[i].on(suite);
		if (err) {
			ptebatch_services_off(suite, services, i);
			return err;
		}
	}
	return 0;
}

/**
 * ptebatch_services_off() - end what a suite needs, the last service first
 * @suite: the suite
 * @services: what it needs
 * @nr: number of services
 *
 * Context: Process context, may sleep.
 */
void ptebatch_services_off(struct kunit_suite *suite,
			   const struct ptebatch_service *services, unsigned int nr)
{
	while (nr--)
		services[nr].off(suite);
}
