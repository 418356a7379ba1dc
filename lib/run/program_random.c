// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/mman.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/seq_buf.h>
#include <linux/userfaultfd_k.h>

#include "../arch/arch.h"
#include "../op/step.h"
#include "../service/part.h"
#include "../space/space.h"
#include "program.h"
#include "program_random.h"
#include "random.h"

/**
 * struct memory_row - a row that programs run on
 * @name: kind of memory and order of the folios
 * @mapping: kind of memory
 * @picture: the row
 * @kept: the file has no storage but the page cache: its folios must stay in memory
 */
struct memory_row {
	const char *name;
	enum ptebatch_mapping mapping;
	const char *picture;
	bool kept;
};

static const struct memory_row rows[] = {
	{ "anonymous, order 0", PTEBATCH_ANON, "Wdysx*8" },
	{ "anonymous, order 2", PTEBATCH_ANON, "{Wdysx*4}*3" },
	{ "anonymous, order 4", PTEBATCH_ANON, "@-8 {Wdysx*16}" },
	{ "anonymous, PMD", PTEBATCH_ANON, "[Wdysx]" },
	{ "anonymous, order 2, holes", PTEBATCH_ANON, "{Wdysx*4}*4 -*T-16" },
	{ "anonymous, huge zero page", PTEBATCH_ANON, "[Ryz]" },
	{ "shmem, order 0", PTEBATCH_SHMEM, "Wdys*8" },
	{ "shmem, order 4", PTEBATCH_SHMEM, "{Wdys*16}" },
	{ "private file, order 0", PTEBATCH_PRIVATE_FILE, "Rdys*8", true },
	{ "private file, order 4", PTEBATCH_PRIVATE_FILE, "{Rdys*16}", true },
};

#define NR_PAIRS	(PTEBATCH_NR_STEPS * PTEBATCH_NR_STEPS)

/* So many programs of a row have all pairs of steps: those of ten default runs. */
#define PROGRAMS	(1000 / ARRAY_SIZE(rows))

/* add_steps() adds one at the begin of a program, and three at its end. */
#define MOST_STEPS	(PTEBATCH_PROGRAM_STEPS - 4)

/* A process accesses no more pages in one step. */
#define ACCESSED	16

/**
 * struct circuit - kinds of steps, each possible pair of them once, one after the other
 * @nr: number of steps
 * @length: number of steps of a program, so that PROGRAMS programs have all pairs
 * @kinds: the kinds
 * @open: kinds whose successors are not in the circuit yet, while it is made
 * @next: kinds that may follow each kind, in random order
 * @left: number of those that do not follow it in the circuit yet
 */
struct circuit {
	unsigned int nr;
	unsigned int length;
	u8 kinds[NR_PAIRS + 1];
	u8 open[NR_PAIRS + 1];
	u8 next[PTEBATCH_NR_STEPS][PTEBATCH_NR_STEPS];
	unsigned int left[PTEBATCH_NR_STEPS];
};

/**
 * struct programs - generator of programs
 * @test: the case
 * @rnd: state of the random number generator
 * @circuit: the circuit of which the next program is a part
 * @row: the row of the next program
 * @entries: number of its entries
 * @setup: the address space of the next program
 * @program: the next program
 * @child: the child exists after its last step
 * @why: what the first program that failed does wrong
 * @text: buffer of @why
 * @possible: bitmap of the pairs of steps that each row can have
 * @tried: bitmap of the pairs that have been tried
 */
struct programs {
	struct kunit *test;
	struct rnd_state rnd;
	struct circuit circuit;
	const struct memory_row *row;
	unsigned int entries;
	struct ptebatch_setup setup;
	struct ptebatch_program program;
	bool child;
	struct seq_buf why;
	char text[300];
	DECLARE_BITMAP(possible, ARRAY_SIZE(rows) * NR_PAIRS);
	DECLARE_BITMAP(tried, ARRAY_SIZE(rows) * NR_PAIRS);
};

