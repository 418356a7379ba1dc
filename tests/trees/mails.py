# SPDX-License-Identifier: GPL-2.0
"""The mails of a patch series, as git format-patch writes them, and a scratch repository that applies them by git am."""

from __future__ import annotations

import email
import email.policy
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from host.errors import Trouble
from host import tools
from trees.series import TOUCHED

FILE = re.compile(r'\d{4}-.+\.patch')
PREFIX = re.compile(r'^\[PATCH[^]]*\] *')
# The number of a file, with which a cover letter or a note refers to a patch.
NUMBER = re.compile(r'(?<![\w.-])0\d{3}(?![\w-]|\.\d)')
# The same at the beginning of an indented line, in a list with aligned numbers.
LISTED = re.compile(r'^( +)(0\d{3})(?= )', re.MULTILINE)
# The first line of a diffstat.
DIFFSTAT = re.compile(r'^ \S.* \| +(?:\d+ [+-]*|Bin .*|0)$', re.MULTILINE)
# Without the user's configuration, which can change what git writes, for example the prefixes of a diff.
GIT = {'GIT_CONFIG_GLOBAL': '/dev/null', 'GIT_CONFIG_NOSYSTEM': '1', 'GIT_AUTHOR_NAME': 'ptebatch',
       'GIT_AUTHOR_EMAIL': 'ptebatch@localhost', 'GIT_COMMITTER_NAME': 'ptebatch', 'GIT_COMMITTER_EMAIL': 'ptebatch@localhost'}
BASE = 'base'
WIDTH = 72


@dataclass(frozen=True)
class Mail:
    """A mail of a series. `notes` follow the line "---": they are not part of the commit."""

    file: str
    author: str
    date: str
    prefix: str     # of the subject: PATCH, or PATCH 2/9
    subject: str
    message: str
    notes: str
    diff: str       # with the diffstat
    to: Sequence[str] = ()
    cc: Sequence[str] = ()

    @property
    def number(self) -> int:
        """The number of the file: 0 for a cover letter."""
        return int(self.file[:4])

    @property
    def touched(self) -> set[str]:
        """The files that the patch changes."""
        return {name for names in TOUCHED.findall(self.diff) for name in names if name}

    def text(self) -> str:
        """The mail as git send-email and git am read it."""
        parts = [self.message, self.diff] if not self.number else [
            self.message + '\n---' + (f'\n{self.notes}' if self.notes else ''), self.diff]
        body = ('\n\n' if self.notes or not self.number else '\n').join(parts)
        lines = ['From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001', f'From: {self.author}',
                 f'Date: {self.date}', *_wrapped(f'Subject: [{self.prefix}] {self.subject}'),
                 *_addresses('To', self.to), *_addresses('Cc', self.cc)]
        if not body.isascii():
            lines += ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=UTF-8', 'Content-Transfer-Encoding: 8bit']
        return '\n'.join(lines) + f'\n\n{body}'


def _wrapped(header: str) -> list[str]:
    """The lines of a header, as git wraps them."""
    lines = ['']
    for word in header.split():
        if lines[-1].strip() and len(f'{lines[-1]} {word}') > WIDTH + len('Subject: '):
            lines.append('')
        lines[-1] += f' {word}' if lines[-1] or len(lines) > 1 else word
    return lines


def _addresses(name: str, addresses: Sequence[str]) -> list[str]:
    """A header with an address on each line, as git format-patch --to writes it."""
    separator = ',\n    '
    return f'{name}: {separator.join(addresses)}'.split('\n') if addresses else []


def _read(path: Path) -> Mail:
    text = path.read_text()
    if text.startswith('From '):
        text = text.partition('\n')[2]
    mail = email.message_from_string(text, policy=email.policy.compat32)
    headers = {name: ' '.join(str(mail[name] or '').split()) for name in ('From', 'Date', 'Subject')}
    for name, value in headers.items():
        if not value:
            raise Trouble(f'{path}: not a mail: no header {name}:', 'write the patch with git format-patch')
    message, _, rest = str(mail.get_payload()).partition('\n---\n')
    stat = DIFFSTAT.search(rest)
    at = stat.start() if stat else len(rest)
    return Mail(path.name, headers['From'], headers['Date'], 'PATCH', PREFIX.sub('', headers['Subject']), message.strip('\n'),
                rest[:at].strip('\n'), rest[at:])


def read(folder: Path) -> list[Mail]:
    """The mails of a folder of git format-patch, by number; the cover letter, if any, is the first."""
    files = [path for path in sorted(folder.iterdir()) if FILE.fullmatch(path.name)] if folder.is_dir() else []
    mails = [_read(path) for path in files]
    if not any(mail.number for mail in mails):
        raise Trouble(f'{folder}: no mails of git format-patch', 'type a folder of them, for example SERIES=mm/series/fixes')
    for mail in mails:
        if mail.number and not mail.diff:
            raise Trouble(f'{folder / mail.file}: no patch with a diffstat', 'write it with git format-patch')
    return mails


