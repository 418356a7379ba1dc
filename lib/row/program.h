/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program: the steps that a process and its child take on a row, one after the
 * other. It is written, parsed and printed as
 *
 *	fork; write 5; child read 3-7; mprotect ro; pageout 0-7; child exit; write 9
 *
 * A step is a name and the entries of the row: one, a first and a last, or
 * none for the whole row. After "child" it is a step of the child, otherwise one of
 * the process that has the row from the beginning.
 */
#ifndef PTEBATCH_PROGRAM_H
#define PTEBATCH_PROGRAM_H

#include <linux/seq_buf.h>
#include <linux/types.h>

/**
 * enum ptebatch_step_kind - kind of a step, with its name in programs
 * @PTEBATCH_STEP_WRITE: "write": write to each page
 * @PTEBATCH_STEP_THP_WRITE: "thp write": the same, faults may allocate large folios
 * @PTEBATCH_STEP_ZERO: "zero": clear each page
 * @PTEBATCH_STEP_EQUAL: "equal": the same contents in each page
 * @PTEBATCH_STEP_READ: "read": read each page
 * @PTEBATCH_STEP_THP_READ: "thp read": the same, faults may swap in large folios
 * @PTEBATCH_STEP_POISONED_READ: "poisoned read": read each page, while the first one that
 *                               is not mapped, but in memory, has PG_hwpoison
 * @PTEBATCH_STEP_PROTECT_NONE: "mprotect none": mprotect(PROT_NONE)
 * @PTEBATCH_STEP_PROTECT_RO: "mprotect ro": mprotect(PROT_READ)
 * @PTEBATCH_STEP_PROTECT_RW: "mprotect rw": mprotect(PROT_READ | PROT_WRITE)
 * @PTEBATCH_STEP_COLD: "cold": MADV_COLD
 * @PTEBATCH_STEP_PAGEOUT: "pageout": MADV_PAGEOUT
 * @PTEBATCH_STEP_RECLAIM: "reclaim": reclaim of the folios, also of shared ones
 * @PTEBATCH_STEP_FREE: "free": MADV_FREE
 * @PTEBATCH_STEP_DONTNEED: "dontneed": MADV_DONTNEED
 * @PTEBATCH_STEP_GUARD_INSTALL: "guard install": MADV_GUARD_INSTALL
 * @PTEBATCH_STEP_GUARD_REMOVE: "guard remove": MADV_GUARD_REMOVE
 * @PTEBATCH_STEP_COLLAPSE: "collapse": MADV_COLLAPSE
 * @PTEBATCH_STEP_KHUGEPAGED: "khugepaged": a scan of khugepaged, below PMD order
 * @PTEBATCH_STEP_KSM: "ksm": ksmd merges equal pages, of all processes
 * @PTEBATCH_STEP_SPLIT: "split": split of the folio of the first page
 * @PTEBATCH_STEP_MIGRATE: "migrate": migration of all folios
 * @PTEBATCH_STEP_IDLE: "idle": idle page tracking: count the pages that were not accessed,
 *                      and mark all
 * @PTEBATCH_STEP_DAMON: "damon": the same by DAMON, which samples addresses of the process
 * @PTEBATCH_STEP_NUMA_HINT: "numa hint": NUMA hints
 * @PTEBATCH_STEP_HOLE: "hole": hole in the file
 * @PTEBATCH_STEP_TRUNCATE: "truncate": the file ends before the range, and grows again
 * @PTEBATCH_STEP_NAME: "name": prctl(PR_SET_VMA_ANON_NAME): a name
 * @PTEBATCH_STEP_UNNAME: "unname": prctl(PR_SET_VMA_ANON_NAME): no name
 * @PTEBATCH_STEP_MLOCK: "mlock": mlock()
 * @PTEBATCH_STEP_MUNLOCK: "munlock": munlock()
 * @PTEBATCH_STEP_PIN: "pin": GUP pins the first page for writing, and unpins the last one
 * @PTEBATCH_STEP_UFFD_REGISTER: "uffd register": UFFDIO_REGISTER for write protection
 * @PTEBATCH_STEP_UFFD_UNREGISTER: "uffd unregister": UFFDIO_UNREGISTER
 * @PTEBATCH_STEP_UFFD_PROTECT: "uffd protect": write protection by userfaultfd
 * @PTEBATCH_STEP_UFFD_RESOLVE: "uffd resolve": end of the write protection
 * @PTEBATCH_STEP_SCAN: "scan": PAGEMAP_SCAN: count the pages that were written, and
 *                      write-protect them
 * @PTEBATCH_STEP_MMAP: "mmap": munmap(), and new memory, registered as the old one was
 * @PTEBATCH_STEP_MOVE_FAILS: "move fails": mremap() of the whole row, which gets one page
 *                            table less than it needs
 * @PTEBATCH_STEP_MOVE_DONTUNMAP: "move dontunmap": mremap(MREMAP_DONTUNMAP) of the row
 * @PTEBATCH_STEP_MOVE: "move": mremap() of the whole row
 * @PTEBATCH_STEP_UFFD_MOVE: "uffd move": UFFDIO_MOVE of the whole row; mremap() of what it
 *                           does not move
 * @PTEBATCH_STEP_RESIZE: "resize": mremap() to the pages before the range, and back to all
 * @PTEBATCH_STEP_CLEAR_REFS: "clear refs": clear_refs: no page of the process is soft-dirty
 * @PTEBATCH_STEP_FORK: "fork": fork()
 * @PTEBATCH_STEP_EXIT: "exit": exit of the child
 * @PTEBATCH_NR_STEPS: number of kinds
 */
