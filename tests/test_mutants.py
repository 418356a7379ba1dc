# SPDX-License-Identifier: GPL-2.0
"""The known bugs of tests/mutants: each can be put back."""

from __future__ import annotations

from pathlib import Path

import pytest

import series
from settings import PROJECT


MUTANTS = sorted((PROJECT / 'tests/mutants').glob('*.patch'))


@pytest.mark.parametrize('mutant', MUTANTS, ids=[mutant.stem for mutant in MUTANTS])
def test_it_applies(mutant: Path, kernel_source: Path) -> None:
    below = ['mm/series/fixes'] + [line.removeprefix('# series: ') for line in mutant.read_text().splitlines()
                                   if line.startswith('# series: ')]
    patches: list[series.Patch] = []
    for folder in below:
        patches += series.without(series.read(PROJECT / folder), patches)
    assert series.apply([*patches, *series.read(mutant)], kernel_source)
