# SPDX-License-Identifier: GPL-2.0
"""`make gate`: recorded figures, those that do not fit, and what stands in for them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import pytest

from unit.machine import HALTED, KTAP, Machine, prints, says
from results.record import NS, load
from unit.test_bench import KERNEL, KEY

FAST, SLOW = (KERNEL.replace('51200', took).replace('51300', took).replace('52000', took) for took in ('51200', '60000'))


class Gate:
    """A machine whose kernel is a clean git checkout, and slower where the series adds a file."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.record = machine.out / 'recorded.json'
        self.series = str(machine.new_file())
        machine.checkout()
        self.guest()

    def guest(self, plain: str = FAST, patched: str = SLOW, version: str = '7.2', suites: str = KTAP) -> None:
        timed = f'if test -e mm/new.c; then\n{says(prints(patched) + HALTED)}else\n{says(prints(plain) + HALTED)}fi\n'
        self.machine.program('qemu-system-x86_64', (
            f'case "$*" in --version) echo "QEMU {version}"; exit ;; *_bench*) echo >>"$0.timed" ;;\n'
            f'*) {says(suites + HALTED)}exit ;; esac\n{timed}'))

    @property
    def timed(self) -> int:
        """How often kernels were timed so far."""
        boots = self.machine.bin / 'qemu-system-x86_64.timed'
        return len(boots.read_text().splitlines()) if boots.exists() else 0

    def recorded(self) -> None:
        """Have the kernel as it is recorded."""
        assert self.machine.run('bench', ARCH='x86_64').returncode == 0
        (self.machine.out / 'x86_64/bench.json').rename(self.record)

    def run(self, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.machine.run('gate', **({'ARCH': 'x86_64', 'SERIES': self.series} | variables))


@pytest.fixture(name='ci')
def _ci(machine: Machine) -> Gate:
    return Gate(machine)


def test_a_record_that_fits_is_used(ci: Gate) -> None:
    ci.recorded()
    ended = ci.run(BASELINE=str(ci.record))
    assert ended.returncode == 3, ended.stdout + ended.stderr
    assert 'recorded.json\n' in ended.stdout
    assert '\n[SLOWER] S2 unmap, swap, order 4: 100.0 before, 117.2 after (+17.2 %)\n' in ended.stdout
    assert ci.timed == 2
    assert 'ptebatch_fake' in (ci.machine.out / 'gate.md').read_text()
    ci.guest(patched=FAST)
    assert ci.run(BASELINE=str(ci.record)).returncode == 0
    assert ci.run(BASELINE=str(ci.record), TOLERANCE='20%').returncode == 0


def test_a_failed_case_goes_before_what_is_slower(ci: Gate) -> None:
    ci.recorded()
    ci.guest(suites=KTAP.replace('    ok 2', '    not ok 2'))
    ended = ci.run(BASELINE=str(ci.record))
    assert ended.returncode == 1
    assert '[SLOWER] ' in ended.stdout


def test_a_record_of_another_qemu_is_not_used(ci: Gate) -> None:
    ci.recorded()
    ci.guest(version='8.0', plain=SLOW)
    ended = ci.run(BASELINE=str(ci.record))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert 'recorded.json does not fit: qemu: QEMU 7.2 there, QEMU 8.0 here\n' in ended.stdout
    assert 'measured now' in ended.stdout
    assert ci.timed == 3
    assert load(ci.machine.out / 'x86_64/baseline.json').key.qemu == 'QEMU 8.0'


def test_what_was_measured_is_kept(ci: Gate) -> None:
    assert ci.run().returncode == 3
    assert ci.timed == 2
    ended = ci.run()
    assert ended.returncode == 3
    assert 'baseline.json\n' in ended.stdout
    assert ci.timed == 3
    (ci.machine.out / 'x86_64/baseline.json').write_text('{')
    assert ci.run().returncode == 3
    assert ci.timed == 5


def test_what_was_measured_of_some_benches_is_not_kept(ci: Gate) -> None:
    assert ci.run(SUITES='ptebatch_fake_bench').returncode == 3
    assert not (ci.machine.out / 'x86_64/baseline.json').exists()


def test_a_tree_with_changes_is_measured_each_time(ci: Gate) -> None:
    ci.recorded()
    (ci.machine.tree / 'mm/mprotect.c').write_text('changed\n')
    for times in (3, 5):
        ended = ci.run(BASELINE=str(ci.record))
        assert ended.returncode == 3, ended.stdout + ended.stderr
        assert 'recorded.json does not fit: kernel: ' in ended.stdout and ' there, unknown here\n' in ended.stdout
        assert ci.timed == times


def test_without_a_series_a_record_must_fit(ci: Gate) -> None:
    ended = ci.run(SERIES='')
    assert ended.returncode == 2
    assert 'no record for ARCH=x86_64 fits, and without SERIES= there is nothing to measure; ' in ended.stderr
    ci.recorded()
    assert ci.run(SERIES='', BASELINE=str(ci.record)).returncode == 0
    ci.guest(plain=SLOW)
    assert ci.run(SERIES='', BASELINE=str(ci.record)).returncode == 3
    assert ci.timed == 3
    (ci.machine.tree / 'mm/mprotect.c').write_text('changed\n')
    ci.machine.git('commit', '-qam', 'another')
    assert ci.run(SERIES='', BASELINE=str(ci.record)).returncode == 2
    assert ci.timed == 3


@pytest.mark.parametrize('text', ['', '{"version": 1}', '{"version": 2}', 'no JSON'])
def test_a_damaged_record_stops_it_before_anything_is_built(ci: Gate, text: str) -> None:
    ci.machine.out.mkdir()
    ci.record.write_text(text)
    ended = ci.run(BASELINE=str(ci.record))
    assert ended.returncode == 2
    assert f'ptebatch: {ci.record} is no record that can be used: ' in ended.stderr and 'make bench' in ended.stderr
    assert ended.stderr.count('\n') == 1
    assert not ci.machine.cache.exists()


def test_a_record_of_another_architecture(ci: Gate) -> None:
    ci.recorded()
    written = json.loads(ci.record.read_text())
    ci.record.write_text(json.dumps(written | {'arch': 'arm64'}))
    ended = ci.run(BASELINE=str(ci.record))
    assert ended.returncode == 2
    assert 'is of ARCH=arm64, not x86_64; give ARCH=arm64' in ended.stderr


@pytest.mark.parametrize(('variables', 'complaint'), [
    ({'BASELINE': '/etc/hosts', 'ARCH': 'arm64 um'}, 'BASELINE= is of one architecture, this is a gate for arm64 um'),
    ({'BASELINE': '/etc/hosts', 'ARCH': ''}, 'BASELINE= is of one architecture, this is a gate for x86_64 arm64'),
    ({'BASELINE': '/no/such/file'}, 'BASELINE=/no/such/file does not exist'),
    ({'BASELINE': '/etc'}, '/etc cannot be read: Is a directory'),
    ({'TOLERANCE': '2'}, 'TOLERANCE=2 is no share'),
    ({'CLOCK': 'sundial'}, 'CLOCK=sundial is no clock'),
    ({'ARCH': 'x86_64 vax'}, 'ARCH=vax is no architecture of the suites'),
    ({'LOADABLE': '1'}, 'are not for benches'),
])
def test_refused(machine: Machine, variables: dict[str, str], complaint: str) -> None:
    ended = machine.run('gate', **({'ARCH': 'x86_64'} | variables))
    assert ended.returncode == 2
    assert complaint in ended.stderr and ended.stderr.count('\n') == 1
    assert not machine.cache.exists()


def test_time_is_never_compared_with_a_record() -> None:
    native = replace(KEY, unit=NS)
    assert KEY.differences(KEY) == []
    assert native.differences(native) == ['unit: time is not the same from one run to the next']


def test_a_kernel_that_is_unknown_is_like_no_other() -> None:
    unknown = replace(KEY, kernel=None)
    assert unknown.differences(unknown) == ['kernel: unknown in both']
    assert KEY.differences(unknown) == ['kernel: unknown there, linux-source-7.3 7.3.4-1 here']
