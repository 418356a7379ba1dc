# SPDX-License-Identifier: GPL-2.0
"""VARIANTS=: each runs on its own CPU and kernel, or did not run; and the table of them all."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from unit.machine import KTAP, Machine, says
from host.settings import PROJECT, Settings
from host.variants import ARM64, BBML3, DIRTY, FEATURES, LPA2, VARIANTS
from unit.test_run import FAILING

ENDING = 'reboot: Restarting system\n'
OF = {variant.name: variant for variant in ARM64}
AGAIN = 'make run ARCH=arm64 SUITES=ptebatch_mprotect_random SEED=7 ROUNDS=1'


def starts(name: str) -> str:
    """What the guest of a variant prints before the suites."""
    variant = OF[name]
    detected = ''.join(f'CPU features: detected: {feature}{" on CPU0" if feature == DIRTY else ""}\n'
                       for feature in FEATURES if feature in variant.features)
    midr = variant.model | 0x4f0001
    return f'Booting Linux on physical CPU 0x0000000000 [{midr:#010x}]\n' \
           f'Dentry cache hash table entries: 65536 (order: 3, {variant.page << 3} bytes, vmalloc)\n{detected}'


def guests(machine: Machine, **logs: str) -> None:
    """QEMU, whose guest is the variant that its options make it, or prints something else."""
    cases = {
        'a57': '*-cpu?cortex-a57*', 'bbml3': '*midr=*', 'va48': '*arm64-va48/*', 'va52': '*-cpu?max*',
        '16k': '*arm64-16k/*', '64k': '*arm64-64k/*', 'main': '*',
    }
    assert cases.keys() == OF.keys()
    machine.program('aarch64-linux-gnu-gcc', '')
    machine.program('qemu-system-aarch64', 'case "$*" in\n' + ''.join(
        f'{pattern})\n{says(logs.get(f"on_{name}", starts(name) + KTAP + ENDING))};;\n'
        for name, pattern in cases.items()) + 'esac\n')


def rows(said: str) -> dict[str, list[str]]:
    """The verdict and counts of each variant in the table."""
    table = said[said.index('| variant'):].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip('|').split('|')] for line in table if line.startswith('|')]
    assert all(re.fullmatch(r'\d+\.\d', row[5]) or row[3] == 'could not run' for row in cells)
    return {row[0]: row[3:5] for row in cells}


def test_names() -> None:
    said = subprocess.run(['make', '-C', PROJECT, 'help'], text=True, capture_output=True, check=True).stdout
    for several in VARIANTS.values():
        assert f'all, or some of {" ".join(variant.name for variant in several)},' in said
        assert len({variant.name for variant in several} - {'all'}) == len(several)
        assert len({(variant.cpu, variant.config) for variant in several}) == len(several)
        assert not several[0].config    # its kernel is that of a run without VARIANTS=


@pytest.mark.parametrize('name', OF)
def test_a_variant_is_known_by_its_log(name: str) -> None:
    assert [other for other in OF if not OF[name].differences(starts(other))] == [name]


@pytest.mark.parametrize(('name', 'log', 'difference'), [
    ('a57', starts('main'), ['its CPU is 0x414fd0b1', f'{DIRTY} is there']),
    ('bbml3', starts('bbml3').replace(BBML3, 'x'), [f'{BBML3} is missing']),
    ('va52', starts('va48'), [f'{LPA2} is missing']),
    ('va48', starts('va52'), [f'{LPA2} is there']),
    ('16k', starts('main'), ['it has pages of 4096 bytes']),
    ('main', starts('64k'), ['it has pages of 65536 bytes']),
    ('main', '', ['it did not come as far as to say what it is']),
    ('main', starts('main').replace('detected', 'unavailable'), [f'{DIRTY} is missing']),
])
def test_differences(name: str, log: str, difference: list[str]) -> None:
    assert OF[name].differences(log) == difference


def test_results_and_kernels() -> None:
    env = {'HOME': '/root', 'O': '/out', 'ARCH': 'arm64'}
    assert Settings.read(env).each() == [Settings.read(env)]
    runs = Settings.read(env | {'VARIANTS': ' 16k main  a57 16k'}).each()
    assert [run.results for run in runs] == [Path('/out/arm64-16k'), Path('/out/arm64'), Path('/out/arm64-a57')]
    assert [run.kernel for run in runs] == ['arm64-16k', 'arm64', 'arm64']
    assert [run.sources[0] for run in runs] == ['VARIANTS=16k', 'VARIANTS=main', 'VARIANTS=a57']
    assert [run.variant for run in Settings.read(env | {'VARIANTS': 'all'}).each()] == list(ARM64)


def test_all(machine: Machine) -> None:
    guests(machine)
    ended = machine.run(ARCH='arm64', VARIANTS='all')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert rows(ended.stdout) == {name: ['passed', '2 / 0 / 0'] for name in OF}
    folders = {path.parent.name for path in machine.out.glob('*/results.json')}
    assert folders == {'arm64', *(f'arm64-{name}' for name in OF if name != 'main')}
    assert (machine.out / 'arm64-variants.md').read_text() in ended.stdout
    kernels = {path.parent.name for path in machine.cache.glob('ptebatch/trees/*/.kunit-*/vmlinux')}
    assert kernels == {'.kunit-arm64', '.kunit-arm64-va48', '.kunit-arm64-16k', '.kunit-arm64-64k'}
    config = next(machine.cache.glob('ptebatch/trees/*/.kunit-arm64-16k/.config')).read_text()
    assert 'CONFIG_ARM64_16K_PAGES=y' in config


def test_without_variants_nothing_is_asked_of_the_guest(machine: Machine) -> None:
    guests(machine, on_main=KTAP + ENDING)
    ended = machine.run(ARCH='arm64')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert '\nvariant ' not in '\n' + ended.stdout


def test_a_failed_case(machine: Machine) -> None:
    failing = FAILING.replace('    # second:', f'    # second: again by: {AGAIN}\n    # second:')
    guests(machine, on_a57=starts('a57') + failing + ENDING)
    ended = machine.run(ARCH='arm64', VARIANTS='main a57 bbml3')
    assert ended.returncode == 1
    assert rows(ended.stdout) == {'main': ['passed', '2 / 0 / 0'], 'a57': ['FAILED', '1 / 1 / 0'],
                                  'bbml3': ['passed', '2 / 0 / 0']}
    assert f'\nagain by  {AGAIN} VARIANTS=a57 KSRC={machine.tree}\n' in ended.stdout
    assert '\nFAILED    arm64-a57: 1 passed, 1 failed' in ended.stdout


@pytest.mark.parametrize('log', [starts('main') + KTAP + ENDING, '', "qemu: unable to find CPU model 'none'\n"])
def test_what_is_silently_another_did_not_run(machine: Machine, log: str) -> None:
    guests(machine, on_bbml3=log)
    ended = machine.run(ARCH='arm64', VARIANTS='bbml3 main')
    assert ended.returncode == 2
    assert rows(ended.stdout) == {'bbml3': ['could not run', ''], 'main': ['passed', '2 / 0 / 0']}
    assert '\nno run    bbml3: the guest is not the variant bbml3 (' in ended.stdout
    assert log[-40:] in ended.stdout
    assert ended.stderr.startswith('ptebatch: could not run: bbml3; ')
    assert not (machine.out / 'arm64-bbml3/results.json').exists()
    assert json.loads((machine.out / 'arm64/results.json').read_text())['misc']['passed'] == 2


def test_a_kernel_that_does_not_build_stops_no_other(machine: Machine) -> None:
    guests(machine, on_a57=starts('a57') + FAILING + ENDING)
    makefile = (machine.tree / 'Makefile').read_text()
    (machine.tree / 'Makefile').write_text(makefile.replace(
        'all:\n', "all:\n\t@! grep 64K_PAGES $(O)/.config || { echo 'mm/x.c:3: error: no 64K' >&2; exit 1; }\n"))
    ended = machine.run(ARCH='arm64', VARIANTS='64k main')
    assert ended.returncode == 2
    assert rows(ended.stdout) == {'64k': ['could not run', ''], 'main': ['passed', '2 / 0 / 0']}
    assert re.search(r'\nmm/x.c:3: error: no 64K\nmake.*: \*\*\* .*\nno run    64k: the kernel does not build for ',
                     ended.stdout)
    # That a case failed is known whatever else there is.
    assert machine.run(ARCH='arm64', VARIANTS='64k a57').returncode == 1
