# SPDX-License-Identifier: GPL-2.0
"""`make port`: what a kernel tree changes of all that the suites, mutants and series use, before they are built on it.

The suites are written for the newest supported kernel, and lib/port gives an older one the same names. The command compares
the definitions of all names that the suites use with those of that kernel, compiles the suites with lib/port, and tries
all patches of the project.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from commands import mutants
from commands import patches
from commands import run
from guests.guest import Guest
from host.console import Console
from host import exit_status
from host.kinds import refuse
from host import lock
from host import packages
from host.settings import PROJECT, Settings, given, results
from host import tools
from project import uses
from project.uses import Difference
from results.markdown import table
from trees import fixes
from trees import series
from trees.series import Patch
from trees.shadow import HOME
from trees import source

PAGE = 'port.md'
PORT = 'lib/port/'
UNWANTED = ('SERIES', 'LOADABLE', 'DEBUG', 'VARIANTS', 'SUITES', 'FIXES')
# An error of the compiler, in a file of the suites or of the kernel.
ERROR = re.compile(r'^(\S+?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$', re.MULTILINE)


def _place(difference: Difference) -> str:
    """The first place outside of lib/port, and how many others there are."""
    others = [place for place in difference.places if not place.startswith(PORT)]
    if not others:
        return 'lib/port only'
    ported = ', has lib/port' if len(others) < len(difference.places) else ''
    return others[0] + (f' and {len(others) - 1} more' if len(others) > 1 else '') + ported


def not_ported(found: Sequence[Difference]) -> list[Difference]:
    """The differences of which lib/port has nothing."""
    return [difference for difference in found if not any(place.startswith(PORT) for place in difference.places)]


def compiled(settings: Settings, console: Console) -> list[list[str]]:
    """Compile the suites in the tree; the errors, as place and message, each once."""
    packages.ensure(packages.for_run(settings.arch, False), console)
    tree, _ = run.trees(settings, console)
    with tree.locked(console), console.step('compile', settings.arch.name):
        tree.bring_in_step()
        guest = Guest(settings, tree.path)
        guest.configure()
        try:
            guest.make('-k', f'{HOME}/')
        except tools.Failed as failed:
            found: dict[tuple[str, str, str], None] = {}
            for file, line, text in ERROR.findall(failed.output):
                found[(file.replace(f'{tree.path}/', '').removeprefix('../').removeprefix(f'{HOME}/'), line, text)] = None
            return [[f'{file}:{line}', text] for file, line, text in found] or [['', failed.last_line()]]
    return []


def all_patches() -> Mapping[str, Sequence[Patch]]:
    """The series of mm/series but the fixes, and the mutants, by name."""
    found: dict[str, Sequence[Patch]] = {f'mm/series/{name}': series.read(patches.HOME / name)
                                         for name in patches.SERIES if name != 'fixes'}
    for path in sorted(mutants.MUTANTS.rglob('*.patch')):
        below = mutants.key(path, 'series')
        found[str(path.relative_to(PROJECT))] = (*(series.read(PROJECT / below) if below else ()), *series.read(path))
    return found


def page(tree: str, reference: str, found: Sequence[Difference], errors: Sequence[Sequence[str]], states: Mapping[str, str],
         unapplied: Sequence[str]) -> str:
    """The page of all that differs."""
    parts = [f'# {tree}, compared with {reference}\n\n## Definitions of what the suites use\n']
    parts.append(table(['name', reference, tree, 'used in'],
                       [[each.name, each.before.replace('|', '\\|'), each.after.replace('|', '\\|') or 'none', _place(each)]
                        for each in found], 4) if found else 'No difference.')
    parts.append('\n## Errors of the compiler\n')
    parts.append(table(['place', 'message'], errors, 2) if errors else 'None.')
    parts.append('\n## Fixes of mm/series/fixes\n')
    parts.append(table(['fix', 'the tree', 'title'], [[fix.number, states[fix.number], fix.title] for fix in fixes.known()], 3))
    parts.append('\n## Series and mutants that do not apply\n')
    parts.append('\n'.join(f'- {name}' for name in unapplied) or 'None.')
    return '\n'.join(parts) + '\n'


def main(env: Mapping[str, str]) -> int:
    """Run `make port`."""
    settings = Settings.read(env)
    refuse(given(env), UNWANTED, 'make port')
    into = results(env) / 'port'
    lock.claim(into)
    console = Console()
    packages.ensure([packages.CTAGS, packages.GIT], console)
    tree = source.chosen(settings, console)
    reference = source.fetched(settings.cache / 'source', console)
    with console.step('compare', f'the definitions of {source.version(tree)} and {source.version(reference)}'):
        found = list(uses.differences(PROJECT, reference, tree))
    with console.step('patches') as step:
        states = fixes.states(tree)
        wanted = all_patches()
        unapplied = fixes.unapplied(tree, wanted)
        step.note = f'{len(wanted) - len(unapplied)} of {len(wanted)} series and mutants apply'
    errors = compiled(settings, console)
    into.mkdir(parents=True, exist_ok=True)
    shown = tools.shown(into / PAGE)
    (into / PAGE).write_text(page(source.version(tree), source.version(reference), found, errors, states, unapplied))
    for difference in not_ported(found):
        console.say(f'differs   {difference.name}: {_place(difference)}')
    for place, text in errors:
        console.say(f'error     {place}: {text}')
    for state in (fixes.HAS, fixes.CANNOT_TELL):
        numbers = [number for number, each in states.items() if each == state]
        if numbers:
            console.say(f'fixes     {state}: {", ".join(numbers)}')
    console.say(f'results   {shown}')
    console.say(f'{"FAILED" if errors else "passed"}    {settings.arch.name}: the suites {"do not " * bool(errors)}compile on '
                f'{source.version(tree)}')
    return exit_status.FAILED if errors else exit_status.PASSED
