# SPDX-License-Identifier: GPL-2.0
"""The figures of two kernels beside each other: plots whose marks are links, and what each figure consists of."""

from __future__ import annotations

import html
import importlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from figures import functions
from results.markdown import figure, table
from results.record import Record
from results.timing import Timing

# The colours of the plots, which the page replaces by those of light and dark.
INK, LINE, FIRST, SECOND = '#010101', '#020202', '#030303', '#040404'
PROPERTIES = {INK: 'var(--ink)', LINE: 'var(--line)', FIRST: 'var(--first)', SECOND: 'var(--second)'}
STYLE = {
    'svg.fonttype': 'none', 'svg.hashsalt': 'ptebatch', 'font.family': 'sans-serif', 'font.size': 10, 'text.color': INK,
    'axes.edgecolor': LINE, 'axes.labelcolor': INK, 'xtick.color': INK, 'ytick.color': INK, 'grid.color': LINE,
    'axes.spines.top': False, 'axes.spines.right': False, 'axes.spines.left': False, 'axes.axisbelow': True,
    'figure.facecolor': 'none', 'axes.facecolor': 'none', 'legend.frameon': False, 'ytick.major.size': 0,
}
WIDTH, ROW, MARGIN = 6.2, 0.24, 0.9     # inches


@dataclass(frozen=True)
class Pair:
    """A figure of two kernels."""

    key: str        # its id in the page
    first: Timing | None
    second: Timing | None

    @property
    def either(self) -> Timing:
        found = self.second or self.first
        assert found
        return found

    @property
    def name(self) -> str:
        return self.either.name

    @property
    def costs(self) -> list[str]:
        return [figure(timing.cost if timing else None) for timing in (self.first, self.second)]

    @property
    def change(self) -> float | None:
        """The difference, as a share of the first."""
        return self.second.cost / self.first.cost - 1 if self.first and self.second else None

    def details(self, labels: Sequence[str]) -> list[str]:
        """The tables of what was counted in both: instructions by function, events."""
        events = [[name, *(figure(timing.event(name) if timing else None, 2) for timing in (self.first, self.second))]
                  for name in self.either.events]
        found = []
        if self.either.functions:
            found.append(table([f'instructions {self.either.per}', *labels, 'difference'],
                               functions.side_by_side(functions.costs(self.first), functions.costs(self.second))))
        if events:
            found.append(table([f'events {self.either.per}', *labels], events))
        return found


def pairs(key: str, first: Mapping[str, Timing], second: Mapping[str, Timing]) -> dict[str, list[Pair]]:
    """The figures of both, by table."""
    found: dict[str, list[Pair]] = {}
    for number, name in enumerate(dict.fromkeys([*first, *second])):
        pair = Pair(f'{key}-{number}', first.get(name), second.get(name))
        found.setdefault(pair.either.table, []).append(pair)
    return found


def of_one(key: str, record: Record) -> dict[str, list[Pair]]:
    """The twin and the kernel of a record, where both were timed."""
    return pairs(key, record.of_way('twin'), record.of_way('kernel'))


def of_two(key: str, before: Record, after: Record) -> dict[str, list[Pair]]:
    """The kernel of two records."""
    return pairs(key, before.of_way('kernel'), after.of_way('kernel'))


def _own_ids(svg: str, prefix: str) -> str:
    """Several plots in one page: each id only once."""
    ids = set(re.findall(r' id="([^"]+)"', svg))

    def own(found: re.Match[str]) -> str:
        return f'{found[1]}{prefix}{found[2]}' if found[2] in ids else found[0]
    return re.sub(r'( id="|href="#|url\(#)([^")]+)', own, svg)


def plot(name: str, shown: Sequence[Pair], unit: str) -> str:
    """An SVG element: a line for each figure, from the first kernel to the second; names and marks are links."""
    matplotlib: Any = importlib.import_module('matplotlib')
    matplotlib.rcdefaults()     # ignore the user's settings
    with matplotlib.rc_context(STYLE):
        drawing: Any = importlib.import_module('matplotlib.figure').Figure((WIDTH, MARGIN + ROW * len(shown)), layout='constrained')
        axes: Any = drawing.add_subplot()
        for place, pair in enumerate(shown):
            ends = [timing.cost for timing in (pair.first, pair.second) if timing]
            axes.plot(ends, [place] * len(ends), color=LINE, linewidth=2, zorder=1)
        # The ring of the first remains visible around the dot of the second where both coincide.
        for index, style in enumerate(({'s': 56, 'facecolors': 'none', 'edgecolors': FIRST, 'linewidths': 1.6},
                                       {'s': 20, 'color': SECOND})):
            marks = [(timing.cost, place, pair.key) for place, pair in enumerate(shown)
                     if (timing := (pair.first, pair.second)[index])]
            if marks:
                costs, places, keys = zip(*marks)
                axes.scatter(costs, places, zorder=2 + index, **style).set_urls([f'#{key}' for key in keys])
        axes.set_xscale('log')
        ticker: Any = importlib.import_module('matplotlib.ticker')
        axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f'{value:,.0f}' if value >= 1 else f'{value:g}'))
        axes.xaxis.set_minor_formatter(ticker.NullFormatter())
        axes.tick_params(axis='x', labelrotation=30)
        axes.grid(axis='x', linewidth=0.5)
        axes.set_yticks(range(len(shown)), [pair.name.removeprefix(f'{name} ').removeprefix(f'{name}, ') for pair in shown])
        for text, pair in zip(axes.get_yticklabels(), shown):
            text.set_url(f'#{pair.key}')
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlabel(f'{unit} {shown[0].either.per}')
        out = io.StringIO()
        drawing.savefig(out, format='svg', metadata=dict.fromkeys(('Creator', 'Date', 'Format', 'Type')))
    svg = _own_ids(out.getvalue(), f'{shown[0].key}-')
    for colour, name in PROPERTIES.items():
        svg = svg.replace(colour, name)
    # The table below has the same links, for the keyboard and for screen readers.
    svg = svg.replace('<a ', '<a tabindex="-1" ')
    size = re.search(r'viewBox="[^"]+"', svg)
    assert size
    body = re.sub(r'<defs>\s*<style.*?</defs>', '', svg[svg.index('>', size.end()) + 1:], count=1, flags=re.DOTALL)
    return f'<svg role="img" aria-label="{html.escape(name)}: {unit}" {size[0]}>{body}'
