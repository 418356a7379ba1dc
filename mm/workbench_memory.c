// SPDX-License-Identifier: GPL-2.0
/*
 * Self-test of the notation of programs, and of the reference memory: after steps that
 * user space took, but the kernel did not, the page tables do not agree with what user
 * space was promised.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/userfaultfd_k.h>

#include "../lib/check/compare.h"
#include "../lib/check/memory.h"
#include "../lib/row/program.h"
#include "../lib/service/service.h"
#include "../lib/space/space.h"

#define RW	(PROT_READ | PROT_WRITE)

#define ROW(picture)	 { picture, .prot = RW }
#define TRACKED(picture) { picture, .prot = RW, .track = true }
#define UFFD(picture)	 { picture, .prot = RW, .uffd = UFFD_WP }
#define ASYNC(picture)	 { picture, .prot = RW, .uffd = UFFD_WP_ASYNC }
#define SHMEM(picture)	 { picture, PTEBATCH_SHMEM, RW }
#define PRIVATE(picture) { picture, PTEBATCH_PRIVATE_FILE, RW }

/**
 * struct promise - steps, and a row that breaks what they promise
 * @name: name of the case
 * @setup: the address space, which does not change
 * @steps: the steps; %NULL: none
 * @returned: what the last step returns; 0: what it should
 * @becomes: the row afterwards; %NULL: as it was set up
 * @report: what is reported; %NULL: nothing
 */
struct promise {
	const char *name;
	struct ptebatch_setup setup;
	const char *steps;
	const char *becomes;
	const char *report;
	long returned;
};

