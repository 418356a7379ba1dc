# SPDX-License-Identifier: GPL-2.0
"""Running guests: the accelerator, the wrapper of QEMU, and the loadable run."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from unit.machine import HALTED, KTAP, Machine, print_log, script
from guests import accelerator
from guests.guest import ON_TWO_CPUS
from guests import loadable
from host.architecture import ARCHES
from host.settings import PROJECT
from results.report import Counts
from trees import shadow



@pytest.mark.parametrize('arch', ['x86_64', 'arm64'])
def test_probe_detects_working_guest(arch: str) -> None:
    assert accelerator.starts(ARCHES[arch], accelerator.TCG)


def test_probe_detects_broken_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accelerator, 'PROBE_SECONDS', 1)
    stuck = accelerator.Probe(accelerator.PROBES['x86_64'].args, bytes.fromhex('ebfe').ljust(16).rjust(65536), 33)
    monkeypatch.setitem(accelerator.PROBES, 'x86_64', stuck)
    assert not accelerator.starts(ARCHES['x86_64'], accelerator.TCG)
    assert not accelerator.starts(ARCHES['x86_64'], ['-accel', 'nonesuch'])


@pytest.fixture(name='kvm')
def _kvm(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """An x86_64 machine with a replacement of /dev/kvm."""
    monkeypatch.setattr('platform.machine', lambda: 'x86_64')
    monkeypatch.setattr(accelerator, 'KVM', str(machine.tree / 'Makefile'))
    monkeypatch.setattr(accelerator, 'PROBE_SECONDS', 1)
    monkeypatch.setenv('PATH', machine.env()['PATH'])
    return machine


def test_working_kvm(kvm: Machine) -> None:
    kvm.program('qemu-system-x86_64', 'exit 33\n')
    assert accelerator.choose(ARCHES['x86_64'], kvm.cache) == (['-accel', 'kvm', '-cpu', 'host'],
                                                    f'kvm: a guest runs under {accelerator.KVM}')


@pytest.mark.parametrize('behaviour', ['exec sleep 100\n', 'exit 1\n', 'exit 0\n'])
def test_kvm_that_runs_no_guest(kvm: Machine, behaviour: str) -> None:
    kvm.program('qemu-system-x86_64', behaviour)
    accel, why = accelerator.choose(ARCHES['x86_64'], kvm.cache)
    assert accel == accelerator.TCG
    assert 'no guest runs under it' in why


def test_failed_probe_is_remembered(kvm: Machine) -> None:
    calls = kvm.cache / 'calls'
    kvm.cache.mkdir()
    kvm.program('qemu-system-x86_64', f'echo >>{calls}; exit 1\n')
    for _ in range(2):
        assert accelerator.choose(ARCHES['x86_64'], kvm.cache)[0] == accelerator.TCG
    assert calls.read_text() == '\n'
    os.utime(kvm.bin / 'qemu-system-x86_64', (0, 0))    # another QEMU
    accelerator.choose(ARCHES['x86_64'], kvm.cache)
    assert calls.read_text() == '\n\n'


def test_no_kvm(kvm: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    kvm.program('qemu-system-aarch64', 'exit 0\n')
    assert accelerator.choose(ARCHES['arm64'], kvm.cache) == (accelerator.TCG, 'tcg: this machine is not aarch64')
    monkeypatch.setattr(accelerator, 'KVM', '/no/kvm')
    assert accelerator.choose(ARCHES['x86_64'], kvm.cache) == (accelerator.TCG, 'tcg: /no/kvm does not exist')


@pytest.mark.parametrize('name', ['qemu-system-x86_64', 'qemu-system-aarch64'])
def test_wrapper_replaces_accelerators(tmp_path: Path, name: str) -> None:
    script(tmp_path / name, 'printf "<%s>" "${0##*/}" "$@"\n')
    output = subprocess.run(
        [name, '-m', '1', '-append', 'a  b', '-accel', 'kvm', '-accel', 'hvf', '-accel', 'tcg', '-serial', 'stdio'],
        env={'PATH': f'{PROJECT}/tests/guests/qemu:{tmp_path}:/usr/bin:/bin', 'PTEBATCH_ACCEL': '-accel kvm -cpu host'},
        text=True, capture_output=True, check=True).stdout
    assert output == f'<{name}><-m><1><-append><a  b><-serial><stdio><-accel><kvm><-cpu><host>'


INSERTION = 'ptebatch: insertion {0}\n' + KTAP + 'ptebatch: removal {0}\n'
REBOOT = 'reboot: Restarting system\n'
GOOD = 'KTAP version 1\n1..0\n' + ''.join(map(INSERTION.format, (1, 2, 3))) + REBOOT


def test_rounds() -> None:
    assert loadable.rounds(GOOD) == [KTAP] * loadable.ROUNDS
    assert not loadable.errors(GOOD)
    assert loadable.cases(KTAP) == ['first', 'second', 'ptebatch_fake']


def run(machine: Machine, log: str, **variables: str) -> tuple[int, str]:
    machine.program('qemu-system-x86_64', 'case "$*" in *kunit.action=list*)'
                    + print_log('ptebatch: insertion 1\nKTAP version 1\nptebatch_fake.first\nptebatch: removal 1\n')
                    + 'exit ;; esac\n' + print_log(log))
    ended = machine.run(ARCH='x86_64', LOADABLE='1', **variables)
    return ended.returncode, ended.stdout + ended.stderr


def test_loadable_passes(machine: Machine) -> None:
    status, output = run(machine, GOOD)
    assert status == 0, output
    assert output.count('[PASSED] second') == 1
    assert '\npassed    x86_64-loadable: 2 passed' in output
    assert (machine.out / 'x86_64-loadable/results.ktap').read_text() == KTAP


def test_module_and_its_kernel(machine: Machine) -> None:
    assert run(machine, GOOD)[0] == 0
    [build] = machine.cache.glob('ptebatch/trees/*/.kunit-x86_64-loadable')
    assert '# CONFIG_PTEBATCH_KUNIT_TEST is not set' in (build / '.config').read_text()
    packed = re.findall(r'^file (\S*[.]ko) (\S+)', (build / 'ptebatch-module').read_text(), re.MULTILINE)
    assert packed == [('/ptebatch_kunit.ko', f'{build}/ptebatch/ptebatch_kunit.ko')]
    given = Path(packed[0][1]).read_text().split()
    assert {f'M={build.parent}/{shadow.HOME}', f'KSRC={build.parent}', 'CONFIG_PTEBATCH_KUNIT_TEST=m'} <= {*given}


@pytest.mark.parametrize(('log', 'message'), [
    (INSERTION.format(1) + REBOOT, 'the module was inserted and removed 1 times, not 3'),
    ('ptebatch: insertion 1\nptebatch: cannot insert ptebatch_kunit.ko: Exec format error\n' + REBOOT,
     'cannot insert ptebatch_kunit.ko: Exec format error'),
    (GOOD.replace('ptebatch: removal 2', 'ptebatch: left behind after removal: ptebatch_kunit 1'), 'left behind after removal'),
    (GOOD.replace('ptebatch: removal 2', 'WARNING: at mm/slub.c\nptebatch: removal 2'), 'WARNING: at mm/slub.c'),
    (GOOD.replace('ok 2 second', 'ok 2 another', 1), 'a later round reports other cases than the first'),
    (INSERTION.format(1) + INSERTION.format(2).replace('ok 2 second', 'not ok 2 second') + INSERTION.format(3) + REBOOT,
     '[FAILED] second'),
    (INSERTION.format(1) + 'ptebatch: insertion 2\nKTAP version 1\nKernel panic - not syncing: oops\n', 'kernel panicked'),
    (HALTED, 'inserted and removed 0 times'),
])
def test_loadable_fails(machine: Machine, log: str, message: str) -> None:
    status, output = run(machine, log)
    assert status == 1, output
    assert message in output


def test_loadable_missing_symbol(machine: Machine) -> None:
    log = ('ptebatch: insertion 1\nptebatch_kunit: symbol x not found in this kernel\n'
           'ptebatch: cannot insert ptebatch_kunit.ko: errno=2\n') + REBOOT
    status, output = run(machine, log, SUITES='ptebatch_fake')
    assert status == 1, output
    assert '[FAILED] ptebatch_kunit: symbol x not found in this kernel\n' in output
    assert '[FAILED] ptebatch: cannot insert' in output


def test_loadable_unknown_suites(machine: Machine) -> None:
    status, output = run(machine, GOOD.replace(KTAP, ''), SUITES='nosuch')
    assert status == 2
    assert 'SUITES=nosuch matches no suite; type SUITES= and one of ptebatch_fake' in output


def test_missing_and_truncated_results(tmp_path: Path) -> None:
    assert not Counts.read(tmp_path / 'results.json').good
    (tmp_path / 'results.json').write_text('{"misc":')
    assert not Counts.read(tmp_path / 'results.json').good


def test_suites_on_two_cpus() -> None:
    threads = {path.stem for path in (PROJECT / 'mm').glob('*.c') if 'PTEBATCH_SECOND_CPU' in path.read_text()}
    assert {f'ptebatch_{name}' for name in threads} == {*ON_TWO_CPUS}
