# SPDX-License-Identifier: GPL-2.0
"""Console output: one line per step, with its duration in seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

# Interval of progress lines if the output is not a terminal.
QUIET_SECONDS = 30

COLOURS = {'[PASSED]': '32', '[FAILED]': '31', '[CRASHED]': '31', '[ERROR]': '31', '[SKIPPED]': '33'}


def _coloured(line: str) -> str:
    for word, colour in COLOURS.items():
        line = line.replace(word, f'\033[1;{colour}m{word}\033[0m')
    return line


class Step:
    """A step in progress; `note` is the text of its line."""

    def __init__(self, name: str, note: str):
        self.name = name
        self.note = note
        self.start = time.monotonic()
        self._printed = self.start

    def seconds(self) -> float:
        return time.monotonic() - self.start

    def line(self, text: str) -> str:
        return f'{self.name:<9} {text:<58} {self.seconds():6.1f} s'

    def progress(self, text: Callable[[], str] | None = None) -> None:
        """Print the progress: in place on a terminal, else at most once in QUIET_SECONDS.

        `text` is only called when a line is printed: it may take long. The default is the note.
        """
        terminal = sys.stdout.isatty()
        if not terminal and time.monotonic() - self._printed < QUIET_SECONDS:
            return
        self._printed = time.monotonic()
        line = self.line(text() if text else self.note)
        print('\r\033[K' + line[:100] if terminal else line, end='' if terminal else '\n', flush=True)


class Console:
    """Standard output, and its copy in the results."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._lines: list[str] = []
        self._copy: TextIO | None = None

    def copy_to(self, copy: TextIO) -> None:
        """Write all lines to `copy`: those printed so far, and each further one."""
        self._copy = copy
        copy.writelines(line + '\n' for line in self._lines)

    def say(self, line: str) -> None:
        print(_coloured(line) if sys.stdout.isatty() else line, flush=True)
        self._lines.append(line)
        if self._copy:
            print(line, file=self._copy, flush=True)

    def seconds(self) -> float:
        """Seconds since the start of the run."""
        return time.monotonic() - self._start

    @contextmanager
    def step(self, name: str, note: str = '') -> Iterator[Step]:
        step = Step(name, note)
        step.progress()
        try:
            yield step
        finally:
            if sys.stdout.isatty():
                print('\r\033[K', end='')
        self.say(step.line(step.note))