static const struct promise promises[] = {
	{ "no step: nothing is reported", TRACKED("Wdysx*4") },
	{ "write that does not reach the page: reported",
	  ROW("Wdyx*4"), "write 1", .report = "page 1 has wrong contents" },
	{ "page cleared, its end is not: reported",
	  ROW("Wdyx*4"), "zero 1", .report = "page 1 has wrong contents" },
	{ "MADV_DONTNEED, the page is still mapped: reported",
	  ROW("Wdyx*4"), "dontneed 2", .report = "page 2 has wrong contents" },
	{ "MADV_DONTNEED of shmem, the page is still mapped: the file keeps its contents",
	  SHMEM("Wdy*4"), "dontneed 2" },
	{ "MADV_DONTNEED of a copy of a file page, the copy is still mapped: reported",
	  PRIVATE("Rdy*2 Rdyx*2"), "dontneed 2", .report = "page 2 has wrong contents" },
	{ "hole in shmem, the page is still mapped: reported",
	  SHMEM("Wdy*4"), "hole 3", .report = "page 3 has wrong contents" },
	{ "page becomes a hole: reported", ROW("Wdyx*4"), NULL, "Wdyx -*3",
	  "page 1 has lost its contents: nothing is mapped" },
	{ "page becomes the zero page: reported", ROW("Wdyx*4"), NULL, "Wdyx*3 Rzy",
	  "page 3 has lost its contents: the zero page is mapped" },
	{ "page becomes a hole after MADV_FREE: zeroes are permitted",
	  ROW("{Wdyx*4}"), "free 2", "{Wdyx*2 - Wdyx}" },
	{ "page becomes a hole after MADV_FREE and a write: reported",
	  ROW("{Wdyx*4}"), "free 2; write 2", "{Wdyx*2 - Wdyx}",
	  "page 2 has lost its contents: nothing is mapped" },
	{ "clean folio becomes lazyfree without MADV_FREE: reported",
	  ROW("Wyx*4"), NULL, "Wyx*3 Wyxl", "page 3 may be freed as after MADV_FREE" },
	{ "clean folio becomes lazyfree by MADV_FREE: nothing is reported",
	  ROW("Wyx*4"), "free 3", "Wyx*3 Wyxl" },
	{ "mprotect() to read-only, the entry is writable: reported",
	  ROW("Wdyx*4"), "mprotect ro 1-2", .report = "page 1 can be written" },
	{ "mprotect() to none, the entry is readable: reported",
	  ROW("Rdyx*4"), "mprotect none 3", .report = "page 3 can be read" },
	{ "mprotect() to none and back: nothing is reported",
	  ROW("Wdyx*4"), "mprotect none; mprotect rw" },
	{ "mmap(), the page is still mapped: reported",
	  ROW("Wdyx*4"), "mmap 2", .report = "page 2 has wrong contents" },
	{ "mmap() of shmem, the page is still mapped: the file keeps its contents",
	  SHMEM("Wdy*4"), "mmap 2" },
	{ "mremap() to two pages and back, the others are still mapped: reported",
	  ROW("Wdyx*4"), "resize 2", .report = "page 2 has wrong contents" },
	{ "shmem truncated, its pages are still mapped: reported",
	  SHMEM("Wdy*4"), "truncate 1", .report = "page 1 has wrong contents" },
	{ "move, the registration of the entries has ended: reported",
	  { "Wdyx*4", .prot = RW, .uffd = UFFD_WP | NO_REMAP_EVENT }, "uffd protect 1; move",
	  "Wdyx Rdyux Wdyx*2", "page 1 is write-protected by userfaultfd" },
	{ "guard page installed, the page is mapped: reported",
	  ROW("Wdyx*4"), "guard install 1", .report = "page 1 is no guard page" },
	{ "guard page removed, the marker stays: reported",
	  ROW("G*4"), "guard remove 0-1", .report = "page 0 is a guard page" },
	{ "guard page installed over mlocked pages: the pages stay",
	  ROW("Wdyx*4"), "mlock; guard install" },
	{ "uffd-wp, the entry has no uffd bit: reported", UFFD("Wdyx*4"), "uffd protect 2",
	  .report = "page 2 is not write-protected by userfaultfd" },
	{ "uffd bit without a protection: reported", UFFD("Wdyx*4"), NULL, "Wdyx*3 Rdyux",
	  "page 3 is write-protected by userfaultfd" },
	{ "UFFDIO_UNREGISTER, the entry keeps the protection: reported",
	  UFFD("Wdyx*2 Rdyux*2"), "uffd protect 2; uffd unregister 2-3", "Wdyx*2 Rdyux Wdyx",
	  "page 2 is write-protected by userfaultfd" },
	{ "memory of a file, not registered: UFFDIO_UNREGISTER fails",
	  PRIVATE("Rdy*4"), "uffd unregister", .returned = -EINVAL },
	{ "PAGEMAP_SCAN, a page is not registered, it returns 4: reported",
	  ASYNC("Wdyx*4"), "uffd unregister 3; scan 0-3", .returned = 4,
	  .report = "it returns 4, expected -1" },
	{ "PAGEMAP_SCAN, write, the entry is write-protected: reported",
	  ASYNC("Wdyx*4"), "scan 2-3; write 2", "Wdyx*2 Rdyux*2",
	  "page 2 is write-protected by userfaultfd" },
	{ "PAGEMAP_SCAN, hole without a marker: reported",
	  ASYNC("-*4"), "scan 1-2", "- U -*2",
	  "page 2 is not write-protected by userfaultfd" },
	{ "PAGEMAP_SCAN, mlock(), nothing is written: the protection may have ended",
	  ASYNC("Wdyx*4"), "scan 1-2; mlock" },
	{ "moved, the entries are not soft-dirty: reported",
	  TRACKED("Wdysx*4"), "clear refs; move", "Rdyx*4",
	  "page 0 was written, but is not soft-dirty" },
	{ "page not written, the entry is soft-dirty: reported", TRACKED("Wdysx*4"),
	  "clear refs", .report = "page 0 is soft-dirty, but was not written" },
	{ "4 pages idle, one of them was read: reported", ROW("Wdyx*4"),
	  "idle; read 1-1; idle", .returned = 4, .report = "it returns 4, expected 0 to 3" },
	{ "4 pages idle of shmem, the other process has read one: reported", SHMEM("Wdy*4"),
	  "idle; fork; child read 1-1; idle", .returned = 4,
	  .report = "it returns 4, expected 0 to 3" },
	{ "DAMON, shmem, the other process has read one page: 4 pages may be idle",
	  SHMEM("Wdy*4"), "damon; fork; child read 1-1; damon", .returned = 4 },
	{ "munlock() fails: reported", ROW("Wdyx*4"), "munlock", .returned = -ENOMEM,
	  .report = "it returns -12, expected 0" },
};

KUNIT_ARRAY_PARAM_DESC(promises, promises, name);

/* What a step of a row returns in a kernel without bugs. */
static long returned_by(const struct ptebatch_memory *memory, const struct ptebatch_step *step)
{
	/* No page of the range is write-protected yet. */
	if (step->kind == PTEBATCH_STEP_SCAN)
		return step->to - step->from;
	return step->kind == PTEBATCH_STEP_GUARD_INSTALL && memory->pages[0][0].locked ?
	       -EINVAL : 0;
}

/* Take the steps in the reference memory only. */
static void promise_steps(struct kunit *test, struct ptebatch_memory *memory,
			  const struct ptebatch_program *program, long last,
			  struct seq_buf *out)
{
	unsigned int i, page;
	u32 value;

	for (i = 0; i < program->nr; i++) {
		const struct ptebatch_step *step = &program->steps[i];
		long ret = i + 1 == program->nr && last ? last : returned_by(memory, step);

		for (page = step->from; ptebatch_step_accesses(step->kind) && page < step->to;
		     page++)
			KUNIT_EXPECT_TRUE(test,
					  ptebatch_memory_access(memory, step, page, &value));
		ptebatch_memory_step(memory, step, ret, out);
	}
}

