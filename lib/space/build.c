// SPDX-License-Identifier: GPL-2.0
/*
 * The files of this folder as one object: to compile their headers takes longer than
 * to compile them. The first header must come before all others.
 */
#include "../twin/names.h"

#include "adopt.c"
#include "blocks.c"
#include "folio.c"
#include "populate.c"
#include "pte.c"
#include "reacquire.c"
#include "refs.c"
#include "snapshot.c"
#include "space.c"
#include "tables.c"
#include "vmas.c"
