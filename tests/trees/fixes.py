# SPDX-License-Identifier: GPL-2.0
"""Which of our fixes a kernel tree has, found from its source."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from host.settings import PROJECT
from host import tools
from trees import series
from trees.series import Patch

FOLDER = PROJECT / 'mm/series/fixes'
HAS, LACKS, CANNOT_TELL = 'has', 'lacks', 'cannot tell'
TELLING = 30    # characters of a text that is not found by chance
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
    return [Fix(patch.name[:4], patch.title, patch) for patch in series.read(FOLDER)
            if not all(name.startswith('tools/') for name in patch.touched)]


def _applies(patch: Patch, folder: Path, *options: str) -> bool:
    """Apply a patch to a folder if it applies as a whole."""
    # Without git: it is asked about each fix, in both directions.
    if '/dev/null' not in patch.diff and not all((folder / file).is_file() for file in patch.touched):
        return False
    try:
        tools.run(['git', 'apply', *options, '-'], cwd=folder, stdin=patch.diff,
                  env=tools.environment(GIT_CEILING_DIRECTORIES=str(folder.parent)))
    except tools.Failed:
        return False
    return True


@contextmanager
def _copy(origin: Path, overlay: Mapping[str, bytes | None], patches: Sequence[Patch] = ()) -> Iterator[Path]:
    """A folder with the files that the fixes and other patches touch, from the overlay or the tree."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in {file for patch in (*(fix.patch for fix in known()), *patches) for file in patch.touched}:
            content = overlay[file] if file in overlay else (origin / file).read_bytes() if (origin / file).is_file() else None
            if content is not None:
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_bytes(content)
        yield folder


def without(number: str, origin: Path) -> list[str]:
    """The fixes to leave out of a tree for it to lack one of them: that one, and those that do not apply without it."""
    with _copy(origin, {}) as folder:
        return [fix.number for fix in known() if fix.number == number or not _applies(fix.patch, folder)]


def unapplied(origin: Path, patches: Mapping[str, Sequence[Patch]]) -> list[str]:
    """The names of series that do not apply, each alone, to a tree with those of the fixes that apply."""
    found = []
    with _copy(origin, {}, [patch for each in patches.values() for patch in each]) as folder:
        for fix in known():
            _applies(fix.patch, folder)
        before = {path: path.read_bytes() for path in folder.rglob('*') if path.is_file()}
        for name, each in patches.items():
            if len(each) == 1:
                applies = _applies(each[0], folder, '--check')
            else:
                applies = all(_applies(patch, folder) for patch in each)
                for path, content in before.items():
                    path.write_bytes(content)
            if not applies:
                found.append(name)
    return found


def _has_lines(patch: Patch, folder: Path) -> bool | None:
    """Whether the files have most of the text that a patch adds; None if a file is missing, or the text is too short to tell."""
    files = {file: '\n'.join(map(str.strip, (folder / file).read_text(errors='replace').splitlines()))
             for file in patch.touched if (folder / file).is_file()}
    if len(files) < len(patch.touched):
        return None
    added = [(file, text) for file, text in patch.added() if len(text) >= TELLING]
    there = sum(len(text) for file, text in added if text in files.get(file, ''))
    return there * 2 > sum(len(text) for _, text in added) if added else None


def states(origin: Path, patches: Sequence[Patch] = ()) -> Mapping[str, str]:
    """Whether the tree with these patches has each fix, by number.

    A fix that can be taken away is there, one that can be applied is not. The last one is taken away first, since a fix
    may change lines of an earlier one. In another kernel, where it can be neither, the text that it adds is sought.
    """
    applied = {patch.diff for patch in patches}
    if all(fix.patch.diff in applied for fix in known()):
        return {fix.number: HAS for fix in known()}
    overlay = series.apply(patches, origin)
    found: dict[str, str] = {}
    with _copy(origin, overlay) as folder:
        for fix in reversed(known()):
            if _applies(fix.patch, folder, '--reverse'):
                found[fix.number] = HAS
        for fix in known():
            applies = _applies(fix.patch, folder)
            lacks = applies or _has_lines(fix.patch, folder) is False
            found.setdefault(fix.number, LACKS if lacks else CANNOT_TELL)
    return {fix.number: HAS if fix.patch.diff in applied else found[fix.number] for fix in known()}


def with_series(origin: Path, base: Sequence[Patch], patches: Sequence[Patch]) -> Mapping[str, str]:
    """The states of a tree with a series: `base` are the patches without it, `patches` all of them.

    A fix is only lacking if the tree lacks it without the series, too: a series that reverts a fix adds the bug.
    """
    after = states(origin, patches)
    if list(base) == list(patches):
        return after
    before = states(origin, base)
    return {number: state if state == HAS or before[number] == LACKS else before[number] for number, state in after.items()}


def needed(arch: str, origin: Path, base: Sequence[Patch], patches: Sequence[Patch]) -> list[Patch]:
    """The fixes without which the suites do not run to their end on an architecture, if the tree lacks them."""
    wanted = [fix for fix in known() if fix.number == NEEDED.get(arch)]
    if not wanted or with_series(origin, base, patches)[wanted[0].number] != LACKS:
        return []
    return [fix.patch for fix in wanted]