static void workbench_promise(struct kunit *test)
{
	const struct promise *row = test->param_value;
	struct ptebatch_program program = {};
	struct ptebatch_snapshot *snapshot;
	struct ptebatch_memory *memory;
	struct ptebatch_space *space;
	struct seq_buf out;
	const char *error;
	char text[128];

	snapshot = kunit_kzalloc(test, sizeof(*snapshot), GFP_KERNEL);
	memory = kunit_kzalloc(test, sizeof(*memory), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, snapshot);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	space = ptebatch_space(test, &row->setup);
	ptebatch_memory_begin(memory, space);
	if (row->steps)
		KUNIT_ASSERT_EQ(test, 0,
				ptebatch_program_parse(&program, row->steps, &error));
	seq_buf_init(&out, text, sizeof(text));
	promise_steps(test, memory, &program, row->returned, &out);
	ptebatch_snapshot(snapshot, space, &space->places[0]);
	if (row->becomes)
		ptebatch_row_copy(&snapshot->row, ptebatch_picture(test, row->becomes));

	if (!seq_buf_used(&out))
		ptebatch_memory_check(memory, false, space, snapshot, &out);
	KUNIT_EXPECT_EQ(test, !row->report, !seq_buf_used(&out));
	KUNIT_EXPECT_TRUE_MSG(test, strstarts(seq_buf_str(&out), row->report ?: ""),
			      "expected the report %s, got: %s", row->report,
			      seq_buf_str(&out));
}

/* A program as written and as printed, or the character, from 1, of its error. */
static const struct program_row {
	const char *written, *printed;
	int at;
	const char *error;
} program_rows[] = {
	{ "write", "write" },
	{ " fork ;write 5;  child read 3-7 ", "fork; write 5; child read 3-7" },
	{ "mprotect ro 0-15; child exit", "mprotect ro 0-15; child exit" },
	{ "guard install 4-4", "guard install 4" },
	{ "move fails; move dontunmap; move", "move fails; move dontunmap; move" },
	{ "", .at = 1, .error = "no step of this name" },
	{ "write 5; wrote 6", .at = 10, .error = "no step of this name" },
	{ "writes", .at = 1, .error = "no step of this name" },
	{ "write 7-6", .at = 10, .error = "the range ends before it begins" },
	{ "write 99999", .at = 12, .error = "number too large" },
	{ "write 5 6", .at = 9, .error = "; is missing after a step" },
	{ "cold;cold;cold;cold;cold;cold;cold;cold;cold;cold;"
	  "cold;cold;cold;cold;cold;cold;cold;cold;cold;cold;"
	  "cold;cold;cold;cold;cold;cold;cold;cold",
	  .at = 136, .error = "too many steps" },
};

static void program_desc(const struct program_row *row, char *desc)
{
	if (row->error)
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "program: %s, at character %d",
			 row->error, row->at);
	else
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "program printed as %s", row->printed);
}

KUNIT_ARRAY_PARAM(program, program_rows, program_desc);

static void workbench_program(struct kunit *test)
{
	const struct program_row *row = test->param_value;
	struct ptebatch_program program;
	struct seq_buf out;
	const char *error;
	char text[64];

	KUNIT_EXPECT_EQ(test, ptebatch_program_parse(&program, row->written, &error), -row->at);
	KUNIT_EXPECT_STREQ(test, error ?: "", row->error ?: "");
	if (row->error)
		return;
	seq_buf_init(&out, text, sizeof(text));
	ptebatch_program_print(&out, &program);
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&out), row->printed);
}

/* Steps that are not possible. */
static const struct {
	const char *steps, *error;
} impossible[] = {
	{ "write 4; fork; child exit; fork; child write", NULL },
	{ "write 0-8", "a step is on entries after the row" },
	{ "fork; child exit; child write", "a step of a child that does not exist" },
	{ "fork; fork", "a second child" },
	{ "fork; child fork", "a second child" },
	{ "fork; child uffd unregister", "the child has no userfaultfd" },
	{ "exit", "only the child can exit" },
	{ "resize 0-3", "no page is left: mremap() cannot do that" },
};

static void workbench_impossible(struct kunit *test)
{
	struct ptebatch_program program;
	const char *error;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(impossible); i++) {
		KUNIT_ASSERT_EQ(test, 0, ptebatch_program_parse(&program, impossible[i].steps,
								&error));
		error = ptebatch_program_error(&program, 8);
		KUNIT_EXPECT_STREQ_MSG(test, error ?: "", impossible[i].error ?: "", "%s",
				       impossible[i].steps);
	}
}

static struct kunit_case workbench_cases[] = {
	KUNIT_CASE_PARAM(workbench_program, program_gen_params),
	KUNIT_CASE(workbench_impossible),
	KUNIT_CASE_PARAM(workbench_promise, promises_gen_params),
	{}
};

PTEBATCH_SUITE(workbench_memory, workbench_cases);
