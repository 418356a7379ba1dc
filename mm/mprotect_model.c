// SPDX-License-Identifier: GPL-2.0
/*
 * change_protection() on all states of two or three adjacent entries. A batch
 * ends where entries differ, so each pair of states is tested side by side,
 * alone and with one of the states doubled, in all places where a batch may also
 * end for another reason. The twin must match the model exactly; the kernel may
 * also spread accessed and dirty as rule 1 permits.
 */
#include <kunit/test.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/userfaultfd_k.h>

#include "../lib/arch/arch.h"
#include "../lib/check/states.h"
#include "../lib/op/protect.h"
#include "../lib/run/params.h"
#include "../lib/run/window.h"
#include "../lib/service/service.h"

/* Without EXHAUSTIVE=1, one combination in SAMPLE is tested. */
#define SAMPLE	1801

/* With exhaustive, one combination in TIMED is timed. */
#define TIMED	61

static const struct memory {
	const char *name;
	enum ptebatch_mapping mapping;
	const char *picture;
	bool anonymous;
} memories[] = {
	{ "anonymous", PTEBATCH_ANON,
	  "@-24 {Rdyx*16} +{Rdyx*16} {Rdyx*8 ; Rdyx*8}", .anonymous = true },
	{ "shmem", PTEBATCH_SHMEM,
	  "@-24 {Rdy*16} +{Rdy*16} {Rdy*8 ; Rdy*8}" },
	{ "private file", PTEBATCH_PRIVATE_FILE,
	  "@-24 {Rdy*16} +{Rdy*16} {Rdy*8 ; Rdy*8}" },
	{ "private file, COW copies", PTEBATCH_PRIVATE_FILE,
	  "@-24 {Rdyx*16} +{Rdyx*16} {Rdyx*8 ; Rdyx*8}", .anonymous = true },
};

static const struct place {
	const char *name;
	unsigned int at;
} places[] = {
	{ "inside a folio", 4 },
	{ "physically adjacent folio after 2 entries", 14 },
	{ "physically adjacent folio after 1 entry", 15 },
	{ "page table ends after 2 entries", 22 },
	{ "page table ends after 1 entry", 23 },
	{ "folio ends after 2 entries", 30 },
	{ "folio ends after 1 entry", 31 },
	{ "VMA ends after 2 entries", 38 },
};

/*
 * A letter per entry of the window: equal letters are equal states. UML has few
 * states, so combinations of three states are feasible there.
 */
static const struct pattern {
	const char *letters;
	unsigned int nr, nr_states;
} patterns[] = {
	{ "ab", 2, 2 },
	{ "aab", 3, 2 },
	{ "aba", 3, 2 },
	{ "abb", 3, 2 },
#if PTEBATCH_NATIVE
	{ "abc", 3, 3 },
#endif
};

/* By protection: number of combinations, and number of combinations tested. */
static u64 total[PTEBATCH_NR_PROTECTIONS], tried[PTEBATCH_NR_PROTECTIONS];

/* Time spent on the timed combinations, in ns. */
static struct {
	u64 set_up, call, check;
} spent;

/**
 * struct model_param - a case: a protection of memory at a place
 * @op: one of ptebatch_protections
 * @memory: the memory that the window maps
 * @place: position of the window in folios, page tables and VMAs
 */
struct model_param {
	const struct ptebatch_op *op;
	const struct memory *memory;
	const struct place *place;
};

#define NR_PARAMS \
	(PTEBATCH_NR_PROTECTIONS * ARRAY_SIZE(memories) * ARRAY_SIZE(places))

static bool fill_param(unsigned int i, void *param)
{
	*(struct model_param *)param = (struct model_param) {
		.op = &ptebatch_protections[i / ARRAY_SIZE(places) /
					    ARRAY_SIZE(memories)],
		.memory = &memories[i / ARRAY_SIZE(places) % ARRAY_SIZE(memories)],
		.place = &places[i % ARRAY_SIZE(places)],
	};
	return true;
}

static void describe_param(struct kunit *test, const void *data, char *desc)
{
	const struct model_param *param = data;

	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s, %s", param->op->name,
		 param->memory->name, param->place->name);
}

static int mprotect_model_params(struct kunit *test)
{
	return ptebatch_params(test, NR_PARAMS, sizeof(struct model_param),
			       fill_param, describe_param);
}

/* Soft-dirty tracking and userfaultfd registration of a VMA. */
struct vma_kind {
	bool track;
	unsigned int uffd;
};

#define VMA_KINDS_MAX	6

