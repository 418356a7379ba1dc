# SPDX-License-Identifier: GPL-2.0
"""VARIANTS=: each variant runs on its own CPU and kernel or is reported as not run; the table of all variants."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from unit.machine import KTAP, Machine, print_log
from host.settings import PROJECT, Settings
from host.variants import ARM64, BBML3, DIRTY, FEATURES, LPA2, MTE, POWERPC, RADIX, VARIANTS
from unit.test_run import FAILING, RANDOM_FAILING

REBOOT = 'reboot: Restarting system\n'
BY_NAME = {variant.name: variant for variant in ARM64}


def boot_messages(name: str) -> str:
    """Boot messages of a variant's guest before the suites."""
    variant = BY_NAME[name]
    detected = ''.join(f'{feature}{" on CPU0" if feature == DIRTY else ""}\n'
                       for feature in FEATURES if feature in variant.features)
    midr = variant.model | 0x4f0001
    return f'Booting Linux on physical CPU 0x0000000000 [{midr:#010x}]\n' \
           f'Dentry cache hash table entries: 65536 (order: 3, {variant.page << 3} bytes, vmalloc)\n{detected}'


def guests(machine: Machine, **logs: str) -> None:
    """Install a QEMU whose guest boots as the variant that its options select, or prints the given log."""
    cases = {
        'a57': '*-cpu?cortex-a57*', 'a715': '*midr=0x411fd4d0*', 'bbml3': '*midr=*', 'va48': '*arm64-va48/*', 'mte': '*mte=on*',
        'va52': '*-cpu?max*',
        '16k': '*arm64-16k/*', '64k': '*arm64-64k/*', 'main': '*',
    }
    assert cases.keys() == BY_NAME.keys()
    machine.program('aarch64-linux-gnu-gcc', '')
    machine.program('qemu-system-aarch64', 'case "$*" in\n' + ''.join(
        f'{pattern})\n{print_log(logs.get(f"on_{name}", boot_messages(name) + KTAP + REBOOT))};;\n'
        for name, pattern in cases.items()) + 'esac\n')


def short(feature: str) -> str:
    """A feature as differences() names it."""
    return feature.removeprefix('CPU features: detected: ')


def rows(output: str) -> dict[str, list[str]]:
    """The verdict and counts of each variant in the table."""
    table = output[output.index('| variant'):].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip('|').split('|')] for line in table if line.startswith('|')]
    assert all(re.fullmatch(r'\d+\.\d', row[5]) or row[3] == 'could not run' for row in cells)
    return {row[0]: row[3:5] for row in cells}


def test_variants_in_help() -> None:
    output = subprocess.run(['make', '-C', PROJECT, 'help'], text=True, capture_output=True, check=True).stdout
    for variants in VARIANTS.values():
        assert f'all, or some of {" ".join(variant.name for variant in variants)},' in output
        assert len({variant.name for variant in variants} - {'all'}) == len(variants)
        assert len({(variant.cpu, variant.config, variant.machine) for variant in variants}) == len(variants)
        assert not variants[0].config    # the same kernel as without VARIANTS=


@pytest.mark.parametrize('name', BY_NAME)
def test_log_identifies_variant(name: str) -> None:
    assert [other for other in BY_NAME if not BY_NAME[name].differences(boot_messages(other))] == [name]


@pytest.mark.parametrize(('name', 'log', 'difference'), [
    ('a57', boot_messages('main'), ['its CPU is 0x414fd0b1, expected cortex-a57', short(DIRTY) + ': unexpected']),
    ('bbml3', boot_messages('bbml3').replace(BBML3, 'x'), [short(BBML3) + ': missing']),
    ('va52', boot_messages('va48'), [short(LPA2) + ': missing']),
    ('va48', boot_messages('va52'), [short(LPA2) + ': unexpected']),
    ('va52', boot_messages('mte'), [short(MTE) + ': unexpected']),
    ('16k', boot_messages('main'), ['its page size is 4096, expected 16384']),
    ('main', boot_messages('64k'), ['its page size is 65536, expected 4096']),
    ('main', '', ['the boot log has no CPU or page size']),
    ('main', boot_messages('main').replace('detected', 'unavailable'), [short(DIRTY) + ': missing']),
])
def test_differences(name: str, log: str, difference: list[str]) -> None:
    assert BY_NAME[name].differences(log) == difference


def test_powerpc() -> None:
    log = f'Dentry cache hash table entries: 65536 (order: 3, 524288 bytes, linear)\n{RADIX}\n'
    assert [variant.name for variant in POWERPC if not variant.differences(log)] == ['main']
    assert [variant.name for variant in POWERPC if not variant.differences(log.replace('524288', '32768'))] == ['4k']
    assert POWERPC[0].differences(log.replace('radix', 'hash')) == [f'{RADIX}: missing']


