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
# Functions below this share of the instructions of a lap are summed up, for example those of the timer interrupt.
LEAST = 0.0005
OTHERS = 'others'


@dataclass(frozen=True)
class Lap:
    """What one lap executed."""

    events: dict[str, int]
    functions: dict[str, int] = field(default_factory=dict)


def plain(name: str) -> str:
    """The name of a function as in the source."""
    return SUFFIX.sub('', name)


def _summed(functions: dict[str, int]) -> dict[str, int]:
    """The functions by name, and the sum of those with few instructions."""
    least = LEAST * sum(functions.values())
    found = {name: count for name, count in sorted(functions.items()) if count >= least}
    others = sum(functions.values()) - sum(found.values())
    return found | ({OTHERS: others} if others else {})


def parse(text: str, where: str) -> dict[int, Lap]:
    """The laps by number."""
    found: dict[int, Lap] = {}
    lap = Lap({})
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith('lap='):
                counts = {name: int(value) for name, value in words(line).items()}
                lap = Lap({name: value for name, value in counts.items() if name not in NOT_EVENTS})
                found[counts['lap']] = lap
            else:
                name, count = line.split()
                lap.functions[plain(name)] = lap.functions.get(plain(name), 0) + int(count)
        except (ValueError, KeyError) as error:
            raise Trouble(f'{where}:{number}: unreadable line "{line}"', 'run make bench again') from error
    return {number: Lap(lap.events, _summed(lap.functions)) for number, lap in found.items()}


def read(path: Path) -> dict[int, Lap]:
    """The laps in a file by number; none if it does not exist."""
    return parse(path.read_text(), str(path)) if path.exists() else {}
