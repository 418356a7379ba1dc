# SPDX-License-Identifier: GPL-2.0
"""bench.json and what identifies a kernel: read back as written, and refused if it is anything else."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unit.machine import Machine
from host.errors import Trouble
from results import identity
from results.record import load
from trees import series
from trees.series import Patch
from trees.shadow import Shadow
from trees import source
from unit.test_bench import COUNTS, KERNEL, KEY, TWIN, record

CHANGES: dict[str, tuple[Callable[[Any], object], str]] = {
    'another version': (lambda it: it.update(version=2), 'is of version 2, not 1'),
    'a version that is none': (lambda it: it.update(version=True), 'is of version True, not 1'),
    'no version': (lambda it: it.pop('version'), 'has no "version"'),
    'no compiler': (lambda it: it.pop('compiler'), 'it has no "compiler"'),
    'more than there is': (lambda it: it.update(date=1), 'it has "date", which does not belong there'),
    'a unit': (lambda it: it.update(unit='s'), 'unit is "s", which is none of instructions, ns'),
    'an architecture': (lambda it: it.update(arch='vax'), 'arch is "vax", which is none of um, x86_64, arm64'),
    'a kernel': (lambda it: it.update(kernel=7), 'kernel is no text'),
    'half a character': (lambda it: it.update(qemu='\ud800'), 'qemu is no text'),
    'no list': (lambda it: it.update(timings={}), 'timings is no list'),
    'nothing timed': (lambda it: it.update(timings=[]), 'timings is empty'),
    'no object': (lambda it: it['timings'].append(1), r'timings\[2\] is no object'),
    'a figure missing': (lambda it: it['timings'][1].pop('own'), r'timings\[1\] has no "own"'),
    'a figure that is text': (lambda it: it['timings'][0].update(min='1'), r'timings\[0\].min is no whole number'),
    'a figure that is a fraction': (lambda it: it['timings'][0].update(min=1.5), r'timings\[0\].min is no whole number'),
    'a figure that is true': (lambda it: it['timings'][0].update(pages=True), r'timings\[0\].pages is no whole number'),
    'no pages': (lambda it: it['timings'][0].update(pages=0), r'timings\[0\] has pages=0, which must be above 0'),
    'in no order': (lambda it: it['timings'][0].update(max=1), r'timings\[0\] has min, median and max in no order'),
    'twice': (lambda it: it['timings'].append(it['timings'][0]), r'timings\[2\] is there twice'),
    'a word': (lambda it: it['timings'][0]['what'].update(order=4), r'timings\[0\].what.order is no text'),
    'no words': (lambda it: it['timings'][0].update(what=[]), r'timings\[0\].what is no object'),
    'no name': (lambda it: it['timings'][0]['what'].pop('name'), r'timings\[0\] does not say of which table and name'),
    'counts': (lambda it: it['counts'][0].update(figures=[]), r'counts\[0\].figures is no object'),
    'a count': (lambda it: it['counts'][0]['figures'].update(flushes='16'), r'counts\[0\].figures.flushes is no whole'),
    'no number': (lambda it: it['counts'][0]['figures'].update(flushes=float('nan')), 'flushes is no whole number'),
    'endless': (lambda it: it['counts'][0]['figures'].update(flushes=float('inf')), 'flushes is no whole number'),
}


@pytest.fixture(name='path')
def _path(tmp_path: Path) -> Path:
    record(KERNEL, TWIN, COUNTS).save(tmp_path / 'bench.json')
    return tmp_path / 'bench.json'


def test_read_as_written(path: Path) -> None:
    assert load(path) == record(KERNEL, TWIN, COUNTS)
    unknown = replace(record(KERNEL), key=replace(KEY, kernel=None, qemu=''))
    unknown.save(path)
    assert load(path) == unknown
    assert [left.name for left in path.parent.iterdir()] == ['bench.json']


@pytest.mark.parametrize('name', CHANGES)
def test_damaged(path: Path, name: str) -> None:
    change, complaint = CHANGES[name]
    content = copy.deepcopy(json.loads(path.read_text()))
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(Trouble, match=f'is no record that can be used: .*{complaint}.*; record it again by make bench'):
        load(path)


@pytest.mark.parametrize('content', [
    b'', b'{', b'[]', b'null', b'\xff\xfe', b'[' * 100000, b'{"version": 1}', b'{"version": 1e999}',
])
def test_no_record(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(Trouble, match='record it again by make bench'):
        load(path)


def test_cut_short_anywhere(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(0, len(whole) - 2, 97):
        path.write_bytes(whole[:length])
        with pytest.raises(Trouble):
            load(path)


def test_a_commit_identifies_a_clean_checkout(machine: Machine, tmp_path: Path) -> None:
    def kernel(*patches: Patch) -> str | None:
        return identity.kernel(Shadow(tmp_path, machine.tree, patches), own=True)

    assert kernel() is None
    head = machine.checkout()
    assert kernel() == head
    patch = Patch('a', 'text')
    assert kernel(patch) == f'{head}, patches {series.digest([patch])}'
    changed = machine.tree / 'mm/mprotect.c'
    changed.write_text(changed.read_text() + 'four\n')
    assert kernel() is None and kernel(patch) is None


def test_nothing_is_written_to_a_checkout(machine: Machine, tmp_path: Path) -> None:
    machine.checkout()
    os.utime(machine.tree / 'mm/mprotect.c')    # git would like to note that it has not changed
    before = {path: path.stat().st_mtime_ns for path in machine.tree.rglob('*')}
    assert identity.kernel(Shadow(tmp_path, machine.tree, []), own=True)
    assert {path: path.stat().st_mtime_ns for path in machine.tree.rglob('*')} == before


def test_a_folder_inside_another_checkout_is_none(machine: Machine, tmp_path: Path) -> None:
    machine.checkout()
    (machine.tree / '.git').rename(machine.tree.parent / '.git')
    assert identity.kernel(Shadow(tmp_path, machine.tree, []), own=True) is None


def test_a_fetched_kernel_is_identified_wherever_it_lies(machine: Machine, tmp_path: Path) -> None:
    def kernel(place: str, *patches: Patch) -> str | None:
        return identity.kernel(Shadow(tmp_path, tmp_path / place / 'linux-source-7.3', patches), own=False)

    for place in ('here', 'there'):
        (tmp_path / place / 'linux-source-7.3').mkdir(parents=True)
        (tmp_path / place / 'linux-source-7.3' / source.VERSION).write_text('7.3.4-1~bpo13+1\n')
    assert kernel('here') == kernel('there') == 'linux-source-7.3 7.3.4-1~bpo13+1'
    one, other = (Patch('a', f'message\n--- a/x\n+++ b/x\n{text}') for text in ('text', 'other text'))
    assert kernel('here', one) == kernel('there', one) != kernel('here', other)
    assert kernel('here', one, other) != kernel('here', other, one)


def test_a_source_fetched_before_versions_were_kept(tmp_path: Path) -> None:
    (tmp_path / 'Makefile').write_text('VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\nEXTRAVERSION =\n')
    assert source.version(tmp_path) == '7.3.4'
