# SPDX-License-Identifier: GPL-2.0
"""Measure how long `make run` takes: python3 -m tests bench-tools [--quick]; --quick omits rows that take minutes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from host.architecture import ARCHES
from host import exit_status
from host.console import Console
from host.settings import PROJECT, Settings
from host import tools
from results.facts import facts
from results.markdown import figure
from trees import source

ROW = '| {:<44} | {:>12} | {:>12} | {:>12} |'
SUITE = 'ptebatch_mprotect'


def _run(arch: str, folder: Path, project: Path = PROJECT, **variables: str) -> float:
    """The duration of one run in s; cases may fail."""
    begun = time.monotonic()
    ended = subprocess.run([sys.executable, project / 'tests', 'run'], stdin=subprocess.DEVNULL, text=True,
                           env=tools.environment(ARCH=arch, O=str(folder), **variables), capture_output=True, check=False)
    if ended.returncode > 1:
        sys.exit(ended.stdout + ended.stderr)
    return time.monotonic() - begun


def _guest(arch: str, folder: Path) -> float:
    """The duration of the last run's guest in s; of two side by side, the longer one."""
    return max(map(float, re.findall(r'Elapsed time: ([\d.]+)s', (folder / arch / 'results.txt').read_text())))


def _append(path: Path) -> None:
    """Change a C file so that its object differs."""
    with path.open('a') as file:
        file.write(f'static const long long __maybe_unused changed_{time.time_ns()} = {time.time_ns()};\n')


def _kernel_changed(arch: str, folder: Path, kernel: Path, tree: Path, suites: str) -> float:
    """The duration in s of a run after a change to mm/mprotect.c in a user's tree that is already built."""
    if not tree.exists():
        shutil.copytree(kernel, tree, symlinks=True, copy_function=os.symlink)
        (tree / 'mm/mprotect.c').unlink()
        shutil.copy(kernel / 'mm/mprotect.c', tree / 'mm')
    _run(arch, folder, KSRC=str(tree), SUITES=suites)
    _append(tree / 'mm/mprotect.c')
    return _run(arch, folder, KSRC=str(tree), SUITES=suites)


def _suite_changed(arch: str, folder: Path) -> float:
    """The duration in s of a run of one suite after a change to it, in a copy of the project."""
    project = folder / 'project'
    if not project.exists():
        shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns('build', '.git', '__pycache__'))
    _run(arch, folder, project, SUITES=SUITE)
    _append(project / 'mm/mprotect.c')
    return _run(arch, folder, project, SUITES=SUITE)


def _ktap(arch: str, folder: Path) -> str:
    return (folder / arch / 'results.ktap').read_text(errors='replace')


def _exhaustive(arch: str, folder: Path) -> float:
    """Combinations per second of the model suite, boot time included."""
    _run(arch, folder, EXHAUSTIVE='1', SUITES='ptebatch_mprotect_model')
    found = facts(_ktap(arch, folder), 'combinations', 'tried', 'op')
    return sum(int(fact.words['tried']) for fact in found) / _guest(arch, folder)


def _shares(arch: str, folder: Path) -> str:
    """The shares of set-up, kernel calls and checks in the suites' time, in %."""
    return ' / '.join([*facts(_ktap(arch, folder), 'time')][-1].words.values())


def _shown(cell: float | str) -> str:
    return cell if isinstance(cell, str) else figure(cell)


def main(args: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory(dir=Settings.read(os.environ).cache.parent) as name:
        folder = Path(name)

        def cold(arch: str) -> float:
            os.environ['XDG_CACHE_HOME'] = tempfile.mkdtemp(dir=folder)
            return _run(arch, folder)

        def changed(arch: str, suites: str = '') -> float:
            cache = Settings.read(os.environ).cache
            # Kept for the next time, like what is built from it.
            return _kernel_changed(arch, folder, source.fetched(cache / 'source', Console()), cache / 'bench-tools', suites)

        rows: list[tuple[str, Callable[[str], float | str]]] = [
            ('cold, fetch included, s', cold),
            ('nothing changed, s', lambda arch: _run(arch, folder)),
            ('mm/mprotect.c changed, s', changed),
            ("the guest's own run, s", lambda arch: _guest(arch, folder)),
            ('mm/mprotect.c changed, its suite, s', lambda arch: changed(arch, SUITE)),
            ('a suite changed, this suite, s', lambda arch: _suite_changed(arch, folder)),
            ('EXHAUSTIVE=1, combinations/s', lambda arch: _exhaustive(arch, folder)),
            ('EXHAUSTIVE=1, set-up / calls / checks, %', lambda arch: _shares(arch, folder)),
        ]
        if '--quick' in args:
            rows = rows[1:6]
            for arch in ARCHES:
                _run(arch, folder)
        table: dict[str, list[float | str]] = {}
        for arch in ARCHES:
            table[arch] = []
            for row, work in rows:
                table[arch].append(work(arch))
                print(f'{arch}: {row}: {_shown(table[arch][-1])}', file=sys.stderr)
    print(f'{len(os.sched_getaffinity(0))} cores; {tools.version("gcc")}; '
          f'{tools.version("qemu-system-x86_64")}\n')
    print(ROW.format('', *ARCHES))
    print(ROW.format('---', *['---:'] * len(ARCHES)))
    for index, (name, _) in enumerate(rows):
        print(ROW.format(name, *(_shown(table[arch][index]) for arch in ARCHES)))
    return exit_status.PASSED
