// SPDX-License-Identifier: GPL-2.0
/*
 * A TCG plugin of QEMU that counts the laps of the stopwatch in
 * lib/run/stopwatch.c: for each, the instructions of each function, and events
 * that cost more than an instruction on a CPU.
 *
 * A lap begins when ptebatch_stopwatch_start() returns, and ends when
 * ptebatch_stopwatch_stop() is called. All counting is an addition in the
 * translated code, for one CPU.
 *
 * Arguments: symbols=, a file with lines "address name" of all functions, sorted
 * by address; output=, the file of the laps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "qemu.h"

QEMU_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

enum { INSTRUCTIONS = NONE, ACCESSES, NR_COUNTS };

static const char *const names[NR_COUNTS] = {
	[BARRIER] = "barriers",
	[ATOMIC] = "atomics",
	[TLB] = "tlb-invalidations",
	[INSTRUCTIONS] = "instructions",
	[ACCESSES] = "accesses",
};

/* What ran since the lap began: also the addends of the translated code. */
struct counts {
	u64 of[NR_COUNTS];
};

/**
 * struct function - a symbol of the kernel
 * @start: address
 * @name: name
 * @counts: its counts; %NULL until a part of it is translated
 */
struct function {
	u64 start;
	char *name;
	struct counts *counts;
};

static struct function *functions;
static size_t nr_functions;

/* The counts of translated functions, in blocks that never move. */
#define BLOCK	1024
#define BLOCKS	256

static struct block {
	struct counts counts[BLOCK];
	struct function *function[BLOCK];
} *blocks[BLOCKS];
static size_t nr_counts;

static enum event (*event_of)(const u8 *code, size_t size);
static struct function *start, *stop;
static unsigned long lap;	/* number of the last lap, from 1 */
static bool running;
static FILE *output;

static void start_called(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	lap++;
}

static void begin(unsigned int cpu, void *data)
{
	size_t i;

	(void)cpu;
	(void)data;
	for (i = 0; i * BLOCK < nr_counts; i++)
		memset(blocks[i]->counts, 0, sizeof(blocks[i]->counts));
	running = true;
}

/* One line for the lap, and one for each function that ran. */
static void end(unsigned int cpu, void *data)
{
	struct counts sum = {};
	struct counts *counts;
	size_t i, what;

	(void)cpu;
	(void)data;
	if (!running)
		return;
	running = false;
	for (i = 0; i < nr_counts; i++)
		for (what = 0; what < NR_COUNTS; what++)
			sum.of[what] += blocks[i / BLOCK]->counts[i % BLOCK].of[what];
	fprintf(output, "lap=%lu", lap);
	for (what = 0; what < NR_COUNTS; what++)
		fprintf(output, " %s=%lu", names[what], (unsigned long)sum.of[what]);
	fputc('\n', output);
	for (i = 0; i < nr_counts; i++) {
		counts = &blocks[i / BLOCK]->counts[i % BLOCK];
		if (counts->of[INSTRUCTIONS])
			fprintf(output, "%s %lu\n", blocks[i / BLOCK]->function[i % BLOCK]->name,
				(unsigned long)counts->of[INSTRUCTIONS]);
	}
}

/* The function at an address; the first one for addresses below it. */
static struct function *find(u64 address)
{
	size_t low = 0, high = nr_functions, middle;

	while (high - low > 1) {
		middle = (low + high) / 2;
		if (functions[middle].start <= address)
			low = middle;
		else
			high = middle;
	}
	return &functions[low];
}

static struct counts *counts_of(struct function *function)
{
	size_t block = nr_counts / BLOCK;

	if (function->counts)
		return function->counts;
	if (block < BLOCKS && !blocks[block])
		blocks[block] = calloc(1, sizeof(**blocks));
	if (block == BLOCKS || !blocks[block]) {
		fprintf(stderr, "laps.so: too many functions\n");
		exit(EXIT_FAILURE);
	}
	blocks[block]->function[nr_counts % BLOCK] = function;
	function->counts = &blocks[block]->counts[nr_counts++ % BLOCK];
	return function->counts;
}

static void count(struct qemu_plugin_insn *insn, struct function *function)
{
	struct counts *counts = counts_of(function);
	enum event event = event_of(qemu_plugin_insn_data(insn),
				    qemu_plugin_insn_size(insn));

	qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_ADD_U64,
						   &counts->of[INSTRUCTIONS], 1);
	if (event != NONE)
		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_ADD_U64,
							   &counts->of[event], 1);
	qemu_plugin_register_vcpu_mem_inline(insn, QEMU_LOADS_AND_STORES, QEMU_ADD_U64,
					     &counts->of[ACCESSES], 1);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, size = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *insn;
	struct function *function;
	u64 address;

	(void)id;
	for (i = 0; i < size; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		address = qemu_plugin_insn_vaddr(insn);
		function = find(address);
		if (address == start->start)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, start_called,
							       QEMU_NO_REGS, NULL);
		/* The last instruction of start() is the last one before the lap. */
		if (function == start)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, QEMU_NO_REGS, NULL);
		else if (function == stop && address == stop->start)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, end, QEMU_NO_REGS, NULL);
		else if (function != stop)
			count(insn, function);
	}
}

static void finish(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	fclose(output);
}

static int failed(const char *what, const char *text)
{
	fprintf(stderr, "laps.so: %s: %s\n", text, what);
	return -1;
}

static int read_symbols(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long address;
	size_t room = 0;
	char *name;

	if (!file)
		return failed("cannot be read", path);
	while (fscanf(file, "%lx %ms", &address, &name) == 2) {
		if (nr_functions == room) {
			room = room ? 2 * room : 1 << 16;
			functions = realloc(functions, room * sizeof(*functions));
			if (!functions)
				return failed("out of memory", path);
		}
		functions[nr_functions++] = (struct function) { .start = address, .name = name };
	}
	fclose(file);
	for (room = 0; room < nr_functions; room++) {
		if (!strcmp(functions[room].name, "ptebatch_stopwatch_start"))
			start = &functions[room];
		if (!strcmp(functions[room].name, "ptebatch_stopwatch_stop"))
			stop = &functions[room];
	}
	return start && stop ? 0 : failed("no stopwatch in this kernel", path);
}

QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
				    int argc, char **argv)
{
	const char *symbols = NULL;
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "symbols=", 8))
			symbols = argv[i] + 8;
		else if (!strncmp(argv[i], "output=", 7))
			output = fopen(argv[i] + 7, "w");
	}
	if (!strcmp(info->target, "x86_64"))
		event_of = x86_event;
	else if (!strcmp(info->target, "aarch64"))
		event_of = arm64_event;
	else
		return failed("unknown architecture", info->target);
	if (!symbols || !output)
		return failed("symbols= and output= must name files", "arguments");
	if (read_symbols(symbols))
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
