/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accesses to one page of a synthetic address space, by a task that uses its mm.
 */
#ifndef PTEBATCH_ACCESS_H
#define PTEBATCH_ACCESS_H

#include "op.h"

/* Write to the page of an entry, from user space's point of view. */
#define PTEBATCH_WRITE(entry) (&(const struct ptebatch_op) {		\
	.name = "write", .function = "put_user()",			\
	.call = ptebatch_call_write, .arg = (entry), .no_twin = true })

/* Pin the page of an entry for writing, without faults. */
#define PTEBATCH_PIN(entry) (&(const struct ptebatch_op) {		\
	.name = "pin", .function = "pin_user_pages_fast()",		\
	.call = ptebatch_call_pin, .arg = (entry), .no_twin = true })

long ptebatch_call_write(const struct ptebatch_op *op,
			 struct ptebatch_space *space, bool twin);
long ptebatch_call_pin(const struct ptebatch_op *op,
		       struct ptebatch_space *space, bool twin);
bool ptebatch_written(const struct ptebatch_space *space, unsigned int i);
long ptebatch_pin(struct ptebatch_space *space, unsigned int i, unsigned int flags);

/* Pin the first page of the range; a fault may map it. */
extern const struct ptebatch_op ptebatch_pin_first;

#endif /* PTEBATCH_ACCESS_H */
