// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/mman.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/userfaultfd_k.h>

#include "../arch/arch.h"
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
 * @kept: the folios of the file must stay in memory: it has no other storage
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
	{ "anonymous, whole page table of order 2", PTEBATCH_ANON, "{Wdysx*4}*T/4" },
	{ "anonymous, order 2, holes", PTEBATCH_ANON, "{Wdysx*4}*4 -*T-16" },
	{ "shmem, order 0", PTEBATCH_SHMEM, "Wdys*8" },
	{ "shmem, order 4", PTEBATCH_SHMEM, "{Wdys*16}" },
	{ "private file, order 0", PTEBATCH_PRIVATE_FILE, "Rdys*8", true },
	{ "private file, order 4", PTEBATCH_PRIVATE_FILE, "{Rdys*16}", true },
};

#define NR_PAIRS	(PTEBATCH_NR_STEPS * PTEBATCH_NR_STEPS)

/* The default runs of so many seeds, one after the other, have all pairs. */
#define SHARES		10

/* Steps of a program, without the reads at the end. */
#define STEPS		12

/* A process accesses no more pages in one step. */
#define ACCESSED	16

/**
 * struct programs - generator of programs
 * @test: the case
 * @rnd: state of the random number generator
 * @share: the pairs to try first, by their number modulo SHARES
 * @row: the row of the next program
 * @entries: number of its entries
 * @setup: the address space of the next program
 * @program: the next program
 * @child: the child exists after its last step
 * @possible: bitmap of the pairs of steps that each row can have
 * @tried: bitmap of the pairs that have been tried
 */
