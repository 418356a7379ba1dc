// SPDX-License-Identifier: GPL-2.0
/*
 * The files of this folder as one object: to compile their headers takes longer than
 * to compile them.
 * Those that the module lacks are objects of their own.
 */
#include "daemon.c"
#include "detour.c"
#include "file.c"
#include "kcsan.c"
#include "log.c"
#include "probe.c"
#include "process.c"
#include "syscall.c"
#include "uffd.c"