static unsigned int choose_below(struct programs *programs, unsigned int limit)
{
	return prandom_u32_state(&programs->rnd) % limit;
}

static unsigned int pair_of(const struct memory_row *row, unsigned int first,
			    unsigned int second)
{
	return (row - rows) * NR_PAIRS + first * PTEBATCH_NR_STEPS + second;
}

/* Why a row cannot have the step, %NULL if it can. */
static const char *step_error(const struct memory_row *row, unsigned int kind)
{
	if (row->kept && (kind == PTEBATCH_STEP_HOLE || kind == PTEBATCH_STEP_TRUNCATE ||
			  kind == PTEBATCH_STEP_PAGEOUT || kind == PTEBATCH_STEP_RECLAIM ||
			  kind == PTEBATCH_STEP_POISONED_READ))
		return "the file has no storage but the page cache";
	return ptebatch_step_missing(kind) ?: ptebatch_step_error(kind, row->mapping);
}

/* There is one child: neither a second fork nor a second exit. */
static bool can_follow(unsigned int first, unsigned int second)
{
	return first != second ||
	       (first != PTEBATCH_STEP_FORK && first != PTEBATCH_STEP_EXIT);
}

static void list_pairs(struct programs *programs)
{
	const struct memory_row *row;
	unsigned int first, second;

	for (row = rows; row < rows + ARRAY_SIZE(rows); row++)
		for (first = 0; first < PTEBATCH_NR_STEPS; first++) {
			if (step_error(row, first))
				continue;
			for (second = 0; second < PTEBATCH_NR_STEPS; second++)
				if (!step_error(row, second) && can_follow(first, second))
					set_bit(pair_of(row, first, second), programs->possible);
		}
}

static void shuffle(struct programs *programs, u8 *kinds, unsigned int nr)
{
	for (; nr > 1; nr--) {
		unsigned int other = choose_below(programs, nr);

		swap(kinds[nr - 1], kinds[other]);
	}
}

/* Each kind that has successors left is open; the circuit is made from its end. */
static void make_circuit(struct programs *programs)
{
	struct circuit *circuit = &programs->circuit;
	unsigned int first, second, open = 0;

	for (first = 0; first < PTEBATCH_NR_STEPS; first++) {
		circuit->left[first] = 0;
		for (second = 0; second < PTEBATCH_NR_STEPS; second++)
			if (test_bit(pair_of(programs->row, first, second), programs->possible))
				circuit->next[first][circuit->left[first]++] = second;
		shuffle(programs, circuit->next[first], circuit->left[first]);
	}
	circuit->nr = 0;
	circuit->open[open++] = PTEBATCH_STEP_READ;
	while (open) {
		u8 kind = circuit->open[open - 1];

		if (circuit->left[kind])
			circuit->open[open++] = circuit->next[kind][--circuit->left[kind]];
		else
			circuit->kinds[circuit->nr++] = circuit->open[--open];
	}
	for (first = 0; first < circuit->nr / 2; first++)
		swap(circuit->kinds[first], circuit->kinds[circuit->nr - 1 - first]);
}

/* The number of steps of the program at @from: fork() and the exit of the child alternate. */
static unsigned int length_of(const struct circuit *circuit, unsigned int from)
{
	int last = -1;
	unsigned int nr;

	for (nr = 0; nr < circuit->length && from + nr < circuit->nr; nr++) {
		u8 kind = circuit->kinds[from + nr];

		if (kind != PTEBATCH_STEP_FORK && kind != PTEBATCH_STEP_EXIT)
			continue;
		if (kind == last)
			break;
		last = kind;
	}
	return nr;
}

/* Where program @number begins: with the last step of the one before. */
static unsigned int begin_of(const struct circuit *circuit, unsigned int number)
{
	unsigned int from = 0;

	while (number-- && from + 1 < circuit->nr)
		from += length_of(circuit, from) - 1;
	return from;
}

