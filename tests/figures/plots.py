# SPDX-License-Identifier: GPL-2.0
"""Draw the figures of `make bench`: python3 -m tests plots build/x86_64/bench.json build/x86_64/plots"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from figures import documents
from figures import tables
from host.errors import Trouble
from host import exit_status
from results.record import Record, load
from results.timing import A_CALL, A_PAGE

# Wong's palette, distinguishable with colour blindness.
BLUE, ORANGE, GREEN, PURPLE, GREY = '#0072B2', '#D55E00', '#009E73', '#CC79A7', '#555555'
STYLE = {
    'font.family': 'DejaVu Sans', 'font.size': 11, 'axes.titlesize': 12, 'legend.fontsize': 9.5,
    'axes.spines.top': False, 'axes.spines.right': False, 'axes.grid': True, 'grid.color': '#dddddd',
    'lines.linewidth': 2, 'lines.markersize': 6, 'legend.frameon': False,
    'svg.hashsalt': 'ptebatch',     # the default is random ids
}
SIZE = (8, 4.8)
FOLIOS = 'size of the folios (order)'
# The ring of the twin remains visible around the dot of the kernel where both lines coincide.
MARKERS: dict[str, dict[str, Any]] = {'twin': {'marker': 'o', 'markersize': 9, 'markerfacecolor': 'none', 'zorder': 2},
                                      'kernel': {'marker': 'o', 'markersize': 5, 'zorder': 3}}
DASHED: dict[str, Any] = {'linestyle': '--', 'linewidth': 1.5, 'color': GREY}
BEFORE, AFTER = DASHED | {'marker': '^'}, DASHED | {'marker': 'v', 'markerfacecolor': 'white'}


def _figures(record: Record, way: str, axis: str, **what: object) -> dict[int, float]:
    """The costs of the timings with these words, by the value of the word `axis`."""
    wanted = {name: str(word) for name, word in what.items()}
    found = {}
    for timing in record.timings:
        words = {name: word for name, word in timing.what.items() if name != 'way'}
        value = words.pop(axis, None)
        if value and value.isdecimal() and timing.way == way and words == wanted:
            found[int(value)] = timing.cost
    return dict(sorted(found.items()))


def _scale(figures: Mapping[int, float], at: int, document: float) -> float | None:
    """The factor from the document's unit to ours that makes both lines equal at `at`."""
    return figures[at] / document if at in figures else None


class Plot:
    """A line plot of costs."""

    def __init__(self, record: Record, title: str, xlabel: str, per: str):
        figure = importlib.import_module('matplotlib.figure')
        self.figure: Any = figure.Figure(figsize=SIZE, layout='constrained', facecolor='white')
        self.axes: Any = self.figure.add_subplot()
        self.axes.set_title(f'{title}, {record.key.arch}', loc='left')
        self.axes.set_xlabel(xlabel)
        self.axes.set_ylabel(f'{record.key.unit} {per}')
        self.empty = True
        self.scaled = False

    def _line(self, label: str, figures: Mapping[int, float], places: Mapping[int, float], style: dict[str, Any]) -> None:
        self.axes.plot([places.get(x, x) for x in figures], list(figures.values()), label=label, **style)

    def add_measured(self, label: str, way: str, colour: str, figures: Mapping[int, float],
                     places: Mapping[int, float] = MappingProxyType({})) -> None:
        """Add a line of measured figures; save() writes no file without one."""
        if figures:
            self.empty = False
            self._line(label, figures, places, MARKERS[way] | {'color': colour})

    def add_document(self, label: str, style: dict[str, Any], figures: Mapping[int, float], scale: float | None,
                     places: Mapping[int, float] = MappingProxyType({})) -> None:
        """Add a line of the document's figures, multiplied by `scale`."""
        if scale:
            self.scaled = True
            self._line(label + '*', {x: y * scale for x, y in sorted(figures.items())}, places, style)

    def ticks(self, places: Sequence[float], labels: Sequence[str]) -> None:
        """Set the ticks of the x axis."""
        self.axes.set_xticks(places, labels)
        self.axes.minorticks_off()

    def orders(self, orders: Iterable[int]) -> None:
        """Set the ticks of the x axis to folio orders, with the sizes as labels."""
        self.ticks(sorted(orders), [f'{4 << order}K\n({order})' if order < 8 else f'{4 << order >> 10}M\n({order})'
                                    for order in sorted(orders)])

    def plain_y(self) -> None:
        """Label a logarithmic y axis of one or two decades with plain numbers, not only with powers of ten."""
        ticker = importlib.import_module('matplotlib.ticker')
        self.axes.set_yscale('log')
        self.axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
        self.axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f'{value:,.0f}'))
        self.axes.yaxis.set_minor_formatter(ticker.NullFormatter())

    def save(self, path: Path) -> None:
        if self.empty:
            return
        if self.scaled:
            self.figure.supxlabel('* time, scaled to the same start', x=0.99, ha='right', fontsize=9, color=GREY)
        self.axes.legend(loc='upper left', bbox_to_anchor=(1, 1), labelspacing=0.9)
        self.figure.savefig(path, metadata=dict.fromkeys(('Creator', 'Date', 'Format', 'Type')))


