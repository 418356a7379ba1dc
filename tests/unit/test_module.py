# SPDX-License-Identifier: GPL-2.0
"""`make module`."""

from __future__ import annotations

import subprocess

import pytest

from unit.machine import Machine
from host.settings import PROJECT


@pytest.fixture(name='kernel')
def _kernel(machine: Machine) -> Machine:
    """A kernel that was built in its source tree."""
    for name in ('include/config/auto.conf', 'mm/internal.h'):
        (machine.tree / name).parent.mkdir(parents=True, exist_ok=True)
        (machine.tree / name).write_text('')
    return machine


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
