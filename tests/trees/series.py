# SPDX-License-Identifier: GPL-2.0
"""Patches on top of a kernel: a patch, an mbox or a folder of patches."""

from __future__ import annotations

import email.message
import email.policy
import hashlib
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from host.errors import Trouble
from host import tools

# The line with which git and mail programs begin each message of an mbox.
MBOX_FROM = re.compile(rb'^From \S+ .*\d\d:\d\d:\d\d \d{4}.*\n', re.MULTILINE)
DIFF = re.compile(r'^(?:--- \S+\n\+\+\+ \S+|diff --git )', re.MULTILINE)
TOUCHED = re.compile(r'^(?:diff --git a/(\S+) b/(\S+)|--- a/(\S+)|\+\+\+ b/(\S+))', re.MULTILINE)


@dataclass(frozen=True)
class Patch:
    """The text of a patch; `name` is its subject or file name."""

    name: str
    text: str

    @property
    def is_patch(self) -> bool:
        return bool(self.diff)

    @property
    def diff(self) -> str:
        """The patch without its message, which does not change the kernel."""
        match = DIFF.search(self.text)
        return self.text[match.start():] if match else ''

    @property
    def touched(self) -> set[str]:
        return {name for names in TOUCHED.findall(self.text) for name in names if name}


def _from_mail(message: bytes, file: str) -> Patch:
    mail = email.message_from_bytes(message, policy=email.policy.default)
    assert isinstance(mail, email.message.EmailMessage)
    body = mail.get_body(('plain',))
    content = body.get_content() if isinstance(body, email.message.EmailMessage) else ''
    return Patch(str(mail['subject'] or file), content.replace('\r\n', '\n'))


def _position(patch: Patch) -> int:
    """The n of [PATCH n/m]: the messages of a thread are in any order."""
    match = re.match(r'\[[^]]*\b(\d+)/\d+\]', patch.name)
    return int(match[1]) if match else 0


def _from_file(file: Path) -> list[Patch]:
    content = file.read_bytes()
    starts = [match.end() for match in MBOX_FROM.finditer(content)]
    if not starts:
        return [Patch(file.name, content.decode(errors='surrogateescape'))]
    ends = [match.start() for match in MBOX_FROM.finditer(content)][1:] + [len(content)]
    mails = [_from_mail(content[start:end], file.name) for start, end in zip(starts, ends)]
    if len(mails) == 1:
        return [Patch(file.name, mails[0].text)]
    return sorted((mail for mail in mails if not mail.name.lower().startswith('re:')), key=_position)


def read(path: Path) -> list[Patch]:
    """The patches of SERIES= or FIXES=, in the order in which they apply."""
    if not path.is_dir():
        files = [path]
    elif (path / 'series').is_file():
        lines = (path / 'series').read_text().splitlines()
        files = [path / line.split()[0] for line in lines if line.strip() and not line.startswith('#')]
    else:
        files = sorted(path.glob('*.patch'))
    try:
        patches = [patch for file in files for patch in _from_file(file) if patch.is_patch]
    except OSError as error:
        raise Trouble(f'cannot read {error.filename}: {error.strerror}', f'check the patches in {path}') from error
    if not patches:
        raise Trouble(f'{path}: no patch found',
                      'type a patch, an mbox or a folder of *.patch, for example SERIES=v3.mbox')
    return patches


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


def apply(patches: Sequence[Patch], tree: Path) -> dict[str, bytes | None]:
    """The new contents of the files that the patches touch; None for a deleted file.

    The patches are applied to copies: the tree is not written to.
    """
    touched = sorted({name for patch in patches for name in patch.touched})
    with tempfile.TemporaryDirectory() as name:
        copies = Path(name)
        for file in touched:
            if (tree / file).is_file():
                (copies / file).parent.mkdir(parents=True, exist_ok=True)
                (copies / file).write_bytes((tree / file).read_bytes())
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
