# SPDX-License-Identifier: GPL-2.0
"""Read the lines that benches print: timings and event counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from host.errors import Trouble
from results.laps import Lap
from results.facts import facts, words

FIGURES = ('pages', 'calls', 'laps', 'own', 'min', 'median', 'max')

# Costs are per page, except in tables whose document uses another unit.
A_PAGE, A_CALL, AN_AREA = PERS = ('a page', 'a call', 'an area')
PER = {'mprotect-size': A_CALL, 'mprotect-fault': AN_AREA}
# Instructions from one timer tick to the next, and the most events of a tick; a lap may have one tick more than another.
TICK = 4_000_000
OF_A_TICK = {'barriers': 60, 'atomics': 60, 'accesses': 1000}
SHOWN = {'order': 'order {}', 'size': '{} KiB', 'batch': 'batch {}'}


@dataclass(frozen=True)
class Line:
    """A line of a bench: `what` has its table, its name, and the parameters of the measurement."""

    what: dict[str, str]

    @property
    def table(self) -> str:
        return self.what['table']

    @property
    def way(self) -> str:
        """`kernel`, or `twin` for the twin with batches of one."""
        return self.what.get('way', 'kernel')

    @property
    def name(self) -> str:
        """The name in tables, the same for kernel and twin."""
        words = [SHOWN.get(key, '{}').format(value) for key, value in self.what.items()
                 if key not in ('table', 'name', 'way')]
        return ', '.join([' '.join(dict.fromkeys((self.table, self.what['name']))), *words])

    def check(self) -> None:
        """Raise ValueError if the line is not valid."""
        if not self.what.get('table') or not self.what.get('name'):
            raise ValueError('has no table= or no name=')
        if ' ' in ''.join(self.what.values()):
            raise ValueError('has a word without =')
        if self.way not in ('kernel', 'twin'):
            raise ValueError(f'has way={self.way}, expected kernel or twin')


@dataclass(frozen=True)
class Timing(Line):
    """Minimum, median and maximum of all laps, after subtraction of the stopwatch's own cost."""

    pages: int      # in one lap
    calls: int      # in one lap
    laps: int
    own: int
    min: int
    median: int
    max: int
    # In the lap with the minimum; empty if they were not counted.
    events: dict[str, int] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=dict)     # instructions

    @property
    def per(self) -> str:
        """The unit of the cost: a page, a call, an area."""
        return PER.get(self.table, A_PAGE)

    @property
    def cost(self) -> float:
        return self.share(self.min)

    def share(self, count: float) -> float:
        """What a page, a call or an area has of something counted in one lap."""
        return count / (self.pages if self.per == A_PAGE else self.calls)

    @property
    def spread(self) -> float:
        """The difference of maximum and minimum, divided by the minimum."""
        return (self.max - self.min) / self.min

    def event(self, name: str) -> float | None:
        """How often an event occurs a page, a call or an area; None if it was not counted."""
        return self.share(self.events[name]) if name in self.events else None

    def changed_events(self, before: Timing, share: float) -> list[str]:
        """The events whose number differs by more than this share, and by more than timer ticks can add."""
        ticks = 1 + self.min // TICK
        return [name for name, count in self.events.items() if name in before.events and
                abs(count - before.events[name]) > max(share * before.events[name], OF_A_TICK.get(name, 0) * ticks)]

    def check(self) -> None:
        super().check()
        for name in ('pages', 'calls', 'laps', 'min'):
            if getattr(self, name) <= 0:
                raise ValueError(f'has {name}={getattr(self, name)}, expected a number above 0')
        if not self.min <= self.median <= self.max:
            raise ValueError('has min, median and max out of order')
        if min([*self.events.values(), *self.functions.values()], default=0) < 0:
            raise ValueError('has a negative count')


@dataclass(frozen=True)
class Counted(Line):
    """Event counts, measured in a run without the clock."""

    per: str        # folio, call
    figures: dict[str, float]

    def check(self) -> None:
        super().check()
        if not self.per or not self.figures:
            raise ValueError('has no per= or no counts')

    def named(self) -> dict[str, float]:
        """The counts by their names in tables."""
        return {f'{self.name}: {key} a {self.per}': value for key, value in self.figures.items()}


T = TypeVar('T', bound=Line)


def _number(text: str) -> float:
    return float(text) if '.' in text else int(text)


def _timing(what: dict[str, str], figures: Mapping[str, str], laps: Mapping[int, Lap]) -> Timing:
    lap = laps.get(int(figures.get('lap', 0)), Lap({}))
    pages, calls, count, own, least, median, most = (int(figures[name]) for name in FIGURES)
    return Timing(what, pages, calls, count, own, least, median, most, lap.events, lap.functions)


def _counted(what: dict[str, str], figures: Mapping[str, str]) -> Counted:
    return Counted(what, figures['per'], {key: _number(value) for key, value in figures.items() if key != 'per'})


def _read(ktap: str, kind: str, make: Callable[[dict[str, str], Mapping[str, str]], T]) -> list[T]:
    found = []
    for fact in facts(ktap, kind):
        what, _, figures = fact.text.partition(': ')
        try:
            found.append(make(words(what), words(figures)))
            found[-1].check()
        except (ValueError, KeyError) as error:
            raise Trouble(f'unreadable line of a bench: "{kind} {fact.text}" ({error!r})',
                          'run make bench again; if the error persists, report it as a bug of the suites') from error
    return found


def timings(ktap: str, laps: Mapping[int, Lap] = MappingProxyType({})) -> list[Timing]:
    """All timings in a KTAP log, with what was counted in the laps."""
    return _read(ktap, 'bench', lambda what, figures: _timing(what, figures, laps))


def counts(ktap: str) -> list[Counted]:
    """All event counts in a KTAP log."""
    return _read(ktap, 'counts', _counted)
