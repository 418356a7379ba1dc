// SPDX-License-Identifier: GPL-2.0
/*
 * bug: UFFDIO_ZEROPAGE fails for write-protected memory that is not populated
 * fix: userfaultfd-let-UFFDIO_ZEROPAGE-replace-uffd-wp-mark
 *
 * Two pages are write-protected by userfaultfd before they are populated. UFFDIO_COPY
 * populates one, UFFDIO_ZEROPAGE the other. Both have to stay write-protected.
 */
#include "reproduce.h"

int main(void)
{
	char *mem = map_aligned(2 * PAGE), *from = map_aligned(PAGE);
	struct uffdio_copy copy = {
		(uintptr_t)mem, (uintptr_t)from, PAGE, UFFDIO_COPY_MODE_WP, 0
	};
	struct uffdio_zeropage zero = { .range = { (uintptr_t)mem + PAGE, PAGE } };
	int uffd = register_mode(mem, 2 * PAGE, UFFD_FEATURE_WP_UNPOPULATED,
				 UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP);

	memset(from, 1, PAGE);
	protect(uffd, mem, 2 * PAGE);
	errno = 0;
	need(!count(mem, 2 * PAGE, PM_PRESENT), "pages that are not populated");
	need(!ioctl(uffd, UFFDIO_COPY, &copy), "UFFDIO_COPY");
	if (ioctl(uffd, UFFDIO_ZEROPAGE, &zero))
		return verdict(errno == EEXIST ? BUG : CANNOT_TELL,
			       "UFFDIO_COPY succeeds, but UFFDIO_ZEROPAGE fails: %s",
			       strerror(errno));
	need(count(mem, 2 * PAGE, PM_PRESENT) == 2 && mem[0] == 1 && !mem[PAGE],
	     "contents of the pages");
	if (count(mem, 2 * PAGE, PM_UFFD_WP) != 2)
		return verdict(BUG,
			       "UFFDIO_COPY keeps the write protection, UFFDIO_ZEROPAGE does not");
	return verdict(RIGHT, "UFFDIO_COPY and UFFDIO_ZEROPAGE keep the write protection");
}
