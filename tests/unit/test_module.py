# SPDX-License-Identifier: GPL-2.0
"""The module: `make module`, and the symbols that lib/link/stubs.S gets from Kbuild."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from unit.machine import Machine
from host.settings import PROJECT
from host import tools

# The part of Kbuild that the rule uses.
KBUILD = f'''\
KERNELRELEASE := 7.3
KBUILD_EXTMOD := .
obj := .
objtree := kernel
NM := nm
include {PROJECT}/Makefile
users := one.o two.o
show: ; @$(filechk_unexported)
FORCE: ;
'''
EXPORTS = '''\
0x00000000\texported\tvmlinux\tEXPORT_SYMBOL_GPL\t
0x00000000\texported_for_kunit\tvmlinux\tEXPORT_SYMBOL\tEXPORTED_FOR_KUNIT_TESTING
0x00000000\texported_for_kvm\tvmlinux\tEXPORT_SYMBOL_GPL\tmodule:kvm
'''


@pytest.fixture(name='kernel')
def _kernel(machine: Machine) -> Machine:
    """A kernel that was built in its source tree."""
    for name in ('include/config/auto.conf', 'mm/internal.h'):
        (machine.tree / name).parent.mkdir(parents=True, exist_ok=True)
        (machine.tree / name).write_text('')
    return machine


def symbols(folder: Path, *sources: str) -> str:
    """The symbols that these sources of one.o and two.o lack."""
    (folder / 'kernel').mkdir()
    (folder / 'kernel/Module.symvers').write_text(EXPORTS)
    (folder / 'Makefile').write_text(KBUILD)
    for name, source in zip(('one', 'two'), sources, strict=True):
        tools.run(['gcc', '-x', 'c', '-c', '-o', f'{name}.o', '-'], cwd=folder, stdin=source)
    return tools.run(['make', '-s', 'show'], cwd=folder)


def test_symbols_that_the_objects_lack(tmp_path: Path) -> None:
    assert symbols(
        tmp_path, 'extern int x(), y(), *ptebatch_max; static int local; int one() { return x() + y() + *ptebatch_max + local; }',
        'extern int one(), y(); int ptebatch_y() { return one() + y(); }') == 'pointer max\nstub x\nstub y\n'


def test_symbols_of_the_kernel_and_of_the_linker(tmp_path: Path) -> None:
    assert symbols(
        tmp_path, 'extern int exported(), exported_for_kunit(); int one() { return exported() + exported_for_kunit(); }',
        'extern int exported_for_kvm(), __this_module; extern int weak() __attribute__((weak));'
        'int two() { return exported_for_kvm() + __this_module + weak(); }') == 'stub exported_for_kvm\n'


def test_symbols_of_the_objects_themselves(tmp_path: Path) -> None:
    assert symbols(tmp_path, 'extern int *ptebatch_two; int one() { return *ptebatch_two; }',
                   'int *ptebatch_two; extern int one(); int two() { return one(); }') == ''


def module(kernel: Machine, **variables: str) -> subprocess.CompletedProcess[str]:
    return kernel.run('module', **{'KDIR': str(kernel.tree), 'KSRC': ''} | variables)


def test_module_is_built_below_the_results(kernel: Machine) -> None:
    ended = module(kernel, ARCH='arm64', BENCH='1')
    assert ended.returncode == 0, ended.stderr
    given = (kernel.out / 'module/ptebatch_kunit.ko').read_text().split()
    assert {f'M={PROJECT}', f'KSRC={kernel.tree}', 'CONFIG_PTEBATCH_KUNIT_TEST=m', 'CONFIG_PTEBATCH_BENCH=y',
            'ARCH=arm64', 'CROSS_COMPILE=aarch64-linux-gnu-'} <= {*given}


@pytest.mark.parametrize(('variables', 'message'), [
    ({'KDIR': ''}, 'KDIR= is not set'),
    ({'KDIR': str(PROJECT)}, 'not a kernel build folder'),
])
def test_module_needs_a_kernel(kernel: Machine, variables: dict[str, str], message: str) -> None:
    ended = module(kernel, **variables)
    assert ended.returncode == 2 and message in ended.stderr


def test_module_does_not_build(kernel: Machine) -> None:
    (kernel.tree / 'Makefile').write_text('modules: ; @echo "mm/a.c:1: error: no such type"; exit 1\n')
    ended = module(kernel)
    assert ended.returncode == 2
    assert 'error: no such type' in ended.stdout and 'the module does not build' in ended.stderr
