// SPDX-License-Identifier: GPL-2.0
/*
 * By probes on the functions that take the locks. UML has no kprobes; there the
 * tracepoints of mmap_lock tell, and of the rest nothing does.
 */
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mmap_lock.h>

#include "counter.h"
#include "locks.h"

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

/* One mm at a time: a probe costs an allocation that nobody can wait for. */
static struct ptebatch_counter counters[ARRAY_SIZE(functions)];

static int begin(struct ptebatch_locks *locks)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		counters[i] = (struct ptebatch_counter) {
			.function = functions[i].function,
			.of = functions[i].of_mm ? (void *)locks->mm :
			      (void *)&locks->mm->mmap_lock,
			.argument = functions[i].argument,
		};
	return ptebatch_counters_begin(counters, ARRAY_SIZE(functions));
}

static void end(struct ptebatch_locks *locks)
{
	unsigned int i;

	ptebatch_counters_end(counters, ARRAY_SIZE(functions));
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		locks->nr[functions[i].lock] += counters[i].hits;
}

#define COUNTED		(BIT(PTEBATCH_NR_LOCKS) - 1)

#elif defined(CONFIG_TRACING)

#include <trace/events/mmap_lock.h>

static void acquired(void *data, struct mm_struct *mm, bool write, bool success)
{
	struct ptebatch_locks *locks = data;

	if (mm == locks->mm)
		locks->nr[write ? PTEBATCH_MMAP_WRITE : PTEBATCH_MMAP_READ]++;
}

static int begin(struct ptebatch_locks *locks)
{
	return register_trace_mmap_lock_acquire_returned(acquired, locks);
}

static void end(struct ptebatch_locks *locks)
{
	unregister_trace_mmap_lock_acquire_returned(acquired, locks);
	tracepoint_synchronize_unregister();
}

#define COUNTED		(BIT(PTEBATCH_MMAP_READ) | BIT(PTEBATCH_MMAP_WRITE))

#else

static int begin(struct ptebatch_locks *locks)
{
	return -EOPNOTSUPP;
}

static void end(struct ptebatch_locks *locks)
{
}

#define COUNTED		0

#endif

/**
 * ptebatch_locks_missing() - can locks be counted here?
 *
 * Return: why not, %NULL if some can.
 */
const char *ptebatch_locks_missing(void)
{
	return COUNTED ? NULL :
	       "nothing counts locks without CONFIG_KPROBES and CONFIG_TRACING";
}

/**
 * ptebatch_locks_count() - can this one be?
 * @lock: one of enum ptebatch_lock
 *
 * Return: whether it can.
 */
bool ptebatch_locks_count(enum ptebatch_lock lock)
{
	return COUNTED & BIT(lock);
}

/**
 * ptebatch_locks_begin() - count from now on, from zero
 * @locks: gets the counts
 * @mm: whose locks; one mm at a time
 *
 * Context: Process context, may sleep.
 * Return: 0; then ptebatch_locks_end() is due. -EOPNOTSUPP, or why a function
 * cannot be probed.
 */
int ptebatch_locks_begin(struct ptebatch_locks *locks, struct mm_struct *mm)
{
	*locks = (struct ptebatch_locks) { .mm = mm };
	return begin(locks);
}

/**
 * ptebatch_locks_end() - count no longer
 * @locks: from ptebatch_locks_begin()
 *
 * Context: Process context, may sleep.
 */
void ptebatch_locks_end(struct ptebatch_locks *locks)
{
	end(locks);
}
