/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For a module that is built in the kernel tree: the kernel exports what it
 * needs. Assembly needs no declarations of the symbols.
 */
#include <generated/bounds.h>
#include <linux/export.h>

#define PTEBATCH_SYMBOL(name)	EXPORT_SYMBOL_GPL(name);
#define PTEBATCH_DATA(name)	EXPORT_SYMBOL_GPL(name);
#include "symbols.h"
