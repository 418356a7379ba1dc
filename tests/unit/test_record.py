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
    'no version': (lambda data: data.pop('version'), 'version'),
    'no timings': (lambda data: data.pop('timings'), 'timings'),
    'no compiler': (lambda data: data.pop('compiler'), 'compiler'),
    'unknown key': (lambda data: data.update(date=1), 'date'),
    'timings not a list': (lambda data: data.update(timings=1), 'not iterable'),
    'timing not an object': (lambda data: data['timings'].append(1), 'must be a mapping'),
    'missing figure': (lambda data: data['timings'][1].pop('own'), 'own'),
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
