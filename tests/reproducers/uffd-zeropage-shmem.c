// SPDX-License-Identifier: GPL-2.0
/*
 * bug: UFFDIO_ZEROPAGE ends the write protection of shared memory
 * fix: userfaultfd-keep-uffd-wp-when-UFFDIO_ZEROPAGE-fills
 *
 * Two pages of shared memory are write-protected by userfaultfd before they are
 * populated. UFFDIO_COPY, asked to keep the protection, populates one, UFFDIO_ZEROPAGE
 * the other. Both have to stay write-protected.
 */
#include "reproduce.h"

int main(void)
{
	char *mem = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	struct uffdio_copy copy = {
		(uintptr_t)mem, (uintptr_t)map_aligned(PAGE), PAGE, UFFDIO_COPY_MODE_WP, 0
	};
	struct uffdio_zeropage zero = { .range = { (uintptr_t)mem + PAGE, PAGE } };
	unsigned long pages;
	int uffd;

	need(mem != MAP_FAILED, "mmap()");
	uffd = register_mode(mem, 2 * PAGE, 0,
			     UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP);
	protect(uffd, mem, 2 * PAGE);
	need(!ioctl(uffd, UFFDIO_COPY, &copy), "UFFDIO_COPY");
	need(!ioctl(uffd, UFFDIO_ZEROPAGE, &zero), "UFFDIO_ZEROPAGE");
	errno = 0;
	need(count(mem, 2 * PAGE, PM_PRESENT) == 2, "populated pages");
	need(!!(page_entry(mem) & PM_UFFD_WP), "write protection after UFFDIO_COPY");
	pages = count(mem, 2 * PAGE, PM_UFFD_WP);
	return verdict(pages == 2 ? RIGHT : BUG,
		       "UFFDIO_COPY keeps the write protection, UFFDIO_ZEROPAGE %s",
		       pages == 2 ? "does, too" : "does not");
}
