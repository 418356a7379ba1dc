# SPDX-License-Identifier: GPL-2.0
"""The lines of the console."""

from __future__ import annotations

import pytest

from host import console
from host.console import Console


def test_progress_is_computed_for_a_printed_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    calls = []

    def walk() -> str:
        calls.append(1)
        return '5 objects'
    monkeypatch.setattr('sys.stdout.isatty', lambda: False)
    with Console().step('build', 'um') as step:
        for _ in range(9):
            step.progress(walk)
        assert not calls
        monkeypatch.setattr(console, 'QUIET_SECONDS', 0)
        step.progress(walk)
        step.progress()
    assert len(calls) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1:-2] for line in lines] == [['5', 'objects'], ['um'], ['um']]


def test_progress_in_place_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr('sys.stdout.isatty', lambda: True)
    with Console().step('build', 'um') as step:
        step.progress(lambda: '5 objects')
    first, second, last = capsys.readouterr().out.split('\r\033[K')[1:]
    assert first.startswith('build     um ') and second.startswith('build     5 objects ')
    assert last.endswith(' s\n') and '\n' not in first + second
