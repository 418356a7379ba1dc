// SPDX-License-Identifier: GPL-2.0
/*
 * Without reclaim: the cost of zap_vma_range(), by kind and order of folio,
 * beside its twin, which clears one PTE at a time.
 */
#include <kunit/test.h>
#include <linux/mman.h>

#include "../lib/op/op.h"
#include "../lib/run/bench.h"
#include "../lib/service/service.h"

#define RW	(PROT_READ | PROT_WRITE)

static const struct ptebatch_bench_kind kinds[] = {
	{ "anon", { .prot = RW }, "Wdyx" },
	{ "shmem", { .mapping = PTEBATCH_SHMEM, .prot = RW }, "Wdy" },
};

PTEBATCH_BENCH_PARAMS(zap_bench, kinds);

static void zap_bench(struct kunit *test)
{
	ptebatch_bench_run(test, &(struct ptebatch_timed) {
		"unmap", "zap", &ptebatch_zap, .prepare = ptebatch_bench_lock,
		.check = ptebatch_bench_expect_unmapped,
	});
}

static struct kunit_case bench_cases[] = {
	PTEBATCH_CASE_PARAMS(zap_bench),
	{}
};

PTEBATCH_SUITE(memory_bench, bench_cases);
