# SPDX-License-Identifier: GPL-2.0
"""The laps that guests/plugin/laps.c counts: events, and instructions by function."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from host.errors import Trouble
from results.facts import words

# Suffixes that the compiler adds to the name of a function; a change elsewhere in the file may add or remove them.
SUFFIX = re.compile(r'\.(?:isra|constprop|part|cold|localalias)\b(?:\.\d+)?')
NOT_EVENTS = ('lap', 'instructions')


@dataclass(frozen=True)
class Lap:
    """What one lap executed."""

    events: dict[str, int]
    functions: dict[str, int] = field(default_factory=dict)


def plain(name: str) -> str:
    """The name of a function as in the source."""
    return SUFFIX.sub('', name)


def read(path: Path) -> dict[int, Lap]:
    """The laps by number; none if the file does not exist."""
    found: dict[int, Lap] = {}
    lap = Lap({})
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else (), 1):
        try:
            if line.startswith('lap='):
                counts = {name: int(value) for name, value in words(line).items()}
                lap = Lap({name: value for name, value in counts.items() if name not in NOT_EVENTS})
                found[counts['lap']] = lap
            else:
                name, count = line.split()
                lap.functions[plain(name)] = lap.functions.get(plain(name), 0) + int(count)
        except ValueError as error:
            raise Trouble(f'{path}:{number}: unreadable line "{line}"', 'run make bench again') from error
    return found