static void choose_length(struct circuit *circuit)
{
	circuit->length = circuit->nr / PROGRAMS + 1;
	while (begin_of(circuit, PROGRAMS) + 1 < circuit->nr && circuit->length < MOST_STEPS)
		circuit->length++;
}

static bool takes_range(unsigned int kind)
{
	return kind != PTEBATCH_STEP_FORK && kind != PTEBATCH_STEP_EXIT &&
	       kind != PTEBATCH_STEP_KSM && kind != PTEBATCH_STEP_KHUGEPAGED &&
	       kind != PTEBATCH_STEP_CLEAR_REFS && kind != PTEBATCH_STEP_MIGRATE &&
	       (!ptebatch_step_remaps(kind) || kind == PTEBATCH_STEP_RESIZE);
}

static void choose_range(struct programs *programs, struct ptebatch_step *step)
{
	unsigned int most = step->kind == PTEBATCH_STEP_PIN ? 1 :
			    ptebatch_step_accesses(step->kind) ? ACCESSED : programs->entries;

	if (!takes_range(step->kind))
		return;
	if (programs->entries <= most && !choose_below(programs, 3) &&
	    step->kind != PTEBATCH_STEP_RESIZE)
		return;
	step->from = choose_below(programs, programs->entries);
	if (step->kind == PTEBATCH_STEP_RESIZE)
		step->from = max(step->from, 1);
	most = min(most, programs->entries - step->from);
	step->to = step->from + 1 + (choose_below(programs, 3) ? choose_below(programs, most) : 0);
}

static void add_step(struct programs *programs, u8 kind)
{
	struct ptebatch_program *program = &programs->program;
	struct ptebatch_step *step = &program->steps[program->nr];

	*step = (struct ptebatch_step) { .kind = kind };
	choose_range(programs, step);
	if (kind == PTEBATCH_STEP_FORK)
		programs->child = true;
	else if (kind == PTEBATCH_STEP_EXIT || (programs->child && !choose_below(programs, 3)))
		step->child = !ptebatch_step_registers(kind);
	if (kind == PTEBATCH_STEP_EXIT)
		programs->child = false;
	if (program->nr++)
		set_bit(pair_of(programs->row, step[-1].kind, kind), programs->tried);
}

/* The child that is the first to exit must exist. */
static bool begins_with_child(const u8 *kinds, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && kinds[i] != PTEBATCH_STEP_FORK; i++)
		if (kinds[i] == PTEBATCH_STEP_EXIT)
			return true;
	return false;
}

/*
 * In random programs a large folio is rarely in the swap cache while one process maps it
 * and the other does not.
 */
static void end_with_poison(struct programs *programs)
{
	programs->program.steps[programs->program.nr++] = (struct ptebatch_step) {
		.kind = PTEBATCH_STEP_RECLAIM,
	};
	add_step(programs, PTEBATCH_STEP_THP_READ);
	add_step(programs, PTEBATCH_STEP_POISONED_READ);
}

static void add_steps(struct programs *programs, const u8 *kinds, unsigned int nr)
{
	bool poisons = false;
	unsigned int i;

	programs->program.nr = 0;
	programs->child = false;
	if (begins_with_child(kinds, nr))
		add_step(programs, PTEBATCH_STEP_FORK);
	for (i = 0; i < nr; i++) {
		if (ptebatch_step_needs_uffd(kinds[i]))
			programs->setup.uffd |= UFFD_WP;
		if (kinds[i] == PTEBATCH_STEP_SCAN)
			programs->setup.uffd |= UFFD_WP_ASYNC;
		/* It may lose the protection of memory that the move would have ended. */
		if ((kinds[i] == PTEBATCH_STEP_MOVE_FAILS ||
		     kinds[i] == PTEBATCH_STEP_UFFD_MOVE) && pgtable_supports_uffd())
			programs->setup.uffd |= UFFD_WP | NO_REMAP_EVENT;
		/* userfaultfd knows memory of file systems only for asynchronous protection. */
		if (ptebatch_step_registers(kinds[i]))
			programs->setup.uffd |= programs->row->mapping == PTEBATCH_PRIVATE_FILE ?
						UFFD_WP_ASYNC : UFFD_WP | NO_REMAP_EVENT;
		poisons |= kinds[i] == PTEBATCH_STEP_POISONED_READ;
		add_step(programs, kinds[i]);
	}
	if (poisons && programs->child)
		end_with_poison(programs);
}

