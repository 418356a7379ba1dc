// SPDX-License-Identifier: GPL-2.0
/*
 * khugepaged sleeps, for as long as the suite may take, until a write to
 * scan_sleep_millisecs wakes it up. It then scans all mms on its list once, which
 * increments full_scans. The list has one more mm, without VMAs: adding the first
 * mm to an empty list would wake it up, too.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/khugepaged.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/string.h>

#include "../arch/table.h"
#include "../kernel/daemon.h"
#include "../kernel/process.h"
#include "../twin/twin.h"
#include "khugepaged.h"
#include "sysfs.h"

#ifdef CONFIG_TRANSPARENT_HUGEPAGE

#define THP		"mm/transparent_hugepage"
#define KHUGEPAGED	THP "/khugepaged"

/* The attributes that the suites change. */
static struct ptebatch_setting khugepaged_settings[] = {
	/* An hour. */
	{ "scan_sleep_millisecs", "3600000" },
	/* No sleep after an allocation has failed. */
	{ "alloc_sleep_millisecs", "0" },
	/* One scan takes all mms of the list. */
	{ "pages_to_scan", "4000000000" },
	/* Limits that begin() sets. */
	{ "max_ptes_none", "0" },
	{ "max_ptes_swap", "0" },
	{ "max_ptes_shared", "0" },
};

/* Setting of each order before, one of "always", "inherit", "madvise", "never". */
static char enabled_before[PMD_ORDER + 1][8];

/*
 * Between the cases, orders are enabled for VMAs with VM_HUGEPAGE: there are
 * none, but khugepaged ends if it has nothing to do.
 */
static unsigned long enabled_now;

static struct limit {
	const char *name;
	unsigned int after_boot;
	unsigned int now;
} limits[] = {
	{ "max_ptes_none", PTRS_PER_PTE - 1 },
	{ "max_ptes_swap", PTRS_PER_PTE / 8 },
	{ "max_ptes_shared", PTRS_PER_PTE / 2 },
};

static struct mm_struct *first_mm;
static bool prepared;

static const char *folder_of(unsigned int order, char *text, size_t size)
{
	snprintf(text, size, THP "/hugepages-%lukB", (PAGE_SIZE >> 10) << order);
	return text;
}

static int write_enabled(unsigned int order, const char *value)
{
	char folder[48];

	return ptebatch_sysfs_write(folder_of(order, folder, sizeof(folder)), "enabled",
				    value);
}

/* The value is that in brackets: "always inherit [madvise] never". */
static int read_enabled(unsigned int order, char *value, size_t size)
{
	char folder[48], text[48], *rest = text;
	int err;

	err = ptebatch_sysfs_read(folder_of(order, folder, sizeof(folder)), "enabled",
				  text, sizeof(text));
	if (err)
		return err;
	strsep(&rest, "[");
	return rest && strscpy(value, strsep(&rest, "]"), size) > 0 ? 0 : -EINVAL;
}

static int read_number(const char *name, unsigned int *number)
{
	char text[16];

	return ptebatch_sysfs_read(KHUGEPAGED, name, text, sizeof(text)) ?:
	       kstrtouint(text, 10, number);
}

static int write_number(const char *name, unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return ptebatch_sysfs_write(KHUGEPAGED, name, text);
}

static int wake_up_daemon(void)
{
	const struct ptebatch_setting *scan = &khugepaged_settings[0];

	return ptebatch_sysfs_write(KHUGEPAGED, scan->name, scan->value);
}

/* Wake-ups during a scan have no effect, so that several make no second scan. */
#define POLLS_PER_WAKE_UP	256
#define WAIT_POLLS			SZ_1M

/* Wake khugepaged up, and wait until it has scanned to the end of its list. */
static int scan_once(void)
{
	unsigned int before, now, i;
	int err;

	err = read_number("full_scans", &before);
	for (i = 0; i < WAIT_POLLS && !err; i++) {
		if (i % POLLS_PER_WAKE_UP == 0)
			err = wake_up_daemon();
		err = err ?: read_number("full_scans", &now);
		if (!err && now != before)
			return 0;
		usleep_range(20, 40);
	}
	return err ?: -ETIMEDOUT;
}

/**
 * ptebatch_khugepaged_limit() - set a limit of khugepaged and of its twin
 * @name: "max_ptes_none", for empty entries, "max_ptes_swap", for non-present ones,
 *        or "max_ptes_shared", for entries of shared folios
 * @ptes: highest number of these entries in a page table, -1: that after boot
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of sysfs.
 */
int ptebatch_khugepaged_limit(const char *name, int ptes)
{
	unsigned int i = 0;

	while (strcmp(limits[i].name, name))
		i++;
	limits[i].now = ptes < 0 ? limits[i].after_boot : ptes;
	ptebatch_twin_khugepaged_limits(limits[0].now, limits[1].now, limits[2].now);
	return write_number(name, limits[i].now);
}

