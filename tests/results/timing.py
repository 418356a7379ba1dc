# SPDX-License-Identifier: GPL-2.0
"""What the benches print among the results: how long a thing took, and what was counted beside the clock."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from figures import documents
from host.errors import Trouble

LINE = r'^ *# \w+: {} (table=.*)$'
FIGURES = ('pages', 'calls', 'laps', 'own', 'min', 'median', 'max')

# The figure of a thing is of a page, unless its table's document has it of something else.
A_PAGE, A_CALL, AN_AREA = PERS = ('a page', 'a call', 'an area')
PER = {'S3': A_CALL, 'S4': AN_AREA}
CASES = {str(order): case for order, case in documents.S1_CASES.items()}
SHOWN = {'order': 'order {}', 'size': '{} KiB', 'batch': 'batch {}'}


class Unreadable(ValueError):
    """A line or an entry that is not as the benches write it: what is wrong with it."""


@dataclass(frozen=True)
class Line:
    """What it is about: its table and name, and whatever else tells it from the others."""

    what: dict[str, str]

    @property
    def table(self) -> str:
        return self.what['table']

    @property
    def way(self) -> str:
        """The kernel, or its twin without batches."""
        return self.what.get('way', 'kernel')

    @property
    def name(self) -> str:
        """For people; the two ways have the same."""
        words = [SHOWN.get(key, '{}').format(value) for key, value in self.what.items()
                 if key not in ('table', 'name', 'way')]
        if self.table == 'S1' and self.what.get('order') in CASES:
            words.append(words.pop() + f' ({CASES[self.what["order"]]})')
        return ', '.join([f'{self.table} {self.what["name"]}', *words])

    def check(self) -> None:
        """Raise Unreadable if it cannot be."""
        if not self.what.get('table') or not self.what.get('name'):
            raise Unreadable('does not say of which table and name it is')
        if self.way not in ('kernel', 'twin'):
            raise Unreadable(f'has way={self.way}, which is neither kernel nor twin')


@dataclass(frozen=True)
class Timing(Line):
    """What one thing took: of all laps the least, the middle and the most, without the stopwatch's own."""

    pages: int      # that a lap handles
    calls: int      # that a lap makes
    laps: int
    own: int
    min: int
    median: int
    max: int

    @property
    def per(self) -> str:
        """What the cost is of: a page, a call, an area."""
        return PER.get(self.table, A_PAGE)

    @property
    def cost(self) -> float:
        return self.min / (self.pages if self.per == A_PAGE else self.calls)

    @property
    def spread(self) -> float:
        """From the least to the most, as a share of the least."""
        return (self.max - self.min) / self.min

    def check(self) -> None:
        super().check()
        for name in ('pages', 'calls', 'laps', 'min'):
            if getattr(self, name) <= 0:
                raise Unreadable(f'has {name}={getattr(self, name)}, which must be above 0')
        if not self.min <= self.median <= self.max:
            raise Unreadable('has min, median and max in no order')


@dataclass(frozen=True)
class Counted(Line):
    """How often something happened, beside the clock."""

    per: str        # a folio, a call
    figures: dict[str, float]

    def check(self) -> None:
        super().check()
        if not self.per or not self.figures:
            raise Unreadable('does not say what was counted, and of what')

    def named(self) -> dict[str, float]:
        """Each figure under a name for people."""
        return {f'{self.name}: {key} a {self.per}': value for key, value in self.figures.items()}


T = TypeVar('T', bound=Line)


def _words(text: str) -> dict[str, str]:
    return dict(word.split('=', 1) for word in text.split())


def _number(text: str) -> float:
    return float(text) if '.' in text else int(text)


def _timing(what: dict[str, str], words: Mapping[str, str]) -> Timing:
    return Timing(what, *(int(words[name]) for name in FIGURES))


def _counted(what: dict[str, str], words: Mapping[str, str]) -> Counted:
    return Counted(what, words['per'], {key: _number(value) for key, value in words.items() if key != 'per'})


def _read(ktap: str, kind: str, make: Callable[[dict[str, str], Mapping[str, str]], T]) -> list[T]:
    found = []
    for line in re.findall(LINE.format(kind), ktap, re.MULTILINE):
        what, _, figures = line.partition(': ')
        try:
            found.append(make(_words(what), _words(figures)))
            found[-1].check()
        except (ValueError, KeyError) as error:     # Unreadable is a ValueError
            raise Trouble(f'a bench has printed what cannot be read: "{kind} {line}" ({error!r})',
                          'run it again; if it stays so, tell the suites\' authors') from error
    return found


def timings(ktap: str) -> list[Timing]:
    """All that benches have timed."""
    return _read(ktap, 'bench', _timing)


def counts(ktap: str) -> list[Counted]:
    """All that benches have counted."""
    return _read(ktap, 'counts', _counted)
