// SPDX-License-Identifier: GPL-2.0
/*
 * change_protection() on all states of two or three adjacent entries. A batch
 * ends where entries differ, so each pair of states is tested side by side,
 * alone and with one of the states doubled, in all places where a batch may also
 * end for another reason. The twin must match the model exactly; the kernel may
 * also spread accessed and dirty as rule 1 permits.
 */
#include "../lib/arch/tlb.h"

#include <kunit/test.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/moduleparam.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

#include "../lib/arch/arch.h"
#include "../lib/check/flush.h"
#include "../lib/check/model.h"
#include "../lib/check/states.h"
#include "../lib/kernel/log.h"
#include "../lib/op/protect.h"
#include "../lib/run/window.h"
#include "../lib/space/space.h"
#include "../lib/twin/twin.h"

/* Test all combinations, or one in SAMPLE. */
static bool exhaustive;
module_param(exhaustive, bool, 0444);
MODULE_PARM_DESC(exhaustive, "try every combination, not a sample");

#define SAMPLE	1009

/* With exhaustive, one combination in TIMED is timed. */
#define TIMED	61

static const struct memory {
	const char *name;
	enum ptebatch_mapping mapping;
	const char *picture;
	bool anonymous;
} memories[] = {
	{ "anonymous", PTEBATCH_ANON,
	  "@-24 {Rdyx*16} +{Rdyx*16} {Rdyx*16}", true },
	{ "shmem", PTEBATCH_SHMEM, "@-24 {Rdy*16} +{Rdy*16} {Rdy*16}" },
	{ "private file", PTEBATCH_PRIVATE_FILE,
	  "@-24 {Rdy*16} +{Rdy*16} {Rdy*16}" },
	{ "private file, COW copies", PTEBATCH_PRIVATE_FILE,
	  "@-24 {Rdyx*16} +{Rdyx*16} {Rdyx*16}", true },
};

/* Entry of the pictures above at which the VMA is split; ranges end there. */
#define VMA_ENDS	40

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
	{ "VMA ends after 2 entries", VMA_ENDS - 2 },
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
#ifdef CONFIG_UML
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
 * @protection: the protection that change_protection() is called for
 * @memory: the memory that the window maps
 * @place: position of the window in folios, page tables and VMAs
 */
struct model_param {
	enum ptebatch_protection_id protection;
	const struct memory *memory;
	const struct place *place;
};

/* Fill in case number @nr; false after the last case. */
static bool nth_param(unsigned int nr, struct model_param *param)
{
	param->place = &places[nr % ARRAY_SIZE(places)];
	nr /= ARRAY_SIZE(places);
	param->memory = &memories[nr % ARRAY_SIZE(memories)];
	param->protection = nr / ARRAY_SIZE(memories);
	return param->protection < PTEBATCH_NR_PROTECTIONS;
}

static const void *model_gen_params(struct kunit *test, const void *prev,
				    char *desc)
{
	static struct model_param param;
	static unsigned int nr;

	nr = prev ? nr + 1 : 0;
	if (!nth_param(nr, &param))
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s, %s",
		 ptebatch_protections[param.protection].name,
		 param.memory->name, param.place->name);
	return &param;
}

/* Soft-dirty tracking and userfaultfd registration of a VMA. */
struct vma_kind {
	bool track, uffd_wp, uffd_rwp;
};

#define VMA_KINDS_MAX	6

/* Store the kinds of VMAs that @protection applies to; return their number. */
static unsigned int vma_kinds(const struct ptebatch_protection *protection,
			      struct vma_kind *kinds)
{
	unsigned int track, nr = 0;

	for (track = 0; track <= pgtable_supports_soft_dirty(); track++) {
		if (!protection->uffd_wp && !protection->uffd_rwp)
			kinds[nr++] = (struct vma_kind) { track };
		if (!protection->uffd_rwp && pgtable_supports_uffd())
			kinds[nr++] = (struct vma_kind) { track, true };
		if (!protection->uffd_wp && pgtable_supports_uffd() &&
		    VM_UFFD_RWP != VM_NONE)
			kinds[nr++] = (struct vma_kind) { track, false, true };
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
		.uffd_wp = kind.uffd_wp,
		.uffd_rwp = kind.uffd_rwp,
	};
}

