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
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/moduleparam.h>
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

#define RO	PROT_READ
#define RW	(PROT_READ | PROT_WRITE)

static const struct operation {
	const char *name;
	void (*model)(const struct ptebatch_call *call,
		      const struct ptebatch_entry *was,
		      struct ptebatch_allowed *allowed);
	unsigned long prot;		/* of the VMA meanwhile */
	unsigned long cp_flags;
	bool uffd_wp, uffd_rwp;		/* only with such a VMA */
} operations[] = {
	{ "to no access", ptebatch_model_protect, PROT_NONE },
	{ "to read-only", ptebatch_model_protect, RO },
	{ "to writable, with write faults", ptebatch_model_protect, RW },
	{ "to writable", ptebatch_model_protect, RW, MM_CP_TRY_CHANGE_WRITABLE },
	{ "uffd-wp protect", ptebatch_model_uffd_wp, RW, MM_CP_UFFD_WP,
	  .uffd_wp = true },
	{ "uffd-wp resolve", ptebatch_model_uffd_resolve, RW,
	  MM_CP_UFFD_WP_RESOLVE | MM_CP_TRY_CHANGE_WRITABLE, .uffd_wp = true },
	{ "uffd-rwp protect", ptebatch_model_uffd_rwp, RW, MM_CP_UFFD_RWP,
	  .uffd_rwp = true },
	{ "uffd-rwp resolve", ptebatch_model_uffd_resolve, RW,
	  MM_CP_UFFD_RWP_RESOLVE | MM_CP_TRY_CHANGE_WRITABLE,
	  .uffd_rwp = true },
	{ "NUMA hint", ptebatch_model_numa_hint, RW, MM_CP_PROT_NUMA },
};

static const struct memory {
	const char *name;
	enum ptebatch_mapping mapping;
	const char *picture;
	bool anonymous;
} memories[] = {
	{ "anonymous", PTEBATCH_ANON,
	  "@488 {Rdyx*16} +{Rdyx*16} {Rdyx*16}", true },
	{ "shmem", PTEBATCH_SHMEM, "@488 {Rdy*16} +{Rdy*16} {Rdy*16}" },
	{ "private file", PTEBATCH_PRIVATE_FILE,
	  "@488 {Rdy*16} +{Rdy*16} {Rdy*16}" },
	{ "copies of a file", PTEBATCH_PRIVATE_FILE,
	  "@488 {Rdyx*16} +{Rdyx*16} {Rdyx*16}", true },
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

/* Of each operation, how many combinations there are and how many were tried. */
static u64 there_are[ARRAY_SIZE(operations)], tried[ARRAY_SIZE(operations)];

/**
 * struct model_param - a case: what is done, and where
 * @operation: what is done
 * @memory: to what
 * @place: where in its folios, page tables and VMAs
 */
struct model_param {
	const struct operation *operation;
	const struct memory *memory;
	const struct place *place;
};

static const void *model_gen_params(struct kunit *test, const void *prev,
				    char *desc)
{
	static struct model_param param;
	static unsigned int nr;
	unsigned int i;

	nr = prev ? nr + 1 : 0;
	i = nr;
	param.place = &places[i % ARRAY_SIZE(places)];
	i /= ARRAY_SIZE(places);
	param.memory = &memories[i % ARRAY_SIZE(memories)];
	i /= ARRAY_SIZE(memories);
	if (i == ARRAY_SIZE(operations))
		return NULL;
	param.operation = &operations[i];
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s, %s",
		 param.operation->name, param.memory->name, param.place->name);
	return &param;
}

/**
 * struct round - the combinations of one VMA
 * @test: the case
 * @operation: what is done
 * @call: the same for the model
 * @window: where
 * @vma: that VMA
 * @limit: where ranges end, in entries of the window
 * @flush: what is flushed there
 * @states: all states there
 * @ran: how many combinations have been tried
 * @left: how many to pass over until the next one of a sample
 */