/**
 * ptebatch_khugepaged_enable() - set the folios that khugepaged and its twin allocate
 * @orders: one bit for each order of these folios; 0 ends this
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error of sysfs.
 */
int ptebatch_khugepaged_enable(unsigned long orders)
{
	unsigned int order;
	int err = 0;

	for (order = 0; order <= PMD_ORDER && !err; order++) {
		if (!((orders ^ enabled_now) & BIT(order)) ||
		    !(BIT(order) & THP_ORDERS_ALL_ANON))
			continue;
		err = write_enabled(order, orders & BIT(order) ? "always" : "madvise");
		if (!err)
			enabled_now ^= BIT(order);
	}
	return err;
}

/**
 * ptebatch_khugepaged_scan() - let khugepaged scan an mm once
 * @mm: the mm, until the end of this call without MMF_DISABLE_THP_COMPLETELY
 *
 * Context: Process context, may sleep.
 * Return: number of page tables in which folios were collapsed, or an error.
 */
long ptebatch_khugepaged_scan(struct mm_struct *mm)
{
	unsigned int before, after;
	int err;

	__khugepaged_enter(mm);
	if (!mm_flags_test(MMF_VM_HUGEPAGE, mm))
		return -ENOMEM;
	err = read_number("pages_collapsed", &before);
	err = err ?: scan_once();
	return err ?: read_number("pages_collapsed", &after) ?: after - before;
}

static int enter_first_mm(void)
{
	first_mm = ptebatch_mm_alloc();
	if (!first_mm)
		return -ENOMEM;
	__khugepaged_enter(first_mm);
	return mm_flags_test(MMF_VM_HUGEPAGE, first_mm) ? 0 : -ENOMEM;
}

static int begin(void)
{
	unsigned int i;
	int err;

	err = ptebatch_sysfs_set(KHUGEPAGED, khugepaged_settings, ARRAY_SIZE(khugepaged_settings));
	for (i = 0; i <= PMD_ORDER && !err; i++)
		if (BIT(i) & THP_ORDERS_ALL_ANON)
			err = read_enabled(i, enabled_before[i], sizeof(enabled_before[i]));
	for (i = 0; i <= PMD_ORDER && !err; i++)
		if (BIT(i) & THP_ORDERS_ALL_ANON)
			err = write_enabled(i, "madvise");
	for (i = 0; i < ARRAY_SIZE(limits) && !err; i++)
		err = ptebatch_khugepaged_limit(limits[i].name, -1);
	enabled_now = 0;
	/* If the first scan began in the middle of the list, the second does not. */
	return err ?: enter_first_mm() ?: scan_once() ?: scan_once();
}

static void restore(void)
{
	unsigned int i;

	ptebatch_sysfs_restore(KHUGEPAGED, khugepaged_settings, ARRAY_SIZE(khugepaged_settings));
	for (i = 0; i <= PMD_ORDER; i++)
		if (*enabled_before[i])
			write_enabled(i, enabled_before[i]);
	if (first_mm)
		mmput(first_mm);
	first_mm = NULL;
}

/**
 * ptebatch_khugepaged_on() - prepare khugepaged; for suite_init
 * @suite: the suite; its suite_exit calls ptebatch_khugepaged_off()
 *
 * Context: Process context, may sleep.
 * Return: 0, even without CONFIG_SYSFS, or an error.
 */
int ptebatch_khugepaged_on(struct kunit_suite *suite)
{
	int err = begin();

	prepared = !err;
	ptebatch_daemon_preempts("khugepaged", prepared);
	/* After an error, there is no suite_exit. */
	if (err)
		restore();
	return err == -ENOENT ? 0 : err;
}

/**
 * ptebatch_khugepaged_off() - restore khugepaged; for suite_exit
 * @suite: the suite
 *
 * Context: Process context, may sleep.
 */
void ptebatch_khugepaged_off(struct kunit_suite *suite)
{
	ptebatch_daemon_preempts("khugepaged", false);
	if (prepared)
		restore();
	prepared = false;
}

/**
 * ptebatch_khugepaged_missing() - get the reason why khugepaged cannot scan
 *
 * Return: the reason, for kunit_skip(), or %NULL.
 */
const char *ptebatch_khugepaged_missing(void)
{
	return prepared ? NULL : "cannot control khugepaged without CONFIG_SYSFS";
}

#else

int ptebatch_khugepaged_on(struct kunit_suite *suite)
{
	return 0;
}

void ptebatch_khugepaged_off(struct kunit_suite *suite)
{
}

const char *ptebatch_khugepaged_missing(void)
{
	return "no khugepaged without CONFIG_TRANSPARENT_HUGEPAGE";
}

int ptebatch_khugepaged_limit(const char *name, int ptes)
{
	return -EOPNOTSUPP;
}

int ptebatch_khugepaged_enable(unsigned long orders)
{
	return -EOPNOTSUPP;
}

long ptebatch_khugepaged_scan(struct mm_struct *mm)
{
	return -EOPNOTSUPP;
}

#endif
