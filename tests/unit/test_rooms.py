# SPDX-License-Identifier: GPL-2.0
"""The includes of lib/ and mm/ lead down."""

from __future__ import annotations

from pathlib import Path

import pytest

from host.settings import PROJECT
from project import rooms


def test_all_includes_lead_down() -> None:
    assert rooms.violations(PROJECT) == []


def tree(folder: Path, **files: str) -> Path:
    """Files by name; `__` stands for a slash, and a header is included by its path from lib/."""
    for name, included in files.items():
        path = folder / (name.replace('__', '/') + '.h')
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#include "{included}"\n' if included else '')
    return folder


@pytest.mark.parametrize(('files', 'said'), [
    ({'lib__row__a': '../space/b.h', 'lib__space__b': ''}, 'lib/row/a.h: includes lib/space/b.h, which is above it'),
    ({'lib__row__a': '../../mm/b.h', 'mm__b': ''}, 'lib/row/a.h: includes mm/b.h, which is above it'),
    ({'lib__row__a': 'b.h', 'lib__row__b': 'a.h'}, 'cycle: lib/row/'),
    ({'lib__a': ''}, 'lib/a.h: lib/ has no files outside of run, '),
])
def test_what_leads_up_is_named(tmp_path: Path, files: dict[str, str], said: str) -> None:
    [line] = rooms.violations(tree(tmp_path, **files))
    assert line.startswith(said)


def test_down_and_the_kernels_own_are_fine(tmp_path: Path) -> None:
    files = {'mm__a': '../lib/run/b.h', 'lib__run__b': '../row/c.h', 'lib__row__c': 'internal.h'}
    assert rooms.violations(tree(tmp_path, **files)) == []
