# SPDX-License-Identifier: GPL-2.0
"""`make compare`: run all suites, all benches and the kernel's mm selftests on the kernel without and with a series.

The output is a table for a cover letter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from commands import bench
from commands import run
from commands import selftests
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host.settings import Settings, results
from results.markdown import figure, table
from results.record import Record
from results.report import Counts, suites

ARCHES = 'x86_64 arm64'     # QEMU counts instructions on them


@dataclass(frozen=True)
class Side:
    """The results of one kernel: the bench record, and the counts of each suite if the suites ran."""

    record: Record
    suites: Mapping[str, Counts] = field(default_factory=dict)
    passed: bool = True


@dataclass(frozen=True)
class Verdict:
    """The comparison on one architecture: report, slower benches, selftests with a worse verdict, all cases passed."""

    text: str
    slower: list[str]
    passed: bool
    worse: list[str] = field(default_factory=list)  # selftests


def tolerance(env: Mapping[str, str]) -> float:
    """TOLERANCE= as a factor: 1.02 for 2%."""
    text = env.get('TOLERANCE') or '2%'
    try:
        share = float(text.removesuffix('%'))
    except ValueError:
        share = -1
    if not text.endswith('%') or not 0 <= share < 1000:
        raise Trouble(f'TOLERANCE={text}: expected a percentage', 'type for example TOLERANCE=2%')
    return 1 + share / 100


def arches(env: Mapping[str, str]) -> list[Settings]:
    """The settings of each architecture, checked before the first build."""
    found = [Settings.read({**env, 'ARCH': arch}) for arch in (env.get('ARCH') or ARCHES).split()]
    for settings in found:
        settings.for_bench(env)
    return found


def side(settings: Settings, name: str) -> Settings:
    """The settings with results in a folder of this name: `before` or `after`."""
    return replace(settings, results=settings.results.parent / name / settings.arch.name)


def judged(settings: Settings, env: Mapping[str, str]) -> Side:
    """Run the suites and the benches on one kernel."""
    status = run.run(settings, Console())
    if status not in (exit_status.PASSED, exit_status.FAILED):
        raise Trouble('the suites did not run', 'see the lines above')
    record = bench.measure(settings.for_bench(env))
    record.save(settings.results / 'bench.json')
    return Side(record, suites(settings.results / 'results.json'), status == exit_status.PASSED)


def _suite_rows(before: Side, after: Side) -> list[list[str]]:
    return [[f'{name}: passed / failed / skipped',
             *(each.suites[name].short() if name in each.suites else '' for each in (before, after)), '']
            for name in dict.fromkeys([*before.suites, *after.suites])]


def _bench_rows(before: Record, after: Record, factor: float) -> tuple[list[list[str]], list[str]]:
    """The table rows of the benches, and the slower ones. Timings of the twin are only part of `make bench`."""
    then, now = before.of_way('kernel'), after.of_way('kernel')
    rows, slower = [], []
    for name in dict.fromkeys([*then, *now]):
        was, timing = then.get(name), now.get(name)
        either = timing or was
        assert either
        row = [f'{name}: {after.key.unit} {either.per}', *(figure(each.cost if each else None) for each in (was, timing))]
        if not was or not timing:
            rows.append([*row, 'only after' if timing else 'only before'])
            continue
        rows.append([*row, figure(was.cost / timing.cost, 2)])
        if timing.cost > was.cost * factor:
            slower.append(f'{name}: {row[1]} before, {row[2]} after ({(timing.cost / was.cost - 1) * 100:+.1f} %)')
    return rows, slower


def _count_rows(before: Record, after: Record) -> list[list[str]]:
    """The table rows of the event counts that differ."""
    then, now = before.events('kernel'), after.events('kernel')
    return [[name, f'{then[name]:g}' if name in then else '', f'{now[name]:g}' if name in now else '', '']
            for name in dict.fromkeys([*then, *now]) if then.get(name) != now.get(name)]


def compared(before: Side, after: Side, factor: float, stacked: str) -> Verdict:
    """Compare two kernels of one architecture; `stacked`: what the series is based on."""
    rows, slower = _bench_rows(before.record, after.record, factor)
    key = before.record.key
    text = table([key.arch, 'before', 'after', 'ratio'],
                 [*_suite_rows(before, after), *rows, *_count_rows(before.record, after.record)])
    return Verdict(f'{key.arch}: {key.versions()}; series {stacked}\n\n{text}\n', slower, after.passed)


def _with_selftests(verdict: Verdict, before: Settings, after: Settings, env: Mapping[str, str]) -> Verdict:
    """Add a table of the selftests whose verdict differs between the two kernels."""
    changes, counts = selftests.changes(before.for_selftests(env), after.for_selftests(env))
    rows = [[change.name, change.before or 'none', change.after or 'none'] for change in changes]
    text = '\n'.join([verdict.text, f'{counts}\n', *([table(['selftest', 'before', 'after'], rows, 3) + '\n'] if rows else [])])
    return replace(verdict, text=text, worse=[str(change) for change in changes if change.worse])


def conclude(verdicts: Sequence[Verdict], name: str, env: Mapping[str, str]) -> int:
    """Print and write the report; return the exit status."""
    text = '\n'.join(verdict.text for verdict in verdicts)
    (results(env) / name).write_text(text)
    print('\n' + text)
    slower = [line for verdict in verdicts for line in verdict.slower]
    for line in slower:
        print(f'[SLOWER] {line}')
    worse = [line for verdict in verdicts for line in verdict.worse]
    for line in worse:
        print(f'[WORSE] {line}')
    if worse or not all(verdict.passed for verdict in verdicts):
        return exit_status.FAILED
    return exit_status.SLOWER if slower else exit_status.PASSED


def main(env: Mapping[str, str]) -> int:
    """Run `make compare`."""
    factor = tolerance(env)
    wanted = arches(env)
    if not all(settings.series for settings in wanted):
        raise Trouble('SERIES= is not set', 'type a patch, an mbox or a folder of patches, for example SERIES=v3.mbox')
    lock.claim(results(env) / 'after')
    verdicts = []
    for settings in wanted:
        before, after = side(replace(settings, series=None), 'before'), side(settings, 'after')
        verdict = compared(judged(before, env), judged(after, env), factor, run.stacked(settings))
        if settings.arch.emulated and not settings.suites and env.get('SELFTESTS') != '0':
            verdict = _with_selftests(verdict, before, after, env)
        verdicts.append(verdict)
    return conclude(verdicts, 'compare.md', env)