/* Store the kinds of VMAs that @op applies to; return their number. */
static unsigned int vma_kinds(const struct ptebatch_op *op,
			      struct vma_kind *kinds)
{
	unsigned int track, nr = 0;

	for (track = 0; track <= pgtable_supports_soft_dirty(); track++) {
		if (!op->uffd_wp && !op->uffd_rwp)
			kinds[nr++] = (struct vma_kind) { track };
		if (!op->uffd_rwp && pgtable_supports_uffd())
			kinds[nr++] = (struct vma_kind) { track, UFFD_WP };
		if (!op->uffd_wp && pgtable_supports_uffd() &&
		    VM_UFFD_RWP != VM_NONE)
			kinds[nr++] = (struct vma_kind) { track, UFFD_RWP };
	}
	return nr;
}

static void vma_setup(struct ptebatch_setup *setup, const struct memory *memory,
		      struct vma_kind kind)
{
	*setup = (struct ptebatch_setup) {
		.picture = memory->picture,
		.mapping = memory->mapping,
		.prot = PROT_READ,
		.track = kind.track,
		.vma = IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL) ? VM_MIXEDMAP : 0,
		.uffd = kind.uffd,
	};
}

static struct ptebatch_call call_of(const struct ptebatch_op *op,
				    const struct memory *memory,
				    struct vma_kind kind)
{
	struct ptebatch_setup setup;
	struct ptebatch_call call;

	vma_setup(&setup, memory, kind);
	call = ptebatch_op_call(op, &setup);
	call.anonymous = memory->anonymous;
	return call;
}

/* The number of ranges in the entries of a pattern. */
static unsigned int nr_ranges(const struct pattern *pattern)
{
	return pattern->nr * (pattern->nr + 1) / 2;
}

/* The number of combinations of @nr_states states. */
static u64 combinations(unsigned int nr_states)
{
	u64 count = 0;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		u64 nr_of_pattern = nr_ranges(&patterns[i]);

		for (j = 0; j < patterns[i].nr_states; j++)
			nr_of_pattern *= nr_states;
		count += nr_of_pattern;
	}
	return count;
}

/**
 * struct round - the combinations of one VMA
 * @test: the case
 * @op: the operation
 * @window: the window that the combinations are written to
 * @states: all states of an entry of the VMA
 * @ran: number of combinations tested
 * @left: number of combinations to skip before the next one of the sample
 * @lap: last reading of the clock, in ns; 0 if this combination is not timed
 */
struct round {
	struct kunit *test;
	const struct ptebatch_op *op;
	struct ptebatch_window *window;
	struct ptebatch_states states;
	u64 ran;
	unsigned int left;
	u64 lap;
};

/* Reading the clock for each combination would slow down exhaustive runs. */
static void start_lap(struct round *round)
{
	round->lap = ptebatch_exhaustive && round->ran % TIMED ? 0 : ktime_get_ns();
}

static void end_lap(struct round *round, u64 *spent_on)
{
	u64 now;

	if (likely(!round->lap))
		return;
	now = ktime_get_ns();
	*spent_on += now - round->lap;
	round->lap = now;
}

static bool try_one(struct round *round, bool twin)
{
	bool good;

	ptebatch_window_set(round->window);
	end_lap(round, &spent.set_up);
	ptebatch_window_call(round->window, round->op, twin);
	end_lap(round, &spent.call);
	good = ptebatch_window_check(round->window, round->op);
	end_lap(round, &spent.check);
	return good;
}

/* Run the kernel and the twin on the row of the window; check both. */
static bool try_both(struct round *round)
{
	start_lap(round);
	return try_one(round, false) && try_one(round, true);
}

/* Entry @i of the window as the row of its space draws it. */
static const struct ptebatch_entry *drawn_entry(const struct round *round,
						unsigned int i)
{
	const struct ptebatch_window *window = round->window;

	return &window->space->row.entries[window->at + i];
}

/* Test each range in the first @nr entries. */
static bool try_ranges(struct round *round, unsigned int nr)
{
	struct ptebatch_row *row = round->window->row;

	for (row->from = 0; row->from < nr; row->from++) {
		for (row->to = row->from + 1; row->to <= nr; row->to++) {
			if (round->left) {
				round->left--;
				continue;
			}
			round->left = ptebatch_exhaustive ? 0 : SAMPLE - 1;
			round->ran++;
			if (!try_both(round))
				return false;
			cond_resched();
		}
	}
	return true;
}

