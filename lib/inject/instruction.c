// SPDX-License-Identifier: GPL-2.0
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "../arch/arch.h"
#include "instruction.h"

#ifdef CONFIG_KPROBES

/**
 * struct ptebatch_instruction - a kprobe on an instruction
 * @probe: the kprobe
 * @all: the instructions that it belongs to
 * @reached: how often the task has reached it in the pass, until @act of @all ran
 */
struct ptebatch_instruction {
	struct kprobe probe;
	struct ptebatch_instructions *all;
	unsigned int reached;
};

static int reached(struct kprobe *probe, struct pt_regs *regs)
{
	struct ptebatch_instruction *instruction =
		container_of(probe, struct ptebatch_instruction, probe);
	struct ptebatch_instructions *all = instruction->all;

	if (current != all->task || all->acted)
		return 0;
	if (instruction->reached++ != all->times || instruction != &all->probes[all->at])
		return 0;
	all->acted = true;
	if (all->in_task) {
		ptebatch_detour(probe, regs, all->act, all->data);
		return 1;
	}
	all->act(all->data);
	return 0;
}

/**
 * ptebatch_instructions_begin() - begin without an instruction, and without a pass
 * @instructions: the caller has set @act, @data and @in_task. After success, the caller calls
 *                ptebatch_instructions_end().
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOMEM or an error of ptebatch_detour_on().
 */
int ptebatch_instructions_begin(struct ptebatch_instructions *instructions)
{
	int err;

	instructions->task = current;
	instructions->nr = 0;
	instructions->only = -1;
	instructions->acted = true;
	instructions->probes = kvcalloc(PTEBATCH_INSTRUCTIONS, sizeof(*instructions->probes),
					GFP_KERNEL);
	if (!instructions->probes)
		return -ENOMEM;
	err = instructions->in_task ? ptebatch_detour_on() : 0;
	if (err)
		kvfree(instructions->probes);
	return err;
}

/*
 * From a load that reserves to the store that is conditional: a kprobe would clear the
 * reservation each time. @within: the instruction before was.
 */
static bool reserved(const u8 *code, bool *within)
{
	const bool skipped = *within || ptebatch_reserves(code);

	*within = skipped && !ptebatch_stores_conditionally(code);
	return skipped;
}

/**
 * ptebatch_instructions_of() - add the instructions of a function
 * @instructions: where
 * @function: the function; it must not be inlined
 *
 * An instruction on which the kernel permits no kprobe is left out, and so are those
 * from a load that reserves to its conditional store.
 *
 * Context: Process context, may sleep.
 */
void ptebatch_instructions_of(struct ptebatch_instructions *instructions, const void *function)
{
	unsigned long size = 0, offset = 0;
	unsigned int skip = instructions->skip;
	bool within = false;
	const u8 *code;

	if (!kallsyms_lookup_size_offset((unsigned long)function, &size, &offset))
		return;
	code = (const u8 *)function - offset;
	for (offset = 0; offset < size; offset += ptebatch_instruction_bytes(code + offset)) {
		struct ptebatch_instruction *next = &instructions->probes[instructions->nr];

		if (reserved(code + offset, &within) || instructions->nr == PTEBATCH_INSTRUCTIONS)
			continue;
		if (instructions->every && skip--)
			continue;
		skip = instructions->every - 1;
		*next = (struct ptebatch_instruction) {
			.probe.addr = (kprobe_opcode_t *)(code + offset),
			.probe.pre_handler = reached,
			.all = instructions,
		};
		/* Fails inside of an instruction, too. */
		if (!ptebatch_probe_begin(&next->probe))
			instructions->nr++;
	}
}

/* The compiler may have made a variant of a function, and left the name to no other. */
static const void *find_function(const char *name)
{
	static const char * const variants[] = { "", ".isra.0", ".constprop.0" };
	char symbol[KSYM_NAME_LEN];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(variants); i++) {
		struct kprobe probe = { .symbol_name = symbol };

		snprintf(symbol, sizeof(symbol), "%s%s", name, variants[i]);
		if (ptebatch_probe_begin(&probe))
			continue;
		unregister_kprobe(&probe);
		return probe.addr;
	}
	return NULL;
}

/**
 * ptebatch_instructions_of_name() - add the instructions of a kernel function, if the
 * kernel has it
 * @instructions: where
 * @name: name of the function
 *
 * Context: Process context, may sleep.
 */
void ptebatch_instructions_of_name(struct ptebatch_instructions *instructions, const char *name)
{
	const void *function = find_function(name);

	if (function)
		ptebatch_instructions_of(instructions, function);
}

/**
 * ptebatch_instructions_first() - add the first instruction of a kernel function, if the
 * kernel has it
 * @instructions: where
 * @name: name of the function
 *
 * Context: Process context, may sleep.
 */
