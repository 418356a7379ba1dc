# SPDX-License-Identifier: GPL-2.0
"""`make compare`: run all suites, all benches and the kernel's mm selftests on the kernel without and with a series.

The output is a table for a cover letter. With TO=, the kernels are two trees instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from commands import bench
from commands import run
from commands import selftests
from figures import functions
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host.settings import RELEASE, Settings, results
from host import tools
from results.changes import Change, changes, counted, new_errors
from results.markdown import figure, table
from results.record import Record
from results.report import Counts, Verdicts, suites, verdicts
from results import selftests_log
from trees import source

SHOWN = 20      # cases with a worse verdict that are printed
EXPLAINED = 5   # changed figures whose functions are printed
ARCHES = 'x86_64 arm64'     # QEMU counts instructions on them


@dataclass(frozen=True)
class Side:
    """The results of one kernel: the bench record, and the results of the suites, if they ran."""

    record: Record
    suites: Mapping[str, Counts] = field(default_factory=dict)
    verdicts: Verdicts = field(default_factory=dict)
    errors: Sequence[str] = ()      # outside of cases


@dataclass(frozen=True)
class Verdict:
    """The comparison on one architecture: report, slower benches, cases with a worse verdict and new errors."""

    text: str
    slower: list[str]
    worse: list[str]
    functions: Sequence[str] = ()   # a table for each figure that changed, the largest change first


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


def each_arch(env: Mapping[str, str]) -> list[Settings]:
    """The settings of each architecture."""
    return [Settings.read({**env, 'ARCH': arch}) for arch in (env.get('ARCH') or ARCHES).split()]


def arches(env: Mapping[str, str]) -> list[Settings]:
    """The settings of each architecture, checked before the first build."""
    found = each_arch(env)
    for settings in found:
        settings.for_bench(env)
    return found


def need_series(wanted: Sequence[Settings]) -> None:
    """Trouble if SERIES= is not set."""
    if not all(settings.series for settings in wanted):
        raise Trouble('SERIES= is not set', 'type a patch, an mbox or a folder of patches, for example SERIES=v3.mbox')


def pair(settings: Settings, to: str) -> tuple[Settings, Settings, str]:
    """The two kernels of an architecture, and what differs between them: SERIES=, or with TO= the tree."""
    if not to:
        need_series([settings])
        return replace(settings, series=None), settings, f'series {run.stacked(settings)}'
    if settings.series:
        raise Trouble('SERIES= and TO=: one change expected', 'leave one of them out')
    # Each tree as it is: our fixes are made for one of them.
    from_ = replace(settings, fixes=None)
    if re.fullmatch(RELEASE, to):
        return from_, replace(from_, ksrc=None, release=to), f'before: {_tree(from_)}, after: KERNEL={to}'
    folder = Path(to).expanduser().absolute()
    if not folder.is_dir():
        raise Trouble(f'TO={to}: neither a folder nor a version', 'type the folder of a kernel tree, or for example TO=7.3')
    return from_, replace(from_, ksrc=folder, release=''), f'before: {_tree(from_)}, after: {tools.shown(folder)}'


def _tree(settings: Settings) -> str:
    newest = '{}.{}'.format(*source.NEWEST)
    return str(tools.shown(settings.ksrc)) if settings.ksrc else f'KERNEL={settings.release or newest}'


def side(settings: Settings, name: str) -> Settings:
    """The settings with results in a folder of this name: `before` or `after`."""
    return replace(settings, results=settings.results.parent / name / settings.arch.name)


def judged(settings: Settings, env: Mapping[str, str]) -> Side:
    """Run the suites and the benches on one kernel."""
    outcome = run.judged(settings, Console())
    found = settings.results / 'results.json'
    if not verdicts(found):
        raise Trouble('no case ran', f'see {tools.shown(settings.results)}/boot.log')
    record = bench.measure(settings.for_bench(env))
    record.save(settings.results / 'bench.json')
    return Side(record, suites(found), verdicts(found), outcome.errors)


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
        for event in timing.changed_events(was, factor - 1):
            if timing.events[event] > was.events[event]:
                cells = [figure(each.event(event), 2) for each in (was, timing)]
                slower.append(f'{name}, {event} {timing.per}: {cells[0]} before, {cells[1]} after')
    return rows, slower


def _event_rows(before: Record, after: Record) -> list[list[str]]:
    """The table rows of the events of the timings that differ."""
    then, now = before.of_way('kernel'), after.of_way('kernel')
    return [[f'{name}: {event} {now[name].per}', *(figure(each.event(event), 2) for each in (was, now[name])), '']
            for name, was in then.items() if name in now
            for event in now[name].changed_events(was, functions.CHANGED)]


def _without_events(before: Record, after: Record) -> str:
    """A line that names the kernels whose events were not counted, if only one has them."""
    lacks = [not any(timing.events for timing in record.timings) for record in (before, after)]
    if lacks[0] == lacks[1]:
        return ''
    return f'\nno events, and no instructions by function, of the kernel {"before" if lacks[0] else "after"}: not compared\n'


def _count_rows(before: Record, after: Record) -> list[list[str]]:
    """The table rows of the event counts that differ."""
    then, now = before.events('kernel'), after.events('kernel')
    return [[name, f'{then[name]:g}' if name in then else '', f'{now[name]:g}' if name in now else '', '']
            for name in dict.fromkeys([*then, *now]) if then.get(name) != now.get(name)]


def compared(before: Side, after: Side, factor: float, change: str) -> Verdict:
    """Compare two kernels of one architecture; `change`: what differs between them."""
    rows, slower = _bench_rows(before.record, after.record, factor)
    key = before.record.key
    text = table([key.arch, 'before', 'after', 'ratio'],
                 [*_suite_rows(before, after), *rows, *_count_rows(before.record, after.record),
                  *_event_rows(before.record, after.record)])
    text += '\n' + _without_events(before.record, after.record)
    verdict = Verdict(f'{key.arch}: {key.versions()}; {change}\n\n{text}', slower,
                      new_errors(before.errors, after.errors), functions.changes(before.record, after.record))
    return _with_cases(verdict, 'case', changes(before.verdicts, after.verdicts))


def _with_cases(verdict: Verdict, what: str, found: Sequence[Change]) -> Verdict:
    """Add the cases that became worse; if the other kernel ran them, too, the numbers of cases and a table of all changes."""
    parts = [verdict.text]
    if any(change.before for change in found):
        parts.append(counted(found, what + 's') + '\n')
        if rows := [[change.name, change.before or 'none', change.after or 'none'] for change in found if change.changed]:
            parts.append(table([what, 'before', 'after'], rows, 3) + '\n')
    return replace(verdict, text='\n'.join(parts), worse=verdict.worse + [str(change) for change in found if change.worse])


def _with_selftests(verdict: Verdict, before: Settings, after: Settings, env: Mapping[str, str]) -> Verdict:
    then, now = (selftests.judged(settings.for_selftests(env)) for settings in (before, after))
    programs = selftests_log.read_list(selftests.LIST, before.arch.name)
    return _with_cases(verdict, 'selftest', selftests.compared(then, now, programs))


def conclude(reports: Sequence[Verdict], name: str, env: Mapping[str, str]) -> int:
    """Print and write the report; return the exit status."""
    def report(explained: int | None) -> str:
        return '\n'.join(text for verdict in reports
                         for text in (verdict.text, *(f'{found}\n' for found in verdict.functions[:explained])))

    (results(env) / name).write_text(report(None))
    print('\n' + report(EXPLAINED))
    hidden = sum(len(verdict.functions[EXPLAINED:]) for verdict in reports)
    if hidden:
        print(f'{hidden} more figures changed: their functions are in {tools.shown(results(env) / name)}')
    slower = [line for verdict in reports for line in verdict.slower]
    worse = [line for verdict in reports for line in verdict.worse]
    if len(worse) > SHOWN:      # for example because the kernel panicked
        print(f'[WORSE] {len(worse)} in all, the first {SHOWN}:')
    for word, lines in (('SLOWER', slower), ('WORSE', worse[:SHOWN])):
        for line in lines:
            print(f'[{word}] {line}')
    return exit_status.FAILED if worse else exit_status.SLOWER if slower else exit_status.PASSED


def main(env: Mapping[str, str]) -> int:
    """Run `make compare`."""
    factor = tolerance(env)
    pairs = [pair(settings, env.get('TO', '')) for settings in arches(env)]
    lock.claim(results(env) / 'after')
    found = []
    for *kernels, change in pairs:
        before, after = (side(settings, name) for settings, name in zip(kernels, ('before', 'after')))
        verdict = compared(judged(before, env), judged(after, env), factor, change)
        if before.arch.emulated and not before.suites and env.get('SELFTESTS') != '0':
            verdict = _with_selftests(verdict, before, after, env)
        found.append(verdict)
    return conclude(found, 'compare.md', env)
