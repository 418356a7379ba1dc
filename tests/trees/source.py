# SPDX-License-Identifier: GPL-2.0
"""The kernel source: Debian's newest supported one, or the user's own tree."""

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
from host.settings import Settings
from host import tools

# OLDEST is the first version whose functions the suites can call; NEWEST is the last version that was tested.
OLDEST = (7, 2)
NEWEST = (7, 3)
SUITES = ('trixie-backports', 'sid')
# KERNEL=rc: the release candidates.
RC = 'rc'
RC_SUITES = ('experimental',)
KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

# The file of a fetched tree that contains Debian's version.
VERSION = '.debian-version'

OWN_TREE = 'type KSRC= with a kernel tree, for example KSRC=~/linux'


def _version_of(name: str) -> tuple[int, int] | None:
    match = re.fullmatch(r'linux-source-(\d+)\.(\d+)', name)
    return (int(match[1]), int(match[2])) if match else None


def _newest(names: list[str], wanted: str = '') -> str | None:
    """The newest supported one of Debian's source packages, or that of a version."""
    known = {version: name for name in names if (version := _version_of(name)) and OLDEST <= version <= NEWEST
             and wanted in ('', RC, '{}.{}'.format(*version))}
    return known[max(known)] if known else None


def _mirror(remedy: str) -> str:
    """The Debian mirror in this machine's apt configuration."""
    try:
        lines = tools.run(['apt-get', 'indextargets', '--format', '$(CREATED_BY) $(COMPONENT) $(REPO_URI)']).split('\n')
    except (FileNotFoundError, tools.Failed) as failed:
        raise Trouble('cannot fetch from Debian: apt is not installed', remedy) from failed
    for line in lines:
        if match := re.fullmatch(r'Packages main (\S+/debian)/', line):
            return match[1]
    raise Trouble('cannot fetch from Debian: no Debian mirror in the configuration of apt', remedy)


class PrivateApt:
    """An apt with its own lists and cache in a folder: it may use another suite, and leaves the machine's apt unchanged.

    `remedy` is for a machine without a Debian mirror.
    """

    def __init__(self, folder: Path, suite: str, remedy: str, *more: str):
        (folder / 'lists/partial').mkdir(parents=True)
        (folder / 'cache/archives/partial').mkdir(parents=True)
        sources = folder / 'sources.list'
        sources.write_text(f'deb [signed-by={KEYRING}] {_mirror(remedy)} {suite} main\n')
        self.folder = folder
        self.options = [option for setting in (
            f'Dir::Etc::sourcelist={sources}', 'Dir::Etc::sourceparts=/nonexistent',
            f'Dir::State::Lists={folder}/lists', f'Dir::Cache={folder}/cache',
            'Acquire::Languages=none', 'Acquire::Retries=2', 'Acquire::http::Timeout=20',
            # The user _apt may have no write permission here. Signatures are still checked.
            'APT::Sandbox::User=root', *more,
        ) for option in ('-o', setting)]

    def run(self, program: str, *args: str, step: Step) -> str:
        def progress() -> str:
            size = sum(file.stat().st_size for file in self.folder.rglob('*') if file.is_file())
            return f'{step.note}, {size >> 20} MiB'
        return tools.run([program, '-q', *self.options, *args], cwd=self.folder, watch=lambda: step.progress(progress))


def _fetch(folder: Path, wanted: str, step: Step) -> Path:
    """Fetch a source package into the folder: the newest supported one, or that of a version."""
    suites = RC_SUITES if wanted == RC else SUITES
    trouble = f'no {wanted or "supported"} kernel in {" or ".join(suites)}'
    for suite in suites:
        step.note = suite
        try:
            apt = PrivateApt(folder / suite, suite, OWN_TREE)
            apt.run('apt-get', 'update', '--error-on=any', step=step)
            package = _newest(apt.run('apt-cache', 'pkgnames', 'linux-source-', step=step).split(), wanted)
            if package:
                step.note = f'{package} from {suite}'
                apt.run('apt-get', 'download', package, step=step)
                return next(apt.folder.glob('*.deb'))
        except tools.Failed as failed:
            trouble = failed.last_line()
    raise Trouble(f'cannot fetch the kernel source: {trouble}', f'check the network connection, or {OWN_TREE}')