void ptebatch_instructions_first(struct ptebatch_instructions *instructions, const char *name)
{
	struct ptebatch_instruction *next = &instructions->probes[instructions->nr];

	if (instructions->nr == PTEBATCH_INSTRUCTIONS)
		return;
	*next = (struct ptebatch_instruction) {
		.probe.symbol_name = name,
		.probe.pre_handler = reached,
		.all = instructions,
	};
	if (!ptebatch_probe_begin(&next->probe))
		instructions->nr++;
}

/**
 * ptebatch_instructions_only() - disable all kprobes but one
 * @instructions: from ptebatch_instructions_begin(); all instructions are added
 * @at: index of the instruction
 *
 * On its way to an instruction, a task may reach the others a thousand times.
 *
 * Context: Process context, may sleep.
 */
void ptebatch_instructions_only(struct ptebatch_instructions *instructions, unsigned int at)
{
	struct ptebatch_instruction *probes = instructions->probes;
	unsigned int i;

	if (instructions->only < 0)
		for (i = 0; i < instructions->nr; i++)
			disable_kprobe(&probes[i].probe);
	else
		disable_kprobe(&probes[instructions->only].probe);
	enable_kprobe(&probes[at].probe);
	instructions->only = at;
}

/**
 * ptebatch_instructions_pass() - begin a pass
 * @instructions: from ptebatch_instructions_begin()
 * @at: index of the instruction before which @act runs; @nr: before none
 * @times: how often the task reaches it before
 *
 * Context: Any; this task.
 */
void ptebatch_instructions_pass(struct ptebatch_instructions *instructions, unsigned int at,
				unsigned int times)
{
	unsigned int i;

	for (i = 0; i < instructions->nr; i++)
		instructions->probes[i].reached = 0;
	instructions->at = at;
	instructions->times = times;
	instructions->acted = false;
}

/**
 * ptebatch_instructions_stop() - end a pass
 * @instructions: from ptebatch_instructions_begin()
 *
 * Context: Any; this task.
 */
void ptebatch_instructions_stop(struct ptebatch_instructions *instructions)
{
	instructions->acted = true;
}

/**
 * ptebatch_instruction_reached() - get how often the task has reached an instruction
 * @instructions: after a pass in which @act did not run
 * @i: index of the instruction
 *
 * Return: the number of times.
 */
unsigned int ptebatch_instruction_reached(const struct ptebatch_instructions *instructions,
					  unsigned int i)
{
	return instructions->probes[i].reached;
}

/**
 * ptebatch_instruction_address() - get the address of the selected instruction
 * @instructions: with the instruction @at
 *
 * Context: Any.
 * Return: the address, for %pS.
 */
const void *ptebatch_instruction_address(const struct ptebatch_instructions *instructions)
{
	return instructions->probes[instructions->at].probe.addr;
}

/**
 * ptebatch_instructions_end() - remove the kprobes
 * @instructions: from ptebatch_instructions_begin()
 *
 * Context: Process context, may sleep.
 */
void ptebatch_instructions_end(struct ptebatch_instructions *instructions)
{
	struct kprobe **probes;
	unsigned int i;

	probes = kvmalloc_array(instructions->nr, sizeof(*probes), GFP_KERNEL | __GFP_NOFAIL);
	for (i = 0; i < instructions->nr; i++)
		probes[i] = &instructions->probes[i].probe;
	/* At once: each call waits for a grace period of RCU. */
	unregister_kprobes(probes, instructions->nr);
	kvfree(probes);
	if (instructions->in_task)
		ptebatch_detour_off();
	kvfree(instructions->probes);
}

#else

int ptebatch_instructions_begin(struct ptebatch_instructions *instructions)
{
	return -EOPNOTSUPP;
}

void ptebatch_instructions_of(struct ptebatch_instructions *instructions, const void *function)
{
}

void ptebatch_instructions_of_name(struct ptebatch_instructions *instructions, const char *name)
{
}

void ptebatch_instructions_first(struct ptebatch_instructions *instructions, const char *name)
{
}

void ptebatch_instructions_only(struct ptebatch_instructions *instructions, unsigned int at)
{
}

void ptebatch_instructions_pass(struct ptebatch_instructions *instructions, unsigned int at,
				unsigned int times)
{
}

void ptebatch_instructions_stop(struct ptebatch_instructions *instructions)
{
}

unsigned int ptebatch_instruction_reached(const struct ptebatch_instructions *instructions,
					  unsigned int i)
{
	return 0;
}

const void *ptebatch_instruction_address(const struct ptebatch_instructions *instructions)
{
	return NULL;
}

void ptebatch_instructions_end(struct ptebatch_instructions *instructions)
{
}

#endif
