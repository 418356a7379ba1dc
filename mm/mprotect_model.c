// SPDX-License-Identifier: GPL-2.0
/*
 * change_protection() on all that two or three adjacent entries can be. Batches
 * end where entries differ, so every pair of states is tried next to each
 * other, alone and with one of them doubled, in each place where a batch may
 * end for another reason, too. The model says what may come out; the twin is
 * held to it to the letter, the kernel with what rule 1 lets batches blur.
 */
#include "../lib/tlb.h"

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

#include "../lib/arch.h"
#include "../lib/flush.h"
#include "../lib/model.h"
#include "../lib/protect.h"
#include "../lib/states.h"
#include "../lib/twin.h"
#include "../lib/window.h"

/* Everything, or one combination in so many. */
static bool exhaustive;
module_param(exhaustive, bool, 0444);
MODULE_PARM_DESC(exhaustive, "try every combination, not a sample");

#define SAMPLE	1009

/* One in so many is timed. */
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
	{ "copies of a file", PTEBATCH_PRIVATE_FILE,
	  "@-24 {Rdyx*16} +{Rdyx*16} {Rdyx*16}", true },
};

/* By the pictures above; at VMA_ENDS the VMA is split, and ranges end there. */
#define VMA_ENDS	40

static const struct place {
	const char *name;
	unsigned int at;
} places[] = {
	{ "inside a folio", 4 },
	{ "before the next frame of another folio", 14 },
	{ "behind the last frame of another folio", 15 },
	{ "before the edge of a page table", 22 },
	{ "behind the edge of a page table", 23 },
	{ "before another folio", 30 },
	{ "behind another folio", 31 },
	{ "at the end of a VMA", VMA_ENDS - 2 },
};

/*
 * Which of so many states each entry of the window has. UML has few states, and
 * tries three of them, too.
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

/* Of each protection, how many combinations there are and how many were tried. */
static u64 there_are[PTEBATCH_NR_PROTECTIONS], tried[PTEBATCH_NR_PROTECTIONS];

/* What the time went to, of the combinations that were timed, in ns. */
static struct {
	u64 set_up, call, check;
} spent;

/**
 * struct model_param - a case: what is done, and where
 * @protection: what is done
 * @memory: to what
 * @place: where in its folios, page tables and VMAs
 */
struct model_param {
	enum ptebatch_protection_id protection;
	const struct memory *memory;
	const struct place *place;
};

/* Case number @nr; false after the last. */
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

/* What is registered for a VMA. */
struct vma_kind {
	bool track, uffd_wp, uffd_rwp;
};

#define VMA_KINDS_MAX	6

/* Of all kinds of VMAs, those that this can be done to; how many. */
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

/* Where ranges end, in entries of the window. */
static unsigned int limit_of(const struct place *place)
{
	return min(PTEBATCH_WINDOW_ENTRIES, VMA_ENDS - place->at);
}

/* How many combinations there must be of so many states. */
static u64 combinations(unsigned int nr_states, unsigned int limit)
{
	u64 count = 0;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		unsigned int nr = min(patterns[i].nr, limit);
		u64 here = nr * (nr + 1) / 2;

		for (j = 0; j < patterns[i].nr_states; j++)
			here *= nr_states;
		count += here;
	}
	return count;
}

/**
 * struct round - the combinations of one VMA
 * @test: the case
 * @protection: what is done
 * @call: the same for the model
 * @window: where
 * @vma: that VMA
 * @limit: where ranges end, in entries of the window
 * @flush: what is flushed there
 * @states: all states there
 * @ran: how many combinations have been tried
 * @left: how many to pass over until the next one of a sample
 * @lap: when the stopwatch was last read, in ns; 0: it is not running
 * @text: for what is wrong with a contpte block
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

/* Reading the clock takes time, too: only of few combinations. */
static void start_watch(struct round *round)
{
	round->lap = exhaustive && round->ran % TIMED ? 0 : ktime_get_ns();
}

static void lap(struct round *round, u64 *what)
{
	u64 now;

	if (likely(!round->lap))
		return;
	now = ktime_get_ns();
	*what += now - round->lap;
	round->lap = now;
}

