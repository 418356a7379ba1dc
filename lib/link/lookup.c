// SPDX-License-Identifier: GPL-2.0
/*
 * Resolves the symbols of stubs.S when the module is loaded. A kprobe gives the
 * address of kallsyms_lookup_name(), which is not exported either.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#ifdef CONFIG_X86_KERNEL_IBT
#include <asm/ibt.h>
#endif

#include "lookup.h"

#ifdef CONFIG_ARM64
/* Page table helpers compare with their addresses. None of our mms matches. */
struct mm_struct init_mm;
pgd_t swapper_pg_dir[1];
#endif

typedef unsigned long (*lookup_name_t)(const char *name);

static lookup_name_t find_lookup_name(void)
{
	struct kprobe kp = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long address;
	int err;

	err = register_kprobe(&kp);
	if (err) {
		pr_err("cannot look up unexported symbols: kprobe on %s failed: %d\n",
		       kp.symbol_name, err);
		return NULL;
	}
	address = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
#ifdef CONFIG_X86_KERNEL_IBT
	/* A kprobe is placed after the ENDBR instruction. */
	if (is_endbr((u32 *)(address - ENDBR_INSN_SIZE)))
		address -= ENDBR_INSN_SIZE;
#endif
	return (lookup_name_t)address;
}

static int __init ptebatch_init(void)
{
	lookup_name_t lookup_name = find_lookup_name();
	struct ptebatch_symbol *symbol;
	int err = 0;

	if (!lookup_name)
		return -ENOENT;
	for (symbol = ptebatch_symbols; symbol != ptebatch_symbols_end; symbol++) {
		symbol->address = lookup_name(symbol->name);
		/* If the kernel lacks a function, its stub is found. */
		if (symbol->address && !within_module(symbol->address, THIS_MODULE))
			continue;
		pr_err("symbol %s not found in this kernel\n", symbol->name);
		err = -ENOENT;
	}
	if (err)
		return err;
	for (symbol = ptebatch_symbols; symbol != ptebatch_symbols_end; symbol++) {
		if (core_kernel_text(symbol->address) == symbol->is_function)
			continue;
		pr_err("symbol %s is %s: correct the list of variables in lib/twin/names.h\n",
		       symbol->name, symbol->is_function ? "a variable" : "a function");
		err = -EINVAL;
	}
	return err;
}
module_init(ptebatch_init);

static void __exit ptebatch_exit(void)
{
	/* The kernel calls ptebatch_notifier_free() some time after the last case. */
	mmu_notifier_synchronize();
}
module_exit(ptebatch_exit);