static unsigned int count_entries(struct kunit *test, const char *picture)
{
	struct ptebatch_row *row = kunit_kzalloc(test, sizeof(*row), GFP_KERNEL);
	unsigned int nr;

	KUNIT_ASSERT_NOT_NULL(test, row);
	ptebatch_parse(test, row, picture);
	nr = row->nr;
	kunit_kfree(test, row);
	return nr;
}

static void set_row(struct programs *programs, const struct memory_row *row)
{
	programs->row = row;
	programs->entries = count_entries(programs->test, row->picture);
	programs->setup.mapping = row->mapping;
	programs->setup.picture = row->picture;
}

static const unsigned int registrations[] = {
	0, 0, UFFD_WP, UFFD_WP | NO_REMAP_EVENT, UFFD_WP_ASYNC,
};

/* The program of a seed. Those of adjacent seeds are on different rows. */
static void generate(struct programs *programs, u64 seed)
{
	u32 row, number, from;
	u64 of_row = div_u64_rem(seed - 1, ARRAY_SIZE(rows), &row);
	u64 circuit = div_u64_rem(of_row, PROGRAMS, &number);

	programs->setup = (struct ptebatch_setup) {
		.prot = PROT_READ | PROT_WRITE,
		.folios = ON_LRU,
	};
	set_row(programs, &rows[row]);
	prandom_seed_state(&programs->rnd, circuit * ARRAY_SIZE(rows) + row);
	make_circuit(programs);
	choose_length(&programs->circuit);
	prandom_seed_state(&programs->rnd, seed);
	from = begin_of(&programs->circuit, number);
	/* One more than the circuit has: anywhere. */
	if (from + 1 >= programs->circuit.nr)
		from = choose_below(programs, programs->circuit.nr - 1);
	programs->setup.track = pgtable_supports_soft_dirty() && choose_below(programs, 2);
	programs->setup.uffd = registrations[choose_below(programs, ARRAY_SIZE(registrations))];
	if (!pgtable_supports_uffd())
		programs->setup.uffd = 0;
	add_steps(programs, &programs->circuit.kinds[from], length_of(&programs->circuit, from));
}

static bool fails(struct programs *programs, const struct ptebatch_program *program)
{
	return !ptebatch_program_error(program, programs->entries) &&
	       !ptebatch_program_passes(programs->test, &programs->setup, program,
					&programs->why);
}

/* Leave steps out, halves first, then single ones. */
static void drop_steps(struct programs *programs)
{
	struct ptebatch_program *program = &programs->program;
	unsigned int chunk, at;

	for (chunk = program->nr / 2; chunk; chunk /= 2) {
		for (at = program->nr; at-- > 0;) {
			struct ptebatch_program shorter = *program;
			unsigned int nr = min(chunk, program->nr - at);

			shorter.nr -= nr;
			memmove(&shorter.steps[at], &program->steps[at + nr],
				(shorter.nr - at) * sizeof(shorter.steps[0]));
			if (fails(programs, &shorter))
				*program = shorter;
			at = min(at, program->nr);
		}
	}
}

/* Then take the whole row, or one entry, for each step. */
static void simplify_ranges(struct programs *programs)
{
	struct ptebatch_program *program = &programs->program;
	unsigned int i;

	for (i = 0; i < program->nr; i++) {
		struct ptebatch_program simpler = *program;
		struct ptebatch_step *step = &simpler.steps[i];

		if (!step->to)
			continue;
		step->from = 0;
		step->to = 0;
		if (fails(programs, &simpler)) {
			*program = simpler;
			continue;
		}
		step->from = program->steps[i].from;
		step->to = step->from + 1;
		if (fails(programs, &simpler))
			*program = simpler;
	}
}

