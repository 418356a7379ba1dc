# SPDX-License-Identifier: GPL-2.0
ifneq ($(KERNELRELEASE),)
# For the kernel's build: mm/ptebatch/ of a shadow tree, or M= of a module build.

obj-$(CONFIG_PTEBATCH_KUNIT_TEST) += ptebatch.o
ptebatch-y := lib/advise.o lib/books.o lib/bytes.o lib/chance.o \
	lib/counter.o lib/file.o lib/flush.o lib/folio.o lib/fork.o \
	lib/hold.o lib/locks.o lib/lru_gen.o lib/model.o lib/orders.o \
	lib/populate.o lib/process.o lib/protect.o lib/pte.o lib/random.o \
	lib/row.o lib/snapshot.o lib/space.o lib/states.o lib/swap.o \
	lib/syscall.o lib/trial.o lib/unmap.o lib/warnings.o lib/window.o
ptebatch-y += mm/workbench.o mm/pgtable.o mm/khugepaged.o mm/madvise.o \
	mm/madvise_process.o mm/madvise_random.o mm/memory.o mm/memory_fork.o \
	mm/mempolicy.o mm/mlock.o mm/mprotect.o mm/mprotect_fault.o \
	mm/mprotect_model.o mm/mprotect_random.o mm/mremap.o \
	mm/mremap_random.o mm/rmap.o mm/rmap_referenced.o mm/unmap_random.o \
	mm/vmscan.o
ptebatch-$(CONFIG_ARM64_CONTPTE) += lib/contpte.o mm/contpte.o
ptebatch-$(CONFIG_PTEBATCH_BENCH) += lib/region.o lib/stopwatch.o \
	mm/madvise_bench.o mm/memory_bench.o mm/mprotect_bench.o \
	mm/mprotect_fault_bench.o mm/rmap_bench.o

# The kernel's own sources once more, with batching off, keep their names to
# themselves. Built in, they are compiled as the kernel's are, to be as fast but
# for the batches, and made local then. All that such a source calls is out of a
# module's reach; there the compiler leaves out what nobody uses.
twins := madvise memory mprotect mremap rmap
twins += $(if $(CONFIG_ARM64_CONTPTE),contpte)
twins += $(if $(CONFIG_NUMA),mempolicy)
twins += $(if $(CONFIG_TRANSPARENT_HUGEPAGE),khugepaged)
ifeq ($(CONFIG_PTEBATCH_KUNIT_TEST),m)
ptebatch-y += $(twins:%=lib/twin_%.o)
$(foreach twin,$(twins),$(eval CFLAGS_lib/twin_$(twin).o := -fwhole-program))
else
ptebatch-y += $(twins:%=lib/twin_%.local.o)
targets += $(twins:%=lib/twin_%.o)
OBJCOPYFLAGS := --wildcard --keep-global-symbol='ptebatch_twin_*'
$(obj)/lib/twin_%.local.o: $(obj)/lib/twin_%.o FORCE
	$(call if_changed,objcopy)
endif

# A module calls what the kernel does not export. In a tree with our hooks the
# kernel is made to export it; any other kernel is searched for it.
ifneq ($(KBUILD_EXTMOD),)
ptebatch-y += lib/lookup.o lib/stubs.o
$(foreach twin,$(twins),$(eval CFLAGS_lib/twin_$(twin).o += -DPTEBATCH_LOOKUP))
kernel := $(or $(KSRC),$(srctree))
else
obj-$(if $(filter m,$(CONFIG_PTEBATCH_KUNIT_TEST)),y) += lib/exports.o
kernel := $(srctree)
endif

# mm/internal.h, and for the twins mm/*.c itself.
ccflags-y += -I$(kernel)/mm

else
# For the person at the keyboard.

O ?= build
FIXES ?= $(if $(KSRC),,$(wildcard mm/series/fixes))
export ARCH VARIANTS SUITES LOADABLE KSRC SERIES FIXES O JOBS TIMEOUT EXHAUSTIVE DEBUG SEED ROUNDS CLOCK TOLERANCE BASELINE BENCH KDIR SELFTESTS

goals := run bench compare gate test module mutants reproduce selftests

.PHONY: help $(goals) $(goals:%=do-%)

