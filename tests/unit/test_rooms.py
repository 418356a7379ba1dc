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
    assert rooms.import_violations(PROJECT / 'tests') == []


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


@pytest.mark.parametrize(('path', 'source', 'message'), [
    ('host/a.py', 'import re\nfrom results import b\n', 'tests/host/a.py: imports results, which is above it'),
    ('trees/a.py', 'def f():\n    import guests.b\n', 'tests/trees/a.py: imports guests, which is above it'),
    ('guests/arch/a.py', 'from unit.b import (\n    c)\n', 'tests/guests/arch/a.py: imports unit, which is above it'),
    ('other/a.py', '', 'tests/other/a.py: not in a package of tests/: unit, commands, '),
    ('commands/a.py', 'from host import b\nfrom . import c\nfrom commands.d import E\n', ''),
])
def test_upward_imports_are_reported(tmp_path: Path, path: str, source: str, message: str) -> None:
    module = tmp_path / 'tests' / path
    module.parent.mkdir(parents=True)
    module.write_text(source)
    assert '\n'.join(rooms.import_violations(tmp_path / 'tests')).startswith(message)
    assert len(rooms.import_violations(tmp_path / 'tests')) == bool(message)
