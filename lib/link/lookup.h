/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Table of the symbols in stubs.S.
 */
#ifndef PTEBATCH_LOOKUP_H
#define PTEBATCH_LOOKUP_H

/**
 * struct ptebatch_symbol - a kernel function or variable that is not exported
 * @name: name of the symbol
 * @is_function: 1 for a function, 0 for a variable
 * @address: address of the symbol, 0 before the lookup
 */
struct ptebatch_symbol {
	const char *name;
	unsigned long is_function;
	unsigned long address;
};

extern struct ptebatch_symbol ptebatch_symbols[];
extern struct ptebatch_symbol ptebatch_symbols_end[];

#endif /* PTEBATCH_LOOKUP_H */
