// SPDX-License-Identifier: GPL-2.0
/*
 * The files of this folder as one object: to compile their headers takes longer than
 * to compile them. The first header must come before all others.
 */
#include "../twin/names.h"

#include "anon_orders.c"
#include "damon.c"
#include "device.c"
#include "khugepaged.c"
#include "ksmd.c"
#include "lru_gen.c"
#include "part.c"
#include "pause.c"
#include "proc.c"
#include "service.c"
#include "swap.c"
#include "sysfs.c"
