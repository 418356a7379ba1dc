# SPDX-License-Identifier: GPL-2.0
"""make sequences: progress, where it goes on, and the first failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import run
from commands import sequences
from host.errors import Trouble
from host import exit_status
from host.settings import Settings


def command(monkeypatch: pytest.MonkeyPatch, folder: Path, *statuses: int, **variables: str) -> tuple[int, list[str]]:
    """The exit status of the command, and the parameters of each boot, which ends with the next of these statuses."""
    boots: list[str] = []

    def logged(settings: Settings, log: Path) -> int:
        boots.append(' '.join(settings.parameters))
        log.parent.mkdir(parents=True, exist_ok=True)
        status = statuses[len(boots) - 1]
        log.write_text('built\n[FAILED] sequences_random\nprogram Wdyx*8: write\n' if status else 'built\n')
        if status < 0:
            raise KeyboardInterrupt
        return status

    monkeypatch.setattr(run, 'logged', logged)
    return sequences.main({'ARCH': 'x86_64', 'O': str(folder), **variables}), boots


def of(*ranges: tuple[int, int]) -> list[str]:
    return [f'ptebatch_kunit.seed={seed} ptebatch_kunit.rounds={rounds}' for seed, rounds in ranges]


def test_a_boot_for_each_thousand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, boots = command(monkeypatch, tmp_path, 0, 0, 0, ROUNDS='2500', SEED='7')
    assert status == exit_status.PASSED and boots == of((7, 1000), (1007, 1000), (2007, 500))
    assert 'passed    x86_64: 2,500 programs, SEED=7' in capsys.readouterr().out


def test_goes_on_where_it_was_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        command(monkeypatch, tmp_path, 0, -1, ROUNDS='2000')
    status, boots = command(monkeypatch, tmp_path, 0, ROUNDS='2000')
    assert status == exit_status.PASSED and boots == of((1001, 1000))
    assert '1,000 of 2,000 programs have passed' in capsys.readouterr().out
    # Another kernel, or all again, begins from the first.
    assert command(monkeypatch, tmp_path, 0, 0, ROUNDS='2000')[1] == of((1, 1000), (1001, 1000))
    with pytest.raises(KeyboardInterrupt):
        command(monkeypatch, tmp_path, 0, -1, ROUNDS='2000')
    assert command(monkeypatch, tmp_path, 0, 0, ROUNDS='2000', KERNEL='7.2')[1] == of((1, 1000), (1001, 1000))


def test_stops_at_the_first_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, boots = command(monkeypatch, tmp_path, 0, 1, ROUNDS='9000')
    assert status == exit_status.FAILED and len(boots) == 2
    printed = capsys.readouterr().out
    assert 'program Wdyx*8: write\n' in printed and 'a program after 1,000 that have passed' in printed and 'built' not in printed


def test_what_does_not_apply(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(Trouble, match='SUITES= does not apply to make sequences'):
        command(monkeypatch, tmp_path, SUITES='ptebatch_mlock')
    with pytest.raises(Trouble, match='program Wdyx'):
        command(monkeypatch, tmp_path, exit_status.COULD_NOT_RUN)
