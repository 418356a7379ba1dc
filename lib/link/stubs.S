/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stub for each kernel function that the kernel does not export, which has
 * the function's name and jumps to the address that lookup.c has found.
 */
#include <generated/bounds.h>
#include <linux/linkage.h>
#ifdef CONFIG_X86_64
#include <asm/nospec-branch.h>
#endif

#if defined(CONFIG_X86_64)
.macro jump_through address
	ANNOTATE_RETPOLINE_SAFE
	jmp	*\address(%rip)
.endm
#elif defined(CONFIG_ARM64)
.macro jump_through address
	adrp	x16, \address
	ldr	x16, [x16, :lo12:\address]
	br	x16
.endm
#endif

/* A stub and its struct ptebatch_symbol. */
.macro stub name
	.section .rodata.ptebatch_names, "a"
.Lname_of_\name:
	.asciz	"\name"
	.data
	.quad	.Lname_of_\name
.Laddress_of_\name:
	.quad	0
	.text
SYM_FUNC_START(\name)
	jump_through .Laddress_of_\name
SYM_FUNC_END(\name)
.endm

/* A pointer to a variable and its struct ptebatch_symbol; see twin/names.h. */
.macro pointer name
	.section .rodata.ptebatch_names, "a"
.Lname_of_\name:
	.asciz	"\name"
	.data
	.quad	.Lname_of_\name
SYM_DATA(ptebatch_\name, .quad 0)
.endm

	.data
	.balign	8
SYM_DATA_START(ptebatch_symbols)
	.text
#define PTEBATCH_SYMBOL(name)	stub name;
#define PTEBATCH_DATA(name)	pointer name;
#include "symbols.h"
	.data
SYM_DATA_END(ptebatch_symbols)
SYM_DATA_START(ptebatch_symbols_end)
SYM_DATA_END(ptebatch_symbols_end)

#ifdef CONFIG_ARM64
/* Page table helpers compare with their addresses. None of our mms matches. */
SYM_DATA(init_mm, .quad 0)
SYM_DATA(swapper_pg_dir, .quad 0)
#endif