def test_results_and_kernels() -> None:
    env = {'HOME': '/root', 'O': '/out', 'ARCH': 'arm64'}
    assert Settings.read(env).each() == [Settings.read(env)]
    runs = Settings.read(env | {'VARIANTS': ' 16k main  a57 16k'}).each()
    assert [run.results for run in runs] == [Path('/out/arm64-16k'), Path('/out/arm64'), Path('/out/arm64-a57')]
    assert [run.kernel for run in runs] == ['arm64-16k', 'arm64', 'arm64']
    assert [run.sources[0] for run in runs] == ['VARIANTS=16k', 'VARIANTS=main', 'VARIANTS=a57']
    assert Settings.read(env | {'DEBUG': '1'}).sources[0] == 'DEBUG=1'
    assert [run.variant for run in Settings.read(env | {'VARIANTS': 'all'}).each()] == list(ARM64)


def test_all_variants(machine: Machine) -> None:
    guests(machine)
    ended = machine.run(ARCH='arm64', VARIANTS='all')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert rows(ended.stdout) == {name: ['passed', '2 / 0 / 0'] for name in BY_NAME}
    folders = {path.parent.name for path in machine.out.glob('*/results.json')}
    assert folders == {'arm64', *(f'arm64-{name}' for name in BY_NAME if name != 'main')}
    assert (machine.out / 'arm64-variants.md').read_text() in ended.stdout
    kernels = {path.parent.name for path in machine.cache.glob('ptebatch/trees/*/.kunit-*/vmlinux')}
    assert kernels == {'.kunit-arm64', '.kunit-arm64-va48', '.kunit-arm64-16k', '.kunit-arm64-64k'}
    config = next(machine.cache.glob('ptebatch/trees/*/.kunit-arm64-16k/.config')).read_text()
    assert 'CONFIG_ARM64_16K_PAGES=y' in config


def test_without_variants_the_guest_is_not_checked(machine: Machine) -> None:
    guests(machine, on_main=KTAP + REBOOT)
    ended = machine.run(ARCH='arm64')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert '\nvariant ' not in '\n' + ended.stdout
    # A second CPU for ptebatch_threads, off until the suite brings it online.
    assert ' -smp 2,' in ended.stdout and ' maxcpus=1 ' in ended.stdout


def test_failed_case(machine: Machine) -> None:
    guests(machine, on_a57=boot_messages('a57') + RANDOM_FAILING + REBOOT)
    ended = machine.run(ARCH='arm64', VARIANTS='main a57 bbml3')
    assert ended.returncode == 1
    assert rows(ended.stdout) == {'main': ['passed', '2 / 0 / 0'], 'a57': ['FAILED', '1 / 1 / 0'],
                                  'bbml3': ['passed', '2 / 0 / 0']}
    again = 'make run ARCH=arm64 SUITES=ptebatch_fake.second SEED=7 ROUNDS=1 VARIANTS=a57'
    assert f'\nagain by  {again} KSRC={machine.tree}\n' in ended.stdout
    assert '\nFAILED    arm64-a57: 1 passed, 1 failed' in ended.stdout


@pytest.mark.parametrize('log', [boot_messages('main') + KTAP + REBOOT, '', "qemu: unable to find CPU model 'none'\n"])
def test_guest_of_other_variant_is_reported_as_not_run(machine: Machine, log: str) -> None:
    guests(machine, on_bbml3=log)
    ended = machine.run(ARCH='arm64', VARIANTS='bbml3 main')
    assert ended.returncode == 2
    assert rows(ended.stdout) == {'bbml3': ['could not run', ''], 'main': ['passed', '2 / 0 / 0']}
    assert '\nno run    bbml3: the guest is not the variant bbml3 (' in ended.stdout
    assert log[-40:] in ended.stdout
    assert ended.stderr.startswith('ptebatch: could not run: bbml3; ')
    assert not (machine.out / 'arm64-bbml3/results.json').exists()
    assert json.loads((machine.out / 'arm64/results.json').read_text())['misc']['passed'] == 2


def test_failed_build_stops_only_its_variant(machine: Machine) -> None:
    guests(machine, on_a57=boot_messages('a57') + FAILING + REBOOT)
    makefile = (machine.tree / 'Makefile').read_text()
    (machine.tree / 'Makefile').write_text(makefile.replace(
        'all:\n', "all:\n\t@! grep 64K_PAGES $(O)/.config || { echo 'mm/x.c:3: error: no 64K' >&2; exit 1; }\n"))
    ended = machine.run(ARCH='arm64', VARIANTS='64k main')
    assert ended.returncode == 2
    assert rows(ended.stdout) == {'64k': ['could not run', ''], 'main': ['passed', '2 / 0 / 0']}
    assert re.search(r'\nmm/x.c:3: error: no 64K\nmake.*: \*\*\* .*\nno run    64k: the kernel does not build for ',
                     ended.stdout)
    # A failed case takes precedence over a variant that could not run.
    assert machine.run(ARCH='arm64', VARIANTS='64k a57').returncode == 1
