# SPDX-License-Identifier: GPL-2.0
"""The kernel's source: Debian's newest that the suites know, or the user's own tree."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from host.console import Console, Step
from host.errors import Trouble
from host import lock
from host import packages
from host import tools

# The suites call functions as they are from OLDEST on; NEWEST is what they were last run on.
OLDEST = (7, 3)
NEWEST = (7, 3)
SUITES = ('trixie-backports', 'sid')
KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

# Where a fetched tree keeps Debian's version of it.
VERSION = '.debian-version'

OWN_TREE = 'give KSRC= a kernel tree'


def _version_of(name: str) -> tuple[int, int] | None:
    match = re.fullmatch(r'linux-source-(\d+)\.(\d+)', name)
    return (int(match[1]), int(match[2])) if match else None


def _newest(names: list[str]) -> str | None:
    """The newest of Debian's source packages that the suites know."""
    known = {version: name for name in names if (version := _version_of(name)) and OLDEST <= version <= NEWEST}
    return known[max(known)] if known else None


def _mirror() -> str:
    """Where this machine's own apt gets Debian from."""
    try:
        lines = tools.run(['apt-get', 'indextargets', '--format', '$(CREATED_BY) $(COMPONENT) $(REPO_URI)']).split('\n')
    except (FileNotFoundError, tools.Failed) as failed:
        raise Trouble('no kernel source, and no apt to fetch one', OWN_TREE) from failed
    for line in lines:
        if match := re.fullmatch(r'Packages main (\S+/debian)/', line):
            return match[1]
    raise Trouble('no kernel source, and apt knows no Debian mirror to fetch one from', OWN_TREE)


class PrivateApt:
    """An apt of our own in a folder: another suite, and nothing of the machine's is changed."""

    def __init__(self, folder: Path, suite: str, *more: str):
        (folder / 'lists/partial').mkdir(parents=True)
        (folder / 'cache/archives/partial').mkdir(parents=True)
        sources = folder / 'sources.list'
        sources.write_text(f'deb [signed-by={KEYRING}] {_mirror()} {suite} main\n')
        self.folder = folder
        self.options = [option for setting in (
            f'Dir::Etc::sourcelist={sources}', 'Dir::Etc::sourceparts=/nonexistent',
            f'Dir::State::Lists={folder}/lists', f'Dir::Cache={folder}/cache',
            'Acquire::Languages=none', 'Acquire::Retries=2', 'Acquire::http::Timeout=20',
            # It may not be able to write here; the signature is checked all the same.
            'APT::Sandbox::User=root', *more,
        ) for option in ('-o', setting)]

    def run(self, program: str, *args: str, step: Step) -> str:
        def watch() -> None:
            size = sum(file.stat().st_size for file in self.folder.rglob('*') if file.is_file())
            step.progress(f'{step.note}, {size >> 20} MiB')
        return tools.run([program, '-q', *self.options, *args], cwd=self.folder, watch=watch)


def _fetch(folder: Path, step: Step) -> Path:
    """Fetch the newest source package known into the folder."""
    trouble = 'no suite has a kernel that the suites know'
    for suite in SUITES:
        step.note = suite
        try:
            apt = PrivateApt(folder / suite, suite)
            apt.run('apt-get', 'update', '--error-on=any', step=step)
            package = _newest(apt.run('apt-cache', 'pkgnames', 'linux-source-', step=step).split())
            if package:
                step.note = f'{package} from {suite}'
                apt.run('apt-get', 'download', package, step=step)
                return next(apt.folder.glob('*.deb'))
        except tools.Failed as failed:
            trouble = failed.last_line()
    raise Trouble(f'no kernel source here, and none could be fetched: {trouble}', f'see to the network, or {OWN_TREE}')


def _unpack(package: Path, into: Path, step: Step) -> None:
    step.note = package.name.split('_')[0]
    content = package.with_suffix('')
    try:
        tools.run(['dpkg-deb', '-x', str(package), str(content)], watch=lambda: step.progress(step.note))
        archive = next((content / 'usr/src').glob('linux-source-*.tar.xz'))
        tools.run(['tar', '-xf', str(archive), '-C', str(into), '--strip-components=1'],
                  watch=lambda: step.progress(step.note))
    except (tools.Failed, StopIteration) as failed:
        raise Trouble(f'{package.name} does not unpack: {failed}', f'try again, or {OWN_TREE}') from failed


def version(tree: Path) -> str:
    """Of a tree that was fetched: Debian's, or that in its Makefile if Debian's was not kept."""
    kept = tree / VERSION
    return kept.read_text().strip() if kept.exists() else '.'.join(_makefile(tree))


def fetched(cache: Path, console: Console) -> Path:
    """Debian's kernel source in the cache; fetched if there is none yet."""
    def have() -> str | None:
        return _newest([path.name for path in cache.glob('linux-source-*')])

    cache.mkdir(parents=True, exist_ok=True)
    if not have():
        with lock.locked(cache / '.lock', lambda: console.say('another run is fetching the kernel: waiting')):
            if not have():
                _fetch_and_unpack(cache, console)
    name = have()
    assert name
    return cache / name


def _fetch_and_unpack(cache: Path, console: Console) -> None:
    packages.ensure(packages.FETCH, console)
    with scratch(cache / '.tmp-download') as downloads:
        with console.step('fetch') as step:
            package = _fetch(downloads, step)
        with console.step('unpack') as step, tools.staging(cache / package.name.split('_')[0]) as into:
            _unpack(package, into, step)
            (into / VERSION).write_text(package.name.split('_')[1] + '\n')
            step.progress('tidying up')


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """A folder that is empty at first and gone afterwards."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _makefile(tree: Path) -> list[str]:
    """The numbers of a kernel's version, as far as its Makefile has them."""
    makefile = tree / 'Makefile'
    text = makefile.read_text(errors='replace') if makefile.is_file() else ''
    numbers = dict(re.findall(r'^(VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)$', text, re.MULTILINE))
    return [numbers[name] for name in ('VERSION', 'PATCHLEVEL', 'SUBLEVEL') if name in numbers]


def check(tree: Path) -> None:
    """Is the user's tree a kernel that the suites can test?"""
    numbers = _makefile(tree)
    if len(numbers) < 2 or not (tree / 'mm/mprotect.c').is_file():
        raise Trouble(f'KSRC={tree} is no kernel tree', 'give the top folder of one')
    found = (int(numbers[0]), int(numbers[1]))
    if found < OLDEST:
        raise Trouble('KSRC={} is Linux {}.{}, too old'.format(tree, *found),
                      'give {}.{} or newer'.format(*OLDEST))
    for needed in ('lib/kunit', 'tools/testing/kunit/kunit.py'):
        if not (tree / needed).exists():
            raise Trouble(f'KSRC={tree} lacks KUnit ({needed})', 'give a complete kernel tree')
