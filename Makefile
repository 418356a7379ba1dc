# SPDX-License-Identifier: GPL-2.0
ifneq ($(KERNELRELEASE),)
# For the kernel's build: mm/ptebatch/ of a shadow tree, or M= of a module build.

obj-$(CONFIG_PTEBATCH_KUNIT_TEST) += ptebatch.o
ptebatch-y := mm/mprotect.o

else
# For the person at the keyboard.

help:
	@echo TBD
endif
