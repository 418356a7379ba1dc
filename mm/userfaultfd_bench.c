// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of UFFDIO_MOVE per page: small folios, of which move_present_ptes() moves as many
 * as it can under one lock.
 */
#include <kunit/test.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "../lib/kernel/uffd.h"
#include "../lib/op/op.h"
#include "../lib/run/bench.h"
#include "../lib/service/service.h"
#include "../lib/space/space.h"

static const struct ptebatch_bench_kind kinds[] = {
	{ "anon", { .prot = PROT_READ | PROT_WRITE }, "Wdyx" },
};

PTEBATCH_BENCH_PARAMS_OF(uffd_move_bench, kinds, BIT(0), 1);

static long time_move(struct ptebatch_space *space, struct ptebatch_stopwatch *watch)
{
	const struct ptebatch_place *to = ptebatch_space_add_place(space, space->row.first);
	struct file *uffd = ptebatch_uffd_open(to->mm, 0);
	struct uffdio_move move = {
		.dst = to->start,
		.src = space->places[0].start,
		.len = PTEBATCH_BENCH_PAGES * PAGE_SIZE,
	};
	long ret;

	if (IS_ERR(uffd))
		return PTR_ERR(uffd);
	ret = ptebatch_uffd_map_last(space) ?:
	      ptebatch_uffd_register(uffd, to->mm, to->start, UFFDIO_REGISTER_MODE_MISSING);
	ptebatch_stopwatch_start(watch);
	ret = ret ?: ptebatch_uffd_ioctl(uffd, to->mm, UFFDIO_MOVE, &move, sizeof(move));
	ptebatch_stopwatch_stop(watch);
	__fput_sync(uffd);
	return ret;
}

static void expect_moved(struct ptebatch_space *space)
{
	unsigned long to = space->places[1].start >> PAGE_SHIFT;
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++)
		KUNIT_EXPECT_EQ(space->test, space->folios[i]->index, to + i);
}

static void uffd_move_bench(struct kunit *test)
{
	if (ptebatch_uffd_missing())
		kunit_skip(test, "%s", ptebatch_uffd_missing());
	ptebatch_bench_run(test, &(struct ptebatch_timed) {
		"uffd-move", .time = time_move, .check = expect_moved,
	});
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(uffd_move_bench),
	{}
};

PTEBATCH_SUITE(userfaultfd_bench, bench_cases);