/* What one of the two has done. */
struct outcome {
	struct ptebatch_entry entries[PTEBATCH_WINDOW_ENTRIES];
	unsigned long flushed;	/* a bit for each entry */
	long pages;
	bool blocks_agree;
};

/* The raw entries are gone by the time that all else is judged. */
static bool blocks_agree(struct round *round)
{
	struct seq_buf out;

	seq_buf_init(&out, round->text, sizeof(round->text));
	if (ptebatch_window_blocks_agree(round->window, &out))
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
	lap(round, &spent.set_up);
	tlb_gather_mmu(&tlb, round->vma->vm_mm);
	outcome->pages =
		change_protection(&tlb, round->vma,
				  ptebatch_window_addr(window, window->row.from),
				  ptebatch_window_addr(window, window->row.to),
				  round->protection->cp_flags);
	tlb_finish_mmu(&tlb);
	lap(round, &spent.call);
	outcome->flushed = round->flush.flushed[0];
	ptebatch_window_get(window, outcome->entries);
	outcome->blocks_agree = blocks_agree(round);
	lap(round, &spent.check);
}

static const char *wrong_entry(struct round *round,
			       const struct outcome *outcome, unsigned int i,
			       bool batched)
{
	const struct ptebatch_row *row = &round->window->row;
	const struct ptebatch_entry *was = &row->entries[i];
	const struct ptebatch_entry *is = &outcome->entries[i];
	u8 spread = PTEBATCH_COMES_YOUNG | ptebatch_model_block(row, i);

	if (i < row->from || i >= row->to) {
		struct ptebatch_entry same = *is;

		same.flags &= ~ptebatch_model_block(row, i) | was->flags;
		return memcmp(was, &same, sizeof(same)) ?
		       "changed outside the range" : NULL;
	}
	if (batched)
		spread |= ptebatch_model_spread(row, i);
	if (!ptebatch_model_allows(&round->call, was, spread, is))
		return "not what the rules allow";
	/* UML flushes as it sets entries, and says so only in the end. */
	if (!IS_ENABLED(CONFIG_UML) && ptebatch_flush_needed(was, is) &&
	    !(outcome->flushed & BIT(i)))
		return "less permissive, and not flushed";
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

static bool judge(struct round *round, const char *who,
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
		wrong = "not counted as pages";
	if (!wrong && !outcome->blocks_agree)
		wrong = "rule 25 (contpte blocks)";
	if (likely(!wrong))
		return true;

	KUNIT_FAIL(test, "%s: %s%s%s", who, wrong,
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

/* The window's row is set: both do it, both are judged. */
static bool try_both(struct round *round)
{
	struct outcome kernel, twin;
	bool good;

	start_watch(round);
	change(round, change_protection, &kernel);
	change(round, ptebatch_twin_change_protection, &twin);
	good = judge(round, "change_protection()", &kernel, true) &&
	       judge(round, "the twin", &twin, false);
	lap(round, &spent.check);
	return good;
}

/* What entry @i of the window was in its space. */
static const struct ptebatch_entry *home_entry(const struct round *round,
					       unsigned int i)
{
	const struct ptebatch_window *window = round->window;

	return &window->space->row.entries[window->at + i];
}

static void set_state(struct round *round, unsigned int i,
		      const struct ptebatch_entry *state)
{
	const struct ptebatch_entry *home = home_entry(round, i);
	struct ptebatch_entry *entry = &round->window->row.entries[i];

	*entry = *state;
	if (ptebatch_entry_has_page(entry)) {
		entry->folio = home->folio;
		entry->page = home->page;
	}
}

/* Every range in the first @nr entries. */
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
		round->window->row.entries[i] = *home_entry(round, i);
	return try_ranges(round, pattern->nr);
}

/* Count @chosen up, as a number of so many digits; false after the last. */
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
	struct ptebatch_place here;
	struct round *round;
	u64 expected;
	unsigned int i;

	round = kunit_kzalloc(test, sizeof(*round), GFP_KERNEL);
	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, round);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	vma_setup(setup, param->memory, kind);
	space = ptebatch_space(test, setup);
	here.mm = space->places[0].mm;
	KUNIT_ASSERT_EQ(test, 0,
			ptebatch_mprotect(here.mm,
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
	here.start = ptebatch_window_addr(round->window, 0);
	KUNIT_ASSERT_EQ(test, ptebatch_flush_begin(&round->flush, &here), 0);

	/* Two threads, as for ptebatch_change(). */
	mmget(here.mm);
	mmap_write_lock(here.mm);
	round->vma = ptebatch_protect_vma(here.mm, here.start,
					  protection->prot);
	for (i = 0; i < ARRAY_SIZE(patterns); i++)
		if (!try_pattern(round, &patterns[i]))
			break;
	mmap_write_unlock(here.mm);
	mmput(here.mm);
	ptebatch_flush_end(&round->flush);

	tried[param->protection] += round->ran;
	if (i < ARRAY_SIZE(patterns))
		return;
	KUNIT_EXPECT_EQ(test, round->ran,
			exhaustive ? expected : DIV_ROUND_UP_ULL(expected, SAMPLE));
}

static u64 sum(const u64 *of_each)
{
	u64 all = 0;
	unsigned int i;

	for (i = 0; i < PTEBATCH_NR_PROTECTIONS; i++)
		all += of_each[i];
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
	/* A sample takes them in turn. */
	for (i = 0; i < nr; i++)
		if (exhaustive || i == turn % nr)
			run_round(test, param, kinds[i]);
	turn++;
	/* Should this be the last that is heard of it. */
	if (exhaustive)
		kunit_info(test, "so far %llu of %llu combinations\n",
			   sum(tried), sum(there_are));
}

/*
 * Which states there are, and why others are not: each that there is can be put
 * into a page table and comes out as it was.
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

/* A line of the kernel's log has room for this much. */
#define LINE_SIZE	800

/* Those that share a reason share a line. */
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

/* Does each come out of the page table as it was put there? */
static void put_and_get(struct kunit *test, struct round *round)
{
	struct ptebatch_entry got[PTEBATCH_WINDOW_ENTRIES];
	struct ptebatch_row *row = &round->window->row;
	unsigned int i;

	for (i = 0; i < round->states.nr; i++) {
		set_state(round, 0, &round->states.state[i]);
		ptebatch_window_set(round->window, round->vma);
		ptebatch_window_get(round->window, got);
		/* Its neighbours in a contpte block may have given it theirs. */
		got->flags &= ~ptebatch_model_block(row, 0) |
			      row->entries[0].flags;
		if (!memcmp(got, row->entries, sizeof(*got)))
			continue;
		KUNIT_FAIL(test, "not as it was put into the page table");
		print_window(test, "put", row, NULL);
		row->entries[0] = *got;
		print_window(test, "got", row, NULL);
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
	put_and_get(test, round);
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

/* What there is to do is known before any of it is done. */
static int model_begin(struct kunit_suite *suite)
{
	struct ptebatch_states *states = kmalloc_obj(*states);
	struct vma_kind kinds[VMA_KINDS_MAX];
	struct model_param param;
	unsigned int nr, i;

	if (!states)
		return -ENOMEM;
	memset(there_are, 0, sizeof(there_are));
	memset(tried, 0, sizeof(tried));
	memset(&spent, 0, sizeof(spent));
	for (nr = 0; nth_param(nr, &param); nr++) {
		const struct ptebatch_protection *protection =
			&ptebatch_protections[param.protection];

		if (ptebatch_protection_missing(protection))
			continue;
		/* As ptebatch_space() will find. */
		if (param.memory->mapping != PTEBATCH_ANON &&
		    !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
			continue;
		for (i = vma_kinds(protection, kinds); i--;) {
			struct ptebatch_call call =
				call_of(protection, param.memory, kinds[i]);

			ptebatch_states(states, &call);
			there_are[param.protection] +=
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
		if (there_are[i])
			kunit_info(suite, "combinations %s: %llu of %llu\n",
				   ptebatch_protections[i].name, tried[i],
				   there_are[i]);
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
