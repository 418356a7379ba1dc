/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stubs.S has a stub for.
 */
#ifndef PTEBATCH_LOOKUP_H
#define PTEBATCH_LOOKUP_H

/**
 * struct ptebatch_symbol - a function of the kernel that is not exported
 * @name: its name
 * @address: where it is, 0 until it has been looked up
 */
struct ptebatch_symbol {
	const char *name;
	unsigned long address;
};

extern struct ptebatch_symbol ptebatch_symbols[];
extern struct ptebatch_symbol ptebatch_symbols_end[];

#endif /* PTEBATCH_LOOKUP_H */