struct round {
	struct kunit *test;
	const struct operation *operation;
	struct ptebatch_call call;
	struct ptebatch_window *window;
	struct vm_area_struct *vma;
	unsigned int limit;
	struct ptebatch_flush flush;
	struct ptebatch_states states;
	u64 ran;
	unsigned int left;
};

/* What one of the two has done. */
struct outcome {
	struct ptebatch_entry entries[PTEBATCH_WINDOW_ENTRIES];
	unsigned long flushed;	/* a bit for each entry */
	long pages;
};

static void change(struct round *round, ptebatch_change_t change_protection,
		   struct outcome *outcome)
{
	struct ptebatch_window *window = round->window;
	struct mmu_gather tlb;

	ptebatch_window_set(window, round->vma);
	round->flush.flushed[0] = 0;
	tlb_gather_mmu(&tlb, round->vma->vm_mm);
	outcome->pages =
		change_protection(&tlb, round->vma,
				  ptebatch_window_addr(window, window->row.from),
				  ptebatch_window_addr(window, window->row.to),
				  round->operation->cp_flags);
	tlb_finish_mmu(&tlb);
	outcome->flushed = round->flush.flushed[0];
	ptebatch_window_get(window, outcome->entries);
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

static bool right_count(struct round *round, long pages)
{
	const struct ptebatch_row *row = &round->window->row;
	struct ptebatch_allowed allowed;
	long least = 0, most = 0;
	unsigned int i;

	for (i = row->from; i < row->to; i++) {
		round->call.model(&round->call, &row->entries[i], &allowed);
		least += allowed.counts > 0;
		most += allowed.counts != 0;
	}
	return pages >= least && pages <= most;
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
	if (!wrong && !right_count(round, outcome->pages))
		wrong = "not counted as pages";
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

	change(round, change_protection, &kernel);
	change(round, ptebatch_twin_change_protection, &twin);
	return judge(round, "change_protection()", &kernel, true) &&
	       judge(round, "the twin", &twin, false);
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
	if (ptebatch_entry_present(entry) ||
	    entry->kind == PTEBATCH_MIGRATION) {
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

/* How many there must be. */
static u64 combinations(const struct round *round)
{
	u64 count = 0;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		unsigned int nr = min(patterns[i].nr, round->limit);
		u64 here = nr * (nr + 1) / 2;

		for (j = 0; j < patterns[i].nr_states; j++)
			here *= round->states.nr;
		count += here;
	}
	return count;
}

/* What is registered for a VMA. */
struct vma_kind {
	bool track, uffd_wp, uffd_rwp;
};

static void run_round(struct kunit *test, const struct model_param *param,
		      struct vma_kind kind)
{
	const struct operation *operation = param->operation;
	struct ptebatch_setup *setup;
	struct ptebatch_space *space;
	struct vm_area_struct *vma;
	struct ptebatch_place here;
	struct round *round;
	u64 expected;
	unsigned int i;

	round = kunit_kzalloc(test, sizeof(*round), GFP_KERNEL);
	setup = kunit_kzalloc(test, sizeof(*setup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, round);
	KUNIT_ASSERT_NOT_NULL(test, setup);
	*setup = (struct ptebatch_setup) {
		.picture = param->memory->picture,
		.mapping = param->memory->mapping,
		.prot = RO,
		.track = kind.track,
		.uffd_wp = kind.uffd_wp,
	};
	space = ptebatch_space(test, setup);
	KUNIT_ASSERT_EQ(test, 0,
			ptebatch_mprotect(space->places[0].mm,
					  ptebatch_addr(space, VMA_ENDS),
					  ptebatch_addr(space, space->row.nr),
					  PROT_NONE));
	here.mm = space->places[0].mm;
	round->test = test;
	round->operation = operation;
	round->window = ptebatch_window(space, param->place->at);
	round->limit = min(PTEBATCH_WINDOW_ENTRIES,
			   param->place->at < VMA_ENDS ?
			   VMA_ENDS - param->place->at : 0);
	round->call = (struct ptebatch_call) {
		.model = operation->model,
		.readable = operation->prot & PROT_READ,
		.writable = operation->prot & PROT_WRITE,
		.shared = param->memory->mapping == PTEBATCH_SHMEM,
		.anonymous = param->memory->anonymous,
		.file = param->memory->mapping != PTEBATCH_ANON,
		.track = kind.track,
		.uffd_wp = kind.uffd_wp,
		.uffd_rwp = kind.uffd_rwp,
		.try_writable = operation->cp_flags & MM_CP_TRY_CHANGE_WRITABLE,
	};
	ptebatch_states(&round->states, &round->call);
	expected = combinations(round);
	here.start = ptebatch_window_addr(round->window, 0);
	KUNIT_ASSERT_EQ(test, ptebatch_flush_begin(&round->flush, &here), 0);

	mmap_write_lock(space->places[0].mm);
	vma = vma_lookup(space->places[0].mm,
			 ptebatch_window_addr(round->window, 0));
	vma_start_write(vma);
	vm_flags_reset(vma, (vma->vm_flags & ~VM_ACCESS_FLAGS) |
			    calc_vm_prot_bits(operation->prot, 0) |
			    (kind.uffd_rwp ? VM_UFFD_RWP : 0));
	vma_set_page_prot(vma);
	round->vma = vma;
	for (i = 0; i < ARRAY_SIZE(patterns); i++)
		if (!try_pattern(round, &patterns[i]))
			break;
	vm_flags_reset(vma, vma->vm_flags & ~(VM_ACCESS_FLAGS | VM_UFFD_RWP));
	vma_set_page_prot(vma);
	mmap_write_unlock(space->places[0].mm);
	ptebatch_flush_end(&round->flush);

	if (i < ARRAY_SIZE(patterns))
		return;
	there_are[operation - operations] += expected;
	tried[operation - operations] += round->ran;
	KUNIT_EXPECT_EQ(test, round->ran,
			exhaustive ? expected : DIV_ROUND_UP_ULL(expected, SAMPLE));
}

static void mprotect_model(struct kunit *test)
{
	const struct model_param *param = test->param_value;
	const struct operation *operation = param->operation;
	struct vma_kind kinds[6];
	unsigned int track, i, nr = 0;
	static unsigned int turn;

	if (operation->cp_flags & MM_CP_PROT_NUMA &&
	    !IS_ENABLED(CONFIG_NUMA_BALANCING))
		kunit_skip(test, "no NUMA hints without CONFIG_NUMA_BALANCING");
	if ((operation->uffd_wp || operation->uffd_rwp) &&
	    !pgtable_supports_uffd())
		kunit_skip(test, "page table entries have no uffd bit here");
	if (operation->uffd_rwp && VM_UFFD_RWP == VM_NONE)
		kunit_skip(test, "no read-write protection by userfaultfd here");

	for (track = 0; track <= pgtable_supports_soft_dirty(); track++) {
		if (!operation->uffd_wp && !operation->uffd_rwp)
			kinds[nr++] = (struct vma_kind) { track };
		if (!operation->uffd_rwp && pgtable_supports_uffd())
			kinds[nr++] = (struct vma_kind) { track, true };
		if (!operation->uffd_wp && pgtable_supports_uffd() &&
		    VM_UFFD_RWP != VM_NONE)
			kinds[nr++] = (struct vma_kind) { track, false, true };
	}
	/* A sample takes them in turn. */
	for (i = 0; i < nr; i++)
		if (exhaustive || i == turn % nr)
			run_round(test, param, kinds[i]);
	turn++;
}

static int model_begin(struct kunit_suite *suite)
{
	memset(there_are, 0, sizeof(there_are));
	memset(tried, 0, sizeof(tried));
	return 0;
}

static void model_end(struct kunit_suite *suite)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(operations); i++)
		if (there_are[i])
			kunit_info(suite, "combinations %s: %llu of %llu\n",
				   operations[i].name, tried[i], there_are[i]);
}

static struct kunit_case model_cases[] = {
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