struct programs {
	struct kunit *test;
	struct rnd_state rnd;
	unsigned int share;
	const struct memory_row *row;
	unsigned int entries;
	struct ptebatch_setup setup;
	struct ptebatch_program program;
	bool child;
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

/* Can the kernel do the step on a row? */
static bool can_step(const struct memory_row *row, unsigned int kind)
{
	if (ptebatch_step_missing(kind))
		return false;
	/* Nothing else makes ksmd run. */
	if (kind == PTEBATCH_STEP_KSM)
		return !ptebatch_shared(row->mapping);
	if (kind == PTEBATCH_STEP_HOLE)
		return row->mapping != PTEBATCH_ANON && !row->kept;
	return !(row->kept && (kind == PTEBATCH_STEP_PAGEOUT || kind == PTEBATCH_STEP_RECLAIM));
}

static bool needs_uffd(unsigned int kind)
{
	return kind == PTEBATCH_STEP_UFFD_PROTECT || kind == PTEBATCH_STEP_UFFD_RESOLVE;
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
		for (first = 0; first < PTEBATCH_NR_STEPS; first++)
			for (second = 0; second < PTEBATCH_NR_STEPS; second++)
				if (can_step(row, first) && can_step(row, second) &&
				    can_follow(first, second))
					set_bit(pair_of(row, first, second), programs->possible);
}

static bool is_new(const struct programs *programs, unsigned int pair)
{
	return test_bit(pair, programs->possible) && !test_bit(pair, programs->tried);
}

static bool is_new_in_share(const struct programs *programs, unsigned int pair)
{
	return is_new(programs, pair) && pair % SHARES == programs->share;
}

/* Is there a new pair of the share that begins with the step? */
static bool leads_to_new(const struct programs *programs, unsigned int kind)
{
	unsigned int next;

	for (next = 0; next < PTEBATCH_NR_STEPS; next++)
		if (is_new_in_share(programs, pair_of(programs->row, kind, next)))
			return true;
	return false;
}

static unsigned int score(struct programs *programs, int last, unsigned int kind)
{
	unsigned int points = choose_below(programs, 16);
	unsigned int pair;

	if (leads_to_new(programs, kind))
		points += 32;
	if (last < 0)
		return points;
	pair = pair_of(programs->row, last, kind);
	if (is_new(programs, pair))
		points += 16;
	if (is_new_in_share(programs, pair))
		points += 64;
	return points;
}

static unsigned int choose_kind(struct programs *programs, int last)
{
	unsigned int kind, points, most = 0, best = PTEBATCH_STEP_READ;

	for (kind = 0; kind < PTEBATCH_NR_STEPS; kind++) {
		if (!can_step(programs->row, kind) ||
		    (needs_uffd(kind) && !programs->setup.uffd) ||
		    (kind == PTEBATCH_STEP_FORK && programs->child) ||
		    (kind == PTEBATCH_STEP_EXIT && !programs->child))
			continue;
		points = score(programs, last, kind);
		if (points < most)
			continue;
		most = points;
		best = kind;
	}
	return best;
}

static bool takes_range(unsigned int kind)
{
	return kind != PTEBATCH_STEP_FORK && kind != PTEBATCH_STEP_EXIT &&
	       kind != PTEBATCH_STEP_KSM && kind != PTEBATCH_STEP_KHUGEPAGED &&
	       kind != PTEBATCH_STEP_CLEAR_REFS && kind != PTEBATCH_STEP_MOVE &&
	       kind != PTEBATCH_STEP_MIGRATE;
}

static void choose_range(struct programs *programs, struct ptebatch_step *step)
{
	unsigned int most = ptebatch_step_accesses(step->kind) ? ACCESSED : programs->entries;

	if (!takes_range(step->kind))
		return;
	if (programs->entries <= most && !choose_below(programs, 3))
		return;
	step->from = choose_below(programs, programs->entries);
	most = min(most, programs->entries - step->from);
	step->to = step->from + 1 + (choose_below(programs, 3) ? choose_below(programs, most) : 0);
}

static void add_step(struct programs *programs)
{
	struct ptebatch_program *program = &programs->program;
	int last = program->nr ? program->steps[program->nr - 1].kind : -1;
	struct ptebatch_step *step = &program->steps[program->nr++];

	*step = (struct ptebatch_step) { .kind = choose_kind(programs, last) };
	choose_range(programs, step);
	if (step->kind == PTEBATCH_STEP_FORK)
		programs->child = true;
	else if (step->kind == PTEBATCH_STEP_EXIT ||
		 (programs->child && !choose_below(programs, 3)))
		step->child = true;
	if (step->kind == PTEBATCH_STEP_EXIT)
		programs->child = false;
	if (last >= 0)
		set_bit(pair_of(programs->row, last, step->kind), programs->tried);
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

static void generate(struct programs *programs, u64 seed)
{
	prandom_seed_state(&programs->rnd, seed);
	programs->setup = (struct ptebatch_setup) {
		.prot = PROT_READ | PROT_WRITE,
		.folios = ON_LRU,
		.track = pgtable_supports_soft_dirty() && choose_below(programs, 2),
		.uffd = pgtable_supports_uffd() && choose_below(programs, 2) ? UFFD_WP : 0,
	};
	set_row(programs, &rows[seed % ARRAY_SIZE(rows)]);
	programs->program.nr = 0;
	programs->child = false;
	while (programs->program.nr < STEPS)
		add_step(programs);
}

static bool fails(struct programs *programs, const struct ptebatch_program *program)
{
	return !ptebatch_program_error(program, programs->entries) &&
	       !ptebatch_program_passes(programs->test, &programs->setup, program);
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
		   programs->setup.uffd ? ", uffd-wp" : "");
	kunit_err(test, "random failed seed=%llu\n", seed);
	ptebatch_program_report(test, &programs->setup, &programs->program);
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
	programs->share = div_u64(first, nr ?: 1) % SHARES;
	list_pairs(programs);
	for (i = 0; i < nr; i++) {
		if (!ptebatch_in_part(i))
			continue;
		generate(programs, first + i);
		if (!fails(programs, &programs->program))
			continue;
		report_program(programs, first + i);
		return;
	}
	kunit_info(test, "pairs of steps tried=%u total=%u\n",
		   bitmap_weight(programs->tried, ARRAY_SIZE(rows) * NR_PAIRS),
		   bitmap_weight(programs->possible, ARRAY_SIZE(rows) * NR_PAIRS));
}