def mprotect_order(record: Record) -> Plot:
    """mprotect: cost per page by folio order."""
    plot = Plot(record, 'mprotect() to read-only and back', FOLIOS, A_PAGE)
    plot.plain_y()
    twin, kernel = (_figures(record, way, 'order', table='mprotect', name='ro-rw') for way in tables.WAYS)
    plot.add_measured('one by one', 'twin', ORANGE, twin)
    plot.add_measured('batched', 'kernel', BLUE, kernel)
    scale = _scale(twin, 0, documents.S1[0].before)
    plot.add_document('before, Apple M3', BEFORE, {order: change.before for order, change in documents.S1.items()}, scale)
    plot.add_document('after, Apple M3', AFTER, {order: change.after for order, change in documents.S1.items()}, scale)
    plot.orders({*twin, *kernel})
    return plot


def mprotect_size(record: Record) -> Plot:
    """mprotect-size: cost per call by size of the region."""
    plot = Plot(record, 'mprotect() of one region to no access, or back', 'size of the region', A_CALL)
    plot.axes.set_xscale('log')
    plot.axes.set_yscale('log')
    sizes: set[int] = set()
    for order, text, colours in ((0, '4K pages', (ORANGE, BLUE)), (4, '64K folios', (PURPLE, GREEN))):
        for way, label, colour in zip(tables.WAYS, ('one by one', 'batched'), colours):
            figures = _figures(record, way, 'size', table='mprotect-size', name='none-rw', order=order)
            plot.add_measured(f'{text}, {label}', way, colour, figures)
            sizes |= figures.keys()
    scale = _scale(_figures(record, 'twin', 'size', table='mprotect-size', name='none-rw', order=0), 4,
                   documents.S3[documents.S3_BEFORE][4])
    for kernel, style in ((documents.S3_BEFORE, BEFORE), (documents.S3_AFTER, AFTER)):
        shown = {size: figure for size, figure in documents.S3[kernel].items() if size in sizes}
        plot.add_document(f'4K pages, {kernel}, EPYC', style, shown, scale)
    plot.ticks(sorted(sizes), [tables.size(size) for size in sorted(sizes)])
    return plot


def unmap_order(record: Record) -> Plot:
    """unmap: cost per page by folio order."""
    plot = Plot(record, 'try_to_unmap()', FOLIOS, A_PAGE)
    plot.plain_y()
    orders: set[int] = set()
    for kind, colours in (('swap', (ORANGE, BLUE)), ('lazyfree', (PURPLE, GREEN))):
        for way, label, colour in zip(tables.WAYS, ('one by one', 'the kernel'), colours):
            figures = _figures(record, way, 'order', table='unmap', name='unmap', kind=kind)
            plot.add_measured(f'{kind}, {label}', way, colour, figures)
            orders |= figures.keys()
    plot.orders(orders)
    return plot


def madvise_batch(record: Record) -> Plot:
    """madvise: cost per page by ranges per call."""
    plot = Plot(record, 'MADV_DONTNEED of 256 MiB', 'ranges of 4 KiB in a process_madvise() call (0: madvise())', A_PAGE)
    measured = _figures(record, 'kernel', 'batch', table='madvise', name='dontneed')
    batches = sorted({*measured, *documents.S5})
    places = {batch: float(index) for index, batch in enumerate(batches)}
    plot.add_measured('the kernel', 'kernel', BLUE, measured, places)
    plot.add_document('after the document\'s series', AFTER, {batch: change.after for batch, change in documents.S5.items()},
                      _scale(measured, 1, documents.S5[1].after), places)
    plot.ticks(list(places.values()), [str(batch) for batch in batches])
    plot.axes.set_ylim(bottom=0)
    return plot


PLOTS: dict[str, Callable[[Record], Plot]] = {
    'mprotect-order': mprotect_order, 'mprotect-size': mprotect_size, 'unmap-order': unmap_order,
    'madvise-batch': madvise_batch,
}


def draw(record: Record, folder: Path, suffix: str = 'svg') -> None:
    """Draw all plots that have figures, and delete the other ones."""
    matplotlib = importlib.import_module('matplotlib')
    matplotlib.rcdefaults()     # ignore the user's settings
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(STYLE):
        for name, plot in PLOTS.items():
            path = folder / f'{name}.{suffix}'
            path.unlink(missing_ok=True)
            plot(record).save(path)


def main(args: Sequence[str]) -> int:
    """Draw the plots of a record into a folder."""
    if len(args) != 2:
        raise Trouble(f'plots: expected a record and a folder, got {len(args)} arguments',
                      'type python3 -m tests plots build/x86_64/bench.json build/x86_64/plots')
    try:
        draw(load(Path(args[0])), Path(args[1]))
    except ModuleNotFoundError as error:
        raise Trouble(f'{sys.executable} has no module {error.name}',
                      'type /usr/bin/python3 -m tests plots, or install python3-matplotlib') from error
    return exit_status.PASSED