/* At last, folios of a lower order. */
static void simplify_row(struct programs *programs)
{
	const struct memory_row *failed = programs->row, *row;

	for (row = rows; row < failed; row++) {
		if (row->mapping != failed->mapping)
			continue;
		set_row(programs, row);
		if (fails(programs, &programs->program))
			return;
	}
	set_row(programs, failed);
}

static void report_program(struct programs *programs, u64 seed)
{
	struct kunit *test = programs->test;

	drop_steps(programs);
	simplify_ranges(programs);
	simplify_row(programs);
	KUNIT_FAIL(test, "a randomly generated program fails: %s%s%s", programs->row->name,
		   programs->setup.track ? ", soft-dirty tracked" : "",
		   programs->setup.uffd & WP_ASYNC ? ", uffd-wp ended by writes" :
		   programs->setup.uffd & NO_REMAP_EVENT ? ", uffd-wp without events" :
		   programs->setup.uffd ? ", uffd-wp" : "");
	kunit_err(test, "random failed seed=%llu\n", seed);
	ptebatch_program_report(test, &programs->setup, &programs->program, &programs->why);
}

/* For each kind: whether a program has had it as the step after @first. */
static void print_pairs(struct programs *programs, const struct memory_row *row,
			const struct ptebatch_step *first)
{
	char tried[PTEBATCH_NR_STEPS + 1] = "", text[48];
	const char *error = step_error(row, first->kind);
	struct kunit *test = programs->test;
	struct seq_buf name;
	unsigned int second;

	for (second = 0; second < PTEBATCH_NR_STEPS; second++) {
		unsigned int pair = pair_of(row, first->kind, second);

		tried[second] = !test_bit(pair, programs->possible) ? '.' :
				test_bit(pair, programs->tried) ? '+' : '-';
	}
	seq_buf_init(&name, text, sizeof(text));
	ptebatch_step_print(&name, first);
	kunit_info(test, "pairs tried=%s after=%s, %s\n", tried, seq_buf_str(&name), row->name);
	if (error)
		kunit_info(test, "pairs impossible=%s, %s: %s\n", seq_buf_str(&name), row->name,
			   error);
}

static void print_matrix(struct programs *programs)
{
	const struct memory_row *row;
	struct ptebatch_step first = {};

	for (row = rows; row < rows + ARRAY_SIZE(rows); row++)
		for (first.kind = 0; first.kind < PTEBATCH_NR_STEPS; first.kind++)
			print_pairs(programs, row, &first);
}

/**
 * ptebatch_programs_random() - test randomly generated programs
 * @test: the case; fails at the first program that fails, which is the last
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 */
void ptebatch_programs_random(struct kunit *test)
{
	struct programs *programs;
	unsigned int i, nr;
	u64 first = ptebatch_random_begin(test, &nr);

	programs = kunit_kzalloc(test, sizeof(*programs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, programs);
	programs->test = test;
	seq_buf_init(&programs->why, programs->text, sizeof(programs->text));
	list_pairs(programs);
	for (i = 0; i < nr; i++) {
		if (!ptebatch_in_part(i))
			continue;
		generate(programs, first + i);
		/* One that ends in a hang or a crash is printed first. */
		if (nr == 1)
			ptebatch_program_log(test, &programs->setup, &programs->program);
		if (!fails(programs, &programs->program))
			continue;
		report_program(programs, first + i);
		return;
	}
	if (nr >= PROGRAMS * ARRAY_SIZE(rows))
		print_matrix(programs);
	kunit_info(test, "pairs of steps tried=%u total=%u\n",
		   bitmap_weight(programs->tried, ARRAY_SIZE(rows) * NR_PAIRS),
		   bitmap_weight(programs->possible, ARRAY_SIZE(rows) * NR_PAIRS));
}