enum ptebatch_step_kind {
	PTEBATCH_STEP_WRITE,
	PTEBATCH_STEP_THP_WRITE,
	PTEBATCH_STEP_ZERO,
	PTEBATCH_STEP_EQUAL,
	PTEBATCH_STEP_READ,
	PTEBATCH_STEP_THP_READ,
	PTEBATCH_STEP_POISONED_READ,
	PTEBATCH_STEP_PROTECT_NONE,
	PTEBATCH_STEP_PROTECT_RO,
	PTEBATCH_STEP_PROTECT_RW,
	PTEBATCH_STEP_COLD,
	PTEBATCH_STEP_PAGEOUT,
	PTEBATCH_STEP_RECLAIM,
	PTEBATCH_STEP_FREE,
	PTEBATCH_STEP_DONTNEED,
	PTEBATCH_STEP_GUARD_INSTALL,
	PTEBATCH_STEP_GUARD_REMOVE,
	PTEBATCH_STEP_COLLAPSE,
	PTEBATCH_STEP_KHUGEPAGED,
	PTEBATCH_STEP_KSM,
	PTEBATCH_STEP_SPLIT,
	PTEBATCH_STEP_MIGRATE,
	PTEBATCH_STEP_IDLE,
	PTEBATCH_STEP_DAMON,
	PTEBATCH_STEP_NUMA_HINT,
	PTEBATCH_STEP_HOLE,
	PTEBATCH_STEP_TRUNCATE,
	PTEBATCH_STEP_NAME,
	PTEBATCH_STEP_UNNAME,
	PTEBATCH_STEP_MLOCK,
	PTEBATCH_STEP_MUNLOCK,
	PTEBATCH_STEP_PIN,
	PTEBATCH_STEP_UFFD_REGISTER,
	PTEBATCH_STEP_UFFD_UNREGISTER,
	PTEBATCH_STEP_UFFD_PROTECT,
	PTEBATCH_STEP_UFFD_RESOLVE,
	PTEBATCH_STEP_SCAN,
	PTEBATCH_STEP_MMAP,
	PTEBATCH_STEP_MOVE_FAILS,
	PTEBATCH_STEP_MOVE_DONTUNMAP,
	PTEBATCH_STEP_MOVE,
	PTEBATCH_STEP_UFFD_MOVE,
	PTEBATCH_STEP_RESIZE,
	PTEBATCH_STEP_CLEAR_REFS,
	PTEBATCH_STEP_FORK,
	PTEBATCH_STEP_EXIT,
	PTEBATCH_NR_STEPS
};

/**
 * struct ptebatch_step - a step of a program
 * @kind: one of enum ptebatch_step_kind
 * @child: step of the child
 * @from: index of the first entry in the row
 * @to: index of the first entry after the range; 0: after the row
 */
struct ptebatch_step {
	u8 kind;
	bool child;
	u16 from;
	u16 to;
};

#define PTEBATCH_PROGRAM_STEPS	27

/**
 * struct ptebatch_program - steps on a row
 * @nr: number of steps
 * @steps: the steps
 */
struct ptebatch_program {
	unsigned int nr;
	struct ptebatch_step steps[PTEBATCH_PROGRAM_STEPS];
};

bool ptebatch_step_accesses(enum ptebatch_step_kind kind);
bool ptebatch_step_needs_uffd(enum ptebatch_step_kind kind);
bool ptebatch_step_registers(enum ptebatch_step_kind kind);
bool ptebatch_step_remaps(enum ptebatch_step_kind kind);
bool ptebatch_step_writes(enum ptebatch_step_kind kind);
void ptebatch_step_print(struct seq_buf *out, const struct ptebatch_step *step);
int ptebatch_program_parse(struct ptebatch_program *program, const char *text,
			   const char **error);
const char *ptebatch_program_error(const struct ptebatch_program *program,
				   unsigned int entries);
void ptebatch_program_print(struct seq_buf *out,
			    const struct ptebatch_program *program);

#endif /* PTEBATCH_PROGRAM_H */
