# SPDX-License-Identifier: GPL-2.0
"""Tables of bench records: python3 -m tests tables build/x86_64/bench.json build/arm64/bench.json

A second record of an architecture is one of the same kernel with a series that unmaps in batches, and is used for table unmap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from figures import documents
from guests import recorded
from guests.recorded import Kind
from host.errors import Trouble
from host import exit_status
from results.markdown import figure, table
from results.record import NS, Record, load
from results.timing import A_CALL, A_PAGE, AN_AREA, PERS, Timing

COMPARED = '÷ document'
WAYS = ('twin', 'kernel')
MPROTECT_ROWS = {9: 'PMD folios, mapped by PTEs', 4: '64K folios', 0: '4K pages'}


def ratio(dividend: float | None, divisor: float | None) -> float | None:
    """The ratio of two figures, or None if one is missing."""
    return dividend / divisor if dividend is not None and divisor else None


def _cost(timing: Timing | None) -> float | None:
    return timing.cost if timing else None


def _cell(timing: Timing | None, record: Record) -> str:
    """The cost, and for times the spread of the laps; the spread of instruction counts is only timer ticks."""
    spread = f' (+{timing.spread:.0%})' if timing and record.key.unit == NS else ''
    return figure(_cost(timing)) + spread


def _unit(records: Sequence[Record], per: str) -> str:
    """The unit of the measured figures, in words."""
    archs = {unit: ', '.join(record.key.arch for record in records if record.key.unit == unit)
             for unit in dict.fromkeys(record.key.unit for record in records)}
    text = ', '.join(f'{unit} ({names})' if len(archs) > 1 else unit for unit, names in archs.items()) + f' {per}'
    return text + (', in brackets how much more the slowest lap took' if NS in archs else '')


def _both(twin: Timing | None, kernel: Timing | None, record: Record) -> tuple[list[str], float | None]:
    """The cells of twin and kernel with their ratio, and the ratio itself."""
    gain = ratio(_cost(twin), _cost(kernel))
    return [_cell(twin, record), _cell(kernel, record), figure(gain, 2)], gain


def _ways(record: Record, **what: object) -> tuple[list[str], float | None]:
    return _both(record.timing('twin', **what), record.timing(**what), record)


def _mprotect(records: Sequence[Record]) -> str:
    header = ['mprotect', 'before, s', 'after, s', 'ratio']
    for record in records:
        header += [f'{record.key.arch}: one by one', 'batched', 'ratio', COMPARED]
    rows = []
    for order, text in MPROTECT_ROWS.items():
        change = documents.S1[order]
        row = [f'{text} (order {order})', figure(change.before), figure(change.after),
               figure(change.ratio, 2)]
        for record in records:
            cells, gain = _ways(record, table='mprotect', name='ro-rw', order=order)
            row += [*cells, figure(ratio(gain, change.ratio), 2)]
        rows.append(row)
    return (f'`mprotect()` to read-only and back, by order of folio. The document: 40 times 1 GiB on an Apple M3; '
            f'ours: {_unit(records, A_PAGE)}.\n\n{table(header, rows)}')


def _counts(record: Record, way: str, what: Mapping[str, object], names: Sequence[str]) -> list[str]:
    counted = record.counted(way, **what)
    return [f'{counted.figures[name]:g}' for name in names if name in counted.figures] if counted else []


def _flushes(record: Record, what: dict[str, str]) -> str:
    """TLB flushes of the twin and of the kernel."""
    return ' / '.join(count for way in WAYS for count in _counts(record, way, what, ['flushes']))


def _unmap_row(before: Record, after: Record, what: dict[str, str]) -> list[str]:
    """The cells of one architecture; without a twin, the kernel without the series takes its place."""
    plain = before.timing(**what) if before is not after else None
    cells, gain = _both(after.timing('twin', **what) or plain, after.timing(**what), after)
    change = documents.S2.get(after.key.arch) if (what['name'], what.get('order')) == ('pageout', '4') else None
    quoted = f'{change.before / 1e6:.1f} ÷ {change.after / 1e6:.1f} ms = {change.ratio:.2f}' if change else ''
    return [*cells, quoted, figure(ratio(gain, change.ratio if change else None), 2), _flushes(after, what)]


def _unmap(records: Sequence[Record]) -> str:
    pairs = [[record for record in records if record.key.arch == arch]
             for arch in dict.fromkeys(record.key.arch for record in records)]
    header = ['unmap']
    for pair in pairs:
        header += [f'{pair[0].key.arch}: one by one', 'kernel' if len(pair) == 1 else 'with the series', 'ratio',
                   'document', COMPARED, 'flushes a folio']
    measured = {timing.name: timing.what for record in records for timing in record.timings if timing.table == 'unmap'}
    rows = []
    for name, what in sorted(measured.items(), key=lambda item: item[1]['name'] != 'pageout'):  # pageout first
        words = {key: word for key, word in what.items() if key != 'way'}
        rows.append([name.removeprefix('unmap '), *(cell for pair in pairs for cell in _unmap_row(pair[0], pair[-1], words))])
    return (f'Unmapping, by kind and order of folio; pageout is `MADV_PAGEOUT` of 256 MiB. The document: before and after '
            f'its series, arm64 in a VM on an Apple M3, 4K folios unchanged; ours: {_unit(records, A_PAGE)}. Flushes: '
            f'one by one / kernel.\n\n{table(header, rows)}')


def size(kib: int) -> str:
    """The size of a region as text, with powers of ten as in the document."""
    for unit in 'KMG':
        if kib < 1000:
            return f'{kib}{unit}'
        kib //= 1000
    return f'{kib}T'


def _size(records: Sequence[Record]) -> str:
    before, after = (documents.S3[kernel] for kernel in (documents.S3_BEFORE, documents.S3_AFTER))
    header = ['mprotect-size', documents.S3_BEFORE, documents.S3_AFTER, 'ratio']
    for record in records:
        header += [f'{record.key.arch}, order 0: one by one', 'batched', 'overhead', COMPARED,
                   'order 4: one by one', 'batched', 'ratio']
    rows = []
    for kib in before:
        slowdown = after[kib] / before[kib]
        row = [size(kib), figure(before[kib], 0), figure(after[kib], 0), figure(slowdown, 2)]
        for record in records:
            what = {'table': 'mprotect-size', 'name': 'none-rw', 'size': kib}
            cells, gain = _ways(record, **what, order=0)
            row += [*cells[:2], f'{(1 / gain - 1) * 100:+.1f} %' if gain else '',
                    figure(ratio(1 / gain, slowdown) if gain else None, 2), *_ways(record, **what, order=4)[0]]
        rows.append(row)
    return (f'`mprotect()` of one region to no access, or back. The document: ns a call on an AMD EPYC Zen3, before and '
            f'after batching; ours: {_unit(records, A_CALL)}.\n\n{table(header, rows)}')


def _fault_row(costs: Sequence[float | None], cells: Sequence[str], quoted: tuple[float, float] | None) -> list[str]:
    """The cells of one area: costs, ratios, and ratios relative to the document."""
    _, second, ro_rw, faults, soft_dirty = costs
    ratios = [ratio(ro_rw, second), ratio(ro_rw, soft_dirty)]
    row = list(cells)
    for index, value in enumerate(ratios):
        row += [figure(value, 2), figure(ratio(value, quoted[index]) if quoted else None, 2)]
    return [*row, figure(ratio(ro_rw, faults), 2)]


def _fault(records: Sequence[Record]) -> str:
    accesses = ('first', 'second', 'ro-rw', 'ro-rw-faults', 'soft-dirty')
    header = ['mprotect-fault', '', 'first', 'second', 'RO+RW', 'RO+RW, faults', 'soft-dirty', 'RO+RW ÷ second', COMPARED,
              'RO+RW ÷ soft-dirty', COMPARED, 'RO+RW ÷ faults']
    rows = []
    for (how, kib), quoted in documents.S4.items():
        costs = [quoted.first, quoted.second, quoted.ro_rw, None, quoted.soft_dirty]
        area = f'{"memset() of" if how == "memset" else "a byte a page of"} {kib} KiB'
        rows.append([area, 'document, ns', *_fault_row(costs, [figure(cost, 0) for cost in costs], None)])
        for record in records:
            timings = [record.timing(table='mprotect-fault', name='write', how=how, size=kib, access=access) for access in accesses]
            if any(timings):
                rows.append(['', record.key.arch, *_fault_row(
                    [_cost(timing) for timing in timings], [_cell(timing, record) for timing in timings],
                    (quoted.ro_rw / quoted.second, quoted.ro_rw / quoted.soft_dirty))])
    return ('Writing to an area for the first and the second time, after `mprotect()` to read-only and back (and with the '
            'write faults that it avoids), and after clearing soft-dirty. The document: averages on a Ryzen 9 3900X; '
            f'ours: {_unit(records, AN_AREA)}.\n\n{table(header, rows, text_columns=2)}')


def _madvise(records: Sequence[Record]) -> str:
    header = ['madvise: ranges a call', 'before, ms', 'after, ms', 'after ÷ before', '÷ batch 1']
    for record in records:
        header += [record.key.arch, '÷ batch 1', COMPARED, 'locks, VMA locks, gathers a call']
    rows = []
    for batch, change in documents.S5.items():
        relative = change.after / documents.S5[1].after
        row = [f'{batch}' if batch else 'madvise()', figure(change.before / 1e6), figure(change.after / 1e6),
               figure(change.after / change.before, 2), figure(relative, 2)]
        for record in records:
            what = {'table': 'madvise', 'name': 'dontneed', 'batch': batch}
            timing, first = record.timing(**what), record.timing(**(what | {'batch': 1}))
            gain = ratio(_cost(timing), _cost(first))
            row += [_cell(timing, record), figure(gain, 2), figure(ratio(gain, relative), 2),
                    ' / '.join(_counts(record, 'kernel', what, ('mmap-locks', 'vma-locks', 'gathers')))]
        rows.append(row)
    return ('`MADV_DONTNEED` of 256 MiB in 4 KiB ranges, by the ranges of a `process_madvise()` call. The document: before '
            f'and after its series, "{COMPARED}" refers to after; ours: {_unit(records, A_PAGE)}.\n\n{table(header, rows)}')


def _small(records: Sequence[Record]) -> str:
    header = ['small', *(f'{record.key.arch}, order {order}: {column}' for record in records for order in (0, 1)
                         for column in ('one by one', 'batched', 'overhead'))]
    rows = []
    for name in dict.fromkeys(timing.what['name'] for record in records for timing in record.timings if timing.table == 'small'):
        row = [name]
        for record in records:
            for order in (0, 1):
                cells, gain = _ways(record, table='small', name=name, order=order)
                row += [*cells[:2], f'{(1 / gain - 1) * 100:+.1f} %' if gain else '']
        rows.append(row)
    return (f'Folios of one and of two pages: {_unit(records, A_PAGE)}. The cost of batching where there is little or nothing '
            f'to batch.\n\n{table(header, rows)}')


def _by_name(name: str, records: Sequence[Record]) -> str:
    """The table of this name: a row for each measurement, without a document to compare it with."""
    header = [name, *(f'{record.key.arch}: {column}' for record in records for column in ('one by one', 'batched', 'ratio'))]
    measured = {timing.name: timing.what for record in records for timing in record.timings if timing.table == name}
    rows = []
    for row, what in measured.items():
        words = {key: word for key, word in what.items() if key != 'way'}
        rows.append([row.removeprefix(f'{name} '), *(cell for record in records for cell in _ways(record, **words)[0])])
    return table(header, rows)


def _faults(records: Sequence[Record]) -> str:
    return f'One fault for each folio, beside one for each page: {_unit(records, A_PAGE)}.\n\n{_by_name("faults", records)}'


def _fork(records: Sequence[Record]) -> str:
    return f'`fork()` by order of folio: {_unit(records, A_PAGE)}.\n\n{_by_name("fork", records)}'


def _thp(records: Sequence[Record]) -> str:
    return (f'`MADV_COLLAPSE` of one page table, by order of folio, and the split of one PMD, which has no twin: '
            f'{_unit(records, A_PAGE)}.\n\n{_by_name("THP", records)}')


TABLES: dict[str, Callable[[Sequence[Record]], str]] = {
    'mprotect': _mprotect, 'unmap': _unmap, 'mprotect-size': _size, 'mprotect-fault': _fault, 'madvise': _madvise, 'small': _small, 'faults': _faults, 'THP': _thp, 'fork': _fork}

# The mails to linux-mm whose measurements a table repeats, see documents.py.
MAILS = {'mprotect': 'S1', 'unmap': 'S2', 'mprotect-size': 'S3', 'mprotect-fault': 'S4', 'madvise': 'S5'}


def tables(records: Sequence[Record], unmapping: Sequence[Record] = ()) -> str:
    """The tables that have figures, with columns for each record that contributes; `unmapping`: other records for table unmap."""
    texts = []
    for name, make in TABLES.items():
        having = [record for record in (name == 'unmap' and unmapping or records)
                  if any(timing.table == name for timing in record.timings)]
        plain = [record for index, record in enumerate(having)
                 if record.key.arch not in (other.key.arch for other in having[:index])]
        if having:
            mail = f' ({MAILS[name]})' if name in MAILS else ''
            texts.append(f'**{name}**{mail} {make(having if name == "unmap" else plain)}')
    return '\n\n'.join(texts)


def _events(event: str, *timings: Timing | None) -> str:
    """How often an event occurs in the kernel, and in the twin."""
    return ' / '.join(figure(timing.event(event), 2) for timing in timings if timing)


def _listing(record: Record, per: str) -> str:
    """The costs and the events of kernel and twin, one row per timing."""
    time = record.key.unit == NS
    kernels, twins = (
        {name: timing for name, timing in record.of_way(way).items() if timing.per == per} for way in ('kernel', 'twin'))
    events = [*dict.fromkeys(event for timing in (*kernels.values(), *twins.values()) for event in timing.events)]
    rows = []
    for name in dict.fromkeys([*kernels, *twins]):
        kernel, twin = kernels.get(name), twins.get(name)
        rows.append([name, _cell(kernel, record), _cell(twin, record), figure(ratio(_cost(twin), _cost(kernel)), 2),
                     *(_events(event, kernel, twin) for event in events)])
    note = ' (the slowest lap)' if time else ''
    return table([f'{record.key.unit} {per}{note}', 'kernel', 'one by one', 'ratio', *events], rows) if rows else ''


def _counters(record: Record) -> str:
    kernel, twin = (record.events(way) for way in ('kernel', 'twin'))
    rows = [[name, *(figure(found.get(name), 2).removesuffix('.00') for found in (kernel, twin))]
            for name in dict.fromkeys([*kernel, *twin])]
    return table(['counted', 'kernel', 'one by one'], rows) if rows else ''


def everything(record: Record) -> str:
    """The key, the tables and all figures of one record."""
    key = record.key
    parts = [f'{key.arch}: {key.versions()}', tables([record]),
             *(_listing(record, per) for per in PERS), _counters(record)]
    return '\n\n'.join(part for part in parts if part)


PAGE = '''\
# Recorded figures

Generated by `make record`, or by `python3 -m tests tables --page tests/recorded >tests/recorded/README.md`. `make record`
runs `make bench` of the kernels below. `make gate` compares with `bench.json`. Five tables repeat the measurements of mails
to linux-mm, the documents S1 to S5, and have the figures of their document next to ours; "{compared}" is our ratio
divided by that of the document. Limitations of the counting clock:
[tests/README.md](../README.md#limitations-of-the-counting-clock). Without and with the series of
[mm/series](../../mm/series/README.md): [figures](../../mm/series/figures.md).

{versions}

## Where a batch costs more than single entries

{slower}

## The tables

The kernel is that of `bench.json`. Table unmap has the kernel of `unmap.json` beside that of `plain.json`, if there is a record
of them.

{tables}

## Plots

{plots}
'''


def _slower(record: Record) -> list[list[str]]:
    """Timings in which the kernel costs over 1 % more than its twin with batches of one."""
    kernels, twins = record.of_way('kernel'), record.of_way('twin')
    return [[record.key.arch, name, figure(twins[name].cost), figure(kernel.cost),
             f'{(kernel.cost / twins[name].cost - 1) * 100:+.1f} %']
            for name, kernel in kernels.items() if name in twins and kernel.cost > twins[name].cost * 1.01]


def _recorded(folder: Path, *kinds: Kind) -> dict[Path, Record]:
    """The records of these kernels, by architecture."""
    return {file: load(file) for arch in recorded.ARCHES for kind in kinds if (file := kind.file(arch, folder)).exists()}


def page(folder: Path) -> str:
    """The page of a folder of records like tests/recorded, which has one folder per architecture."""
    versions = [f'* `{kind.file(arch, folder).relative_to(folder)}`, {kind.what}: {record.key.versions()}'
                for kind in recorded.KINDS for arch in recorded.ARCHES for record in _recorded(folder, kind).values()
                if record.key.arch == arch]
    bare = list(_recorded(folder, recorded.BENCH).values())
    unmap = list(_recorded(folder, recorded.PLAIN, recorded.SERIES[0]).values())
    plots = [[f'<img src="{arch}/{plot.name}" alt="{plot.stem}, {arch}" width="460">' for arch in recorded.ARCHES]
             for plot in sorted((folder / recorded.ARCHES[0]).glob('*.svg'))]
    return PAGE.format(
        compared=COMPARED,
        versions='\n'.join(versions),
        slower=table(['architecture', 'timed', 'one by one', 'batched', 'difference'],
                     [row for record in bare for row in _slower(record)], 2),
        tables=tables(bare, unmap),
        plots=table(recorded.ARCHES, plots, len(recorded.ARCHES)))


def main(args: Sequence[str]) -> int:
    """Print the tables of these files, or with --page the page of a folder of records."""
    if not args:
        raise Trouble('tables: expected a record', 'type for example python3 -m tests tables build/x86_64/bench.json')
    if args[0] == '--page' and len(args) == 2:
        print(page(Path(args[1])), end='')
        return exit_status.PASSED
    text = tables([load(Path(arg)) for arg in args])
    if not text:
        raise Trouble('these records have no figures for the tables', 'record them again with make bench, without SUITES=')
    print(text)
    return exit_status.PASSED
