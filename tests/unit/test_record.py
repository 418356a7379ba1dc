# SPDX-License-Identifier: GPL-2.0
"""bench.json and the identity of a kernel: round trip, and rejection of damaged records."""

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
from guests import identity
from host.errors import Trouble
from results.record import load
from trees import series
from trees.series import Patch
from trees.shadow import Shadow
from trees import source
from unit.test_bench import COUNTS, KERNEL, KEY, TWIN, record

CHANGES: dict[str, tuple[Callable[[Any], object], str]] = {
    'other version': (lambda data: data.update(version=2), 'has version 2, expected 1'),
    'version is a boolean': (lambda data: data.update(version=True), 'has version True, expected 1'),
    'no version': (lambda data: data.pop('version'), 'has no "version"'),
    'no compiler': (lambda data: data.pop('compiler'), 'the record has no "compiler"'),
    'unknown key': (lambda data: data.update(date=1), 'the record has an unexpected member "date"'),
    'unknown unit': (lambda data: data.update(unit='s'), 'unit is "s", expected one of instructions, ns'),
    'unknown architecture': (lambda data: data.update(arch='vax'), 'arch is "vax", expected one of um, x86_64, arm64'),
    'kernel is a number': (lambda data: data.update(kernel=7), 'kernel is not a string'),
    'lone surrogate': (lambda data: data.update(qemu='\ud800'), 'qemu is not a string'),
    'timings not a list': (lambda data: data.update(timings={}), 'timings is not a list'),
    'timings empty': (lambda data: data.update(timings=[]), 'timings is empty'),
    'timing not an object': (lambda data: data['timings'].append(1), r'timings\[2\] is not an object'),
    'missing figure': (lambda data: data['timings'][1].pop('own'), r'timings\[1\] has no "own"'),
    'figure is text': (lambda data: data['timings'][0].update(min='1'), r'timings\[0\].min is not an integer'),
    'figure is a fraction': (lambda data: data['timings'][0].update(min=1.5), r'timings\[0\].min is not an integer'),
    'figure is a boolean': (lambda data: data['timings'][0].update(pages=True), r'timings\[0\].pages is not an integer'),
    'pages is 0': (lambda data: data['timings'][0].update(pages=0), r'timings\[0\] has pages=0, expected a number above 0'),
    'max below min': (lambda data: data['timings'][0].update(max=1), r'timings\[0\] has min, median and max out of order'),
    'duplicate timing': (lambda data: data['timings'].append(data['timings'][0]), r'timings\[2\] is a duplicate'),
    'field is a number': (lambda data: data['timings'][0]['what'].update(order=4), r'timings\[0\].what.order is not a string'),
    'event is text': (lambda data: data['timings'][0]['events'].update(atomics='1'),
                      r'timings\[0\].events.atomics is not an integer'),
    'events not an object': (lambda data: data['timings'][0].update(events=[]), r'timings\[0\].events is not an object'),
    'negative count': (lambda data: data['timings'][0]['functions'].update(f=-1), r'timings\[0\] has a negative count'),
    'fields not an object': (lambda data: data['timings'][0].update(what=[]), r'timings\[0\].what is not an object'),
    'missing name': (lambda data: data['timings'][0]['what'].pop('name'), r'timings\[0\] has no table= or no name='),
    'figures not an object': (lambda data: data['counts'][0].update(figures=[]), r'counts\[0\].figures is not an object'),
    'count is text': (lambda data: data['counts'][0]['figures'].update(flushes='16'),
                      r'counts\[0\].figures.flushes is not an integer'),
    'count is NaN': (lambda data: data['counts'][0]['figures'].update(flushes=float('nan')), 'flushes is not an integer'),
    'count is infinite': (lambda data: data['counts'][0]['figures'].update(flushes=float('inf')), 'flushes is not an integer'),
}


@pytest.fixture(name='path')
def _path(tmp_path: Path) -> Path:
    record(KERNEL, TWIN, COUNTS).save(tmp_path / 'bench.json')
    return tmp_path / 'bench.json'


def test_round_trip(path: Path) -> None:
    assert load(path) == record(KERNEL, TWIN, COUNTS)
    unknown = replace(record(KERNEL), key=replace(KEY, kernel=None, qemu=''))
    unknown.save(path)
    assert load(path) == unknown
    assert [entry.name for entry in path.parent.iterdir()] == ['bench.json']


def test_record_without_events(path: Path) -> None:
    content = json.loads(path.read_text())
    for recorded in content['timings']:
        del recorded['events'], recorded['functions']
    path.write_text(json.dumps(content))
    assert load(path) == record(KERNEL, TWIN, COUNTS)


@pytest.mark.parametrize('name', CHANGES)
def test_damaged_record(path: Path, name: str) -> None:
    change, message = CHANGES[name]
    content = copy.deepcopy(json.loads(path.read_text()))
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(Trouble, match=f'not a usable record: .*{message}.*; record it again with make bench'):
        load(path)


@pytest.mark.parametrize('content', [
    b'', b'{', b'[]', b'null', b'\xff\xfe', b'[' * 100000, b'{"version": 1}', b'{"version": 1e999}',
])
def test_invalid_file(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(Trouble, match='record it again with make bench'):
        load(path)


def test_truncated_file(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(0, len(whole) - 2, 97):
        path.write_bytes(whole[:length])
        with pytest.raises(Trouble):
            load(path)


def test_commit_identifies_clean_checkout(machine: Machine, tmp_path: Path) -> None:
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


def test_checkout_is_not_modified(machine: Machine, tmp_path: Path) -> None:
    machine.checkout()
    os.utime(machine.tree / 'mm/mprotect.c')    # outdates the index, which git status would refresh
    before = {path: path.stat().st_mtime_ns for path in machine.tree.rglob('*')}
    assert identity.kernel(Shadow(tmp_path, machine.tree, []), own=True)
    assert {path: path.stat().st_mtime_ns for path in machine.tree.rglob('*')} == before


def test_folder_inside_a_checkout_is_no_checkout(machine: Machine, tmp_path: Path) -> None:
    machine.checkout()
    (machine.tree / '.git').rename(machine.tree.parent / '.git')
    assert identity.kernel(Shadow(tmp_path, machine.tree, []), own=True) is None


def test_identity_of_fetched_kernel_does_not_depend_on_its_path(machine: Machine, tmp_path: Path) -> None:
    def kernel(place: str, *patches: Patch) -> str | None:
        return identity.kernel(Shadow(tmp_path, tmp_path / place / 'linux-source-7.3', patches), own=False)

    for place in ('a', 'b'):
        (tmp_path / place / 'linux-source-7.3').mkdir(parents=True)
        (tmp_path / place / 'linux-source-7.3' / source.VERSION).write_text('7.3.4-1~bpo13+1\n')
    assert kernel('a') == kernel('b') == 'linux-source-7.3 7.3.4-1~bpo13+1'
    first, second = (Patch('a', f'message\n--- a/x\n+++ b/x\n{text}') for text in ('text', 'other text'))
    assert kernel('a', first) == kernel('b', first) != kernel('a', second)
    assert kernel('a', first, second) != kernel('a', second, first)


def test_source_without_version_file(tmp_path: Path) -> None:
    (tmp_path / 'Makefile').write_text('VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\nEXTRAVERSION =\n')
    assert source.version(tmp_path) == '7.3.4'