help:
	@echo 'make run        build a kernel with the suites, boot it and judge: all set-up included'
	@echo 'make bench      time the paths, in a kernel without debug options'
	@echo 'make compare    the kernel without and with SERIES=, judged and timed: a table for a cover letter'
	@echo 'make gate       the same for CI: timed once, against recorded figures of the kernel without SERIES='
	@echo 'make selftests  the kernel'\''s own tools/testing/selftests/mm, in a kernel with its config (x86_64, arm64)'
	@echo 'make test       the tests of the project itself: tools, style, all architectures'
	@echo 'make module     only the module ptebatch.ko, for the kernel built in KDIR='
	@echo 'make mutants    put known bugs back, one by one, and show which case catches each'
	@echo 'make reproduce  run a user-space program per known bug, without and with the fixes, in a table (x86_64)'
	@echo
	@echo 'ARCH=           um (default), x86_64 or arm64'
	@echo 'VARIANTS=       of make run ARCH=arm64: all, or some of main a57 bbml3 va52 va48 16k 64k, in a table'
	@echo 'SUITES=         only the suites, or suite.case, that match; say ptebatch_mprotect*'
	@echo 'LOADABLE=1      as a module, inserted and removed three times (x86_64, arm64)'
	@echo 'DEBUG=1         with KASAN, lockdep and the page table check (x86_64, arm64)'
	@echo 'KSRC=           your own kernel tree, which is not written to'
	@echo 'SERIES=         a patch, an mbox or a folder of patches on top of the kernel'
	@echo 'FIXES=          empty: the fetched kernel without the fixes of mm/series/fixes'
	@echo 'KDIR=           the build folder of a kernel, for make module'
	@echo 'BENCH=1         with the benches, for make module'
	@echo 'O=              where results go, default build/'
	@echo 'EXHAUSTIVE=1    all combinations of entries, not a sample: takes minutes'
	@echo 'SEED=, ROUNDS=  of the random rows: which to begin with, and how many'
	@echo 'CLOCK=          of benches: count (instructions, x86_64 and arm64) or native (time)'
	@echo 'TOLERANCE=      how much slower a bench may get in make compare and make gate, default 2%'
	@echo 'BASELINE=       of make gate: the bench.json to compare with, default tests/recorded/<arch>/bench.json'
	@echo 'SELFTESTS=0     make compare without the kernel'\''s own selftests, which are most of its time'
	@echo 'JOBS=           how many to build with at a time, default one a processor'
	@echo 'TIMEOUT=        seconds that a boot may take, default 300, with DEBUG=1 or LOADABLE=1 600, with EXHAUSTIVE=1 1800, selftests 3600'
	@echo
	@echo 'Exit status: 0 all passed, 1 a case failed, 2 it could not run, 3 a bench became slower'

# Whatever a recipe ends with, make ends with 2. So the status is written down, and a function that make
# loads ends it with that; where make cannot load, all failures are 2.
ifneq ($(filter $(goals),$(MAKECMDGOALS)),)
# Each make has a file of its own: several may run with the same O=.
make_pid := $(shell echo $$PPID)
status = $(O)/.status-$(@:do-%=%)-$(make_pid)
-load $(O)/exit.so
endif

$(O)/exit.so: tests/exit.c
	@mkdir -p $(O) && tests/bootstrap && cc -shared -fPIC -o $@.$$$$ $< && mv $@.$$$$ $@

$(goals): %: do-%
	$(exit $(status))@! test -e $(status) || exit $$(cat $(status))

do-run: command := python3 tests/run.py
do-bench: command := python3 tests/bench.py
do-compare: command := python3 tests/compare.py
do-gate: command := python3 tests/gate.py
do-test: command := python3 tests/check.py
do-module: command := python3 tests/module.py
do-mutants: command := python3 tests/mutants.py
do-reproduce: command := python3 tests/reproduce.py
do-selftests: command := python3 tests/selftests.py
# When make is killed, its recipe's shell is, and the command ends with its parent.
$(goals:%=do-%): SHELL := setpriv
$(goals:%=do-%): .SHELLFLAGS := --pdeathsig KILL sh -c
$(goals:%=do-%):
	@PTEBATCH_PARENT=$$$$ $(command); echo $$? >$(status)

endif
