#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""`make compare`: the kernel without and with a series, all suites and all benches, as a table for a cover letter."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import bench
import run
import tools
from console import Console
from errors import Trouble
from report import Counts
from settings import Settings, results

GATE_FAILED = 3
ARCHES = 'x86_64 arm64'     # those that can count instructions


@dataclass(frozen=True)
class Side:
    """One of the two kernels: what its suites said, what its benches took."""

    counts: Counts
    timings: list[bench.Timing]
    events: dict[str, str]


def tolerance(env: Mapping[str, str]) -> float:
    """How much slower is not slower yet, as a factor."""
    text = env.get('TOLERANCE') or '2%'
    try:
        share = float(text.removesuffix('%'))
    except ValueError:
        share = -1
    if not text.endswith('%') or not 0 <= share < 1000:
        raise Trouble(f'TOLERANCE={text} is no share', 'give one like TOLERANCE=2%, or leave it out')
    return 1 + share / 100


def _side(settings: Settings, env: Mapping[str, str]) -> Side:
    """Run everything on one of the two."""
    status = run.run(settings, Console())
    if status not in (run.PASSED, run.FAILED):
        raise Trouble('the suites did not run', 'see the lines above')
    for_bench = settings.for_bench(env)
    timings = bench.bench(for_bench)
    ktap = (for_bench.results / 'results.ktap').read_text(errors='replace')
    return Side(Counts.read(settings.results / 'results.json'), timings, bench.events(ktap))


def rows(before: Side, after: Side, unit: str, factor: float) -> tuple[list[str], list[str]]:
    """The lines of the table, and what became slower."""
    lines = [f'| suites | {before.counts} | {after.counts} | |']
    slower = []
    then = {(timing.name, timing.way): timing for timing in before.timings}
    for timing in after.timings:
        was = then.get((timing.name, timing.way))
        if not was or timing.way != 'kernel':
            continue
        lines.append(f'| {timing.name}: {unit} a page | {was.per_page:.1f} | {timing.per_page:.1f} | '
                     f'{was.min / timing.min:.2f} |')
        if timing.min > was.min * factor:
            slower.append(f'{timing.name}: {was.per_page:.1f} before, {timing.per_page:.1f} after')
    for name, count in after.events.items():
        if name in before.events and before.events[name] != count:
            lines.append(f'| {name} | {before.events[name]} | {count} | |')
    return lines, slower


def _versions(settings: Settings) -> str:
    """What a reader has to know to get the same figures."""
    tree, _ = run.trees(replace(settings, series=None), Console())
    compiler = tools.run([settings.arch.cross_compile + 'gcc', '--version']).splitlines()[0]
    qemu = tools.run([settings.arch.qemu, '--version']).splitlines()[0] if settings.arch.emulated else 'no QEMU'
    return f'{tree.origin.name}; {compiler}; {qemu}'


def _compare(env: Mapping[str, str], arch: str, factor: float) -> tuple[list[str], list[str], bool]:
    """One architecture: its part of the table, what became slower, and whether all cases passed."""
    settings = Settings.read({**env, 'ARCH': arch})
    if not settings.series:
        raise Trouble('there is no series to compare with', 'give SERIES=, a patch, an mbox or a folder of patches')
    settings.for_bench(env)     # complains before anything is built
    sides = [_side(replace(settings, series=which, results=settings.results.parent / name / arch), env)
             for name, which in (('before', None), ('after', settings.series))]
    unit = bench.UNITS[settings.for_bench(env).counting]
    lines, slower = rows(sides[0], sides[1], unit, factor)
    header = [f'{arch}: {_versions(settings)}', '', f'| {arch} | before | after | ratio |',
              '| --- | ---: | ---: | ---: |']
    return [*header, *lines, ''], slower, sides[1].counts.good


def main(env: Mapping[str, str]) -> int:
    """All that `make compare` does."""
    factor = tolerance(env)
    parts = [_compare(env, arch, factor) for arch in (env.get('ARCH') or ARCHES).split()]
    text = '\n'.join(line for lines, _, _ in parts for line in lines)
    folder: Path = results(env)
    (folder / 'compare.md').write_text(text)
    print('\n' + text)
    for _, slower, _ in parts:
        for line in slower:
            print(f'[SLOWER] {line}')
    if not all(good for _, _, good in parts):
        return run.FAILED
    return GATE_FAILED if any(slower for _, slower, _ in parts) else run.PASSED


if __name__ == '__main__':
    sys.exit(run.ended(lambda: main(os.environ)))
