# SPDX-License-Identifier: GPL-2.0
ifneq ($(KERNELRELEASE),)
# For the kernel build: built in as mm/tests/ptebatch/ of a shadow tree, or with M= as a
# module, which also gets CONFIG_PTEBATCH_KUNIT_TEST=m. For `make patch`, which writes
# the lists of objects out: one folder or one kind of suites a line.

obj-$(CONFIG_PTEBATCH_KUNIT_TEST) += ptebatch_kunit.o
# From top to bottom: tests/project/rooms.py checks that all includes lead down.
ptebatch_kunit-y := $(addprefix lib/,run/build.o inject/build.o op/build.o check/build.o record/build.o)
ptebatch_kunit-y += $(addprefix lib/,space/build.o service/build.o kernel/build.o twin/counts.o row/build.o)
ptebatch_kunit-y += $(addprefix mm/,module.o workbench.o workbench_checks.o workbench_memory.o counts.o pgtable.o pgtable_mmu.o internal.o interleavings.o filemap.o huge_memory.o khugepaged.o ksm.o madvise.o madvise_locks.o madvise_process.o madvise_tables.o)
ptebatch_kunit-y += $(addprefix mm/,madvise_random.o memory.o memory_anon.o memory_fork.o memory_swap.o memory_wp.o mempolicy.o migrate.o mincore.o mlock.o mprotect.o)
ptebatch_kunit-y += $(addprefix mm/,mprotect_fault.o mprotect_model.o mprotect_random.o mremap.o mremap_random.o page_idle.o)
ptebatch_kunit-y += $(addprefix mm/,rmap.o rmap_device.o rmap_referenced.o sequences.o swap_state.o task_mmu.o threads.o truncate.o unmap_random.o userfaultfd.o util.o vmscan.o vmscan_threads.o)
ptebatch_kunit-$(CONFIG_ARM64_CONTPTE) += lib/arch/contpte.o $(addprefix mm/,contpte.o contpte_kernel.o contpte_lockless.o contpte_routes.o)
ptebatch_kunit-$(CONFIG_HUGETLB_PAGE) += mm/hugetlbpage.o
ptebatch_kunit-$(CONFIG_PTEBATCH_BENCH) += lib/run/bench.o lib/run/region.o lib/run/stopwatch.o \
	mm/filemap_bench.o mm/huge_memory_bench.o mm/madvise_bench.o mm/memory_anon_bench.o mm/memory_bench.o \
	mm/memory_fork_bench.o mm/memory_swap_bench.o mm/mprotect_bench.o mm/mprotect_fault_bench.o mm/rmap_bench.o \
	mm/small_folios_bench.o mm/userfaultfd_bench.o

# The twins: the kernel's sources compiled with batches of one.
twins-y := madvise memory mprotect mremap rmap
twins-$(CONFIG_ARM64_CONTPTE) += contpte
twins-$(CONFIG_NUMA) += mempolicy
twins-$(CONFIG_TRANSPARENT_HUGEPAGE) += khugepaged

# mm/internal.h, and mm/*.c for the twins.
tree := $(or $(if $(KBUILD_EXTMOD),$(KSRC)),$(srctree))
ccflags-y += -I$(tree)/mm

ifeq ($(KBUILD_EXTMOD),)
# Built in, a twin is compiled like the kernel's source, so that it is as fast
# except for the batches, and its symbols are made local.
ptebatch_kunit-y += $(twins-y:%=lib/twin/%.local.o)
ptebatch_kunit-y += lib/kernel/resume.o lib/kernel/watchdog.o
ptebatch_kunit-$(CONFIG_GCOV_KERNEL) += lib/kernel/coverage.o
ptebatch_kunit-$(CONFIG_PTEBATCH_MUTATION) += lib/kernel/mutation.o
targets += $(twins-y:%=lib/twin/%.o)
OBJCOPYFLAGS := --wildcard --keep-global-symbol='ptebatch_twin_*'
$(obj)/lib/twin/%.local.o: $(obj)/lib/twin/%.o FORCE
	$(call if_changed,objcopy)
else
# A module cannot reach everything that such a source calls: the compiler drops
# what the entry points do not use.
ptebatch_kunit-y += lib/link/lookup.o $(twins-y:%=lib/twin/%.o)
$(foreach twin,$(twins-y),$(eval CFLAGS_lib/twin/$(twin).o := -fwhole-program))

