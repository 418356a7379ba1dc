// SPDX-License-Identifier: GPL-2.0
/*
 * While its attribute "run" is 1, ksmd scans all mms with VM_MERGEABLE, increments
 * full_scans, and sleeps, for as long as the suite may take, until sleep_millisecs
 * changes.
 */
#include <linux/array_size.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "../kernel/daemon.h"
#include "ksmd.h"
#include "sysfs.h"

#define KSM	"mm/ksm"

/* An hour. */
static const char * const sleeps[] = { "3600000", "3600001" };

static struct ptebatch_setting ksmd_settings[] = {
	{ "sleep_millisecs", "3600000" },
	/* One scan takes all pages. */
	{ "pages_to_scan", "4000000000" },
	{ "use_zero_pages", "1" },
	{ "smart_scan", "0" },
};

/* Why the suite cannot use ksmd; %NULL if it can. */
static const char *missing = "ksmd is not prepared";

/*
 * The first scan computes the checksum of each page, and merges none. The second may
 * only split the folio of two equal pages, so that the third can merge them.
 */
#define SCANS	3
#define SCAN_POLLS	SZ_1M

/* Without effect during a scan. */
static int wake_up_ksmd(void)
{
	static unsigned int wake_ups;

	return ptebatch_sysfs_write(KSM, "sleep_millisecs",
				    sleeps[++wake_ups % ARRAY_SIZE(sleeps)]);
}

static int read_scans(unsigned int *scans)
{
	char text[16];

	return ptebatch_sysfs_read(KSM, "full_scans", text, sizeof(text)) ?:
	       kstrtouint(text, 10, scans);
}

/**
 * ptebatch_ksmd_merge() - let ksmd merge pages of VMAs with VM_MERGEABLE
 *
 * Context: Process context, may sleep; between ptebatch_ksmd_on() and
 * ptebatch_ksmd_off().
 * Return: 0 or an error of sysfs.
 */
int ptebatch_ksmd_merge(void)
{
	unsigned int before, now, i;
	int err, stopped;

	err = read_scans(&before);
	now = before;
	err = err ?: ptebatch_sysfs_write(KSM, "run", "1");
	for (i = 0; i < SCAN_POLLS && !err && now - before < SCANS; i++) {
		if (i >= SCANS)
			usleep_range(20, 40);
		err = wake_up_ksmd() ?: read_scans(&now);
	}
	/* Waits for the end of the scan. */
	stopped = ptebatch_sysfs_write(KSM, "run", "0");
	if (err || stopped)
		return err ?: stopped;
	return now - before < SCANS ? -ETIMEDOUT : 0;
}

/**
 * ptebatch_ksmd_on() - prepare ksmd; for suite_init
 * @suite: the suite; its suite_exit calls ptebatch_ksmd_off()
 *
 * Context: Process context, may sleep.
 * Return: 0, even if ptebatch_ksmd_missing() has a reason, or an error.
 */
int ptebatch_ksmd_on(struct kunit_suite *suite)
{
	char run[4];
	int err;

	if (ptebatch_sysfs_read(KSM, "run", run, sizeof(run))) {
		missing = "no ksmd without CONFIG_KSM and CONFIG_SYSFS";
		return 0;
	}
	if (strcmp(run, "0")) {
		missing = "ksmd merges pages of other processes";
		return 0;
	}
	err = ptebatch_sysfs_set(KSM, ksmd_settings, ARRAY_SIZE(ksmd_settings));
	/* After an error, there is no suite_exit. */
	if (err)
		ptebatch_sysfs_restore(KSM, ksmd_settings, ARRAY_SIZE(ksmd_settings));
	else
		missing = NULL;
	ptebatch_daemon_preempts("ksmd", !err);
	return err;
}

/**
 * ptebatch_ksmd_off() - restore ksmd; for suite_exit
 * @suite: the suite
 *
 * Context: Process context, may sleep.
 */
void ptebatch_ksmd_off(struct kunit_suite *suite)
{
	if (missing)
		return;
	/* Frees what ksmd keeps of the mms that are gone. */
	ptebatch_sysfs_write(KSM, "run", "2");
	ptebatch_sysfs_write(KSM, "run", "0");
	ptebatch_daemon_preempts("ksmd", false);
	ptebatch_sysfs_restore(KSM, ksmd_settings, ARRAY_SIZE(ksmd_settings));
	missing = "ksmd is not prepared";
}

/**
 * ptebatch_ksmd_missing() - get the reason why ksmd cannot merge
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_ksmd_missing(void)
{
	return missing;
}
