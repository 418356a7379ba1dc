# SPDX-License-Identifier: GPL-2.0
"""The rooms of lib/ and their order: an include leads to a room further down or to another part of the same room.

A part is a header and its source. Two parts that include each other are a cycle, in one room, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

# From top to bottom; the suites in mm/ are above all of them.
ROOMS = ('run', 'op', 'check', 'space', 'kernel', 'twin', 'link', 'row', 'arch')
SUITES = 'mm'

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def _includes(project: Path) -> Iterator[tuple[Path, Path]]:
    """Each file, and a file of ours that it includes; both as paths from the project."""
    for folder in ('lib', SUITES):
        for path in sorted((project / folder).rglob('*.[chS]')):
            for name in INCLUDE.findall(path.read_text()):
                included = (path.parent / name).resolve()
                if included.is_file():      # else it is the kernel's
                    yield path.relative_to(project), included.relative_to(project.resolve())


def _rank(path: Path) -> int:
    """Of its room; the suites have the smallest."""
    return -1 if path.parts[0] == SUITES else ROOMS.index(path.parts[1])


def violations(project: Path) -> list[str]:
    """Includes that lead upward, files outside of the rooms, and cycles; a line each."""
    outside = [f'{path.relative_to(project)}: lib/ has no files outside of {", ".join(ROOMS)}'
               for path in sorted((project / 'lib').rglob('*.[chS]')) if path.parent.name not in ROOMS]
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