static struct ptebatch_call
call_of(const struct ptebatch_protection *protection,
	const struct memory *memory, struct vma_kind kind)
{
	struct ptebatch_setup setup;
	struct ptebatch_call call;

	vma_setup(&setup, memory, kind);
	call = ptebatch_protection_call(protection, &setup);
	call.anonymous = memory->anonymous;
	return call;
}

/* The end of the largest range, in entries of the window. */
static unsigned int limit_of(const struct place *place)
{
	return min(PTEBATCH_WINDOW_ENTRIES, VMA_ENDS - place->at);
}

/* The number of combinations of @nr_states states. */
static u64 combinations(unsigned int nr_states, unsigned int limit)
{
	u64 count = 0;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		unsigned int nr = min(patterns[i].nr, limit);
		u64 nr_of_pattern = nr * (nr + 1) / 2;

		for (j = 0; j < patterns[i].nr_states; j++)
			nr_of_pattern *= nr_states;
		count += nr_of_pattern;
	}
	return count;
}

/**
 * struct round - the combinations of one VMA
 * @test: the case
 * @protection: the protection that change_protection() is called for
 * @call: the call of change_protection(), for the model
 * @window: the window that the combinations are written to
 * @vma: the VMA of the window
 * @limit: end of the largest range, in entries of the window
 * @flush: TLB invalidations of the window
 * @states: all states of an entry of the VMA
 * @ran: number of combinations tested
 * @left: number of combinations to skip before the next one of the sample
 * @lap: last reading of the clock, in ns; 0 if this combination is not timed
 * @text: buffer for the report on an inconsistent contpte block
 */
struct round {
	struct kunit *test;
	const struct ptebatch_protection *protection;
	struct ptebatch_call call;
	struct ptebatch_window *window;
	struct vm_area_struct *vma;
	unsigned int limit;
	struct ptebatch_flush flush;
	struct ptebatch_states states;
	u64 ran;
	unsigned int left;
	u64 lap;
	char text[SZ_8K];
};

