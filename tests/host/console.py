# SPDX-License-Identifier: GPL-2.0
"""What the user sees: one line a step, with the seconds that it took."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

# Where nobody watches, a line of progress now and then is enough.
QUIET_SECONDS = 30

COLOURS = {'[PASSED]': '32', '[FAILED]': '31', '[CRASHED]': '31', '[ERROR]': '31', '[SKIPPED]': '33'}


def _coloured(line: str) -> str:
    for word, colour in COLOURS.items():
        line = line.replace(word, f'\033[1;{colour}m{word}\033[0m')
    return line


class Step:
    """A step under way; `note` is what its line will say."""

    def __init__(self, name: str, note: str):
        self.name = name
        self.note = note
        self.start = time.monotonic()
        self._said = self.start

    def seconds(self) -> float:
        return time.monotonic() - self.start

    def line(self, text: str) -> str:
        return f'{self.name:<9} {text:<58} {self.seconds():6.1f} s'

    def progress(self, text: str) -> None:
        """Say how far it is: in place on a terminal, else rarely."""
        if sys.stdout.isatty():
            print('\r\033[K' + self.line(text)[:100], end='', flush=True)
        elif time.monotonic() - self._said >= QUIET_SECONDS:
            self._said = time.monotonic()
            print(self.line(text), flush=True)


class Console:
    """Standard output, and the copy of it that is kept with the results."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._said: list[str] = []
        self._copy: TextIO | None = None

    def copy_to(self, copy: TextIO) -> None:
        """Keep what was said so far, and what will be."""
        self._copy = copy
        copy.writelines(line + '\n' for line in self._said)

    def say(self, line: str) -> None:
        print(_coloured(line) if sys.stdout.isatty() else line, flush=True)
        self._said.append(line)
        if self._copy:
            print(line, file=self._copy, flush=True)

    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self._start

    @contextmanager
    def step(self, name: str, note: str = '') -> Iterator[Step]:
        step = Step(name, note)
        step.progress(note)
        try:
            yield step
        finally:
            if sys.stdout.isatty():
                print('\r\033[K', end='')
        self.say(step.line(step.note))
