// SPDX-License-Identifier: GPL-2.0
#include "counts.h"

/* One task counts at a time. */
struct ptebatch_counts ptebatch_counts;
