# SPDX-License-Identifier: GPL-2.0
"""`make patch`: write the suites as a patch series for a kernel tree, after the fixes that the tree lacks.

The mails on disk are applied by git am and checked by the kernel's checkpatch.pl; with ARCH= the suites are compiled after
each patch.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path

from commands import patches
from commands import run
from guests.guest import Guest
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host.kinds import refuse
from host import lock
from host import packages
from host.settings import Settings, given, results
from host import tools
from results import known
from trees import checkpatch
from trees import fixes
from trees import in_tree
from trees import mails
from trees.mails import Mail, Repository
from trees.shadow import HOME
from trees import source

AUTHOR = 'The ptebatch project <ptebatch@localhost>'
KNOWN = 'known.md'
UNWANTED = ('SERIES', 'LOADABLE', 'DEBUG', 'VARIANTS', 'SUITES')


def lacking(folder: Path, tree: Path) -> tuple[list[Mail], list[str]]:
    """The fixes that a tree lacks, and the numbers of those that it has."""
    states = fixes.states(tree)
    has = [number for number, state in states.items() if state == fixes.HAS]
    return [mail for mail in mails.read(folder) if mail.number and mail.file[:4] not in has], has


def written(wanted: Sequence[Mail], tree: Path) -> tuple[list[Mail], str]:
    """The mails of the fixes and of the suites with their diffs, and the hash of the files after them."""
    with tempfile.TemporaryDirectory() as folder:
        touched = {file for mail in wanted for file in mail.touched}
        scratch = Repository(Path(folder), tree, touched.union(in_tree.TOUCHED))
        found = []
        for mail in wanted:
            scratch.apply(mail)
            found.append(replace(mail, diff=scratch.diff()))
        date = formatdate()
        for patch, files in in_tree.steps(scratch.folder):
            scratch.commit(f'{patch.subject}\n\n{patch.message}\n', files)
            slug = re.sub(r'[^A-Za-z0-9_.]+', '-', patch.subject)[:52].strip('-.')
            number = found[-1].number + 1 if found else 1
            found.append(Mail(f'{number:04}-{slug}.patch', AUTHOR, date, 'PATCH', patch.subject, patch.message, '', scratch.diff()))
        return mails.numbered(found), scratch.contents()


def known_page(left_out: Sequence[str]) -> str:
    """The cases that fail on a tree without some of our fixes, by architecture."""
    titles = {fix.number: fix.title for fix in fixes.known()}
    parts = ['# Cases that fail because of a known bug\n']
    for path in sorted(known.FOLDER.glob('*.json')):
        parts.append(f'## {path.stem}\n')
        for number, cases in known.load(path.stem).items():
            if number in left_out or number == known.SEVERAL:
                title = titles.get(number, known.SEVERAL_TITLE)
                parts.append(f'{number}: {title}\n' + ''.join(f'\n- {known.SEPARATOR.join(case)}' for case in cases) + '\n')
    return '\n'.join(parts)


def compiled(settings: Settings, console: Console) -> Iterator[str]:
    """Compile the suites after each of their patches; what the compiler says."""
    packages.ensure(packages.for_run(settings.arch, False), console)
    tree, _ = run.trees(replace(settings, tree='patch'), console)
    whole = {name: content for name, content in tree.contents().items() if name.startswith(f'{HOME}/')}
    state: dict[str, bytes | None] = {name: None for name in whole}
    tree.rewrite = lambda: state
    with tree.locked(console), console.step('compile', settings.arch.name) as progress:
        guest = Guest(settings, tree.path)
        for number, (patch, files) in enumerate(in_tree.steps(tree.origin), 1):
            state.update({name: text.encode() for name, text in files.items() if name.startswith(f'{HOME}/')})
            tree.bring_in_step()
            if number == 1:
                guest.configure()
            try:
                guest.make(f'{HOME}/')
            except tools.Failed as failed:
                yield f'{settings.arch.name}, {patch.subject}\n{failed.first_errors()}'
            progress.note = f'{settings.arch.name}: {number} patches'
            progress.progress()


def main(env: Mapping[str, str]) -> int:
    """Run `make patch`."""
    settings = Settings.read(env)
    refuse(given(env), UNWANTED, 'make patch')
    into = results(env) / 'patch'
    lock.claim(into)
    console = Console()
    packages.ensure(patches.NEEDS, console)
    tree = source.chosen(settings, console)
    if (tree / HOME).exists():
        raise Trouble(f'KSRC={tree}: {HOME} is there already', 'type KSRC= with a kernel tree without the suites')
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    with console.step('patch') as step:
        wanted, has = lacking(settings.fixes, tree) if settings.fixes else ([], [])
        series, contents = written(wanted, tree)
        for mail in series:
            (into / mail.file).write_text(mail.text())
        step.note = f'{len(series)} patches, {len(wanted)} of them fixes'
    errors = checkpatch.of_mails(tree, into.glob('*.patch'), settings.jobs)
    if mails.contents(mails.read(into), tree) != contents:
        errors += 'git am of the mails does not leave the files that were committed\n'
    if errors:
        console.say(f'[FAILED]\n{errors.rstrip()}')
    if has:
        console.say(f'has       {", ".join(has)}: fixes of mm/series/fixes that the tree has')
    left_out = [fix.number for fix in fixes.known() if fix.number not in has] if not settings.fixes else []
    if left_out:
        (into / KNOWN).write_text(known_page(left_out))
        console.say(f'known     {len(left_out)} bugs that the tree has: {tools.shown(into / KNOWN)} lists the cases that fail')
    if 'ARCH' in given(env):
        for error in compiled(settings, console):
            console.say(f'[FAILED] {error}')
            errors += error
    console.say(f'applied   by git am to {tree.name} {source.version(tree)}')
    console.say('sign-off  none: review each patch, add your name and your Signed-off-by:, and your M: to the entry in MAINTAINERS')
    console.say(f'apply     git am {tools.shown(into)}/*.patch')
    console.say(f'run       ./tools/testing/kunit/kunit.py run --kunitconfig={HOME}')
    return exit_status.FAILED if errors else exit_status.PASSED
