# SPDX-License-Identifier: GPL-2.0
"""The order of the folders of lib/ and of tests/: a file may use files of its own folder and of folders further down.

A header and its source are one part. Two parts must not use each other, not even in the same folder.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

# From top to bottom; the suites in mm/ are above all folders of lib/.
FOLDERS = ('run', 'op', 'check', 'space', 'kernel', 'twin', 'link', 'row', 'arch')
SUITES = 'mm'
# From top to bottom; tests/__main__.py is above all folders of tests/.
PACKAGES = ('unit', 'commands', 'figures', 'project', 'guests', 'results', 'trees', 'host')

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def _includes(project: Path) -> Iterator[tuple[Path, Path]]:
    """Each pair of a file and a file of the project that it includes, as paths from the project."""
    for folder in ('lib', SUITES):
        for path in sorted((project / folder).rglob('*.[chS]')):
            for name in INCLUDE.findall(path.read_text()):
                included = (path.parent / name).resolve()
                if included.is_file():      # otherwise a header of the kernel
                    yield path.relative_to(project), included.relative_to(project.resolve())


def _imports(tests: Path) -> Iterator[tuple[Path, Path]]:
    """Each pair of a module and a module of tests/ that it imports, as paths from the project."""
    for path in sorted(tests.rglob('*.py')):
        names: list[str] = []
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names += [name for alias in node.names for name in (node.module or '', f'{node.module}.{alias.name}')]
        for name in dict.fromkeys(names):
            imported = tests / f'{name.replace(".", "/")}.py'
            if imported.is_file():      # otherwise a module of Python, or a name in a module
                yield path.relative_to(tests.parent), imported.relative_to(tests.parent)


def _rank(folders: Sequence[str], path: Path) -> int:
    """The position of the folder of a file from the top; -1 for the suites and for tests/__main__.py."""
    return -1 if path.parts[0] == SUITES or len(path.parts) == 2 else folders.index(path.parts[1])


def _outside(top: Path, folders: Sequence[str], pattern: str) -> list[str]:
    """The files that are in none of the folders; one per line."""
    return [f'{path.relative_to(top.parent)}: not in a folder of {top.name}/: {", ".join(folders)}'
            for path in sorted(top.rglob(pattern))
            if path.relative_to(top).parts[0] not in (*folders, '__main__.py')]


def _upward(uses: Iterable[tuple[Path, Path]], folders: Sequence[str], verb: str) -> list[str]:
    """Uses of a folder further up, and cycles; one per line."""
    found: list[str] = []
    parts: dict[Path, set[Path]] = {}
    for path, used in uses:
        if _rank(folders, used) < _rank(folders, path):
            found.append(f'{path}: {verb} {used}, which is above it')
        if path.with_suffix('') != used.with_suffix(''):
            parts.setdefault(path.with_suffix(''), set()).add(used.with_suffix(''))
    try:
        TopologicalSorter(parts).prepare()
    except CycleError as error:
        found.append('cycle: ' + ' - '.join(str(part) for part in error.args[1]))
    return found


def violations(project: Path) -> list[str]:
    """Upward includes, files outside of the folders of lib/, and cycles; one per line."""
    return _outside(project / 'lib', FOLDERS, '*.[chS]') or _upward(_includes(project), FOLDERS, 'includes')


def import_violations(project: Path) -> list[str]:
    """Upward imports, modules outside of the folders of tests/, and cycles; one per line."""
    return _outside(project / 'tests', PACKAGES, '*.py') or _upward(_imports(project / 'tests'), PACKAGES, 'imports')
