// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a VMA loses VM_MAYBE_GUARD and VM_SOFTDIRTY when one that loses its name merges with it
 * fix: mm-madvise-keep-the-flags-of-a-merged-VMA-when-its-n
 *
 * The second half of the memory has a name, so that the halves are two VMAs. Only the
 * first one has the flag: it has a guard page, or was mapped after clear_refs. When the
 * name is removed, the halves become one VMA. A child must have the guard page, and the
 * first half must be soft-dirty.
 */
#include <linux/prctl.h>
#include <sys/prctl.h>
#include "reproduce.h"

#define HALF	(2 * PAGE)

static const int PROT = PROT_READ | PROT_WRITE;

static void set_name(char *mem, const char *name)
{
	need(!prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, mem, HALF, name), "PR_SET_VMA_ANON_NAME");
}

static char *map_halves(int flags)
{
	char *mem = mmap(NULL, 2 * HALF, PROT, flags | MAP_ANONYMOUS, -1, 0);

	need(mem != MAP_FAILED, "mmap()");
	set_name(mem + HALF, "second half");
	return mem;
}

static int child_has_guard(void)
{
	char *mem = map_halves(MAP_SHARED);
	int status;

	need(!madvise(mem, PAGE, MADV_GUARD_INSTALL), "MADV_GUARD_INSTALL");
	set_name(mem + HALF, NULL);
	if (!fork())
		_exit(*mem);
	need(wait(&status) > 0, "wait()");
	return WIFSIGNALED(status);
}

static int is_soft_dirty(void)
{
	char *mem = map_halves(MAP_PRIVATE);

	write_file("/proc/self/clear_refs", "4");
	need(mmap(mem, HALF, PROT, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == mem,
	     "mmap(MAP_FIXED)");
	errno = 0;
	need(count(mem, 2 * HALF, PM_SOFT_DIRTY) == HALF / PAGE, "soft-dirty bit of new memory");
	set_name(mem + HALF, NULL);
	return !!(page_entry(mem) & PM_SOFT_DIRTY);
}

int main(void)
{
	int guard = child_has_guard(), soft_dirty = is_soft_dirty();

	return verdict(guard && soft_dirty ? RIGHT : BUG,
		       "after the merge, the child has %d of 1 guard page, and new memory is %ssoft-dirty",
		       guard, soft_dirty ? "" : "not ");
}
