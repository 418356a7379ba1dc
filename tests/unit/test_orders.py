# SPDX-License-Identifier: GPL-2.0
"""make orders: several series in every order."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from commands import orders as command
from guests.guest import Guest
from host import tools
from trees import orders
from trees.series import Patch
from unit.machine import Machine

FIRST = 'a\nb\nc\nd\n'


def patch(name: str, line: int, old: str, new: str, file: str = 'mm/x.c') -> Patch:
    """A patch without context, which applies where the line is."""
    return Patch(name, f'--- a/{file}\n+++ b/{file}\n@@ -{line},2 +{line},2 @@\n-{old}\n+{new}\n {FIRST.split()[line]}\n')


@pytest.fixture(name='tree')
def _tree(tmp_path: Path) -> Path:
    for name in ('mm/x.c', 'mm/y.c', 'mm/x.h', 'arch/arm64/z.c', 'tools/t.c'):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(FIRST)
    return tmp_path


def test_all_orders_of_independent_series(tree: Path) -> None:
    steps, errors = orders.walk({'one': [patch('1', 1, 'a', 'A')], 'two': [patch('2', 3, 'c', 'C')],
                                 'three': [patch('3', 1, 'a', 'A', 'mm/y.c')]}, tree)
    assert not errors
    # Each of 3 series on each of the 4 sets of the others.
    assert len(steps) == 12
    assert {step.state['mm/x.c'] for step in steps if len(step.order) == 3} == {b'A\nb\nC\nd\n'}
    assert (tree / 'mm/x.c').read_text() == FIRST


def test_shared_patch_is_applied_once(tree: Path) -> None:
    shared = patch('shared', 1, 'a', 'A')
    steps, errors = orders.walk({'one': [shared], 'two': [shared, patch('2', 3, 'c', 'C')]}, tree)
    assert not errors
    assert [str(step) for step in steps] == ['one: shared', 'two: shared', 'two: 2', 'one, two: 2']


def test_order_in_which_a_patch_does_not_apply(tree: Path) -> None:
    steps, errors = orders.walk({'one': [patch('1', 1, 'a', 'A')], 'two': [patch('2', 1, 'A', 'B')]}, tree)
    assert [str(step) for step in steps] == ['one: 1', 'one, two: 2']
    assert len(errors) == 1
    assert errors[0].startswith('two: "2" does not apply: ')


def test_orders_with_different_results(tree: Path) -> None:
    """git applies the second patch to the line that is closest to its number."""
    (tree / 'mm/x.c').write_text('a\nb\na\nb\n')
    one = Patch('1', '--- a/mm/x.c\n+++ b/mm/x.c\n@@ -1,2 +1,4 @@\n+n\n+n\n a\n b\n')
    two = Patch('2', '--- a/mm/x.c\n+++ b/mm/x.c\n@@ -3,2 +3,2 @@\n-a\n+A\n b\n')
    assert orders.walk({'one': [one], 'two': [two]}, tree)[1] == [
        'mm/x.c after two, one (1) differs from that after one, two (2)']


def test_objects_are_compiled_once_with_the_same_headers(tree: Path) -> None:
    steps, errors = orders.walk({
        'code': [patch('code', 1, 'a', 'A')], 'header': [patch('header', 1, 'a', 'A', 'mm/x.h')],
        'others': [patch('arm64', 1, 'a', 'A', 'arch/arm64/z.c'), patch('tool', 1, 'a', 'A', 'tools/t.c')]}, tree)
    assert not errors

    def objects(arch: str) -> list[tuple[str, ...]]:
        guest = cast(Guest, SimpleNamespace(arch=SimpleNamespace(name=arch)))
        compiler = command.Compiler(guest, steps)
        return [tuple(found) for step in steps if (found := compiler.objects(step.state))]

    # With and without the change of the header; the source has two states, too.
    assert objects('x86_64') == [('mm/x.o',)] * 4
    assert sum(len(found) for found in objects('arm64')) == 8


@pytest.mark.parametrize(('status', 'said'), [(0, ''), (0, 'mm/x.c:1: warning: unused'), (1, 'mm/x.c:1: error: no')])
def test_what_the_compiler_says(status: int, said: str) -> None:
    def make(*names: str) -> str:
        if status:
            raise tools.Failed(['make', *names], status, f'  CC mm/x.o\n{said}\n')
        return f'  CC mm/x.o\n{said}\n'

    guest = cast(Guest, SimpleNamespace(arch=SimpleNamespace(name='x86_64'), make=make))
    assert command.Compiler(guest, []).errors(['mm/x.o']) == said


def test_our_series(kernel_source: Path) -> None:
    assert command.applied(kernel_source)[1] == []


def test_series_do_not_apply(machine: Machine) -> None:
    ended = machine.run('orders', SERIES=str(machine.new_file()))
    assert ended.returncode == 2
    assert 'SERIES= does not apply to make orders' in ended.stderr


def test_sources_of_other_configurations_are_left_out(tree: Path) -> None:
    def make(*names: str) -> str:
        (tree / 'mm/x.o').touch()
        raise tools.Failed(['make', *names], 2, 'mm/y.c:1: error: no\n')

    steps = orders.walk({'one': [patch('x', 1, 'a', 'A'), patch('y', 1, 'a', 'A', 'mm/y.c')]}, tree)[0]
    compiler = command.Compiler(cast(Guest, SimpleNamespace(arch=SimpleNamespace(name='x86_64'), make=make, build_path=tree)), steps)
    assert compiler.leave_out() == ['mm/y.c']
    assert [compiler.objects(step.state) for step in steps] == [['mm/x.o'], []]
