# SPDX-License-Identifier: GPL-2.0
"""The records of make bench: which are of other patches, make record, and the figures of our series."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from commands import bench
from commands import record as command
from commands import run
from figures import of_series
from guests import identity
from guests import recorded
from guests.recorded import BENCH, KINDS, PLAIN, SERIES, Kind
from host import architecture
from host.errors import Trouble
from host.settings import PROJECT
from results.record import Key, Record
from results import timing
from unit.machine import Machine, ktap_with
from unit.test_tables import bench as line

MPROTECT = SERIES[1]


def key(kind: Kind, arch: str = 'x86_64') -> Key:
    """The key of a record that is up to date."""
    kernel = 'linux-source-7.3 7.3.4' + (f', patches {kind.digest()}' if kind.digest() else '')
    return Key(arch, 'instructions', kernel, 'gcc 12', 'QEMU 7.2', identity.benches(architecture.find(arch)))


def save(kind: Kind, home: Path, change: float = 1, arch: str = 'x86_64', **other: str) -> None:
    """Write a record, whose figures of the kernel are changed by a factor."""
    lines = [line('table=mprotect name=ro-rw order=0 way=twin', 90), line('table=mprotect name=ro-rw order=0', 100 * change),
             line('table=mprotect-size name=none-rw size=4 order=0', 1000 * change, 20), line('table=unmap name=zap kind=anon order=0', 50),
             line('table=unmap name=unmap kind=swap order=2', 200 * (2 - change))]
    Record(replace(key(kind, arch), **other), timing.timings(ktap_with(*lines)), []).save(kind.file(arch, home))


@pytest.fixture(name='home')
def _home(tmp_path: Path) -> Path:
    """Records of one architecture, all up to date."""
    home = tmp_path / 'tests/recorded'
    for kind in KINDS:
        save(kind, home, 0.5 if kind in SERIES else 1)
    return home


def test_records_that_are_up_to_date(home: Path) -> None:
    assert [recorded.outdated(kind, 'x86_64', home) for kind in KINDS] == [''] * len(KINDS)


def test_each_series_has_a_record() -> None:
    folders = {path.parent.name for path in (PROJECT / 'mm/series').glob('*/*.patch')}
    assert {kind.name for kind in SERIES} == folders - {'fixes'} == set(of_series.OWN)


def test_missing_record(home: Path) -> None:
    BENCH.file('x86_64', home).unlink()
    assert recorded.outdated(BENCH, 'x86_64', home) == (
        'tests/recorded/x86_64/bench.json: missing, the kernel with the fixes, with which make gate compares; type make record')
    missing = recorded.all_outdated(home)
    assert len(missing) == 1 + len(KINDS) and all('type make record' in text for text in missing)


@pytest.mark.parametrize(('kind', 'kernel', 'message'), [
    (BENCH, 'linux-source-7.3 7.3.4, patches 0123', 'the patches were 0123, and are now '),
    (BENCH, 'linux-source-7.3 7.3.4', 'the patches were none, and are now '),
    (PLAIN, 'linux-source-7.3 7.3.4, patches 0123', 'the patches were 0123, and are now none; type make record'),
])
def test_record_of_other_patches(home: Path, kind: Kind, kernel: str, message: str) -> None:
    save(kind, home, kernel=kernel)
    assert message in recorded.outdated(kind, 'x86_64', home)


def test_record_of_other_benches(home: Path) -> None:
    save(PLAIN, home, benches='0123')
    assert 'plain.json: the benches were 0123, and are now ' in recorded.outdated(PLAIN, 'x86_64', home)


def test_another_compiler_is_not_outdated(home: Path) -> None:
    save(PLAIN, home, compiler='gcc 13', kernel='linux-source-7.3 7.3.5')
    assert not recorded.outdated(PLAIN, 'x86_64', home)


def test_unreadable_record(home: Path) -> None:
    PLAIN.file('x86_64', home).write_text('{}')
    assert 'not a usable record' in recorded.outdated(PLAIN, 'x86_64', home)


def test_page_of_the_series(home: Path) -> None:
    section = of_series.page(home).partition('## mprotect')[2].partition('## small')[0]
    assert [' '.join(row.split()) for row in section.splitlines() if row.startswith(('| mprotect', '| unmap'))] == [
        '| mprotect ro-rw, order 0 | 90.0 | 100.0 | 50.0 | 2.00 |', '| mprotect-size none-rw, 4 KiB, order 0 | | 1000.0 | 500.0 | 2.00 |',
        # Of another table, since it changed.
        '| unmap, swap, order 2 | | 200.0 | 300.0 | 0.67 |']
    PLAIN.file('x86_64', home).unlink()
    assert of_series.page(home).count('Not recorded: type make record.') == 3


def test_page_of_the_series_is_up_to_date() -> None:
    assert (PROJECT / 'mm/series/figures.md').read_text() == of_series.page(recorded.HOME)


def test_figures_of_a_cover_letter(home: Path) -> None:
    text = 'Why.\n\n@order 0: mprotect ro-rw, order 0\n@4 KiB: mprotect-size none-rw, 4 KiB, order 0\n\nThe end.'
    assert of_series.filled(text, 'mprotect', home) == (
        f'Why.\n\n{" " * 19}x86_64\n            1 by 1  without     with\n  order 0     90.0    100.0     50.0\n'
        '  4 KiB          -   1000.0    500.0\n\nThe end.')
    assert of_series.filled('a@b: c', 'fixes', home) == 'a@b: c'
    with pytest.raises(Trouble, match='no record has the figure "mprotect none"'):
        of_series.filled('@order 0: mprotect none', 'mprotect', home)
    for series in ('fixes', 'mprotect'):
        with pytest.raises(Trouble, match=f'no figures of {series} are recorded, which its cover letter needs; type make record'):
            of_series.filled(text, series, home / 'none')


def test_make_record_measures_what_changed(home: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """All records are up to date but one, and one that is missing."""
    measured = []

    def measure(settings: object) -> Record:
        measured.append(settings)
        return Record(key(MPROTECT), timing.timings(ktap_with(line('table=mprotect name=ro-rw order=0', 1))), [])

    keys = iter([key(kind) for kind in KINDS])
    monkeypatch.setattr(bench, 'measure', measure)
    monkeypatch.setattr(run, 'trees', lambda settings, console: (None, None))
    monkeypatch.setattr(identity, 'key', lambda settings, tree: next(keys))
    monkeypatch.setattr(recorded, 'HOME', home)
    monkeypatch.setattr(command, 'PAGES', {home / 'page.md': of_series.page})
    save(MPROTECT, home, kernel='other')
    SERIES[2].file('x86_64', home).unlink()
    assert command.main(machine.env(KSRC='', ARCH='x86_64')) == 0
    assert [Path(str(getattr(settings, 'series'))).name for settings in measured] == ['mprotect', 'small-folios']
    assert all(getattr(settings, 'fixes') is None and getattr(settings, 'counting') for settings in measured)
    assert (home / 'page.md').read_text() == of_series.page(home)


@pytest.mark.parametrize(('variable', 'value', 'message'), [
    ('KCONFIG_ADD', 'CONFIG_XEN=y', 'KCONFIG_ADD= does not apply to make record'),
    ('KSRC', '/tmp', 'KSRC= does not apply to make record'), ('SERIES', 'mm', 'SERIES= does not apply'),
    ('SUITES', 'ptebatch_mprotect_bench', 'SUITES= does not apply'), ('ARCH', 'um', 'type x86_64 or arm64'),
    ('DEBUG', '1', 'do not apply to benches'),
])
def test_make_record_refuses(machine: Machine, variable: str, value: str, message: str) -> None:
    done = machine.run('record', **{'KSRC': '', variable: value} | ({'ARCH': 'x86_64'} if variable == 'DEBUG' else {}))
    assert done.returncode == 2 and message in done.stderr


def test_series_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert of_series.main([]) == 0
    assert capsys.readouterr().out.startswith('# What the series cost and save')
    with pytest.raises(Trouble, match='series: unexpected argument a'):
        of_series.main(['a'])
