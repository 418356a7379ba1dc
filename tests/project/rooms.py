# SPDX-License-Identifier: GPL-2.0
"""The order of the folders of lib/ and of tests/: a file may use files of its own folder and of folders further down.

A header and its source are one part. Two parts must not include each other, not even in the same folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

# From top to bottom; the suites in mm/ are above all folders of lib/.
FOLDERS = ('run', 'inject', 'op', 'check', 'record', 'space', 'service', 'kernel', 'twin', 'link', 'row', 'arch', 'port')
SUITES = 'mm'
# The packages of tests/ from top to bottom.
PACKAGES = ('unit', 'commands', 'figures', 'mutation', 'project', 'guests', 'results', 'trees', 'host')

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
IMPORT = re.compile(r'^ *(?:from|import) (\w+)', re.MULTILINE)


def _includes(project: Path) -> Iterator[tuple[Path, Path]]:
    """Each pair of a file and a file of the project that it includes, as paths from the project."""
    for folder in ('lib', SUITES):
        for path in sorted((project / folder).rglob('*.[chS]')):
            for name in INCLUDE.findall(path.read_text()):
                included = (path.parent / name).resolve()
                if included.is_file():      # otherwise a header of the kernel
                    yield path.relative_to(project), included.relative_to(project.resolve())


def _rank(path: Path) -> int:
    """The position of the folder of a file from the top; -1 for the suites."""
    return -1 if path.parts[0] == SUITES else FOLDERS.index(path.parts[1])


def violations(project: Path) -> list[str]:
    """Upward includes, files outside of the folders, and cycles; one per line."""
    outside = [f'{path.relative_to(project)}: not in a folder of lib/: {", ".join(FOLDERS)}'
               for path in sorted((project / 'lib').rglob('*.[chS]')) if path.relative_to(project / 'lib').parts[0] not in FOLDERS]
    if outside:
        return outside
    found: list[str] = []
    parts: dict[Path, set[Path]] = {}
    for path, included in _includes(project):
        if _rank(included) < _rank(path):
            found.append(f'{path}: includes {included}, which is above it')
        if path.with_suffix('') != included.with_suffix(''):
            parts.setdefault(path.with_suffix(''), set()).add(included.with_suffix(''))
    try:
        TopologicalSorter(parts).prepare()
    except CycleError as error:
        found.append('cycle: ' + ' - '.join(str(part) for part in error.args[1]))
    return found


def import_violations(tests: Path) -> list[str]:
    """Imports of packages that are further up, and modules outside of the packages; one per line."""
    found = []
    for path in sorted(tests.glob('*/**/*.py')):
        name, package = path.relative_to(tests.parent), path.relative_to(tests).parts[0]
        if package not in PACKAGES:
            found.append(f'{name}: not in a package of tests/: {", ".join(PACKAGES)}')
            continue
        above = PACKAGES[:PACKAGES.index(package)]
        found += [f'{name}: imports {imported}, which is above it' for imported in IMPORT.findall(path.read_text())
                  if imported in above]
    return found
