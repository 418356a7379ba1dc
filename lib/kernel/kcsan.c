// SPDX-License-Identifier: GPL-2.0
#include <linux/kcsan-checks.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "kcsan.h"

#if defined(CONFIG_KCSAN) && !defined(MODULE)

/**
 * struct parameter - a parameter of the kernel
 * @name: its name
 * @each: value with which KCSAN watches each access, and does not wait itself
 * @otherwise: its value after boot
 */
struct parameter {
	const char *name, *each, *otherwise;
};

static const struct parameter parameters[] = {
	{ "kcsan.skip_watch", "0", __stringify(CONFIG_KCSAN_SKIP_WATCH) },
	{ "kcsan.udelay_task", "0", __stringify(CONFIG_KCSAN_UDELAY_TASK) },
};

static const struct kernel_param *find_param(const char *name)
{
	const struct kernel_param *param;

	for (param = __start___param; param < __stop___param; param++)
		if (!strcmp(param->name, name))
			return param;
	return NULL;
}

/**
 * ptebatch_kcsan_missing() - get the reason why KCSAN cannot watch each access
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_kcsan_missing(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parameters); i++)
		if (!find_param(parameters[i].name))
			return "KCSAN has other parameters";
	return NULL;
}

/**
 * ptebatch_kcsan_watch_each() - let KCSAN watch each access of this CPU
 * @each: begin; false: end
 *
 * Another CPU begins after the access that it would have watched next.
 *
 * Context: Task context; one caller at a time, if KCSAN is not missing.
 */
void ptebatch_kcsan_watch_each(bool each)
{
	const struct kernel_param *param;
	unsigned int i;
	char access;

	for (i = 0; i < ARRAY_SIZE(parameters); i++) {
		param = find_param(parameters[i].name);
		param->ops->set(each ? parameters[i].each : parameters[i].otherwise, param);
	}
	/* Up to the one that this CPU would have watched next. */
	for (i = 0; each && i <= CONFIG_KCSAN_SKIP_WATCH; i++)
		__kcsan_check_read(&access, sizeof(access));
}

#else

const char *ptebatch_kcsan_missing(void)
{
	return "no KCSAN";
}

void ptebatch_kcsan_watch_each(bool each)
{
}

#endif
