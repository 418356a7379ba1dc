# SPDX-License-Identifier: GPL-2.0
"""`make run`: fetch, build, boot, judge. Exit status: 0 all passed, 1 a case failed, 2 could not run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

from guests.guest import Guest
from guests import identity
from guests.judge import FILES, Judge
from guests import laps
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host import packages
from host.settings import Settings
from host import tools
from results.markdown import figure, table
from results import known
from results.known import Known
from results.report import Counts
from results.runs import FACTS, PREVIOUS, RESULTS
from trees import differences
from trees import fixes as our_fixes
from trees import series
from trees.shadow import Shadow, prune
from trees import source


@dataclass(frozen=True)
class Outcome:
    """The verdict and the duration of a run."""

    passed: bool
    seconds: float  # of the guest
    errors: Sequence[str]   # outside of cases


def trees(settings: Settings, console: Console) -> tuple[Shadow, Shadow]:
    """The tree to test, and the tree without SERIES= (the same if SERIES= is empty)."""
    origin = source.chosen(settings, console)
    fixes = series.read(settings.fixes) if settings.fixes else []
    patches = series.without(series.read(settings.series), fixes) if settings.series else []
    if not settings.strict:
        fixes += our_fixes.needed(settings.arch.name, origin, fixes, fixes + patches)
    folder = settings.cache / 'trees'
    return Shadow(folder, origin, fixes + patches, settings.tree), Shadow(folder, origin, fixes)


def known_bugs(settings: Settings, tree: Shadow, base: Shadow, console: Console) -> Known:
    """The failures that belong to bugs of the tree for which there are fixes; print the fixes that cannot be found."""
    if settings.strict:
        return Known()
    states = our_fixes.with_series(tree.origin, base.patches, tree.patches)
    record = known.load(settings.arch.name)
    for fix in our_fixes.known():
        # No case of this architecture fails without a fix whose list is empty.
        if states[fix.number] == our_fixes.CANNOT_TELL and record.get(fix.number) != []:
            console.say(f'unknown   {fix.number}: neither the fix nor its reverse applies, failures of this bug count: {fix.title}')
    lacking = {fix.number: fix.title for fix in our_fixes.known() if states[fix.number] == our_fixes.LACKS}
    return known.of(settings.arch.name, lacking, differences.of(settings.arch.name, tree.origin, lacking))


def stacked(settings: Settings) -> str:
    """What SERIES= is based on."""
    if not settings.fixes:
        return 'on the kernel without fixes'
    return f'on top of the fixes in {tools.shown(settings.fixes)}; FIXES= for the kernel without them'


def say_left_out(settings: Settings, console: Console) -> None:
    """Print which versions of SERIES= are not tested."""
    for line in series.left_out(settings.series) if settings.series else ():
        console.say(f'left out  {line}')


def say_patches(tree: Shadow, base: Shadow, settings: Settings, console: Console) -> None:
    """Print the patches of the tree."""
    fixes = len(series.read(settings.fixes)) if settings.fixes else 0
    if settings.fixes:
        console.say(f'fixes     {fixes} patches of {tools.shown(settings.fixes)}; FIXES= for the kernel without them')
    for patch in base.patches[fixes:]:
        console.say(f'applied   {patch.name}: the suites crash without it; STRICT=1 omits it')
    patches = ', '.join(patch.name for patch in tree.patches[len(base.patches):])
    say_left_out(settings, console)
    if settings.series:
        console.say(f'series    {patches or "only patches that the fixes have"} ({stacked(settings)})')


def keep(folder: Path) -> None:
    """Keep the verdicts of a run until the end of the next one: make report says what is new."""
    if not (folder / RESULTS).exists():
        return
    (folder / PREVIOUS).mkdir(exist_ok=True)
    for name in (RESULTS, FACTS):
        (folder / PREVIOUS / name).unlink(missing_ok=True)
        if (folder / name).exists():
            (folder / name).replace(folder / PREVIOUS / name)


@contextmanager
def results_folder(folder: Path, names: Sequence[str], console: Console) -> Iterator[None]:
    """Claim the folder, and copy the console to its first file; a failed run must not leave results of an earlier one."""
    lock.claim(folder)
    folder.mkdir(parents=True, exist_ok=True)
    keep(folder)
    for name in names:
        (folder / name).unlink(missing_ok=True)
    with (folder / names[0]).open('w') as copy:
        console.copy_to(copy)
        yield


@contextmanager
def prepared(settings: Settings, tree: Shadow, base: Shadow, console: Console, *similar: str) -> Iterator[Guest]:
    """Lock and update the tree; see Shadow.prepare() for `base`, and `similar` build folders."""
    with tree.locked(console):
        guest = Guest(settings, tree.path)
        with console.step('tree', str(tree.path)):
            tree.prepare(base, guest.build_folder, *similar)
        yield guest


def judged(settings: Settings, console: Console,
           afterwards: Callable[[Guest, bool], None] = lambda guest, passed: None) -> Outcome:
    """Build, boot and judge with the settings of one run; then, with the tree still locked, call `afterwards`."""
    with results_folder(settings.results, FILES, console):
        if settings.variant:
            console.say(f'variant   {settings.variant.name}: {settings.variant.special} ({settings.variant.qemu_args})')
        packages.ensure(packages.for_run(settings.arch, settings.kind.loadable), console)
        tree, base = trees(settings, console)
        say_patches(tree, base, settings, console)
        bugs = known_bugs(settings, tree, base, console)
        with prepared(settings, tree, base, console, f'.kunit-{settings.arch.name}') as guest:
            with console.step('build') as step:
                guest.build(step)
            guest.choose_accelerator(console)
            laps.prepare(guest, console)
            facts = identity.facts(settings, tree)
            facts.save(settings.results)
            judge = Judge(guest, console, bugs)
            passed = judge.as_module() if settings.kind.loadable else judge.built_in()
            replace(facts, passed=passed, errors=judge.errors, seconds=round(guest.seconds, 1)).save(settings.results)
            afterwards(guest, passed)
        prune(settings.cache / 'trees')
    return Outcome(passed, guest.seconds, judge.errors)


def run(settings: Settings, console: Console) -> int:
    """One run; return its exit status."""
    return exit_status.PASSED if judged(settings, console).passed else exit_status.FAILED


def logged(settings: Settings, log: Path) -> int:
    """The exit status of one run whose output goes to a file."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open('w') as output, redirect_stdout(output):
        try:
            return run(settings, Console())
        except Trouble as trouble:
            print(f'{trouble.details}\n{trouble}')
            return exit_status.COULD_NOT_RUN


