// SPDX-License-Identifier: GPL-2.0
/*
 * bug: UFFDIO_MOVE does not set soft-dirty of zero pages
 * fix: userfaultfd-set-soft-dirty-of-zero-pages-that-UFFDIO
 *
 * The program clears the soft-dirty bits, and moves a zero page to other memory. The
 * page must be soft-dirty there, so that an incremental dump includes it.
 */
#include "reproduce.h"

int main(void)
{
	char *from = map_aligned(PAGE), *to = map_aligned(PAGE);
	int uffd = register_mode(to, PAGE, 0, UFFDIO_REGISTER_MODE_MISSING);

	need(!madvise(from, PAGE, MADV_POPULATE_READ), "MADV_POPULATE_READ");
	write_file("/proc/self/clear_refs", "4");
	errno = 0;
	need(count(from, PAGE, PM_PRESENT) && !count(from, PAGE, PM_SOFT_DIRTY),
	     "zero page that is not soft-dirty");
	move(uffd, to, from, PAGE);
	errno = 0;
	need(count(to, PAGE, PM_PRESENT), "zero page at the destination");
	return verdict(count(to, PAGE, PM_SOFT_DIRTY) ? RIGHT : BUG,
		       "the moved zero page is %ssoft-dirty",
		       count(to, PAGE, PM_SOFT_DIRTY) ? "" : "not ");
}
