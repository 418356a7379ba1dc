/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registration with the userfaultfd of a space, write protection, and poison markers.
 */
#ifndef PTEBATCH_OP_UFFD_H
#define PTEBATCH_OP_UFFD_H

#include "op.h"

/* What a registration, and its end, changes of a VMA. */
#ifdef CONFIG_USERFAULTFD
#define PTEBATCH_UFFD_FLAGS	__VM_UFFD_FLAGS
#else
#define PTEBATCH_UFFD_FLAGS	VM_NONE
#endif

/* UFFDIO_REGISTER for write protection, UFFDIO_UNREGISTER; the space has a userfaultfd. */
extern const struct ptebatch_op ptebatch_uffd_register_wp, ptebatch_uffd_unregister;

/* UFFDIO_POISON; the VMAs are registered with the userfaultfd of the space. */
extern const struct ptebatch_op ptebatch_uffd_poison;

/* As UFFDIO_WRITEPROTECT; the VMAs are registered. */
extern const struct ptebatch_op ptebatch_uffd_protect, ptebatch_uffd_resolve;

#endif /* PTEBATCH_OP_UFFD_H */
