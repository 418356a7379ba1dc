# SPDX-License-Identifier: GPL-2.0
"""Patches on top of a kernel: a patch, an mbox or a folder of patches. git reads the mails."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from host.console import Console
from host.errors import Trouble
from host import packages
from host import tools

DIFF = re.compile(r'^(?:--- \S+\n\+\+\+ \S+|diff --git )', re.MULTILINE)
TOUCHED = re.compile(r'^(?:diff --git a/(\S+) b/(\S+)|--- a/(\S+)|\+\+\+ b/(\S+))', re.MULTILINE)
REPLY = re.compile(r'(?:re|aw|fwd?):', re.IGNORECASE)
# A subject is [RFC PATCH v2 3/5], or the like, and a title.
SUBJECT = re.compile(r'((?:\[[^]]*\] *)*)(.*)')
VERSION = re.compile(r'(?:\b|PATCH)v(\d+)\b', re.IGNORECASE)
POSITION = re.compile(r'(?<![\w.])(\d+)/(\d+)(?![\w.])')


@dataclass(frozen=True)
class Patch:
    """The text of a patch; `name` is its subject or file name."""

    name: str
    text: str
    subject: str = ''

    @property
    def diff(self) -> str:
        """The patch without its message, which does not change the kernel."""
        match = DIFF.search(self.text)
        return self.text[match.start():] if match else ''

    @property
    def touched(self) -> set[str]:
        return {name for names in TOUCHED.findall(self.text) for name in names if name}

    def added(self) -> list[tuple[str, str]]:
        """The file and the text of each run of lines that the patch adds, without the blanks around the lines."""
        found, file = [], ''
        for header, run in re.findall(r'^\+\+\+ b/(\S+).*|((?:^\+.*\n)+)', self.diff, re.MULTILINE):
            file = header or file
            if run:
                found.append((file, '\n'.join(line[1:].strip() for line in run.splitlines())))
        return found

    @property
    def title(self) -> str:
        return str(SUBJECT.findall(self.subject)[0][1])

    @property
    def place(self) -> tuple[int, int, int]:
        """The v, n and m of [PATCH vv n/m]: n is 0 for a cover letter, n and m are 0 without numbers."""
        prefix = SUBJECT.findall(self.subject)[0][0]
        version, position = VERSION.search(prefix), POSITION.search(prefix)
        return int(version[1]) if version else 1, int(position[1]) if position else 0, int(position[2]) if position else 0

    @property
    def is_patch(self) -> bool:
        _, number, total = self.place
        return bool(self.diff and (number or not total))


@cache
def _mails(content: str, file: str) -> tuple[Patch, ...]:
    """The mails of a file, without replies; git reads a diff as a mail without headers. A single mail is named like the file."""
    packages.ensure([packages.GIT], Console())
    found = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            tools.run(['git', 'mailsplit', '-b', f'-o{folder}'], stdin=content)
            for mail in sorted(Path(folder).iterdir()):
                patch = Path(f'{mail}.patch')
                headers = tools.run(['git', 'mailinfo', '-k', '-n', '--no-scissors', '--quoted-cr=strip', f'{mail}.message', patch],
                                    stdin=mail.read_bytes().decode(errors='surrogateescape'))
                subject = ' '.join(' '.join(re.findall('^Subject: (.*)', headers, re.MULTILINE)).split())
                found.append(Patch(subject or file, patch.read_bytes().decode(errors='surrogateescape'), subject))
        except tools.Failed as failed:
            raise Trouble(f'{file}: {failed.last_line()}', 'type a patch, an mbox or a folder of *.patch', failed.output) from failed
    if len(found) == 1:
        return (replace(found[0], name=file),)
    return tuple(mail for mail in found if not REPLY.match(mail.subject) and (mail.diff or mail.place[2]))


def _from_file(file: Path) -> tuple[Patch, ...]:
    return _mails(file.read_bytes().decode(errors='surrogateescape'), file.name)


def _newest(file: Path) -> Sequence[Patch]:
    """The newest version of the series in a file, by number: the mails of a thread are in any order."""
    mails = _from_file(file)
    if len(mails) < 2:
        return mails
    *older, version = sorted({mail.place[0] for mail in mails})
    newest = sorted((mail for mail in mails if mail.place[0] == version), key=lambda mail: mail.place)
    total = newest[0].place[2]
    kept: dict[int | Patch, Patch] = {}
    for mail in newest:
        # A mail to two lists may be in the file twice.
        same = kept.setdefault(mail.place[1] if total else mail, mail)
        if mail.place[2] != total or mail.is_patch and mail.diff != same.diff:
            raise Trouble(f'{file}: two series, of "{newest[0].name}" and of "{mail.name}"', 'leave only one of them in the file')
    missing = [f'{number}/{total}' for number in range(1, total + 1) if number not in kept]
    if missing:
        raise Trouble(f'{file}: lacks {", ".join(missing)} of v{version}' + ''.join(f', but has v{other}' for other in older),
                      f'add these mails, or remove the others of v{version}')
    return [*kept.values()]


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    if (path / 'series').is_file():
        lines = (path / 'series').read_text().splitlines()
        return [path / line.split()[0] for line in lines if line.strip() and not line.startswith('#')]
    return sorted(path.glob('*.patch'))


def read(path: Path) -> list[Patch]:
    """The patches of SERIES= or FIXES=, in the order in which they apply."""
    try:
        patches = [patch for file in _files(path) for patch in _newest(file) if patch.is_patch]
    except OSError as error:
        raise Trouble(f'cannot read {error.filename}: {error.strerror}', f'check the patches in {path}') from error
    if not patches:
        raise Trouble(f'{path}: no patch found',
                      'type a patch, an mbox or a folder of *.patch, for example SERIES=v3.mbox')
    return patches


def left_out(path: Path) -> list[str]:
    """The versions of a series that read() leaves out, because their file has a newer one; one a line."""
    found = []
    for file in _files(path):
        counts = Counter(patch.place[0] for patch in _from_file(file) if patch.is_patch)
        found += [f'{file.name}: v{version}, {counts[version]} patch{"es" * (counts[version] > 1)}: v{max(counts)} is newer'
                  for version in sorted(counts)[:-1]]
    return found


def without(patches: Sequence[Patch], applied: Sequence[Patch]) -> list[Patch]:
    """The patches that are not yet applied: a series may contain a fix that it needs."""
    diffs = {patch.diff for patch in applied}
    return [patch for patch in patches if patch.diff not in diffs]


def digest(patches: Sequence[Patch]) -> str:
    """A hash of the patches in this order."""
    texts = '\0'.join(patch.diff for patch in patches)
    return hashlib.sha256(texts.encode(errors='surrogateescape')).hexdigest()[:16]


def _hunks(folder: Path) -> str:
    """The hunks that git could not apply."""
    return '\n'.join(f'{reject.relative_to(folder)}:\n{reject.read_text(errors="replace")}'
                     for reject in sorted(folder.rglob('*.rej')))


def apply(patches: Sequence[Patch], tree: Path, on_top_of: Mapping[str, bytes | None] = MappingProxyType({})
          ) -> dict[str, bytes | None]:
    """The new contents of the files that the patches touch; None for a deleted file.

    The patches are applied to copies: the tree is not written to. `on_top_of` are the contents that earlier patches left.
    """
    touched = sorted({name for patch in patches for name in patch.touched})
    with tempfile.TemporaryDirectory() as name:
        copies = Path(name)
        for file in touched:
            content = on_top_of[file] if file in on_top_of else (tree / file).read_bytes() if (tree / file).is_file() else None
            if content is not None:
                (copies / file).parent.mkdir(parents=True, exist_ok=True)
                (copies / file).write_bytes(content)
        for patch in patches:
            try:
                # Without the ceiling, git would apply to a repository that contains the folder.
                tools.run(['git', 'apply', '--reject', '-'], cwd=copies, stdin=patch.text,
                          env=tools.environment(GIT_CEILING_DIRECTORIES=str(copies.parent)))
            except tools.Failed as failed:
                errors = re.findall(r'^error: (?!while searching for)(.*)', failed.output, re.MULTILINE)
                raise Trouble(f'"{patch.name}" does not apply: {errors[0] if errors else failed.last_line()}',
                              'rebase the series on this kernel, or type KSRC= with the tree that it is based on',
                              _hunks(copies) or failed.output) from failed
        return {file: (copies / file).read_bytes() if (copies / file).is_file() else None for file in touched}