# Symbols that the objects use, and that neither they, the kernel's exports, nor
# stubs.S and the linker define. Exports that name other modules are not for us.
users := $(addprefix $(obj)/,$(ptebatch_kunit-y))
filechk_unexported = $(NM) -g $(users) | awk ' \
	/^0x/ { if ($$5 !~ /^module:/) defined[$$2] } \
	/^[0-9a-f]+ [A-Z] / { defined[$$3] } \
	$$1 == "U" && $$2 !~ /^(__this_module|_GLOBAL_OFFSET_TABLE_|ptebatch_symbols(_end)?)$$/ { used[$$2] } \
	END { for (name in used) if (!(name in defined)) { \
		kind = sub(/^ptebatch_/, "", name) ? "pointer" : "stub"; \
		print kind, name } }' \
	$(objtree)/Module.symvers - | LC_ALL=C sort
$(obj)/lib/link/unexported.h: $(users) FORCE
	$(call filechk,unexported)

ptebatch_kunit-y += lib/link/stubs.o
AFLAGS_lib/link/stubs.o := -I$(obj)/lib/link
$(obj)/lib/link/stubs.o: $(obj)/lib/link/unexported.h
clean-files += lib/link/unexported.h
endif

# What an older kernel lacks: see lib/port/port.h.
ccflags-y += -include $(src)/lib/port/port.h -I$(obj)/lib/port -I$(src)/lib/port/include
filechk_has = grep -v '^\#' $(src)/lib/port/probes | while read -r name file text; do \
	! grep -qsF -- "$$text" $(tree)/$$file || echo "\#define PTEBATCH_HAS_$$name"; done
$(foreach twin,$(twins-y),$(eval CFLAGS_lib/twin/$(twin).o += -DPTEBATCH_TWIN))
$(obj)/lib/port/has.h: $(src)/lib/port/probes FORCE
	$(call filechk,has)
$(addprefix $(obj)/,$(ptebatch_kunit-y) $(twins-y:%=lib/twin/%.o)): $(obj)/lib/port/has.h
clean-files += lib/port/has.h

else
# For the user.

O ?= build
# Another kernel is tested as it is; a series for it begins with the fixes.
FIXES ?= $(if $(and $(KSRC)$(KERNEL),$(filter-out patch,$(MAKECMDGOALS))),,$(wildcard mm/series/fixes))

goals := $(shell sed -n 's/^\([a-z]*\) .*/\1/p' tests/commands.txt)
variables := $(shell sed -n 's/^\([A-Z_]*\)=.*/\1/p' tests/variables.txt)
export $(variables)

given := $(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(name)))
ifneq ($(filter-out $(variables),$(given)),)
$(error $(firstword $(filter-out $(variables),$(given)))=: no such variable, see make help)
endif

.PHONY: help $(goals) $(goals:%=do-%)

help:
	@sed -n 's/^\([a-z]\S*  *\)\S*  */make \1/p' tests/commands.txt
	@echo
	@grep -v '^#' tests/variables.txt
	@echo
	@echo 'Exit status: 0 all passed, 1 a case failed, 2 it could not run, 3 a bench became slower'

# make ends with 2 whatever the status of its recipe is. So the recipe writes its status to a file, and a function
# that make loads ends make with it; where make cannot load functions, each failure is 2.
ifneq ($(filter $(goals),$(MAKECMDGOALS)),)
# One file for each make: several may run with the same O=.
make_pid := $(shell echo $$PPID)
status = $(O)/.status-$(@:do-%=%)-$(make_pid)
-load $(O)/exit.so
endif

$(O)/exit.so: tests/host/exit.c
	@mkdir -p $(O) && tests/host/bootstrap && cc -shared -fPIC -o $@.$$$$ $< && mv $@.$$$$ $@

$(goals): %: do-%
	$(exit $(status))@! test -e $(status) || exit $$(cat $(status))

# When make is killed, the kernel kills the shell of its recipe, and the command ends with its parent.
$(goals:%=do-%): SHELL := setpriv
$(goals:%=do-%): .SHELLFLAGS := --pdeathsig KILL sh -c
$(goals:%=do-%):
	@PTEBATCH_PARENT=$$$$ python3 -m tests $(@:do-%=%); echo $$? >$(status)

endif