def run_variants(settings: Settings) -> int:
    """One run per variant, and a table of all; a variant that cannot run does not stop the next ones."""
    path = settings.results.parent / f'{settings.arch.name}-variants.md'
    lock.claim(path)
    path.unlink(missing_ok=True)
    rows, not_run, passed = [], [], True
    for single in settings.each():
        variant = single.variant
        assert variant
        row = [variant.name, variant.cpu, variant.special]
        try:
            outcome = judged(single, Console())
        except Trouble as trouble:
            print(f'{trouble.details}\nno run    {variant.name}: {trouble}\n'.lstrip('\n'), flush=True)
            not_run.append(variant.name)
            rows.append([*row, 'could not run', '', ''])
            continue
        print(flush=True)
        counts = Counts.read(single.results / 'results.json')
        rows.append([*row, 'passed' if outcome.passed else 'FAILED', counts.short(), figure(outcome.seconds)])
        passed = passed and outcome.passed
    text = table(['variant', 'CPU', 'what is special', 'verdict', 'passed / failed / skipped', 'guest, s'], rows, 4)
    path.write_text(text + '\n')
    print(text)
    if not_run and passed:
        raise Trouble(f'could not run: {", ".join(not_run)}', 'see the lines "no run" above')
    return exit_status.PASSED if passed else exit_status.FAILED


def main(env: Mapping[str, str]) -> int:
    """Run `make run`."""
    settings = Settings.read(env)
    return run_variants(settings) if settings.variants else run(settings, Console())
