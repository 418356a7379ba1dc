# SPDX-License-Identifier: GPL-2.0
"""The mutants in tests/mutants: each patch applies, and each folder belongs to a suite."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from commands import mutants
from host.errors import Trouble
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