def numbered(mails: Sequence[Mail]) -> list[Mail]:
    """The mails as [PATCH n/m] without gaps: in the subjects, the file names, and what the text calls 0012."""
    patches = [mail for mail in mails if mail.number]
    digits = len(str(len(patches)))
    numbers = {mail.file[:4]: number for number, mail in enumerate(patches, 1)}

    def renamed(mail: Mail, text: str) -> str:
        for name in NUMBER.findall(text):
            if name not in numbers:
                raise Trouble(f'{mail.file} refers to patch {name}, which the series does not have', 'correct its text')
        text = LISTED.sub(lambda match: match[1] + str(numbers[match[2]]).rjust(digits), text)
        return NUMBER.sub(lambda match: str(numbers[match[0]]), text)

    def changed(mail: Mail) -> Mail:
        number = numbers[mail.file[:4]] if mail.number else 0
        return replace(
            mail, file=f'{number:04}{mail.file[4:]}', notes=renamed(mail, mail.notes),
            prefix='PATCH' if len(mails) == 1 else f'PATCH {number:0{digits}}/{len(patches)}',
            message=mail.message if mail.number else renamed(mail, mail.message))

    return [changed(mail) for mail in mails]


class Repository:
    """A git repository of the files of a kernel tree that a series touches; the tree is not written to."""

    def __init__(self, folder: Path, tree: Path, files: Iterable[str]):
        self.folder = folder
        self.git('init', '-q', '--template=')
        for file in sorted(files):
            if (tree / file).is_file():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_bytes((tree / file).read_bytes())
        self.git('add', '-A')
        self.git('commit', '-q', '--allow-empty', '-m', BASE)
        self.git('branch', '-m', BASE)
        self.git('checkout', '-q', '--detach')

    def git(self, *args: str, stdin: str = '') -> str:
        """The output of a git command."""
        env: Mapping[str, str] = tools.environment(**GIT, HOME=str(self.folder), GIT_CEILING_DIRECTORIES=str(self.folder.parent))
        return tools.run(['git', *args], cwd=self.folder, env=env, stdin=stdin)

    def apply(self, mail: Mail) -> None:
        """Apply a patch by git am."""
        try:
            self.git('am', '-q', '--no-3way', stdin=mail.text())
        except tools.Failed as failed:
            # git says where it stopped, and what one can do in the repository, which the user does not see.
            details = '\n'.join(line for line in failed.output.splitlines() if not line.startswith(('hint:', 'When you')))
            raise Trouble(f'git am does not apply {mail.file}', 'rebase the series on this kernel, or type KSRC= with the '
                          'tree that it is based on', details) from failed

    def commit(self, message: str, files: Mapping[str, str]) -> None:
        """Write files, and commit them."""
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)
        self.git('add', '-A')
        self.git('commit', '-q', '-F', '-', stdin=message)

    def diff(self) -> str:
        """The last commit as git format-patch writes it: diffstat and diff."""
        text = self.git('format-patch', '-1', '--stdout', '--no-signature', '--abbrev=12')
        return text.partition('\n---\n')[2].rstrip('\n') + '\n'

    def diffstat(self) -> str:
        """The diffstat of all commits."""
        return self.git('diff', f'--stat={WIDTH}', '--summary', BASE, 'HEAD')

    def contents(self) -> str:
        """The hash of the files."""
        return self.git('rev-parse', 'HEAD^{tree}')


@contextmanager
def repository(tree: Path, mails: Sequence[Mail]) -> Iterator[Repository]:
    """A repository for these mails, deleted afterwards."""
    with tempfile.TemporaryDirectory() as name:
        yield Repository(Path(name), tree, {file for mail in mails for file in mail.touched})


def written(mails: Sequence[Mail], tree: Path) -> list[Mail]:
    """The mails with diffs as git writes them on this tree, and a cover letter with the subjects and the diffstat of all."""
    found = []
    with repository(tree, mails) as scratch:
        for mail in mails:
            if mail.number:
                scratch.apply(mail)
                mail = replace(mail, diff=scratch.diff())
            found.append(mail)
        subjects = ''.join(f'{number:>3}  {mail.subject}\n' for number, mail in enumerate(found[not found[0].number:], 1))
        return [mail if mail.number else replace(mail, diff=f'{subjects}\n{scratch.diffstat()}') for mail in found]


def contents(mails: Sequence[Mail], tree: Path) -> str:
    """The hash of the files after git am of all patches."""
    with repository(tree, mails) as scratch:
        for mail in mails:
            if mail.number:
                scratch.apply(mail)
        return scratch.contents()
