#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""`make bench`: build the kernel without debug options, time the paths, write down what they took."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import run
from console import Console
from errors import Trouble
from settings import Settings

LINE = re.compile(r'^ *# \w+: bench (name=.*)$', re.MULTILINE)
COUNTS = re.compile(r'^ *# \w+: counts (name=.*)$', re.MULTILINE)
KEYS = ('name', 'kind', 'order', 'way')     # say what was timed or counted; all others are figures
FIGURES = ('pages', 'laps', 'min', 'median', 'max')
UNITS = {True: 'instructions', False: 'ns'}


def _name(what: Mapping[str, str]) -> str:
    return ', '.join(f'order {value}' if key == 'order' else value for key, value in what.items()
                     if key in KEYS and key != 'way')


@dataclass(frozen=True)
class Timing:
    """What one thing took: of all laps the least, the middle and the most."""

    what: dict[str, str]
    pages: int
    laps: int
    min: int
    median: int
    max: int

    @classmethod
    def parse(cls, line: str) -> Timing:
        """From the words of a line that a bench printed."""
        words = dict(word.split('=', 1) for word in line.split())
        numbers = {name: int(words.pop(name)) for name in FIGURES}
        return cls(words, **numbers)

    @property
    def name(self) -> str:
        return _name(self.what)

    @property
    def way(self) -> str:
        return self.what.get('way', 'kernel')

    @property
    def per_page(self) -> float:
        return self.min / self.pages


def read(ktap: str) -> list[Timing]:
    """All timings that benches printed."""
    return [Timing.parse(line) for line in LINE.findall(ktap)]


def events(ktap: str) -> dict[str, str]:
    """What was counted beside the clock, of the kernel alone: how often a folio."""
    found = {}
    for line in COUNTS.findall(ktap):
        words = dict(word.split('=', 1) for word in line.split())
        if words.get('way') == 'kernel':
            found.update({f'{_name(words)}: {key} a folio': value for key, value in words.items() if key not in KEYS})
    return found


def table(timings: list[Timing], unit: str) -> str:
    """The kernel's beside the twin's, a line for each thing."""
    rows = [f'| {unit} a page | kernel | one by one | ratio |', '| --- | ---: | ---: | ---: |']
    twins = {timing.name: timing for timing in timings if timing.way == 'twin'}
    for timing in timings:
        if timing.way == 'twin':
            continue
        twin = twins.get(timing.name)
        rows.append(f'| {timing.name} | {timing.per_page:.1f} | '
                    + (f'{twin.per_page:.1f} | {twin.min / timing.min:.2f} |' if twin else '| |'))
    return '\n'.join(rows)


def bench(settings: Settings) -> list[Timing]:
    """Run the benches; all must come to their end."""
    if run.run(settings, Console()) != run.PASSED:
        raise Trouble('the benches have not all come to their end', f'see {settings.results}/boot.log')
    timings = read((settings.results / 'results.ktap').read_text(errors='replace'))
    if not timings:
        raise Trouble(f'SUITES={settings.suites} times nothing', 'leave SUITES= out, or name a bench')
    return timings


def save(path: Path, settings: Settings, timings: list[Timing]) -> None:
    """As JSON."""
    path.write_text(json.dumps({'arch': settings.arch.name, 'unit': UNITS[settings.counting],
                                'timings': [asdict(timing) for timing in timings]}, indent=1) + '\n')


def main(env: Mapping[str, str]) -> int:
    """All that `make bench` does."""
    settings = Settings.read(env).for_bench(env)
    timings = bench(settings)
    folder = settings.results.parent
    save(folder / 'bench.json', settings, timings)
    text = table(timings, UNITS[settings.counting])
    (folder / 'bench.md').write_text(text + '\n')
    print(text)
    return run.PASSED


if __name__ == '__main__':
    sys.exit(run.ended(lambda: main(os.environ)))
