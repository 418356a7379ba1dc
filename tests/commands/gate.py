#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""`make gate`: judge and time a kernel once, against figures that were recorded of the same kernel without the series.

A record that is of another kernel, compiler, QEMU or bench is not used: then the baseline is measured, and kept for
the next time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from commands import bench
from commands import compare
from commands import run
from host.console import Console
from host.errors import Trouble
from host import lock
from host import packages
from host.settings import PROJECT, Settings, path, results
from host import tools
from results import identity
from results.record import Key, Record, load


def _recorded(settings: Settings, env: Mapping[str, str]) -> tuple[Path, Record] | None:
    """The record that is given, or the project's own."""
    file = path(env, 'BASELINE') or PROJECT / f'tests/recorded/{settings.arch.name}/bench.json'
    if not file.exists():
        return None
    record = load(file)
    if record.key.arch != settings.arch.name:
        raise Trouble(f'{file} is of ARCH={record.key.arch}, not {settings.arch.name}', f'give ARCH={record.key.arch}')
    return file, record


def _kept(file: Path) -> tuple[Path, Record] | None:
    """What an earlier gate has measured; nobody's record, so one that cannot be read is none."""
    try:
        return (file, load(file)) if file.exists() else None
    except Trouble:
        return None


def _key(settings: Settings, console: Console) -> Key:
    """What the baseline has to be of."""
    packages.ensure(packages.for_run(settings.arch, settings.loadable), console)
    tree, _ = run.trees(settings, console)
    return identity.key(settings, tree)


def _baseline(settings: Settings, env: Mapping[str, str], recorded: tuple[Path, Record] | None) -> Record:
    """The figures to compare with: recorded, kept or measured."""
    console = Console()
    plain = compare.side(replace(settings, series=None), 'before').for_bench(env)
    key = _key(plain, console)
    keep = settings.results / 'baseline.json'
    for found in (recorded, _kept(keep)):
        if not found:
            continue
        file, record = found
        differences = '; '.join(key.differences(record.key))
        shown = f'baseline  {settings.arch.name}: {tools.shown(file)}'
        if not differences:
            console.say(shown)
            return record
        console.say(f'{shown} does not fit: {differences}')
    if not settings.series:
        raise Trouble(f'no record for ARCH={settings.arch.name} fits, and without SERIES= there is nothing to measure',
                      'record the kernel to compare with by make bench and give BASELINE=, or give SERIES=')
    console.say(f'baseline  {settings.arch.name}: measured now, the kernel without the series')
    record = bench.measure(plain)
    if not settings.suites:     # else it is not of all benches
        record.save(keep)
    return record


def main(env: Mapping[str, str]) -> int:
    """All that `make gate` does."""
    factor = compare.tolerance(env)
    wanted = compare.arches(env)
    if env.get('BASELINE') and len(wanted) > 1:
        names = ' '.join(settings.arch.name for settings in wanted)
        raise Trouble(f'BASELINE= is of one architecture, this is a gate for {names}', 'give ARCH= the one it is of')
    recorded = [_recorded(settings, env) for settings in wanted]
    lock.claim(results(env) / 'after')
    verdicts = []
    for settings, record in zip(wanted, recorded):
        before = compare.Side(_baseline(settings, env, record))
        after = compare.judged(compare.side(settings, 'after'), env)
        verdicts.append(compare.compared(before, after, factor, run.stacked(settings)))
    return compare.conclude(verdicts, 'gate.md', env)


if __name__ == '__main__':
    sys.exit(run.ended(lambda: main(os.environ)))
