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
 */
struct ptebatch_instruction {
	struct kprobe probe;
	struct ptebatch_instructions *all;
};

static int reached(struct kprobe *probe, struct pt_regs *regs)
{
	struct ptebatch_instruction *instruction =
		container_of(probe, struct ptebatch_instruction, probe);
	struct ptebatch_instructions *all = instruction->all;

	if (current != all->task || all->acted || instruction != &all->probes[all->at])
		return 0;
	all->acted = true;
	all->act(all->data);
	return 0;
}

/**
 * ptebatch_instructions_begin() - begin without an instruction
 * @instructions: the caller has set @act and @data. After success, the caller calls
 *                ptebatch_instructions_end().
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ptebatch_instructions_begin(struct ptebatch_instructions *instructions)
{
	instructions->task = current;
	instructions->nr = 0;
	instructions->acted = true;
	instructions->probes = kvcalloc(PTEBATCH_INSTRUCTIONS, sizeof(*instructions->probes),
					GFP_KERNEL);
	return instructions->probes ? 0 : -ENOMEM;
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
	bool within = false;
	const u8 *code;

	if (!kallsyms_lookup_size_offset((unsigned long)function, &size, &offset))
		return;
	code = (const u8 *)function - offset;
	for (offset = 0; offset < size; offset += ptebatch_instruction_bytes(code + offset)) {
		struct ptebatch_instruction *next = &instructions->probes[instructions->nr];

		if (reserved(code + offset, &within) || instructions->nr == PTEBATCH_INSTRUCTIONS)
			continue;
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
	struct kprobe probe = { .symbol_name = name };

	if (ptebatch_probe_begin(&probe))
		return;
	unregister_kprobe(&probe);
	ptebatch_instructions_of(instructions, probe.addr);
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
	kvfree(instructions->probes);
}

#endif /* CONFIG_KPROBES */
