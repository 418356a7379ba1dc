// SPDX-License-Identifier: GPL-2.0
/*
 * bug: a fault of a poisoned page of shmem removes guard pages beside it
 * fix: mm-drop-PTE-markers-of-a-folio-only-if-it-is-truncat
 *
 * Page 9 of a 64K folio is poisoned. Another process has a guard page at page 12. A read
 * of page 9 fails; page 12 must stay a guard page.
 */
#include "reproduce.h"

int main(void)
{
	char *mem = map_shmem_folio();

	need(!madvise(mem, FOLIO, MADV_DONTNEED), "MADV_DONTNEED");
	poison_page(mem, 9);
	need(!madvise(mem + 12 * PAGE, PAGE, MADV_GUARD_INSTALL), "MADV_GUARD_INSTALL");
	need(!can_read(mem + 9 * PAGE), "poisoned page");
	if (can_read(mem + 12 * PAGE))
		return verdict(BUG, "the guard page can be read");
	return verdict(RIGHT, "the guard page is still there");
}
