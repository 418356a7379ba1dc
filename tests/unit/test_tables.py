# SPDX-License-Identifier: GPL-2.0
"""The five tables and the plots: with all figures, with some missing, and with none."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from unit.machine import ktap_with
from figures import documents
from figures import plots
from figures import tables
from host import packages
from host import tools
from host.packages import MATPLOTLIB, PYTHON, Module
from host.settings import PROJECT
from results import markdown
from results.record import NS, Record
from results import timing
from unit.test_bench import KEY, cells

WAYS = (('kernel', 50), ('twin', 200))


def bench(what: str, cost: float, calls: int = 1) -> str:
    """A bench line. The cost is per page of 100 pages, or per call if there are several calls."""
    total = round(cost * (calls if calls > 1 else 100))
    return f'bench {what}: pages=100 calls={calls} laps=3 unit=ns own=1 min={total} median={total} max={total + total // 10}'


def everything() -> Iterator[str]:
    """Lines of each kind, with distinct figures."""
    for way, cost in WAYS:
        for order in range(10):
            yield bench(f'table=mprotect name=ro-rw order={order} way={way}', cost + order)
        for kind in ('swap', 'lazyfree'):
            for order in (0, 4, 9):
                yield bench(f'table=unmap name=unmap kind={kind} order={order} way={way}', cost * 10)
                yield f'counts table=unmap name=unmap kind={kind} order={order} way={way}: per=folio flushes={cost}'
        for size in (4, 40, 400):
            yield bench(f'table=mprotect-size name=none-rw size={size} order=0 way={way}', {'kernel': 1086, 'twin': 1000}[way], 20)
        yield bench(f'table=mprotect-size name=none-rw size=400 order=4 way={way}', cost * 20, 20)
        for order in (0, 4):
            yield bench(f'table=faults name=swap-in kind=cached order={order} way={way}', cost * 30)
    yield bench('table=unmap name=pageout order=0', 6000)
    yield bench('table=unmap name=pageout order=4', 2000)
    for access, cost in (('first', 900), ('second', 100), ('ro-rw', 112), ('ro-rw-faults', 448), ('soft-dirty', 224)):
        yield bench(f'table=mprotect-fault name=write how=memset size=4 access={access}', cost, 64)
    for batch in documents.S5:
        yield bench(f'table=madvise name=dontneed batch={batch}', 400 if batch == 1 else 200)
        yield f'counts table=madvise name=dontneed batch={batch}: per=call mmap-locks=1 vma-locks=0 gathers=1'


def record(*without: str, arch: str = 'x86_64', unit: str = 'instructions') -> Record:
    """A record of all lines except those that contain one of these words."""
    ktap = ktap_with(*(line for line in everything() if not any(word in line for word in without)))
    return Record(replace(KEY, arch=arch, unit=unit), timing.timings(ktap), timing.counts(ktap))


def rows(name: str, *records: Record) -> list[list[str]]:
    """The rows of one table."""
    return cells(tables.TABLES[name](records))


def test_mprotect() -> None:
    assert rows('mprotect', record(), record('order=4', arch='arm64'))[1:] == [
        ['64K folios (order 4)', '7.9', '2.2', '3.59', '204.0', '54.0', '3.78', '1.05', '', '', '', ''],
        ['4K pages (order 0)', '4.2', '4.3', '0.98', '200.0', '50.0', '4.00', '4.10', '200.0', '50.0', '4.00', '4.10']]


def test_unmap() -> None:
    found = rows('unmap', record('unmap kind=swap order=0 way=twin'), record('lazyfree', arch='arm64'))
    assert found[:3] == [
        ['pageout, order 0', '', '6000.0', '', '', '', '', '', '6000.0', '', '', '', ''],
        ['pageout, order 4', '', '2000.0', '', '55.0 ÷ 51.9 ms = 1.06', '', '',
         '', '2000.0', '', '37.4 ÷ 17.4 ms = 2.15', '', ''],
        ['unmap, swap, order 0', '', '500.0', '', '', '', '50', '2000.0', '500.0', '4.00', '', '', '200 / 50']]
    assert found[-1][7:] == [''] * 6


def test_unmap_with_a_series() -> None:
    """Benches without a twin are compared with the kernel without the series."""
    faster = [bench('table=unmap name=pageout order=4', 1000)]
    found = rows('unmap', record(), Record(KEY, timing.timings(ktap_with(*faster)), []))
    assert found[1] == ['pageout, order 4', '2000.0', '1000.0', '2.00', '55.0 ÷ 51.9 ms = 1.06', '1.89', '']
    text = tables.tables([record(), record()])
    assert 'with the series' in text and text.count('x86_64: one by one') == 3      # mprotect, unmap and faults once


def test_mprotect_size() -> None:
    found = rows('mprotect-size', record('size=40 '))
    assert found[:3] == [['4K', '1713', '1775', '1.04', '1000.0', '1086.0', '+8.6 %', '1.05', '', '', ''],
                         ['40K', '2071', '2362', '1.14', '', '', '', '', '', '', ''],
                         ['400K', '3453', '5993', '1.74', '1000.0', '1086.0', '+8.6 %', '0.63', '4000.0', '1000.0', '4.00']]
    assert [row[0] for row in found] == ['4K', '40K', '400K', '4M', '40M', '400M', '4G', '40G']


def test_mprotect_fault() -> None:
    found = rows('mprotect-fault', record(), record('soft-dirty', arch='arm64'))
    assert found[:3] == [
        ['memset() of 4 KiB', 'document, ns', '770', '158', '177', '', '454', '1.12', '', '0.39', '', ''],
        ['', 'x86_64', '900.0', '100.0', '112.0', '448.0', '224.0', '1.12', '1.00', '0.50', '1.28', '0.25'],
        ['', 'arm64', '900.0', '100.0', '112.0', '448.0', '', '1.12', '1.00', '', '', '0.25']]
    assert len(found) == 8 + 2


def test_madvise() -> None:
    found = rows('madvise', record('dontneed batch=2:'))
    assert found[:3] == [['madvise()', '146.3', '121.3', '0.83', '0.89', '200.0', '0.50', '0.56', '1 / 0 / 1'],
                         ['1', '165.9', '136.3', '0.82', '1.00', '400.0', '1.00', '1.00', '1 / 0 / 1'],
                         ['2', '129.5', '103.7', '0.80', '0.76', '', '', '', '']]
    assert rows('madvise', record('dontneed batch=1:'))[1][5:] == ['', '', '', '']


def test_faults() -> None:
    assert rows('faults', record(), record('kind=cached order=4', arch='arm64')) == [
        ['swap-in, cached, order 0', '6000.0', '1500.0', '4.00', '6000.0', '1500.0', '4.00'],
        ['swap-in, cached, order 4', '6000.0', '1500.0', '4.00', '', '', '']]


def test_ratios_of_the_documents() -> None:
    assert round(documents.S5[1].after / documents.S5[1].before, 6) == 0.821856
    memset = documents.S4['memset', 4]
    assert (round(memset.ro_rw / memset.second, 2), round(memset.ro_rw / memset.soft_dirty, 2)) == (1.12, 0.39)
    assert {len(figures) for figures in documents.S3.values()} == {8}


@pytest.mark.parametrize('without', [
    'table=mprotect name', 'table=unmap', 'table=mprotect-size', 'table=mprotect-fault', 'table=madvise', 'way=twin',
    'way=kernel', 'counts', 'order=0', 'batch=1:', 'access=second'])
def test_missing_figures(without: str) -> None:
    text = tables.everything(record(without))
    assert ('**mprotect** (S1)' in text) == (without != 'table=mprotect name')
    assert ('**madvise** (S5)' in text) == (without != 'table=madvise')
    for table in text.split('\n\n'):
        lines = [line for line in table.splitlines() if line.startswith('|')]
        assert len({len(line) for line in lines}) <= 1 and len({line.count('|') for line in lines}) <= 1


def test_all_figures_are_listed() -> None:
    text = tables.everything(record())
    assert all(f'| {measured.name} ' in text for measured in record().timings)
    assert '| instructions a page ' in text and '| instructions a call ' in text and '| instructions an area ' in text


def test_times_have_a_spread() -> None:
    assert '200.0 (+10%)' in tables.tables([record(unit=NS)])
    assert '(+10%)' not in tables.tables([record()])
    assert 'ours: ns (um), instructions (arm64) a page' in tables.tables([record(arch='um', unit=NS), record(arch='arm64')])


def test_markdown() -> None:
    assert markdown.table(['a', 'b'], [['long', '1'], ['', '12345']]) == (
        '| a    |     b |\n| ---- | ----: |\n| long |     1 |\n|      | 12345 |')
    assert [markdown.figure(figure) for figure in (None, 1.25, 12345.6)] == ['', '1.2', '12,346']


def program(tool: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*tools.program(tool), *args], text=True, capture_output=True, check=False)


def test_tables_command(tmp_path: Path) -> None:
    record().save(tmp_path / 'bench.json')
    assert program('tables', str(tmp_path / 'bench.json')).stdout == tables.tables([record()]) + '\n'
    for args, message in (((), 'tables: expected a record'), (('/no/such',), 'cannot be read')):
        ended = program('tables', *args)
        assert ended.returncode == 2 and message in ended.stderr and ended.stderr.count('\n') == 1


def test_page_of_the_records_is_up_to_date() -> None:
    folder = PROJECT / 'tests/recorded'
    ended = program('tables', '--page', str(folder))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == (folder / 'README.md').read_text()
    for plot in folder.glob('*/*.svg'):
        assert f'"{plot.relative_to(folder)}"' in ended.stdout


def draw(into: Path, *without: str) -> dict[str, bytes]:
    """Draw the plots in a separate process, as `make bench` does."""
    assert MATPLOTLIB.is_installed(), 'python3-matplotlib is missing'
    into.mkdir(exist_ok=True)
    record(*without).save(into / 'bench.json')
    subprocess.run([PYTHON, PROJECT / 'tests', 'plots', into / 'bench.json', into], check=True,
                   env={'PATH': '/usr/bin:/bin', 'MPLCONFIGDIR': str(into.parent / 'fonts'), 'PYTHONDONTWRITEBYTECODE': '1'})
    return {path.stem: path.read_bytes() for path in into.glob('*.svg')}


def test_plots_are_reproducible(tmp_path: Path) -> None:
    first, again = draw(tmp_path / 'a'), draw(tmp_path / 'b')
    assert first == again
    assert sorted(first) == sorted(plots.PLOTS)
    for content in first.values():
        ElementTree.fromstring(content)
        assert b'<dc:date>' not in content


def test_plots_with_missing_figures(tmp_path: Path) -> None:
    draw(tmp_path / 'a')
    both = ['mprotect-size', 'unmap-order']
    assert sorted(draw(tmp_path / 'a', 'table=mprotect name', 'way=twin', 'batch=1:')) == ['madvise-batch', *both]
    assert sorted(draw(tmp_path / 'a', 'table=madvise', 'order=0', 'way=kernel')) == ['mprotect-order', *both]


def test_module_of_debian(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not count that another interpreter has the module."""
    assert Module('json', 'python3').is_installed()
    monkeypatch.setattr(packages, 'PYTHON', '/bin/false')
    assert not Module('json', 'python3').is_installed()
    monkeypatch.undo()
    assert not Module('no_such_module', 'python3-no-such').is_installed()
