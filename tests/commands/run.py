#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""`make run`: from nothing to a verdict. Exit status: 0 all passed, 1 a case failed, 2 it could not run."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

from guests.guest import Guest
from guests.judge import FILES, Judge
from host.console import Console
from host.errors import Trouble
from host import lock
from host import packages
from host.settings import Settings
from host import supervise
from host import tools
from results.markdown import figure, table
from results.report import Counts
from trees import series
from trees.shadow import Shadow, prune
from trees import source

PASSED, FAILED, COULD_NOT_RUN = 0, 1, 2


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    passed: bool
    seconds: float  # of the guest


def trees(settings: Settings, console: Console) -> tuple[Shadow, Shadow]:
    """The tree to test, and the same kernel without SERIES=, which may be the same."""
    if settings.ksrc:
        source.check(settings.ksrc)
    origin = settings.ksrc or source.fetched(settings.cache / 'source', console)
    fixes = series.read(settings.fixes) if settings.fixes else []
    patches = series.without(series.read(settings.series), fixes) if settings.series else []
    folder = settings.cache / 'trees'
    return Shadow(folder, origin, fixes + patches), Shadow(folder, origin, fixes)


def stacked(settings: Settings) -> str:
    """What SERIES= lies on."""
    if not settings.fixes:
        return 'on the kernel without fixes'
    return f'on top of the fixes in {tools.shown(settings.fixes)}; FIXES= for the kernel without them'


def say_patches(tree: Shadow, base: Shadow, settings: Settings, console: Console) -> None:
    """Which patches the tree has."""
    fixes = ', '.join(patch.name for patch in base.patches)
    if fixes:
        console.say(f'fixes     {fixes} ({settings.fixes and tools.shown(settings.fixes)}; FIXES= for the kernel as it is)')
    patches = ', '.join(patch.name for patch in tree.patches[len(base.patches):])
    if settings.series:
        console.say(f'series    {patches or "nothing but fixes"} ({stacked(settings)})')


def judged(settings: Settings, console: Console) -> Outcome:
    """From the settings of one run to its verdict."""
    lock.claim(settings.results)
    settings.results.mkdir(parents=True, exist_ok=True)
    for name in FILES:      # what is not made anew must not be taken for new
        (settings.results / name).unlink(missing_ok=True)
    with (settings.results / 'results.txt').open('w') as copy:
        console.copy_to(copy)
        if settings.variant:
            console.say(f'variant   {settings.variant.name}: {settings.variant.special} ({settings.variant.qemu_args})')
        packages.ensure(packages.for_run(settings.arch, settings.loadable), console)
        tree, base = trees(settings, console)
        say_patches(tree, base, settings, console)
        with tree.locked(console):
            guest = Guest(settings, tree.path)
            with console.step('tree', str(tree.path)):
                tree.prepare(base, guest.build_folder, f'.kunit-{settings.arch.name}')
            with console.step('build') as step:
                guest.build(step)
            guest.choose_accelerator(console)
            judge = Judge(guest, console)
            passed = judge.as_module() if settings.loadable else judge.built_in()
        prune(settings.cache / 'trees')
    return Outcome(passed, guest.seconds)


def run(settings: Settings, console: Console) -> int:
    """One run and its exit status."""
    return PASSED if judged(settings, console).passed else FAILED


def run_variants(settings: Settings) -> int:
    """One run a variant, and a table of them all; one that cannot run does not keep the others from it."""
    path = settings.results.parent / f'{settings.arch.name}-variants.md'
    lock.claim(path)
    path.unlink(missing_ok=True)
    rows, stuck, passed = [], [], True
    for one in settings.each():
        assert one.variant
        row = [one.variant.name, one.variant.cpu, one.variant.special]
        try:
            outcome = judged(one, Console())
        except Trouble as trouble:
            print(f'{trouble.details}\nno run    {one.variant.name}: {trouble}\n'.lstrip('\n'), flush=True)
            stuck.append(one.variant.name)
            rows.append([*row, 'could not run', '', ''])
            continue
        print(flush=True)
        counts = Counts.read(one.results / 'results.json')
        rows.append([*row, 'passed' if outcome.passed else 'FAILED', counts.short(), figure(outcome.seconds)])
        passed = passed and outcome.passed
    text = table(['variant', 'CPU', 'what is special', 'verdict', 'passed / failed / skipped', 'guest, s'], rows, 4)
    path.write_text(text + '\n')
    print(text)
    if stuck and passed:
        raise Trouble(f'could not run: {", ".join(stuck)}', 'see the lines "no run" above')
    return PASSED if passed else FAILED


def main(env: Mapping[str, str]) -> int:
    """All that `make run` does."""
    settings = Settings.read(env)
    return run_variants(settings) if settings.variants else run(settings, Console())


def _stop(number: int, _: FrameType | None) -> NoReturn:
    """Clean up once: make and the terminal may send one signal after the other."""
    for each in supervise.STOPS:
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


def _end_when_told() -> None:
    """At a signal, and when our parent ends, which make cannot announce when it is killed."""
    for each in supervise.STOPS:
        # SIGINT and SIGHUP are ignored in the background and under nohup.
        if each == signal.SIGTERM or signal.getsignal(each) != signal.SIG_IGN:
            signal.signal(each, _stop)
    supervise.signal_at_end_of(int(os.environ.pop('PTEBATCH_PARENT', os.getppid())), signal.SIGTERM)


def ended(work: Callable[[], int]) -> int:
    """The exit status of a command: that of its work, or of why it could not be done."""
    _end_when_told()
    try:
        return work()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            trouble = tools.disk_full(error.filename or 'while writing')
        else:
            trouble = Trouble(str(error), 'see to that file')
    except Trouble as caught:
        trouble = caught
    except Exception:   # whose own status, 1, would say that a case failed
        trouble = Trouble('the tools have a bug', 'send the lines above to their authors', traceback.format_exc())
    if trouble.details:
        print(trouble.details.rstrip())
    print(f'ptebatch: {trouble}', file=sys.stderr)
    return COULD_NOT_RUN


if __name__ == '__main__':
    sys.exit(ended(lambda: main(os.environ)))
