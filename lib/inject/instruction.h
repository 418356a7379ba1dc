/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run a function before one instruction of kernel functions, each of their
 * instructions in turn, by kprobes on all of them.
 */
#ifndef PTEBATCH_INSTRUCTION_H
#define PTEBATCH_INSTRUCTION_H

#include "../kernel/probe.h"

struct task_struct;

/* Most instructions that the functions have together. */
#define PTEBATCH_INSTRUCTIONS	1024

struct ptebatch_instruction;

/**
 * struct ptebatch_instructions - runs a function before an instruction
 * @act: what runs, once, when this task reaches instruction @at; in the context of
 *       a kprobe, with whatever locks the task holds
 * @data: for @act
 * @at: index of the instruction, below @nr; the caller sets it, and clears @acted
 * @acted: @act has run
 * @nr: number of instructions with a kprobe
 * @task: the task that has begun this
 * @probes: the kprobes
 */
struct ptebatch_instructions {
	void (*act)(void *data);
	void *data;
	unsigned int at;
	bool acted;
	unsigned int nr;
	struct task_struct *task;
	struct ptebatch_instruction *probes;
};

int ptebatch_instructions_begin(struct ptebatch_instructions *instructions);
void ptebatch_instructions_of(struct ptebatch_instructions *instructions, const void *function);
void ptebatch_instructions_of_name(struct ptebatch_instructions *instructions, const char *name);
const void *ptebatch_instruction_address(const struct ptebatch_instructions *instructions);
void ptebatch_instructions_end(struct ptebatch_instructions *instructions);

#endif /* PTEBATCH_INSTRUCTION_H */
