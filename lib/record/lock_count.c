// SPDX-License-Identifier: GPL-2.0
/*
 * Counts by kprobes on the functions that take the locks. On UML, without
 * kprobes, tracepoints count mmap_lock, and other locks are not counted.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mmap_lock.h>

#include "counter.h"
#include "lock_count.h"

/* The active counts, %NULL if not counting. */
static struct ptebatch_locks *counting;

#ifdef CONFIG_KPROBES

static const struct {
	enum ptebatch_lock lock;
	const char *function;
	bool of_mm;		/* the argument is the mm, not its mmap_lock */
	unsigned int argument;	/* index of the argument */
} functions[] = {
	{ PTEBATCH_MMAP_READ, "down_read" },
	{ PTEBATCH_MMAP_READ, "down_read_killable" },
	{ PTEBATCH_MMAP_WRITE, "down_write" },
	{ PTEBATCH_MMAP_WRITE, "down_write_killable" },
	{ PTEBATCH_MMAP_RELEASE, "up_read" },
	{ PTEBATCH_MMAP_RELEASE, "up_write" },
	{ PTEBATCH_VMA_READ, "lock_vma_under_rcu", true },
	{ PTEBATCH_GATHER, "tlb_gather_mmu", true, 1 },
};

static struct ptebatch_counter counters[ARRAY_SIZE(functions)];

static int register_probes(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		counters[i] = (struct ptebatch_counter) {
			.function = functions[i].function,
			.match = &counters,	/* matches no argument */
			.argument = functions[i].argument,
		};
	return ptebatch_counters_begin(counters, ARRAY_SIZE(functions));
}

static void unregister_probes(void)
{
	ptebatch_counters_end(counters, ARRAY_SIZE(functions));
}

static void start_counting(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		counters[i].hits = 0;
		counters[i].match = functions[i].of_mm ?
				    (void *)counting->mm :
				    (void *)&counting->mm->mmap_lock;
	}
}

static void stop_counting(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		counting->nr[functions[i].lock] += counters[i].hits;
}

#define COUNTED		(BIT(PTEBATCH_NR_LOCKS) - 1)

#elif defined(CONFIG_TRACING)

#include <trace/events/mmap_lock.h>

static void acquired(void *data, struct mm_struct *mm, bool write, bool success)
{
	if (counting && mm == counting->mm)
		counting->nr[write ? PTEBATCH_MMAP_WRITE : PTEBATCH_MMAP_READ]++;
}

static void released(void *data, struct mm_struct *mm, bool write)
{
	if (counting && mm == counting->mm)
		counting->nr[PTEBATCH_MMAP_RELEASE]++;
}

static int register_probes(void)
{
	int err = register_trace_mmap_lock_acquire_returned(acquired, NULL);

	if (err)
		return err;
	err = register_trace_mmap_lock_released(released, NULL);
	if (err)
		unregister_trace_mmap_lock_acquire_returned(acquired, NULL);
	return err;
}

static void unregister_probes(void)
{
	unregister_trace_mmap_lock_released(released, NULL);
	unregister_trace_mmap_lock_acquire_returned(acquired, NULL);
	tracepoint_synchronize_unregister();
}

static void start_counting(void)
{
}

static void stop_counting(void)
{
}

#define COUNTED		(BIT(PTEBATCH_MMAP_READ) | BIT(PTEBATCH_MMAP_WRITE) | \
			 BIT(PTEBATCH_MMAP_RELEASE))

#else

static int register_probes(void)
{
	return -EOPNOTSUPP;
}

static void unregister_probes(void)
{
}

static void start_counting(void)
{
}

static void stop_counting(void)
{
}

#define COUNTED		0

#endif

static bool registered;

/**
 * ptebatch_locks_on() - register the probes; for suite_init
 * @suite: the suite; its suite_exit calls ptebatch_locks_off()
 *
 * Context: Process context, may sleep.
 * Return: 0, even if locks cannot be counted, see ptebatch_locks_missing().
 */
int ptebatch_locks_on(struct kunit_suite *suite)
{
	registered = !register_probes();
	return 0;
}

/**
 * ptebatch_locks_off() - unregister the probes; for suite_exit
 * @suite: the suite
 *
 * Context: Process context, may sleep.
 */
void ptebatch_locks_off(struct kunit_suite *suite)
{
	if (registered)
		unregister_probes();
	registered = false;
}

/**
 * ptebatch_locks_missing() - get the reason why locks cannot be counted
 *
 * Return: the reason, for kunit_skip(), or %NULL if some locks can be counted.
 */
const char *ptebatch_locks_missing(void)
{
	return registered ? NULL :
	       "locks cannot be counted without CONFIG_KPROBES or CONFIG_TRACING";
}

/**
 * ptebatch_locks_count() - test whether an operation can be counted
 * @lock: one of enum ptebatch_lock
 *
 * Return: true if @lock can be counted.
 */
bool ptebatch_locks_count(enum ptebatch_lock lock)
{
	return registered && COUNTED & BIT(lock);
}

/**
 * ptebatch_locks_begin() - reset the counts and start counting
 * @locks: returns the counts
 * @mm: the mm; only one mm can be counted at a time
 *
 * Context: Process context, between ptebatch_locks_on() and
 * ptebatch_locks_off().
 */
void ptebatch_locks_begin(struct ptebatch_locks *locks, struct mm_struct *mm)
{
	*locks = (struct ptebatch_locks) { .mm = mm };
	counting = locks;
	start_counting();
}

/**
 * ptebatch_locks_end() - stop counting
 *
 * Context: Process context.
 */
void ptebatch_locks_end(void)
{
	stop_counting();
	counting = NULL;
}
