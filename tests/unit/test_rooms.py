# SPDX-License-Identifier: GPL-2.0
"""Includes of lib/ and mm/, and imports of tests/, point only downwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from host.settings import PROJECT
from project import rooms


def test_includes_point_down() -> None:
    assert rooms.violations(PROJECT) == []


def test_imports_point_down() -> None:
    assert rooms.import_violations(PROJECT) == []


def test_readme_has_the_order_of_the_packages() -> None:
    text = (PROJECT / 'tests/README.md').read_text()
    assert ' → '.join(f'`{name}`' for name in rooms.PACKAGES) in text


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


def modules(folder: Path, **sources: str) -> Path:
    """Write modules of tests/. `__` in a name stands for a slash."""
    for name, source in sources.items():
        path = folder / 'tests' / (name.replace('__', '/') + '.py')
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return folder


@pytest.mark.parametrize(('sources', 'message'), [
    ({'host__a': 'from results import b', 'results__b': ''}, 'tests/host/a.py: imports tests/results/b.py, which is above it'),
    ({'host__a': 'def f():\n    import results.b', 'results__b': ''}, 'tests/host/a.py: imports tests/results/b.py, which is'),
    ({'trees__a': 'from guests.b import (\n    c)', 'guests__b': 'c = 1'}, 'tests/trees/a.py: imports tests/guests/b.py, which'),
    ({'host__a': 'from host import b', 'host__b': 'from host.a import c'}, 'cycle: tests/host/'),
    ({'other__a': ''}, 'tests/other/a.py: not in a folder of tests/: unit, '),
])
def test_upward_imports_are_reported(tmp_path: Path, sources: dict[str, str], message: str) -> None:
    [line] = rooms.import_violations(modules(tmp_path, **sources))
    assert line.startswith(message)


def test_allowed_imports(tmp_path: Path) -> None:
    sources = {'commands__a': 'import os\nfrom host import b\nfrom . import c', 'host__b': 'from host.d import E', 'host__d': 'E = 1'}
    assert rooms.import_violations(modules(tmp_path, **sources)) == []
