// SPDX-License-Identifier: GPL-2.0
/*
 * By probes on the functions that take the locks. UML has no kprobes; there the
 * tracepoints of mmap_lock tell, and of the rest nothing does.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mmap_lock.h>

#include "counter.h"
#include "locks.h"

/* Who counts now: one at a time. */
static struct ptebatch_locks *counting;

#ifdef CONFIG_KPROBES

static const struct {
	enum ptebatch_lock lock;
	const char *function;
	bool of_mm;		/* called with the mm, not with its mmap_lock */
	unsigned int argument;	/* which of them that is */
} functions[] = {
	{ PTEBATCH_MMAP_READ, "down_read" },
	{ PTEBATCH_MMAP_READ, "down_read_killable" },
	{ PTEBATCH_MMAP_WRITE, "down_write" },
	{ PTEBATCH_MMAP_WRITE, "down_write_killable" },
	{ PTEBATCH_VMA_READ, "lock_vma_under_rcu", true },
	{ PTEBATCH_GATHER, "tlb_gather_mmu", true, 1 },
};

static struct ptebatch_counter counters[ARRAY_SIZE(functions)];

static int watch(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		counters[i] = (struct ptebatch_counter) {
			.function = functions[i].function,
			.of = &counters,	/* nobody's so far */
			.argument = functions[i].argument,
		};
	return ptebatch_counters_begin(counters, ARRAY_SIZE(functions));
}

static void unwatch(void)
{
	ptebatch_counters_end(counters, ARRAY_SIZE(functions));
}

static void begin(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		counters[i].hits = 0;
		counters[i].of = functions[i].of_mm ?
				 (void *)counting->mm :
				 (void *)&counting->mm->mmap_lock;
	}
}

static void end(void)
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

static int watch(void)
{
	return register_trace_mmap_lock_acquire_returned(acquired, NULL);
}

static void unwatch(void)
{
	unregister_trace_mmap_lock_acquire_returned(acquired, NULL);
	tracepoint_synchronize_unregister();
}

static void begin(void)
{
}

static void end(void)
{
}

#define COUNTED		(BIT(PTEBATCH_MMAP_READ) | BIT(PTEBATCH_MMAP_WRITE))

#else

static int watch(void)
{
	return -EOPNOTSUPP;
}

static void unwatch(void)
{
}

static void begin(void)
{
}

static void end(void)
{
}

#define COUNTED		0

#endif

static bool watching;

/**
 * ptebatch_locks_on() - the beginning of a suite that counts locks
 * @suite: the suite
 *
 * To be undone by ptebatch_locks_off().
 *
 * Context: Process context, may sleep.
 * Return: 0, also where locks cannot be counted.
 */
int ptebatch_locks_on(struct kunit_suite *suite)
{
	watching = !watch();
	return 0;
}

/**
 * ptebatch_locks_off() - and its end
 * @suite: the suite
 *
 * Context: Process context, may sleep.
 */
void ptebatch_locks_off(struct kunit_suite *suite)
{
	if (watching)
		unwatch();
	watching = false;
}

/**
 * ptebatch_locks_missing() - can locks be counted here?
 *
 * Return: why not, %NULL if some can.
 */
const char *ptebatch_locks_missing(void)
{
	return watching ? NULL :
	       "nothing counts locks without CONFIG_KPROBES or CONFIG_TRACING";
}

/**
 * ptebatch_locks_count() - can this one be?
 * @lock: one of enum ptebatch_lock
 *
 * Return: whether it can.
 */
bool ptebatch_locks_count(enum ptebatch_lock lock)
{
	return watching && COUNTED & BIT(lock);
}

/**
 * ptebatch_locks_begin() - count from now on, from zero
 * @locks: gets the counts
 * @mm: whose locks; one mm at a time
 *
 * Context: Process context, between ptebatch_locks_on() and
 * ptebatch_locks_off().
 */
void ptebatch_locks_begin(struct ptebatch_locks *locks, struct mm_struct *mm)
{
	*locks = (struct ptebatch_locks) { .mm = mm };
	counting = locks;
	begin();
}

/**
 * ptebatch_locks_end() - count no longer
 *
 * Context: Process context.
 */
void ptebatch_locks_end(void)
{
	end();
	counting = NULL;
}