def _unpack(package: Path, into: Path, step: Step) -> None:
    step.note = package.name.split('_')[0]
    content = package.with_suffix('')
    try:
        tools.run(['dpkg-deb', '-x', str(package), str(content)], watch=step.progress)
        archive = next((content / 'usr/src').glob('linux-source-*.tar.xz'))
        tools.run(['tar', '-xf', str(archive), '-C', str(into), '--strip-components=1'], watch=step.progress)
    except (tools.Failed, StopIteration) as failed:
        raise Trouble(f'cannot unpack {package.name}: {failed}', f'try again, or {OWN_TREE}') from failed


def version(tree: Path) -> str:
    """The version of a fetched tree: Debian's, or that of the Makefile if the tree has no file with Debian's."""
    kept = tree / VERSION
    return kept.read_text().strip() if kept.exists() else '.'.join(_makefile(tree))


def fetched(cache: Path, console: Console, wanted: str = '') -> Path:
    """Debian's kernel source in the cache, fetched at the first call: the newest supported one, or that of a version."""
    end = f'-{RC}' if wanted == RC else ''

    def cached() -> str | None:
        name = _newest([path.name.removesuffix(end) for path in cache.glob(f'linux-source-*{end}')], wanted)
        return name and name + end

    cache.mkdir(parents=True, exist_ok=True)
    if not cached():
        with lock.locked(cache / '.lock', lambda: console.say('another run is fetching the kernel: waiting')):
            if not cached():
                _fetch_and_unpack(cache, wanted, end, console)
    name = cached()
    assert name
    return cache / name


def chosen(settings: Settings, console: Console) -> Path:
    """The kernel source of a run: the user's own tree, checked, or Debian's."""
    if settings.ksrc:
        check(settings.ksrc)
        return settings.ksrc
    return fetched(settings.cache / 'source', console, settings.release)


def _fetch_and_unpack(cache: Path, wanted: str, end: str, console: Console) -> None:
    _mirror(OWN_TREE)   # Without apt, these packages would not help.
    packages.ensure(packages.FETCH, console)
    with scratch(cache / '.tmp-download') as downloads:
        with console.step('fetch') as step:
            package = _fetch(downloads, wanted, step)
        with console.step('unpack') as step, tools.staging(cache / (package.name.split('_')[0] + end)) as into:
            _unpack(package, into, step)
            (into / VERSION).write_text(package.name.split('_')[1] + '\n')
            step.progress(lambda: 'deleting the archive')


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """An empty folder, deleted at the end."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _makefile(tree: Path) -> list[str]:
    """The numbers of the version in the Makefile of a kernel; as many as it contains."""
    makefile = tree / 'Makefile'
    text = makefile.read_text(errors='replace') if makefile.is_file() else ''
    numbers = dict(re.findall(r'^(VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)$', text, re.MULTILINE))
    return [numbers[name] for name in ('VERSION', 'PATCHLEVEL', 'SUBLEVEL') if name in numbers]


def check(tree: Path) -> None:
    """Trouble if the user's tree is not a kernel that the suites can test."""
    numbers = _makefile(tree)
    if len(numbers) < 2 or not (tree / 'mm/mprotect.c').is_file():
        raise Trouble(f'KSRC={tree}: not a kernel tree', 'type the top folder of a kernel tree, for example KSRC=~/linux')
    found = (int(numbers[0]), int(numbers[1]))
    if found < OLDEST:
        raise Trouble('KSRC={}: Linux {}.{} is too old'.format(tree, *found),
                      'type KSRC= with Linux {}.{} or newer'.format(*OLDEST))
    for needed in ('lib/kunit', 'tools/testing/kunit/kunit.py'):
        if not (tree / needed).exists():
            raise Trouble(f'KSRC={tree}: KUnit is missing ({needed})', 'type KSRC= with a complete kernel tree')


def commit(tree: Path) -> str | None:
    """The commit of a clean git checkout; None if it has changes, or is not a checkout.

    Not `git describe --dirty`: it refreshes the index, which writes to the user's tree.
    """
    if not (tree / '.git').exists():
        return None
    git = ['git', '-c', 'core.fsmonitor=false']
    env = tools.environment(GIT_OPTIONAL_LOCKS='0')
    try:
        if tools.run([*git, 'status', '--porcelain', '--untracked-files=no'], cwd=tree, env=env):
            return None
        return tools.run([*git, 'describe', '--always', '--abbrev=40'], cwd=tree, env=env).strip()
    except (FileNotFoundError, tools.Failed):
        return None
