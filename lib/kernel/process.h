/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run code in a process: a task with an mm of its own, unlike kernel threads.
 */
#ifndef PTEBATCH_PROCESS_H
#define PTEBATCH_PROCESS_H

#include <linux/completion.h>
#include <linux/mm.h>

/**
 * struct ptebatch_dummy_task - a process that sleeps, to be found by its PID
 * @pid: process ID of the task
 * @stop: completion that ends the task
 */
struct ptebatch_dummy_task {
	pid_t pid;
	struct completion stop;
};

struct mm_struct *ptebatch_mm_alloc(void);
struct vm_area_struct *ptebatch_vma_lock(struct mm_struct *mm, unsigned long addr);
void ptebatch_vma_account(const struct vm_area_struct *vma, vm_flags_t was);
void ptebatch_vma_flags(struct mm_struct *mm, unsigned long addr,
			vm_flags_t set, vm_flags_t clear);
long ptebatch_map_anon(struct mm_struct *mm, unsigned long addr, unsigned long bytes,
		       unsigned long prot, unsigned long fixed);
void ptebatch_sigkill_set(void);
void ptebatch_sigkill_clear(void);

long ptebatch_process(struct mm_struct *mm, long (*work)(void *data),
		      void *data);
int ptebatch_dummy_task_start(struct ptebatch_dummy_task *task,
			      struct mm_struct *mm);
void ptebatch_dummy_task_stop(struct ptebatch_dummy_task *task);

#endif /* PTEBATCH_PROCESS_H */
