# SPDX-License-Identifier: GPL-2.0
"""`make gate`: run and time a kernel with the series once, and compare with recorded figures of the kernel without it.

A record of another kernel, compiler, QEMU or set of benches is not used: the baseline is then measured, and kept for
the next run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from commands import bench
from commands import compare
from commands import run
from guests import identity
from host.console import Console
from host.errors import Trouble
from host import lock
from host import packages
from host.settings import PROJECT, Settings, path, results
from host import tools
from results.record import Key, Record, load


def _recorded(settings: Settings, env: Mapping[str, str]) -> tuple[Path, Record] | None:
    """The record in BASELINE=, or that of the project, if any."""
    file = path(env, 'BASELINE') or PROJECT / f'tests/recorded/{settings.arch.name}/bench.json'
    if not file.exists():
        return None
    record = load(file)
    if record.key.arch != settings.arch.name:
        raise Trouble(f'{file} is a record of {record.key.arch}, not of {settings.arch.name}', f'type ARCH={record.key.arch}')
    return file, record


def _kept(file: Path) -> tuple[Path, Record] | None:
    """The baseline that an earlier gate measured; None if it is missing or unreadable: it can be measured again."""
    try:
        return (file, load(file)) if file.exists() else None
    except Trouble:
        return None


def _key(settings: Settings, console: Console) -> Key:
    """The key that a record must have to serve as the baseline."""
    packages.ensure(packages.for_run(settings.arch, settings.kind.loadable), console)
    tree, _ = run.trees(settings, console)
    return identity.key(settings, tree)


def _baseline(settings: Settings, env: Mapping[str, str], recorded: tuple[Path, Record] | None) -> Record:
    """The baseline: recorded, kept from an earlier gate, or measured now."""
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
        console.say(f'{shown} does not match: {differences}')
    if not settings.series:
        raise Trouble(f'no record matches ARCH={settings.arch.name}, and without SERIES= the baseline cannot be measured',
                      'type SERIES=v3.mbox, or run make bench on the baseline kernel and type BASELINE= and its bench.json')
    console.say(f'baseline  {settings.arch.name}: measured now, the kernel without the series')
    record = bench.measure(plain)
    if not settings.suites:     # SUITES= selects only some of the benches
        record.save(keep)
    return record


def main(env: Mapping[str, str]) -> int:
    """Run `make gate`."""
    factor = compare.tolerance(env)
    wanted = compare.arches(env)
    if env.get('BASELINE') and len(wanted) > 1:
        names = ' '.join(settings.arch.name for settings in wanted)
        raise Trouble(f'BASELINE= is a record of one architecture, but make gate runs {names}',
                      f'type the architecture of the record, for example ARCH={wanted[0].arch.name}')
    recorded = [_recorded(settings, env) for settings in wanted]
    lock.claim(results(env) / 'after')
    verdicts = []
    for settings, record in zip(wanted, recorded):
        before = compare.Side(_baseline(settings, env, record))
        after = compare.judged(compare.side(settings, 'after'), env)
        verdicts.append(compare.compared(before, after, factor, f'series {run.stacked(settings)}'))
    return compare.conclude(verdicts, 'gate.md', env)
