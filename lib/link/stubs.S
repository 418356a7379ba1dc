/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module uses and the kernel does not export: for a function, a stub
 * with the function's name that jumps to the address that lookup.c has found;
 * for a variable, a pointer to it. Kbuild generates unexported.h from the objects.
 */
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

/* A struct ptebatch_symbol without its last member, the address. */
.macro symbol name is_function
	.section .rodata.ptebatch_names, "a"
.Lname_of_\name:
	.asciz	"\name"
	.data
	.quad	.Lname_of_\name
	.quad	\is_function
.endm

.macro stub name
	symbol	\name 1
.Laddress_of_\name:
	.quad	0
	.text
SYM_FUNC_START(\name)
	jump_through .Laddress_of_\name
SYM_FUNC_END(\name)
.endm

/* See twin/names.h. */
.macro pointer name
	symbol	\name 0
SYM_DATA(ptebatch_\name, .quad 0)
.endm

	.data
	.balign	8
SYM_DATA_START(ptebatch_symbols)
#include "unexported.h"
	.data
SYM_DATA_END(ptebatch_symbols)
SYM_DATA_START(ptebatch_symbols_end)
SYM_DATA_END(ptebatch_symbols_end)
