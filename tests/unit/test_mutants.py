# SPDX-License-Identifier: GPL-2.0
"""The mutants in tests/mutants: each patch applies, and each folder belongs to a suite."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import mutants
from host.errors import Trouble
from host import packages
from host.settings import PROJECT
from trees import series

MUTANTS = sorted((PROJECT / 'tests/mutants').rglob('*.patch'))


@functools.cache
def _contents(folders: tuple[str, ...], tree: Path) -> dict[str, bytes | None]:
    patches: list[series.Patch] = []
    for folder in folders:
        patches += series.without(series.read(PROJECT / folder), patches)
    return series.apply(patches, tree)


@pytest.mark.parametrize('mutant', MUTANTS, ids=['/'.join(mutant.parts[-2:]) for mutant in MUTANTS])
def test_mutant_applies(mutant: Path, kernel_source: Path) -> None:
    folders = ['mm/series/fixes'] + [line.removeprefix('# series: ') for line in mutant.read_text().splitlines()
                                     if line.startswith('# series: ')]
    assert series.apply(series.read(mutant), kernel_source, _contents(tuple(folders), kernel_source))


def test_each_folder_is_a_suite() -> None:
    suites = {path.stem for path in (PROJECT / 'mm').glob('*.c')} | {'bench'}
    assert {mutant.parent.name for mutant in MUTANTS} <= suites


def test_suites_without_a_mutant() -> None:
    with pytest.raises(Trouble, match='SUITES=ptebatch_nothing matches no folder'):
        mutants.main({'SUITES': 'ptebatch_nothing'})


def test_cases_of_a_suite() -> None:
    whole = mutants.chosen({})
    few = mutants.chosen({'SUITES': '*.*_random'})
    assert {path for path in whole if not mutants.key(path, 'slower')} == {*few} and len(few) < len(whole)


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    env = {'O': str(tmp_path), 'SUITES': 'ptebatch_mincore', 'ARCH': 'x86_64'}
    run: list[Path] = []
    monkeypatch.setattr(packages, 'ensure', lambda needs, console: None)

    def stops_after(catches: int) -> None:
        def in_one_kernel(several: list[Path], *rest: object) -> Iterator[tuple[Path, bool, str]]:
            for number, mutant in enumerate(several):
                if number == catches:
                    raise KeyboardInterrupt
                run.append(mutant)
                yield mutant, number > 0, 'case'
        monkeypatch.setattr(mutants, '_in_one_kernel', in_one_kernel)

    stops_after(3)
    with pytest.raises(KeyboardInterrupt):
        mutants.main(env)
    first, *caught = run
    run.clear()
    stops_after(99)
    assert mutants.main(env) == 1
    # What was not caught is run again, what was caught is not.
    assert run[0] == first and not {*caught} & {*run}
    assert capsys.readouterr().out.endswith(f'{len(run) + len(caught) - 1} of {len(run) + len(caught)} caught\n')
    run.clear()
    assert mutants.main(env | {'WITHOUT': 'tlb'}) == 1
    assert {*caught} < {*run}


def test_a_race_that_needs_the_other_cpu(tmp_path: Path) -> None:
    tries: list[int] = []

    def judged(number: int) -> tuple[Path, bool, str]:
        tries.append(number)
        # 2 is only caught with no other guest beside, 3 is never.
        return tmp_path / str(number), number < 2 or number == 2 and tries.count(2) == 2, 'case'

    found = [(path.name, good) for path, good, _ in mutants.twice(judged, range(4), 2)]
    assert found == [('0', True), ('1', True), ('2', True), ('3', False)]
    assert tries.count(1) == 1 and tries[-2:] == [2, 3]


def test_other_fixes_are_another_kernel(tmp_path: Path) -> None:
    fix, *others = sorted((PROJECT / 'mm/series/fixes').glob('000[1-3]-*.patch'))
    alone = tmp_path / 'fix.patch'
    found = {mutants._identity({})}
    for each in (fix, *others):
        alone.write_text(each.read_text())
        found.add(mutants._identity({'FIXES': str(alone)}))
    assert len(found) == 4