/* Reading the clock for each combination would slow down exhaustive runs. */
static void start_lap(struct round *round)
{
	round->lap = exhaustive && round->ran % TIMED ? 0 : ktime_get_ns();
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

/* What change_protection() or its twin left and returned. */
struct outcome {
	struct ptebatch_entry entries[PTEBATCH_WINDOW_ENTRIES];
	unsigned long flushed;	/* a bit for each entry */
	long pages;
	bool blocks_consistent;
};

/* Called before the window is written again: the check reads the page table. */
static bool check_blocks(struct round *round)
{
	struct seq_buf out;

	seq_buf_init(&out, round->text, sizeof(round->text));
	if (ptebatch_window_blocks_consistent(round->window, &out))
		return true;
	ptebatch_print_lines(round->window->space->test, &out);
	return false;
}

static void change(struct round *round, ptebatch_change_t change_protection,
		   struct outcome *outcome)
{
	struct ptebatch_window *window = round->window;
	struct mmu_gather tlb;

	ptebatch_window_set(window, round->vma);
	round->flush.flushed[0] = 0;
	end_lap(round, &spent.set_up);
	tlb_gather_mmu(&tlb, round->vma->vm_mm);
	outcome->pages =
		change_protection(&tlb, round->vma,
				  ptebatch_window_addr(window, window->row.from),
				  ptebatch_window_addr(window, window->row.to),
				  round->protection->cp_flags);
	tlb_finish_mmu(&tlb);
	end_lap(round, &spent.call);
	outcome->flushed = round->flush.flushed[0];
	ptebatch_window_get(window, outcome->entries);
	outcome->blocks_consistent = check_blocks(round);
	end_lap(round, &spent.check);
}

static const char *wrong_entry(struct round *round,
			       const struct outcome *outcome, unsigned int i,
			       bool batched)
{
	const struct ptebatch_row *row = &round->window->row;
	const struct ptebatch_entry *was = &row->entries[i];
	const struct ptebatch_entry *is = &outcome->entries[i];
	u8 spread = PTEBATCH_PROT_YOUNG | ptebatch_model_block(row, i);

	if (i < row->from || i >= row->to) {
		struct ptebatch_entry entry = *is;

		entry.flags &= ~ptebatch_model_block(row, i) | was->flags;
		return memcmp(was, &entry, sizeof(entry)) ?
		       "rule 4 (neighbours): entry outside the range changed" :
		       NULL;
	}
	if (batched)
		spread |= ptebatch_model_spread(row, i);
	if (!ptebatch_model_allows(&round->call, was, spread, is))
		return "entry is not in a state that the model allows";
	/* On UML the flushed range is known only after ptebatch_flush_end(). */
	if (!IS_ENABLED(CONFIG_UML) && ptebatch_flush_needed(was, is) &&
	    !(outcome->flushed & BIT(i)))
		return "rule 8 (TLB): less permissive entry was not flushed";
	return NULL;
}

static void print_window(struct kunit *test, const char *what,
			 const struct ptebatch_row *row,
			 const unsigned long *differs)
{
	struct seq_buf out;
	char text[128];

	seq_buf_init(&out, text, sizeof(text));
	ptebatch_row_print(&out, row, differs);
	kunit_err(test, "%-9s%s\n", what, seq_buf_str(&out));
}

static bool check_outcome(struct round *round, const char *function,
			  const struct outcome *outcome, bool batched)
{
	struct ptebatch_row *row = &round->window->row;
	struct ptebatch_entry before[PTEBATCH_WINDOW_ENTRIES];
	struct kunit *test = round->test;
	const char *wrong = NULL;
	unsigned long differs = 0;
	unsigned int i;

	for (i = 0; i < PTEBATCH_WINDOW_ENTRIES; i++) {
		const char *why = wrong_entry(round, outcome, i, batched);

		if (!why)
			continue;
		wrong = wrong ?: why;
		__set_bit(i, &differs);
	}
	if (!wrong && !ptebatch_model_counts(&round->call, row, outcome->pages))
		wrong = "rule 9 (return value): not the number of changed pages";
	if (!wrong && !outcome->blocks_consistent)
		wrong = "rule 25 (contpte blocks): PTE_CONT or flags inconsistent";
	if (likely(!wrong))
		return true;

	KUNIT_FAIL(test, "%s: %s%s%s", function, wrong,
		   round->call.track ? ", soft-dirty tracked" : "",
		   round->call.uffd_wp ? ", uffd-wp" :
		   round->call.uffd_rwp ? ", uffd-rwp" : "");
	print_window(test, "before", row, &differs);
	memcpy(before, row->entries, sizeof(before));
	memcpy(row->entries, outcome->entries, sizeof(before));
	print_window(test, "after", row, &differs);
	memcpy(row->entries, before, sizeof(before));
	kunit_err(test, "returned %ld\n", outcome->pages);
	return false;
}

/* Run the kernel and the twin on the row of the window; check both. */
static bool try_both(struct round *round)
{
	struct outcome kernel, twin;
	bool good;

	start_lap(round);
	change(round, change_protection, &kernel);
	change(round, ptebatch_twin_change_protection, &twin);
	good = check_outcome(round, "change_protection()", &kernel, true) &&
	       check_outcome(round, "twin of change_protection()", &twin, false);
	end_lap(round, &spent.check);
	return good;
}

/* Entry @i of the window as the row of its space draws it. */
static const struct ptebatch_entry *drawn_entry(const struct round *round,
						unsigned int i)
{
	const struct ptebatch_window *window = round->window;

	return &window->space->row.entries[window->at + i];
}

static void set_state(struct round *round, unsigned int i,
		      const struct ptebatch_entry *state)
{
	const struct ptebatch_entry *drawn = drawn_entry(round, i);
	struct ptebatch_entry *entry = &round->window->row.entries[i];

	*entry = *state;
	if (ptebatch_entry_has_page(entry)) {
		entry->folio = drawn->folio;
		entry->page = drawn->page;
	}
}

/* Test each range in the first @nr entries. */
static bool try_ranges(struct round *round, unsigned int nr)
{
	struct ptebatch_row *row = &round->window->row;

	nr = min(nr, round->limit);
	for (row->from = 0; row->from < nr; row->from++) {
		for (row->to = row->from + 1; row->to <= nr; row->to++) {
			if (round->left) {
				round->left--;
				continue;
			}
			round->left = exhaustive ? 0 : SAMPLE - 1;
			round->ran++;
			if (!try_both(round))
				return false;
		}
	}
	return true;
}

static bool try_states(struct round *round, const struct pattern *pattern,
		       const unsigned int *chosen)
{
	const struct ptebatch_states *states = &round->states;
	unsigned int i;

	for (i = 0; i < pattern->nr; i++)
		set_state(round, i,
			  &states->state[chosen[pattern->letters[i] - 'a']]);
	if (i < PTEBATCH_WINDOW_ENTRIES)
		round->window->row.entries[i] = *drawn_entry(round, i);
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
		cond_resched();
	} while (next_states(round, pattern->nr_states, chosen));
	return true;
}