static bool try_states(struct round *round, const struct pattern *pattern,
		       const unsigned int *chosen)
{
	const struct ptebatch_states *states = &round->states;
	unsigned int i;

	/* Most are not in the sample: do not draw these. */
	if (round->left >= nr_ranges(pattern)) {
		round->left -= nr_ranges(pattern);
		return true;
	}
	for (i = 0; i < pattern->nr; i++)
		ptebatch_window_state(round->window, i,
				      &states->state[chosen[pattern->letters[i] - 'a']]);
	if (i < PTEBATCH_WINDOW_ENTRIES)
		round->window->row->entries[i] = *drawn_entry(round, i);
	return try_ranges(round, pattern->nr);
}

/* Advance @chosen, a number of @nr_states digits; false after the last. */
static bool next_states(const struct round *round, unsigned int nr_states,
			unsigned int *chosen)
{
	unsigned int i;

	for (i = 0; i < nr_states; i++) {
		if (++chosen[i] < round->states.nr)
			return true;
		chosen[i] = 0;
	}
	return false;
}

static bool try_pattern(struct round *round, const struct pattern *pattern)
{
	unsigned int chosen[PTEBATCH_WINDOW_ENTRIES] = {};

	do {
		if (!try_states(round, pattern, chosen))
			return false;
	} while (next_states(round, pattern->nr_states, chosen));
	return true;
}

static struct round *make_round(struct kunit *test, const struct ptebatch_op *op,
				const struct memory *memory, unsigned int at,
				struct vma_kind kind)
{
	struct ptebatch_call call = call_of(op, memory, kind);
	struct ptebatch_setup setup;
	struct round *round;

	round = kunit_kzalloc(test, sizeof(*round), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, round);
	vma_setup(&setup, memory, kind);
	round->test = test;
	round->op = op;
	round->window = ptebatch_window(ptebatch_space(test, &setup), at, &call);
	ptebatch_states(&round->states, &call);
	return round;
}

static void run_round(struct kunit *test, const struct model_param *param,
		      struct vma_kind kind)
{
	struct round *round = make_round(test, param->op, param->memory,
					 param->place->at, kind);
	struct mm_struct *mm = round->window->place.mm;
	u64 expected = combinations(round->states.nr);
	unsigned int i;

	mmap_write_lock(mm);
	ptebatch_protect_vma(mm, round->window->place.start, param->op->prot);
	mmap_write_unlock(mm);
	for (i = 0; i < ARRAY_SIZE(patterns); i++)
		if (!try_pattern(round, &patterns[i]))
			break;

	tried[param->op - ptebatch_protections] += round->ran;
	if (i < ARRAY_SIZE(patterns))
		return;
	KUNIT_EXPECT_EQ(test, round->ran,
			ptebatch_exhaustive ? expected : DIV_ROUND_UP_ULL(expected, SAMPLE));
}

static u64 sum(const u64 *counts)
{
	u64 all = 0;
	unsigned int i;

	for (i = 0; i < PTEBATCH_NR_PROTECTIONS; i++)
		all += counts[i];
	return all;
}

static void mprotect_model(struct kunit *test)
{
	const struct model_param *param = test->param_value;
	const char *missing = ptebatch_op_missing(param->op);
	struct vma_kind kinds[VMA_KINDS_MAX];
	unsigned int i, nr, turn;

	if (missing)
		kunit_skip(test, "%s", missing);
	nr = vma_kinds(param->op, kinds);
	/* A sample tests one kind of VMA in each case, another in each memory. */
	turn = test->param_index % ARRAY_SIZE(places) +
	       test->param_index / ARRAY_SIZE(places);
	for (i = 0; i < nr; i++)
		if (ptebatch_exhaustive || i == turn % nr)
			run_round(test, param, kinds[i]);
	/* The host reports this line if the run times out. */
	if (ptebatch_exhaustive)
		kunit_info(test, "combinations tried=%llu total=%llu\n",
			   sum(tried), sum(total));
}

/*
 * List the states that an entry can have, and the reasons that rule the rest
 * out. Each state reads back from a page table as it was written.
 */

KUNIT_ARRAY_PARAM_DESC(memories, memories, name);

/* Size that fits in a line of the kernel log, in bytes. */
#define LINE_SIZE	800

