/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run a function before one instruction of kernel functions, each of their
 * instructions in turn, by kprobes on all of them.
 *
 * A pass: the caller selects an instruction, and lets the task run.
 */
#ifndef PTEBATCH_INSTRUCTION_H
#define PTEBATCH_INSTRUCTION_H

#include "../kernel/detour.h"

struct task_struct;

/* Most instructions that the functions have together. */
#define PTEBATCH_INSTRUCTIONS	4096

struct ptebatch_instruction;

/**
 * struct ptebatch_instructions - runs a function before an instruction
 * @act: what runs, once in a pass, when this task reaches instruction @at; with whatever
 *       locks the task holds
 * @data: for @act
 * @in_task: @act runs as if the task called it, see detour.h; otherwise in the handler of
 *           a kprobe
 * @at: index of the instruction, below @nr; the caller sets it
 * @times: how often the task reaches the instruction before @act runs, in the pass
 * @acted: @act has run in the pass
 * @every: only each so many of the instructions of a function get a kprobe,
 *         beginning with @skip; 0: all
 * @skip: number of instructions of a function to leave out first, with @every
 * @nr: number of instructions with a kprobe
 * @only: the only instruction whose kprobe is enabled; -1: all are
 * @task: the task that has begun this
 * @probes: the kprobes
 */
struct ptebatch_instructions {
	void (*act)(void *data);
	void *data;
	bool in_task;
	unsigned int at;
	unsigned int times;
	bool acted;
	unsigned int every;
	unsigned int skip;
	unsigned int nr;
	int only;
	struct task_struct *task;
	struct ptebatch_instruction *probes;
};

int ptebatch_instructions_begin(struct ptebatch_instructions *instructions);
void ptebatch_instructions_of(struct ptebatch_instructions *instructions, const void *function);
void ptebatch_instructions_of_name(struct ptebatch_instructions *instructions, const char *name);
void ptebatch_instructions_first(struct ptebatch_instructions *instructions, const char *name);
void ptebatch_instructions_only(struct ptebatch_instructions *instructions, unsigned int at);
void ptebatch_instructions_pass(struct ptebatch_instructions *instructions, unsigned int at,
				unsigned int times);
void ptebatch_instructions_stop(struct ptebatch_instructions *instructions);
unsigned int ptebatch_instruction_reached(const struct ptebatch_instructions *instructions,
					  unsigned int i);
const void *ptebatch_instruction_address(const struct ptebatch_instructions *instructions);
void ptebatch_instructions_end(struct ptebatch_instructions *instructions);

#endif /* PTEBATCH_INSTRUCTION_H */