static void run_round(struct kunit *test, const struct model_param *param,
		      struct vma_kind kind)
{
	const struct ptebatch_protection *protection =
		&ptebatch_protections[param->protection];
	struct ptebatch_setup *setup;
	struct ptebatch_space *space;
	struct ptebatch_place place;
	struct round *round;
	u64 expected;
	unsigned int i;

	round = kunit_kzalloc(test, sizeof(*round), GFP_KERNEL);
	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, round);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	vma_setup(setup, param->memory, kind);
	space = ptebatch_space(test, setup);
	place.mm = space->places[0].mm;
	KUNIT_ASSERT_EQ(test, 0,
			ptebatch_mprotect(place.mm,
					  ptebatch_addr(space, VMA_ENDS),
					  ptebatch_addr(space, space->row.nr),
					  PROT_NONE));
	round->test = test;
	round->protection = protection;
	round->window = ptebatch_window(space, param->place->at);
	round->limit = limit_of(param->place);
	round->call = call_of(protection, param->memory, kind);
	ptebatch_states(&round->states, &round->call);
	expected = combinations(round->states.nr, round->limit);
	place.start = ptebatch_window_addr(round->window, 0);
	KUNIT_ASSERT_EQ(test, ptebatch_flush_begin(&round->flush, &place), 0);

	/* As in ptebatch_change(): a single-threaded mm gets no NUMA hints. */
	mmget(place.mm);
	mmap_write_lock(place.mm);
	round->vma = ptebatch_protect_vma(place.mm, place.start,
					  protection->prot);
	for (i = 0; i < ARRAY_SIZE(patterns); i++)
		if (!try_pattern(round, &patterns[i]))
			break;
	mmap_write_unlock(place.mm);
	mmput(place.mm);
	ptebatch_flush_end(&round->flush);

	tried[param->protection] += round->ran;
	if (i < ARRAY_SIZE(patterns))
		return;
	KUNIT_EXPECT_EQ(test, round->ran,
			exhaustive ? expected : DIV_ROUND_UP_ULL(expected, SAMPLE));
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
	const struct ptebatch_protection *protection =
		&ptebatch_protections[param->protection];
	const char *missing = ptebatch_protection_missing(protection);
	struct vma_kind kinds[VMA_KINDS_MAX];
	static unsigned int turn;
	unsigned int i, nr;

	if (missing)
		kunit_skip(test, "%s", missing);
	nr = vma_kinds(protection, kinds);
	/* A sample tests one kind of VMA in each case, in turn. */
	for (i = 0; i < nr; i++)
		if (exhaustive || i == turn % nr)
			run_round(test, param, kinds[i]);
	turn++;
	/* The host reports this line if the run times out. */
	if (exhaustive)
		kunit_info(test, "so far %llu of %llu combinations\n",
			   sum(tried), sum(total));
}

