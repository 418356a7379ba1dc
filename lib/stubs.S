/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For a kernel that exports nothing to us: a function of the same name for
 * each, which jumps to where lookup.c has found the kernel's.
 */
#include <linux/linkage.h>
#ifdef CONFIG_X86_64
#include <asm/nospec-branch.h>
#endif

#if defined(CONFIG_X86_64)
.macro jump_through target
	ANNOTATE_RETPOLINE_SAFE
	jmp	*\target(%rip)
.endm
#elif defined(CONFIG_ARM64)
.macro jump_through target
	adrp	x16, \target
	ldr	x16, [x16, :lo12:\target]
	br	x16
.endm
#endif

.macro stub name
	.pushsection .data, "aw"
	.balign 8
	SYM_DATA(ptebatch_address_of_\name, .quad 0)
	.popsection
SYM_FUNC_START(\name)
	jump_through ptebatch_address_of_\name
SYM_FUNC_END(\name)
.endm

	.text
#define PTEBATCH_SYMBOL(name)	stub name;
#include "symbols.h"

#ifdef CONFIG_ARM64
/* Page table helpers ask whether an mm is this one. None of ours is. */
	.pushsection .data, "aw"
SYM_DATA(init_mm, .quad 0)
	.popsection
#endif
