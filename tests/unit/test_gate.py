# SPDX-License-Identifier: GPL-2.0
"""`make gate`: recorded figures, and measured figures if no record fits."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import pytest

from unit.machine import HALTED, KTAP, Machine, ktap_with, print_log
from results.record import NS, load
from unit.test_bench import KERNEL, KEY

FAST, SLOW = (KERNEL.replace('51200', count).replace('51300', count).replace('52000', count) for count in ('51200', '60000'))


class Gate:
    """A machine whose kernel tree is a clean git checkout. The kernel is slower with the series."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.record = machine.out / 'recorded.json'
        self.series = str(machine.new_file())
        machine.checkout()
        self.guest()

    def guest(self, plain: str = FAST, patched: str = SLOW, version: str = '7.2', suites: str = KTAP) -> None:
        bench = (f'if test -e mm/new.c; then\n{print_log(ktap_with(patched) + HALTED)}'
                 f'else\n{print_log(ktap_with(plain) + HALTED)}fi\n')
        self.machine.program('qemu-system-x86_64', (
            f'case "$*" in --version) echo "QEMU {version}"; exit ;; *_bench*) echo >>"$0.timed" ;;\n'
            f'*) {print_log(suites + HALTED)}exit ;; esac\n{bench}'))

    @property
    def timed(self) -> int:
        """Number of kernels timed so far."""
        boots = self.machine.bin / 'qemu-system-x86_64.timed'
        return len(boots.read_text().splitlines()) if boots.exists() else 0

    def save_record(self) -> None:
        """Record the figures of the kernel without the series."""
        assert self.machine.run('bench', ARCH='x86_64').returncode == 0
        (self.machine.out / 'x86_64/bench.json').rename(self.record)

    def run(self, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.machine.run('gate', **({'ARCH': 'x86_64', 'SERIES': self.series} | variables))


@pytest.fixture(name='ci')
def _ci(machine: Machine) -> Gate:
    return Gate(machine)


def test_fitting_record_is_used(ci: Gate) -> None:
    ci.save_record()
    ended = ci.run(BASELINE=str(ci.record))
    assert ended.returncode == 3, ended.stdout + ended.stderr
    assert 'recorded.json\n' in ended.stdout
    assert '\n[SLOWER] unmap, swap, order 4: 100.0 before, 117.2 after (+17.2 %)\n' in ended.stdout
    assert ci.timed == 2
    assert 'ptebatch_fake' in (ci.machine.out / 'gate.md').read_text()
    ci.guest(patched=FAST)
    assert ci.run(BASELINE=str(ci.record)).returncode == 0
    assert ci.run(BASELINE=str(ci.record), TOLERANCE='20%').returncode == 0


def test_failed_case_overrides_slower(ci: Gate) -> None:
    ci.save_record()
    ci.guest(suites=KTAP.replace('    ok 2', '    not ok 2'))
    ended = ci.run(BASELINE=str(ci.record))
    assert ended.returncode == 1
    assert '[SLOWER] ' in ended.stdout


def test_record_of_other_qemu_is_not_used(ci: Gate) -> None:
    ci.save_record()
    ci.guest(version='8.0', plain=SLOW)
    ended = ci.run(BASELINE=str(ci.record))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert 'recorded.json does not match: qemu: QEMU 7.2 in the record, QEMU 8.0 in this run\n' in ended.stdout
    assert 'measured now' in ended.stdout
    assert ci.timed == 3
    assert load(ci.machine.out / 'x86_64/baseline.json').key.qemu == 'QEMU 8.0'


def test_measured_baseline_is_kept(ci: Gate) -> None:
    assert ci.run().returncode == 3
    assert ci.timed == 2
    ended = ci.run()
    assert ended.returncode == 3
    assert 'baseline.json\n' in ended.stdout
    assert ci.timed == 3
    (ci.machine.out / 'x86_64/baseline.json').write_text('{')
    assert ci.run().returncode == 3
    assert ci.timed == 5


def test_partial_baseline_is_not_kept(ci: Gate) -> None:
    assert ci.run(SUITES='ptebatch_fake_bench').returncode == 3
    assert not (ci.machine.out / 'x86_64/baseline.json').exists()


def test_modified_tree_is_measured_each_time(ci: Gate) -> None:
    ci.save_record()
    (ci.machine.tree / 'mm/mprotect.c').write_text('changed\n')
    for times in (3, 5):
        ended = ci.run(BASELINE=str(ci.record))
        assert ended.returncode == 3, ended.stdout + ended.stderr
        assert 'recorded.json does not match: kernel: ' in ended.stdout
        assert ' in the record, unknown in this run\n' in ended.stdout
        assert ci.timed == times


def test_without_series_a_record_must_fit(ci: Gate) -> None:
    ended = ci.run(SERIES='')
    assert ended.returncode == 2
    assert 'no record matches ARCH=x86_64, and without SERIES= the baseline cannot be measured; ' in ended.stderr
    ci.save_record()
    assert ci.run(SERIES='', BASELINE=str(ci.record)).returncode == 0
    ci.guest(plain=SLOW)
    assert ci.run(SERIES='', BASELINE=str(ci.record)).returncode == 3
    assert ci.timed == 3
    (ci.machine.tree / 'mm/mprotect.c').write_text('changed\n')
    ci.machine.git('commit', '-qam', 'another')
    assert ci.run(SERIES='', BASELINE=str(ci.record)).returncode == 2
    assert ci.timed == 3


@pytest.mark.parametrize('text', ['', '{"version": 1}', '{"version": 2}', 'no JSON'])
def test_damaged_record_stops_before_the_build(ci: Gate, text: str) -> None:
    ci.machine.out.mkdir()
    ci.record.write_text(text)
    ended = ci.run(BASELINE=str(ci.record))
    assert ended.returncode == 2
    assert f'ptebatch: {ci.record}: not a usable record: ' in ended.stderr and 'make bench' in ended.stderr
    assert ended.stderr.count('\n') == 1
    assert not ci.machine.cache.exists()


def test_record_of_other_architecture(ci: Gate) -> None:
    ci.save_record()
    written = json.loads(ci.record.read_text())
    ci.record.write_text(json.dumps(written | {'arch': 'arm64'}))
    ended = ci.run(BASELINE=str(ci.record))
    assert ended.returncode == 2
    assert 'is a record of arm64, not of x86_64; type ARCH=arm64' in ended.stderr


def test_time_is_never_compared_with_a_record() -> None:
    native = replace(KEY, unit=NS)
    assert KEY.differences(KEY) == []
    assert native.differences(native) == ['unit: times vary from run to run, only instructions can be compared with a record']


def test_unknown_kernel_fits_no_record() -> None:
    unknown = replace(KEY, kernel=None)
    assert unknown.differences(unknown) == ['kernel: unknown in both']
    assert KEY.differences(unknown) == ['kernel: unknown in the record, linux-source-7.3 7.3.4-1 in this run']
