/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In a tree of ours the kernel itself exports what the module needs. In
 * assembly, since this neither needs nor repeats the declarations.
 */
#include <generated/bounds.h>
#include <linux/export.h>

#define PTEBATCH_SYMBOL(name)	EXPORT_SYMBOL_GPL(name);
#define PTEBATCH_DATA(name)	EXPORT_SYMBOL_GPL(name);
#include "symbols.h"