/*
 * List the states that an entry can have, and the reasons that rule the rest
 * out. Each state reads back from a page table as it was written.
 */

static const void *memory_gen_params(struct kunit *test, const void *prev,
				     char *desc)
{
	const struct memory *memory = prev ? prev + sizeof(*memory) : memories;

	if (memory == memories + ARRAY_SIZE(memories))
		return NULL;
	strscpy(desc, memory->name, KUNIT_PARAM_DESC_SIZE);
	return memory;
}

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
	struct ptebatch_entry got[PTEBATCH_WINDOW_ENTRIES];
	struct ptebatch_row *row = &round->window->row;
	unsigned int i;

	for (i = 0; i < round->states.nr; i++) {
		set_state(round, 0, &round->states.state[i]);
		ptebatch_window_set(round->window, round->vma);
		ptebatch_window_get(round->window, got);
		/* contpte reports accessed and dirty of the whole block. */
		got->flags &= ~ptebatch_model_block(row, 0) |
			      row->entries[0].flags;
		if (!memcmp(got, row->entries, sizeof(*got)))
			continue;
		KUNIT_FAIL(test, "state read from the page table differs from the state written");
		print_window(test, "written", row, NULL);
		row->entries[0] = *got;
		print_window(test, "read", row, NULL);
	}
}

static void states_of_kind(struct kunit *test, const struct memory *memory,
			   struct vma_kind kind)
{
	struct ptebatch_setup *setup;
	struct ptebatch_space *space;
	struct round *round;

	round = kunit_kzalloc(test, sizeof(*round), GFP_KERNEL);
	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, round);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	vma_setup(setup, memory, kind);
	space = ptebatch_space(test, setup);
	round->test = test;
	round->window = ptebatch_window(space, places[0].at);
	round->call = call_of(&ptebatch_protections[PTEBATCH_TO_WRITABLE],
			      memory, kind);
	ptebatch_states(&round->states, &round->call);
	kunit_info(test, "%u states, %u ruled out%s%s\n", round->states.nr,
		   round->states.nr_ruled_out,
		   kind.track ? ", soft-dirty tracked" : "",
		   kind.uffd_wp ? ", uffd-wp" : kind.uffd_rwp ? ", uffd-rwp" : "");
	list_ruled_out(test, &round->states);

	mmap_write_lock(space->places[0].mm);
	round->vma = vma_lookup(space->places[0].mm,
				ptebatch_window_addr(round->window, 0));
	check_read_back(test, round);
	mmap_write_unlock(space->places[0].mm);
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
	for (nr = 0; nth_param(nr, &param); nr++) {
		const struct ptebatch_protection *protection =
			&ptebatch_protections[param.protection];

		if (ptebatch_protection_missing(protection))
			continue;
		/* ptebatch_space() skips these cases. */
		if (param.memory->mapping != PTEBATCH_ANON &&
		    !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
			continue;
		for (i = vma_kinds(protection, kinds); i--;) {
			struct ptebatch_call call =
				call_of(protection, param.memory, kinds[i]);

			ptebatch_states(states, &call);
			total[param.protection] +=
				combinations(states->nr, limit_of(param.place));
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
			kunit_info(suite, "combinations %s: %llu of %llu\n",
				   ptebatch_protections[i].name, tried[i],
				   total[i]);
	if (all)
		kunit_info(suite, "time: set-up %llu %%, calls %llu %%, checks %llu %%\n",
			   div64_u64(100 * spent.set_up, all),
			   div64_u64(100 * spent.call, all),
			   div64_u64(100 * spent.check, all));
}

static struct kunit_case model_cases[] = {
	KUNIT_CASE_PARAM(mprotect_states, memory_gen_params),
	KUNIT_CASE_PARAM(mprotect_model, model_gen_params),
	{}
};

static struct kunit_suite model_suite = {
	.name = "ptebatch_mprotect_model",
	.suite_init = model_begin,
	.suite_exit = model_end,
	.test_cases = model_cases,
};

kunit_test_suite(model_suite);