/* Print one line for each reason. */
static void list_ruled_out(struct kunit *test,
			   const struct ptebatch_states *states)
{
	struct seq_buf line;
	unsigned int i, j;
	char *text;

	text = kunit_kzalloc(test, LINE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	for (i = 0; i < states->nr_ruled_out; i++) {
		const char *reason = states->reason[i];

		for (j = 0; states->reason[j] != reason; j++)
			;
		if (j < i)
			continue;
		seq_buf_init(&line, text, LINE_SIZE);
		for (; j < states->nr_ruled_out; j++) {
			if (states->reason[j] != reason)
				continue;
			ptebatch_entry_print(&line, &states->ruled_out[j]);
			seq_buf_putc(&line, ' ');
		}
		KUNIT_EXPECT_FALSE(test, seq_buf_has_overflowed(&line));
		kunit_info(test, "%s: %s\n", reason, seq_buf_str(&line));
	}
	kunit_kfree(test, text);
}

/* Check that each state reads back from the page table as it was written. */
static void check_read_back(struct kunit *test, struct round *round)
{
	const struct ptebatch_entry *got = round->window->trial->after.row.entries;
	struct ptebatch_row *row = round->window->row;
	struct ptebatch_entry entry;
	unsigned int i;

	for (i = 0; i < round->states.nr; i++) {
		ptebatch_window_state(round->window, 0, &round->states.state[i]);
		ptebatch_window_set(round->window);
		ptebatch_window_get(round->window);
		entry = *got;
		/* contpte reports accessed and dirty of the whole block. */
		entry.flags &= ~ptebatch_model_block(row, 0) |
			       row->entries[0].flags;
		if (!memcmp(&entry, row->entries, sizeof(entry)))
			continue;
		ptebatch_trial_print(round->window->trial,
				     "state read from the page table differs from the state written");
	}
}

static void states_of_kind(struct kunit *test, const struct memory *memory,
			   struct vma_kind kind)
{
	struct round *round =
		make_round(test, &ptebatch_protections[PTEBATCH_TO_WRITABLE],
			   memory, places[0].at, kind);

	kunit_info(test, "%u states, %u ruled out%s%s\n", round->states.nr,
		   round->states.nr_ruled_out,
		   kind.track ? ", soft-dirty tracked" : "",
		   kind.uffd & UFFD_WP ? ", uffd-wp" :
		   kind.uffd & UFFD_RWP ? ", uffd-rwp" : "");
	list_ruled_out(test, &round->states);
	check_read_back(test, round);
}

static void mprotect_states(struct kunit *test)
{
	struct vma_kind kinds[VMA_KINDS_MAX];
	unsigned int i, nr;

	nr = vma_kinds(&ptebatch_protections[PTEBATCH_TO_WRITABLE], kinds);
	for (i = 0; i < nr; i++)
		states_of_kind(test, test->param_value, kinds[i]);
}

/* Count the combinations of all cases before the first case runs. */
static int model_begin(struct kunit_suite *suite)
{
	struct ptebatch_states *states = kmalloc_obj(*states);
	struct vma_kind kinds[VMA_KINDS_MAX];
	struct model_param param;
	unsigned int nr, i;

	if (!states)
		return -ENOMEM;
	memset(total, 0, sizeof(total));
	memset(tried, 0, sizeof(tried));
	memset(&spent, 0, sizeof(spent));
	for (nr = 0; nr < NR_PARAMS && fill_param(nr, &param); nr++) {
		if (ptebatch_op_missing(param.op))
			continue;
		/* ptebatch_space() skips these cases. */
		if (param.memory->mapping != PTEBATCH_ANON &&
		    !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
			continue;
		for (i = vma_kinds(param.op, kinds); i--;) {
			struct ptebatch_call call =
				call_of(param.op, param.memory, kinds[i]);

			ptebatch_states(states, &call);
			total[param.op - ptebatch_protections] +=
				combinations(states->nr);
		}
	}
	kfree(states);
	return 0;
}

static void model_end(struct kunit_suite *suite)
{
	u64 all = spent.set_up + spent.call + spent.check;
	unsigned int i;

	for (i = 0; i < PTEBATCH_NR_PROTECTIONS; i++)
		if (total[i])
			kunit_info(suite, "combinations tried=%llu total=%llu op=%s\n",
				   tried[i], total[i],
				   ptebatch_protections[i].name);
	if (all)
		kunit_info(suite, "time set-up=%llu call=%llu check=%llu\n",
			   div64_u64(100 * spent.set_up, all),
			   div64_u64(100 * spent.call, all),
			   div64_u64(100 * spent.check, all));
}

static struct kunit_case model_cases[] = {
	KUNIT_CASE_PARAM(mprotect_states, memories_gen_params),
	PTEBATCH_CASE_PARAMS(mprotect_model),
	{}
};

PTEBATCH_SUITE(mprotect_model, model_cases, { model_begin, model_end });
