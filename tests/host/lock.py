# SPDX-License-Identifier: GPL-2.0
"""Locks: one command at a time in a folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from host.errors import Trouble

_claimed: dict[Path, TextIO] = {}


def _free(file: TextIO) -> bool:
    """Lock the file and return True; False if another run holds the lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def locked_if_free(path: Path) -> Iterator[bool]:
    """Hold the lock and yield True; yield False if another run holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open('a') as file:
        yield _free(file)


@contextmanager
def locked(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock; call `waiting` first if another run holds it. The time of the file is that of the last use."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open('a') as file:
        if not _free(file):
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        os.utime(path)
        yield


def claim(results: Path) -> None:
    """Lock a folder of results until this command ends; Trouble if another command writes to it."""
    if results in _claimed:
        return
    results.parent.mkdir(parents=True, exist_ok=True)
    file = results.with_name(f'.{results.name}.lock').open('a+')
    if not _free(file):
        file.seek(0)
        raise Trouble(f'another command (process {file.read().strip() or "unknown"}) writes to {results}',
                      'wait until it ends, or type O=/other/folder')
    file.truncate(0)
    file.write(f'{os.getpid()}\n')
    file.flush()
    _claimed[results] = file
