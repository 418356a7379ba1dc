# SPDX-License-Identifier: GPL-2.0
"""`make mutation BENCH=1`: measure the mutants that the review calls "performance only", which no case can catch.

Exit status: 0 each of them makes a bench slower; 1 one does not; 2 could not run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from commands import run
from guests.guest import Guest
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import packages
from host.settings import Settings
from host import wheels
from mutation import record
from mutation import guest as guests
from mutation.guest import Case, Command
from mutation.kernel import Kernel, reader, selected
from mutation.record import Verdict
from mutation.weave import Mutant
from results import timing
from results.timing import Timing

# How much slower a bench must become. Two copies of a function may differ by some instructions for no reason.
LEAST = 0.01
# Seconds of a bench: the counting clock is not the host's.
LIMIT = 120
# A mutant that does not exist: the functions as they are.
UNCHANGED = 16383


def _timings(command: Command, number: int, cases: Sequence[Case]) -> dict[str, Timing]:
    """What benches measure on a mutant."""
    log = command.run(number, [replace(case, seconds=LIMIT) for case in cases])
    if not guests.DONE.search(log):
        raise Trouble(f'the benches do not end on mutant {number}', 'see the lines above', '\n'.join(log.splitlines()[-20:]))
    return {found.name: found for found in timing.timings(log) if found.way == 'kernel'}


def slower(was: Mapping[str, Timing], now: Mapping[str, Timing]) -> tuple[float, str]:
    """How much slower the worst timing has become, as a ratio, and its name."""
    return max(((now[name].min / was[name].min - 1, name) for name in was if name in now), default=(0.0, ''))


def _measure(command: Command, jobs: int, mutants: Sequence[Mutant], cases: Sequence[Case]) -> list[Verdict]:
    """A verdict on each mutant."""
    plans = {mutant: tuple(case for case in cases if mutant.number in case.reached) for mutant in mutants}

    def judged(mutant: Mutant) -> Verdict:
        ratio, name = slower(before[plans[mutant]], _timings(command, mutant.number, plans[mutant])) if plans[mutant] else (0, '')
        kind = record.SLOWER if ratio >= LEAST else record.NOT_SLOWER if plans[mutant] else record.NOT_REACHED
        return Verdict(mutant.key, mutant.function.title, mutant.line, kind, f'{name}: {ratio:+.1%}' if name else '', mutant.diff())

    with ThreadPoolExecutor(jobs) as pool:
        sets = {*plans.values()} - {()}
        before = dict(zip(sets, pool.map(lambda plan: _timings(command, UNCHANGED, plan), sets)))
        return [*pool.map(judged, mutants)]


def main(env: Mapping[str, str]) -> int:
    """Run `make mutation BENCH=1`."""
    settings = Settings.read(env).for_mutation('bench').with_benches()
    console = Console()
    packages.ensure(packages.for_run(settings.arch, False), console)
    wheels.ensure(settings.cache, console)
    reviewed = record.triage()
    with run.results_folder(settings.results, ('results.txt',), console):
        tree, base = run.trees(settings, console)
        read = reader(tree)
        _, mutants = selected(tree, base, read, settings.arch.name, env)
        mutants = [mutant for mutant in mutants if reviewed.get(mutant.key, ('',))[0] == 'performance only']
        kernel = Kernel(tree, read, mutants, Guest(settings, tree.path).build_path)
        with run.prepared(settings, tree, base, console, f'.kunit-{settings.arch.name}') as guest:
            kernel.build(guest, console)
            guest.choose_accelerator(console)
            with console.step('benches', 'which mutants each reaches'):
                cases, command = guests.explore(guest, needed=lambda name: '_bench.' in name, rows=True)
            with console.step('mutants', f'{len(mutants)}'):
                verdicts = _measure(command, settings.jobs, mutants, [case for case in cases if '_bench.' in case.name])
        record.save(settings.results.parent / 'mutation-bench.json', verdicts)
        for verdict in verdicts:
            console.say(f'{verdict.verdict:<12}{verdict.mutant}  {verdict.by}')
    return exit_status.PASSED if all(verdict.verdict == record.SLOWER for verdict in verdicts) else exit_status.FAILED
