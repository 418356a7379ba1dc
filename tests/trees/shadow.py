# SPDX-License-Identifier: GPL-2.0
"""A kernel tree of symbolic links, with the suites and a series added: the original tree is not written to."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from host.console import Console
from host.errors import Trouble
from host import lock
from host.settings import PROJECT
from host import tools
from trees import series
from trees.series import Patch

KEPT_TREES = 6
HOME = 'mm/tests/ptebatch'
PROBES = 'lib/port/probes'
STATE = '.ptebatch.json'

# Files that a build leaves in a tree, by path from the top. In a git checkout, git ignores them.
BUILT = re.compile(
    r'(.*/)?\.git(/.*)?|\.config.*|include/(config|generated)(/.*)?|arch/[^/]+/include/generated(/.*)?|\.kunit.*|'
    r'(.*/)?(.*\.(o|ko|a|cmd|mod|mod\.c|order)|\.tmp_.*|__pycache__)|vmlinux.*|System\.map|Module\.symvers|modules\..*')


def _from_git(tree: Path) -> list[str] | None:
    if not (tree / '.git').exists():
        return None
    try:
        names = tools.run(['git', 'ls-files', '-z', '-co', '--exclude-standard'], cwd=tree,
                          env=tools.environment(GIT_OPTIONAL_LOCKS='0')).split('\0')
    except (FileNotFoundError, tools.Failed):
        return None
    return [name for name in set(names) if name and os.path.lexists(tree / name)]


def _from_folder(tree: Path) -> Iterator[str]:
    top = len(str(tree)) + 1
    for folder, subfolders, names in os.walk(tree):
        inside = folder[top:] + '/' if folder[top:] else ''
        links = [name for name in subfolders if os.path.islink(os.path.join(folder, name))]
        subfolders[:] = [name for name in subfolders if name not in links and not BUILT.fullmatch(inside + name)]
        yield from (inside + name for name in names + links if not BUILT.fullmatch(inside + name))


def source_files(tree: Path) -> set[str]:
    """The files of a kernel tree, without those of a build."""
    return set(_from_git(tree) or _from_folder(tree))


def hooks(tree: Path) -> dict[str, bytes]:
    """The files of the suites, and copies of files that must not be links."""
    files = {f'{HOME}/{name}': (PROJECT / name).read_bytes() for name in ('Kconfig', 'Makefile')}
    for folder in ('lib', 'mm'):
        for path in (PROJECT / folder).rglob('*.[chS]'):
            files[f'{HOME}/{path.relative_to(PROJECT)}'] = path.read_bytes()
    files[f'{HOME}/{PROBES}'] = (PROJECT / PROBES).read_bytes()
    # kunit.py resolves links, and builds the tree that contains the real kunit.py.
    for path in (tree / 'tools/testing/kunit').rglob('*'):
        if path.is_file() and '__pycache__' not in path.parts:
            files[str(path.relative_to(tree))] = path.read_bytes()
    return files


def hooked(kconfig: bytes, makefile: bytes) -> dict[str, bytes]:
    """mm/Kconfig and mm/Makefile with the suites; unchanged if the tree has the patches of `make patch`."""
    source = f'source "{HOME}/Kconfig"\n'.encode()
    menu, end, rest = kconfig.rpartition(b'\nendmenu')
    if not end:
        raise Trouble('mm/Kconfig: no endmenu, before which the suites are added', 'type KSRC= with another kernel tree')
    if source in kconfig:
        return {'mm/Kconfig': kconfig, 'mm/Makefile': makefile}
    objects = f'obj-$(CONFIG_PTEBATCH_KUNIT_TEST) += {HOME.removeprefix("mm/")}/\n'.encode()
    return {'mm/Kconfig': menu + b'\n' + source + end + rest, 'mm/Makefile': makefile + objects}


def _read(path: Path) -> bytes | None:
    """The content of a file; None for a link to the original, or no file."""
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


def _lock_of(tree: Path) -> Path:
    return tree.with_name(tree.name + '.lock')


class Shadow:
    """The tree of links of one kernel with one series; with a name, of one series after the other."""

    def __init__(self, trees: Path, origin: Path, patches: Sequence[Patch], name: str = ''):
        self.origin = origin
        self.patches = patches
        parts = [name] if name else [patch.diff for patch in patches]
        key = hashlib.sha256('\0'.join([str(origin), *parts]).encode(errors='replace'))
        self.path = trees / f'{origin.name}-{key.hexdigest()[:8]}'
        # Returns files that are changed on top of the patches.
        self.rewrite: Callable[[], Mapping[str, bytes | None]] = dict

    @contextmanager
    def locked(self, console: Console) -> Iterator[None]:
        with lock.locked(_lock_of(self.path),
                         lambda: console.say(f'another run uses {self.path}: waiting')):
            yield

    def mark_used(self) -> None:
        """Make prune() keep the tree: each new series begins with a copy of its build."""
        if self.path.exists():
            _lock_of(self.path).touch()

    def _state(self) -> tuple[set[str], set[str], set[str]]:
        """The files that are links, those that may be, as the last update was interrupted, and those that were ever written."""
        try:
            state = json.loads((self.path / STATE).read_text())
        except FileNotFoundError:
            return set(), set(), set()
        begun = set(state.get('begun', state['linked']))    # of a former version, any may be missing
        return set(state['linked']) - begun, begun, set(state['written'])

    def _save(self, linked: set[str], begun: set[str], written: set[str]) -> None:
        new = self.path / (STATE + '.new')
        new.write_text(json.dumps({'linked': sorted(linked), 'begun': sorted(begun), 'written': sorted(written)}))
        new.replace(self.path / STATE)

    def original(self, name: str) -> bytes | None:
        path = self.origin / name
        return path.read_bytes() if path.is_file() else None

    def contents(self) -> dict[str, bytes | None]:
        """The contents of the files that differ from the origin, except for rewrite()."""
        overlay: dict[str, bytes | None] = {**hooks(self.origin)}
        overlay.update(series.apply(self.patches, self.origin))
        overlay.update(hooked(overlay.get('mm/Kconfig') or (self.origin / 'mm/Kconfig').read_bytes(),
                              overlay.get('mm/Makefile') or (self.origin / 'mm/Makefile').read_bytes()))
        return overlay

    def _overlay(self, written: set[str]) -> dict[str, bytes | None]:
        """The contents of all files that are not links.

        A file that was ever written is not replaced by a link: the link would be older than the objects built
        from the file, and make would not rebuild them.
        """
        overlay = {name: self.original(name) for name in written} | self.contents()
        return overlay | self.rewrite()

    def _write(self, name: str, content: bytes | None, built: Shadow | None) -> None:
        """Write the file if its content differs, so that make rebuilds only what depends on it.

        If the build of tree `built` is copied: a file that differs between the trees becomes newer than the copied
        objects, and an equal file gets the time that it has in `built`.
        """
        path = self.path / name
        if content is None:
            path.unlink(missing_ok=True)
            return
        built_content = _read(built.path / name) if built else None
        if _read(path) == content:
            if built and built_content != content:
                os.utime(path)
            elif built and path.stat().st_mtime_ns < (built.path / name).stat().st_mtime_ns:
                shutil.copystat(built.path / name, path)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f'.{path.name}.new')
        new.write_bytes(content)
        if (self.origin / name).is_file():
            shutil.copymode(self.origin / name, new)
        if built and built_content == content:
            shutil.copystat(built.path / name, new)
        new.replace(path)

    def _link(self, names: set[str]) -> None:
        folders = {os.path.dirname(name) for name in names}
        for folder in folders:
            (self.path / folder).mkdir(parents=True, exist_ok=True)
        for name in names:
            with suppress(FileExistsError):
                os.symlink(f'{self.origin}/{name}', f'{self.path}/{name}')

    def bring_in_step(self, built: Shadow | None = None) -> None:
        """Update the tree to its origin, the suites and the series. `built`: the tree whose build is copied to this one."""
        self.path.mkdir(parents=True, exist_ok=True)
        linked, begun, written = self._state()
        overlay = self._overlay(written | (built._state()[2] if built else set()))
        wanted = source_files(self.origin) - overlay.keys()
        old = (linked | begun) - wanted - overlay.keys()
        linked &= wanted
        # If this run is interrupted, the next one needs the names of all files that may exist.
        self._save(linked, old | wanted - linked, written | overlay.keys())
        for name in old:
            (self.path / name).unlink(missing_ok=True)
        self._link(wanted - linked)
        for name, content in overlay.items():
            self._write(name, content, built)
        self._save(wanted, set(), written | overlay.keys())

    def prepare(self, base: Shadow, *folders: str) -> None:
        """Update the tree; a new build folder begins as a copy of a similar one, so that only differences are built.

        `folders` are names of build folders, the wanted one first; they are searched in this tree and in `base`.
        """
        base.mark_used()
        wanted = self.path / folders[0]
        places = [(tree, name) for name in folders for tree in (self, base)] if not wanted.exists() else []
        for tree, name in places:
            with nullcontext(True) if tree.path == self.path else lock.locked_if_free(_lock_of(tree.path)) as free:
                if free and (tree.path / name / 'vmlinux').exists():
                    with tools.staging(wanted) as staged:
                        tools.run(['cp', '-a', '--reflink=auto', f'{tree.path}/{name}/.', str(staged)])
                        # Files that differ must be newer than the copied objects.
                        self.bring_in_step(tree)
                    return
        self.bring_in_step()


def prune(trees: Path) -> None:
    """Delete the least recently used trees, except those that a run uses."""
    found = sorted((path for path in trees.iterdir() if _lock_of(path).exists()),
                   key=lambda path: _lock_of(path).stat().st_mtime, reverse=True)
    for tree in found[KEPT_TREES:]:
        with lock.locked_if_free(_lock_of(tree)) as free:
            if free:
                shutil.rmtree(tree, ignore_errors=True)
