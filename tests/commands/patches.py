# SPDX-License-Identifier: GPL-2.0
"""`make patches`: write the mails of our series, or of SERIES=, as git format-patch does, with their recipients.

Each mail is checked by the kernel's checkpatch.pl, and the files on disk are applied by git am to the kernel without fixes.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from commands import reproduce
from figures import of_series
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host import packages
from host.packages import Need
from host.settings import PROJECT, Settings, results
from host import tools
from results.markdown import table
from trees import checkpatch
from trees import mails
from trees import maintainers
from trees.mails import Mail
from trees.maintainers import Recipients
from trees import source

SERIES = ('fixes', 'unmap', 'mprotect', 'small-folios')
HOME = PROJECT / 'mm/series'
PAGE = 'patches.md'
NEEDS = (Need('git', 'git'), Need('perl', 'perl'))

# Sentences of a message that state what was not done.
SENTENCE_END = re.compile(r'(?<=[.;])\s+')
NOT_DONE = re.compile(r'\bnot (?:tested|measured|reproduced)\b|\b(?:was|were) not (?:\w+ )?run\b|\bcompile-tested\b'
                      r'|\b(?:nothing|no [\w ]+) (?:was|were) (?:tested|measured|reproduced|run)\b', re.IGNORECASE)

INTRODUCTION = '''\
# The patches: recipients, state, and what was not tested

Generated: `make patches` writes this page to `build/patches/patches.md`; `make test` compares it with
`mm/series/patches.md`.

Maintained by: the sections of MAINTAINERS that the kernel's `scripts/get_maintainer.pl` finds, without those that match
each patch of `mm/`, and the mailing lists. Shown by: the program in [tests/reproducers](../../tests/reproducers) that
shows the bug from user space, or the reason why there is none. Not tested: the sentences of the patch's message that say
so. No patch was run on hardware.
'''


@dataclass(frozen=True)
class Written:
    """A series: its stored mails, those that were written, the recipients of each patch, and what is missing."""

    name: str
    stored: Sequence[Mail]
    mails: Sequence[Mail]
    recipients: Mapping[str, Recipients]    # by the name of the written file
    missing: str = ''

    @property
    def patches(self) -> list[Mail]:
        return [mail for mail in self.mails if mail.number]


def folders(settings: Settings) -> list[Path]:
    """The folders of SERIES=, or of all our series."""
    return [settings.series] if settings.series else [HOME / name for name in SERIES]


def _with_figures(mail: Mail, series: str) -> tuple[Mail, str]:
    """A cover letter with its figures, and why it lacks them."""
    try:
        return replace(mail, message=of_series.filled(mail.message, series)), ''
    except Trouble as trouble:
        return mail, f'{mail.file} of {series}: {trouble}\n'


def write(folder: Path, into: Path, tree: Path) -> Written:
    """Write the mails of a series."""
    stored = mails.read(folder)
    found = mails.written(mails.numbered(stored), tree)
    missing = ''
    if not found[0].number:
        found[0], missing = _with_figures(found[0], folder.name)
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    whom = {}
    for mail in found:
        (into / mail.file).write_text(mail.text())
        if mail.number:
            whom[mail.file] = maintainers.recipients(tree, into / mail.file)
    everybody = maintainers.union(whom.values())
    addressed = [replace(mail, to=each.to, cc=each.cc) for mail in found for each in [whom.get(mail.file, everybody)]]
    for mail in addressed:
        (into / mail.file).write_text(mail.text())
    return Written(folder.name, stored, addressed, whom, missing)


def applied(series: Written, into: Path, tree: Path) -> str:
    """Apply the files on disk by git am; what differs from the stored series."""
    before = mails.contents(series.stored, tree)
    after = mails.contents(mails.read(into), tree)
    return '' if before == after else f'{series.name}: git am of the mails does not leave the files of the stored patches\n'


def not_tested(mail: Mail) -> str:
    """The sentences of a mail that state what was not done."""
    text = [' '.join(paragraph.split()) for paragraph in f'{mail.message}\n\n{mail.notes}'.split('\n\n')]
    found = [sentence.rstrip(';') for paragraph in text for sentence in SENTENCE_END.split(paragraph) if NOT_DONE.search(sentence)]
    return ' '.join(sentence[0].upper() + sentence[1:].rstrip('.') + '.' for sentence in found)


def _shown_by(stored: Mail) -> str:
    """The program that shows the bug of a patch, or why there is none."""
    for known in reproduce.known():
        if known.fix == stored.file[5:].removesuffix('.patch'):
            if known.program:
                return f'[{known.program}](../../tests/reproducers/{known.program}.c)'
            return f'KUnit only: {known.reason}'
    return 'selftest' if stored.subject.startswith('selftests/') else ''


def page(written: Sequence[Written]) -> str:
    """The page of all patches: a table for each series."""
    parts = [INTRODUCTION]
    for series in written:
        rows = []
        for stored, mail in zip([mail for mail in series.stored if mail.number], series.patches):
            whom = series.recipients[mail.file]
            rows.append([f'[{stored.file[:4]}]({series.name}/{stored.file})', f'{mail.number}/{len(series.patches)}',
                         mail.subject, '; '.join(whom.sections),
                         ', '.join(name.partition('@')[0] for name in whom.lists), _shown_by(stored), not_tested(mail)])
        header = ['patch', 'mail', 'subject', 'maintained by', 'lists', 'shown by', 'not tested']
        if not any(row[5] for row in rows):
            header, rows = header[:5] + header[6:], [row[:5] + row[6:] for row in rows]
        parts.append(f'## {series.name}\n\n{table(header, rows, len(header))}\n')
    return '\n'.join(parts)


def main(env: Mapping[str, str]) -> int:
    """Run `make patches`."""
    settings = Settings.read(env)
    into = results(env) / 'patches'
    lock.claim(into)
    console = Console()
    packages.ensure(NEEDS, console)
    tree = source.chosen(settings, console)
    chosen = folders(settings)
    into.mkdir(parents=True, exist_ok=True)
    errors, written = '', []
    for folder in chosen:
        with console.step('patches', folder.name) as step:
            series = write(folder, into / folder.name, tree)
            errors += series.missing + applied(series, into / folder.name, tree)
            errors += checkpatch.of_mails(tree, (into / folder.name).glob('*.patch'), settings.jobs)
            whom = maintainers.union(series.recipients.values())
            step.note = f'{folder.name}: {len(series.patches)} patches for {len(whom.to) + len(whom.cc)} people and lists'
        written.append(series)
    (into / PAGE).write_text(page(written))
    if errors:
        console.say(f'[FAILED]\n{errors.rstrip()}')
    console.say(f'applied   by git am to {tree.name} {source.version(tree)}, without fixes')
    console.say('sign-off  none: to send a patch, review it, write your name to From:, and add your Signed-off-by:, for example')
    console.say(f'          git interpret-trailers --in-place --trailer "Signed-off-by: A B <a@example.org>" '
                f'{tools.shown(into)}/{written[0].name}/{written[0].patches[0].file}')
    console.say(f'results   {tools.shown(into)}/: {PAGE} (recipients, state), ' + ', '.join(f'{each.name}/' for each in written))
    return exit_status.FAILED if errors else exit_status.PASSED
