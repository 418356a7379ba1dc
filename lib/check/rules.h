/* SPDX-License-Identifier: GPL-2.0 */
#include "../row/rules.h"
