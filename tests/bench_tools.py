#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How long `make run` takes, as a table: python3 tests/bench_tools.py [--quick], the latter without cold runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import source
import tools
from architecture import ARCHES
from console import Console
from settings import PROJECT, Settings

ROW = '| {:<22} | {:>6} | {:>6} | {:>6} |'


def _run(arch: str, folder: Path, **variables: str) -> float:
    """The seconds of one run, whose cases may fail."""
    begun = time.monotonic()
    fixes = PROJECT / 'mm/series/fixes'
    more = {'FIXES': str(fixes)} if fixes.exists() and 'KSRC' not in variables else {}
    ended = subprocess.run([sys.executable, PROJECT / 'tests/run.py'], stdin=subprocess.DEVNULL, text=True,
                           env=tools.environment(ARCH=arch, O=str(folder), **more, **variables),
                           capture_output=True, check=False)
    if ended.returncode > 1:
        sys.exit(ended.stdout + ended.stderr)
    return time.monotonic() - begun


def _guest(arch: str, folder: Path) -> float:
    """The seconds of the last boot."""
    return float(re.findall(r'Elapsed time: ([\d.]+)s', (folder / arch / 'results.txt').read_text())[-1])


def _changed(arch: str, folder: Path, kernel: Path) -> float:
    """The seconds after a change to the mm/mprotect.c of a user's tree, which is built already."""
    tree = folder / 'linux'
    if not tree.exists():
        shutil.copytree(kernel, tree, symlinks=True, copy_function=os.symlink)
        (tree / 'mm/mprotect.c').unlink()
        shutil.copy(kernel / 'mm/mprotect.c', tree / 'mm')
    _run(arch, folder, KSRC=str(tree))
    with (tree / 'mm/mprotect.c').open('a') as file:
        file.write(f'static const long long __maybe_unused changed = {time.time_ns()};\n')
    return _run(arch, folder, KSRC=str(tree))


def _first_line(*command: str) -> str:
    return tools.run(command).splitlines()[0]


def main() -> None:
    with tempfile.TemporaryDirectory(dir=Settings.read(os.environ).cache.parent) as name:
        folder = Path(name)

        def cold(arch: str) -> float:
            os.environ['XDG_CACHE_HOME'] = tempfile.mkdtemp(dir=folder)
            return _run(arch, folder)

        def changed(arch: str) -> float:
            kernel = source.fetched(Settings.read(os.environ).cache / 'source', Console())
            return _changed(arch, folder, kernel)

        rows: list[tuple[str, Callable[[str], float]]] = [
            ('cold, fetch included', cold),
            ('nothing changed', lambda arch: _run(arch, folder)),
            ('mm/mprotect.c changed', changed),
            ("the guest's own run", lambda arch: _guest(arch, folder)),
        ]
        if '--quick' in sys.argv:
            del rows[0]
            for arch in ARCHES:
                _run(arch, folder)
        table = {arch: [work(arch) for _, work in rows] for arch in ARCHES}
    print(f'{len(os.sched_getaffinity(0))} cores; {_first_line("gcc", "--version")}; '
          f'{_first_line("qemu-system-x86_64", "--version")}\n')
    print(ROW.format('seconds', *ARCHES))
    print(ROW.format('---', *['---:'] * len(ARCHES)))
    for index, (name, _) in enumerate(rows):
        print(ROW.format(name, *(f'{table[arch][index]:.1f}' for arch in ARCHES)))


if __name__ == '__main__':
    main()
