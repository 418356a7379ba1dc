# SPDX-License-Identifier: GPL-2.0
"""`make known`: leave out one fix after the other, and record the cases that fail without it in tests/recorded/known."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from commands import compare
from commands import run
from guests.guest import Guest
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host.settings import Settings, results
from results import known
from results.report import CRASH, FAIL, PASS, Case, Verdicts, verdicts
from trees import fixes
from trees.fixes import Fix
from trees.shadow import Shadow

REFUSED = ('FIXES', 'KSRC', 'SERIES', 'SUITES', 'VARIANTS', 'LOADABLE', 'DEBUG', 'KCONFIG_ADD')


def _verdicts(settings: Settings, folder: Path, name: str, left_out: Sequence[str]) -> Verdicts:
    """The verdicts of a kernel with all fixes but some; `name` is that of its results."""
    patches = folder / 'fixes'
    shutil.rmtree(patches, ignore_errors=True)
    patches.mkdir(parents=True)
    for fix in fixes.known():
        if fix.number not in left_out:
            shutil.copy(fixes.FOLDER / fix.patch.name, patches)
    # One tree for all kernels: only what a fix changes is built.
    single = replace(settings, fixes=patches if any(patches.iterdir()) else None, results=folder / name, tree='known')
    log = folder / f'{name}.log'
    status = run.logged(single, log)
    if status not in (exit_status.PASSED, exit_status.FAILED):
        raise Trouble(f'{settings.arch.name}, {name}: {log.read_text(errors="replace").splitlines()[-1]}', f'see {log}')
    return verdicts(single.results / 'results.json')


def _is_built(fix: Fix, settings: Settings, tree: Shadow) -> bool:
    """Whether the kernel of an architecture contains what a fix changes; a header counts unless it is of another one."""
    build = Guest(settings, tree.path).build_path
    other = tuple(f'arch/{name}/' for name in ('arm64', 'um', 'x86') if not settings.arch.name.startswith(name))
    return any((build / name).with_suffix('.o').exists() if name.endswith('.c') else not name.startswith(other)
               for name in fix.patch.touched)


def repaired(good: Verdicts, without: Verdicts) -> list[Case]:
    """The cases that pass with all fixes, and fail without some; a later run could not recognize a crash by its name."""
    return sorted(case for case, verdict in without.items()
                  if verdict == FAIL and case[-1] != CRASH and good.get(case) == PASS)


def _line(arch: str, number: str, cases: Sequence[Case], good: Verdicts, without: Verdicts, title: str) -> str:
    """How many cases a fix repairs, and how many do not run without it, because the kernel crashes."""
    lost = len(good.keys() - without.keys())
    return (f'{arch:<9} {number}: {len(cases)} case{"s" * (len(cases) != 1)}'
            + (f', {lost} more do not run' if lost else '') + f', {title}')


def record(settings: Settings, folder: Path, wanted: Sequence[Fix]) -> Mapping[str, Sequence[Case]]:
    """For each fix, the cases that it repairs on an architecture."""
    good = _verdicts(settings, folder, 'all', [])
    arch = settings.arch.name
    bad = [': '.join(case) + ' fails' for case, verdict in good.items() if verdict == FAIL] or ['no case ran'] * (not good)
    if bad:
        raise Trouble(f'{arch}, with all fixes: {bad[0]}', f'type make run ARCH={arch}')
    tree, _ = run.trees(replace(settings, tree='known'), Console())
    found: dict[str, Sequence[Case]] = {}
    for fix in reversed(wanted):
        left_out = fixes.without(fix.number, tree.origin)
        without = _verdicts(settings, folder, fix.number, left_out) if _is_built(fix, settings, tree) else good
        # The fixes that do not apply without this one are later ones.
        of_others = {case for number in left_out if number != fix.number for case in found[number]}
        found[fix.number] = [case for case in repaired(good, without) if case not in of_others]
        print(_line(arch, fix.number, found[fix.number], good, without, fix.title), flush=True)
    alone = {case for cases in found.values() for case in cases}
    needed = fixes.NEEDED.get(arch)
    bare = _verdicts(settings, folder, 'bare', [fix.number for fix in wanted if fix.number != needed])
    # One bug may hide another: some cases pass without any fix.
    found = {number: [case for case in cases if bare.get(case) != PASS] for number, cases in found.items()}
    found[known.SEVERAL] = [case for case in repaired(good, bare) if case not in alone]
    print(_line(arch, known.SEVERAL, found[known.SEVERAL], good, bare, known.SEVERAL_TITLE), flush=True)
    return found


def main(env: Mapping[str, str]) -> int:
    """Run `make known`."""
    # The Makefile and __main__.py set FIXES= to the folder that is meant here.
    others = {**env, 'FIXES': ''} if Path(env.get('FIXES') or fixes.FOLDER).resolve() == fixes.FOLDER else env
    if given := [name for name in REFUSED if others.get(name)]:
        raise Trouble(f'{given[0]}= does not apply to make known', f'leave {given[0]}= out')
    folder = results(env) / 'known'
    lock.claim(folder)
    wanted = compare.each_arch({**env, 'ARCH': env.get('ARCH') or 'um x86_64 arm64', 'STRICT': '1'})
    for settings in wanted:
        known.save(settings.arch.name, record(settings, folder / settings.arch.name, fixes.known()))
    return exit_status.PASSED
