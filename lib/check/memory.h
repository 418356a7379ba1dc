/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reference memory: what user space was promised of each page of a row, after any
 * program. It knows the system calls, and nothing of page tables.
 */
#ifndef PTEBATCH_MEMORY_H
#define PTEBATCH_MEMORY_H

#include <linux/seq_buf.h>

#include "../row/program.h"
#include "../space/snapshot.h"
#include "../space/types.h"

/**
 * struct ptebatch_bytes - what a page contains
 * @first: first word of the page, the last value written to it
 * @rest: stamp of the rest, see ptebatch_page_fill(); 0: zeroes
 */
struct ptebatch_bytes {
	u32 first;
	u32 rest;
};

/**
 * struct ptebatch_promise - what a process was promised of a page
 * @bytes: contents, if @own
 * @prot: PROT_READ, PROT_WRITE: permitted accesses
 * @own: the page is the process's own; otherwise it is the file's
 * @lazy: MADV_FREE may have freed the page, since the last write to it: until it is
 *        seen to be free, it contains @bytes, then zeroes
 * @guard: guard page: each access gets SIGSEGV
 * @written: written or moved since clear_refs: the page is reported as soft-dirty
 * @dirtied: may be reported as soft-dirty: written, or with pages that were
 * @locked: in a VM_LOCKED VMA
 * @free: nothing was mapped after the last step
 * @pinned: pinned for writing: accesses reach this page
 * @poisoned: the page that a fault would find has PG_hwpoison during the last step
 * @protected: write-protected by userfaultfd: a write fails, as the VMAs are registered
 *             without a userfaultfd that could handle it, or it ends the protection
 * @registered: registered with userfaultfd, for write protection
 * @accessed: since it was last marked as idle
 * @populated: mlock() may have faulted as of a write, which may have ended the protection
 */
struct ptebatch_promise {
	struct ptebatch_bytes bytes;
	u8 prot;
	bool own;
	bool lazy;
	bool guard;
	bool written;
	bool dirtied;
	bool locked;
	bool free;
	bool pinned;
	bool poisoned;
	bool protected;
	bool registered;
	bool accessed;
	bool populated;
};

/**
 * struct ptebatch_memory - the reference memory of a row
 * @mapping: kind of memory
 * @track: soft-dirty is tracked
 * @child: the child exists
 * @pin: a page is pinned, maybe one that no process has any more
 * @uffd_events: registrations with userfaultfd last beyond fork() and mremap()
 * @async: a write ends the protection of its page
 * @nr: number of pages
 * @values: number of values written
 * @file: contents of the file
 * @pages: the pages of the process and of its child
 */
struct ptebatch_memory {
	enum ptebatch_mapping mapping;
	bool track;
	bool child;
	bool pin;
	bool uffd_events;
	bool async;
	unsigned int nr;
	u32 values;
	struct ptebatch_bytes file[PTEBATCH_ROW_ENTRIES];
	struct ptebatch_promise pages[2][PTEBATCH_ROW_ENTRIES];
};

void ptebatch_memory_begin(struct ptebatch_memory *memory,
			   const struct ptebatch_space *space);
void ptebatch_memory_poison(struct ptebatch_memory *memory, bool child,
			    const struct ptebatch_row *row, int i);
bool ptebatch_memory_access(struct ptebatch_memory *memory,
			    const struct ptebatch_step *step, unsigned int i, u32 *value);
void ptebatch_memory_step(struct ptebatch_memory *memory, const struct ptebatch_step *step,
			  long ret, struct seq_buf *out);
bool ptebatch_memory_check(struct ptebatch_memory *memory, bool child,
			   const struct ptebatch_space *space,
			   const struct ptebatch_snapshot *snapshot,
			   struct seq_buf *out);

#endif /* PTEBATCH_MEMORY_H */
