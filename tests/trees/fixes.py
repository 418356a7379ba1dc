# SPDX-License-Identifier: GPL-2.0
"""Which of our fixes a kernel tree has, found from its source."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from host.settings import PROJECT
from host import tools
from trees import series
from trees.series import Patch

FOLDER = PROJECT / 'mm/series/fixes'
HAS, LACKS, CANNOT_TELL = 'has', 'lacks', 'cannot tell'
SUBJECT = re.compile(r'^Subject: \[PATCH\] (.*(?:\n .*)*)', re.MULTILINE)
# Without this fix, set_ptes() of UML maps wrong pages, and suites crash instead of failing.
NEEDED = {'um': '0001'}


@dataclass(frozen=True)
class Fix:
    """A patch of mm/series/fixes, its subject, and the number by which the bug is known."""

    number: str
    title: str
    patch: Patch


@cache
def known() -> Sequence[Fix]:
    """The fixes of the kernel, without the patches of its selftests."""
    subjects = {patch.name: SUBJECT.search((FOLDER / patch.name).read_text()) for patch in series.read(FOLDER)}
    return [Fix(patch.name[:4], ' '.join(subject[1].split()), patch) for patch in series.read(FOLDER)
            if (subject := subjects[patch.name]) and not all(name.startswith('tools/') for name in patch.touched)]


def _applies(patch: Patch, folder: Path, *options: str) -> bool:
    """Apply a patch to a folder if it applies as a whole."""
    try:
        tools.run(['git', 'apply', *options, '-'], cwd=folder, stdin=patch.text,
                  env=tools.environment(GIT_CEILING_DIRECTORIES=str(folder.parent)))
    except tools.Failed:
        return False
    return True


def states(origin: Path, patches: Sequence[Patch] = ()) -> Mapping[str, str]:
    """Whether the tree with these patches has each fix, by number.

    A fix that can be taken away is there, one that can be applied is not. The last one is taken away first, since a fix
    may change lines of an earlier one.
    """
    applied = {patch.diff for patch in patches}
    if all(fix.patch.diff in applied for fix in known()):
        return {fix.number: HAS for fix in known()}
    overlay = series.apply(patches, origin)
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in {file for fix in known() for file in fix.patch.touched}:
            content = overlay[file] if file in overlay else (origin / file).read_bytes() if (origin / file).is_file() else None
            if content is not None:
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_bytes(content)
        for fix in reversed(known()):
            if _applies(fix.patch, folder, '--reverse'):
                found[fix.number] = HAS
        for fix in known():
            applies = _applies(fix.patch, folder)
            found.setdefault(fix.number, LACKS if applies else CANNOT_TELL)
    return {fix.number: HAS if fix.patch.diff in applied else found[fix.number] for fix in known()}


def needed(arch: str, origin: Path, patches: Sequence[Patch]) -> list[Patch]:
    """The fixes without which the suites do not run to their end on an architecture, if the tree lacks them."""
    wanted = [fix for fix in known() if fix.number == NEEDED.get(arch)]
    if not wanted or states(origin, patches)[wanted[0].number] != LACKS:
        return []
    return [fix.patch for fix in wanted]
