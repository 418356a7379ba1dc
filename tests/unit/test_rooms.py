# SPDX-License-Identifier: GPL-2.0
"""Includes of lib/ and mm/ point only downwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from host.settings import PROJECT
from project import rooms


def test_includes_point_down() -> None:
    assert rooms.violations(PROJECT) == []


def tree(folder: Path, **files: str) -> Path:
    """Write headers with one include or none. `__` in a name stands for a slash."""
    for name, included in files.items():
        path = folder / (name.replace('__', '/') + '.h')
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#include "{included}"\n' if included else '')
    return folder


@pytest.mark.parametrize(('files', 'message'), [
    ({'lib__row__a': '../space/b.h', 'lib__space__b': ''}, 'lib/row/a.h: includes lib/space/b.h, which is above it'),
    ({'lib__row__a': '../../mm/b.h', 'mm__b': ''}, 'lib/row/a.h: includes mm/b.h, which is above it'),
    ({'lib__row__a': 'b.h', 'lib__row__b': 'a.h'}, 'cycle: lib/row/'),
    ({'lib__a': ''}, 'lib/a.h: not in a folder of lib/: run, '),
])
def test_violations_are_reported(tmp_path: Path, files: dict[str, str], message: str) -> None:
    [line] = rooms.violations(tree(tmp_path, **files))
    assert line.startswith(message)


def test_allowed_includes(tmp_path: Path) -> None:
    files = {'mm__a': '../lib/run/b.h', 'lib__run__b': '../row/c.h', 'lib__row__c': 'internal.h'}
    assert rooms.violations(tree(tmp_path, **files)) == []
