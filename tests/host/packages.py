# SPDX-License-Identifier: GPL-2.0
"""The programs that a command needs, their installation by apt, and their names in other distributions.

`python3 -m tests packages um arm64` prints the packages that these architectures need.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from host import architecture
from host.architecture import Arch
from host.console import Console
from host.errors import Trouble
from host import tools

PYTHON = '/usr/bin/python3'     # Debian's interpreter
# The PATH of users other than root may lack the last two folders.
PATH = f'{os.environ.get("PATH", os.defpath)}:/usr/sbin:/sbin'
TABLE = Path(__file__).with_name('packages.csv')
# By package manager: the command that installs packages. Only apt is ever run.
MANAGERS = {'apt': 'apt install', 'dnf': 'dnf install', 'pacman': 'pacman -S', 'zypper': 'zypper install'}


@dataclass(frozen=True)
class Need:
    """A program, or a header of a compiler, and the Debian package that contains it."""

    name: str
    package: str
    compiler: str = ''

    def is_installed(self) -> bool:
        if not self.compiler:
            return shutil.which(self.name, path=PATH) is not None
        try:
            tools.run([self.compiler, '-E', '-x', 'c', '-include', self.name, '/dev/null'])
        except (tools.Failed, FileNotFoundError):
            return False
        return True


@dataclass(frozen=True)
class Module(Need):
    """A module of Debian's interpreter. That another one has it does not help: it may lack the next module."""

    def is_installed(self) -> bool:
        try:
            tools.run([PYTHON, '-c', f'import {self.name}'])
        except (tools.Failed, FileNotFoundError):
            return False
        return True


JINJA2 = Module('jinja2', 'python3-jinja2')
MATPLOTLIB = Module('matplotlib', 'python3-matplotlib')
SELENIUM = Module('selenium', 'python3-selenium')
CHROMIUM = Need('chromedriver', 'chromium-driver')  # which needs chromium
CSCOPE = Need('cscope', 'cscope')
CTAGS = Need('ctags', 'universal-ctags')
GCOVR = Need('gcovr', 'gcovr')
GIT = Need('git', 'git')
LAVA = Module('lava_common', 'lava-common')     # checks the job in tests/ci
MKE2FS = Need('mke2fs', 'e2fsprogs')
BUILD = (
    Need('gcc', 'gcc'), Need('stdio.h', 'libc6-dev', 'gcc'), Need('make', 'make'), Need('ccache', 'ccache'),
    Need('flex', 'flex'), Need('bison', 'bison'), Need('bc', 'bc'), Need('perl', 'perl'), GIT,
)
FETCH = (Need('dpkg-deb', 'dpkg'), Need('tar', 'tar'), Need('xz', 'xz-utils'))
# Libraries that the selftests link, and shells of their guest.
SELFTEST_LIBRARIES = (
    Need('sys/capability.h', 'libcap-dev', 'gcc'), Need('numa.h', 'libnuma-dev', 'gcc'),
    Need('liburing.h', 'liburing-dev', 'gcc'), Need('busybox', 'busybox-static'), Need('bash-static', 'bash-static'),
)
TEST = (
    Need('shellcheck', 'shellcheck'), Need('sparse', 'sparse'), Need('mypy', 'mypy'), Need('pytest-3', 'python3-pytest'),
    Module('xdist', 'python3-pytest-xdist'), JINJA2, MATPLOTLIB, SELENIUM, CHROMIUM, CSCOPE, CTAGS, LAVA,
    Need('curl', 'curl'), *SELFTEST_LIBRARIES,
)


def go_on_with(modules: Iterable[Module], *command: str) -> None:
    """Run the command in Debian's interpreter if this one lacks modules that were installed."""
    if not all(find_spec(module.name) for module in modules) and sys.executable != PYTHON:
        os.execv(PYTHON, [PYTHON, str(Path(__file__).resolve().parents[1]), *command])


def for_run(arch: Arch, loadable: bool) -> Iterable[Need]:
    """What a run on that architecture needs, except to fetch a kernel."""
    yield from BUILD
    if arch.emulated:
        yield Need(arch.qemu, arch.qemu_package)
    if arch.name == 'x86_64':
        yield Need('gelf.h', 'libelf-dev', 'gcc')     # for objtool
    if arch.cross_compile:
        yield Need(arch.cross_compile + 'gcc', 'gcc-' + arch.gnu.replace('_', '-'))
    if loadable:
        yield _libc(arch)


def _libc(arch: Arch) -> Need:
    """The C library for programs of the guest."""
    cross = f'-{arch.debian}-cross' if arch.cross_compile else ''
    return Need('asm/unistd.h', 'libc6-dev' + cross, arch.cross_compile + 'gcc')


def for_selftests(arch: Arch) -> Iterable[Need]:
    """What the kernel's own selftests need, except the libraries of their architecture."""
    yield from for_run(arch, loadable=False)
    yield _libc(arch)


def in_distribution(manager: str, wanted: Iterable[str]) -> tuple[list[str], list[str]]:
    """The names that a package manager has for Debian's packages, and Debian's names of those that it is not known to have."""
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith('#')]
    names = {row['apt']: row[manager].split() for row in csv.DictReader(lines)}
    found, unknown = set[str](), []
    for package in sorted({*wanted}):
        found.update(names.get(package, ()))
        if not names.get(package):
            unknown.append(package)
    return sorted(found), unknown


def _by_hand(wanted: Sequence[str]) -> str:
    """What to type where the tools cannot install packages: there is no apt, or the user cannot become root."""
    debian = f'in Debian, as root: apt install {" ".join(wanted)}'
    manager = next((name for name in MANAGERS if shutil.which(name, path=PATH)), 'apt')
    if manager == 'apt':
        return f'install them ({debian})'
    found, unknown = in_distribution(manager, wanted)
    typed = f'type: {MANAGERS[manager]} {" ".join(found)} (names that were never tried)' if found else 'install them'
    return typed + (f'; no package of {manager} is known for {" ".join(unknown)} ({debian})' if unknown else '')


def _as_root() -> list[str] | None:
    """The prefix of a command that runs it as root; None if the user cannot become root."""
    if os.geteuid() == 0:
        return []
    if not shutil.which('sudo'):
        return None
    if not sys.stdin.isatty():
        try:
            tools.run(['sudo', '-n', 'true'])
        except tools.Failed:
            return None
    return ['sudo']


def may_install(packages: Iterable[str], program: str = 'apt') -> bool:
    """The user agreed to install packages: by INSTALL=yes, by CI=true or on the terminal."""
    install = os.environ.get('INSTALL', '')
    if install not in ('', 'yes', 'no'):
        raise Trouble(f'INSTALL={install}: expected yes or no', 'type INSTALL=yes to install missing packages')
    if install or os.environ.get('CI') == 'true':
        return install != 'no'
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return input(f'{program} install {" ".join(packages)}? [y/N] ').strip().lower() in ('y', 'yes')


def ensure(needs: Iterable[Need], console: Console) -> None:
    """Install the missing packages; Trouble if the user does not agree or apt fails."""
    missing = [need for need in needs if not need.is_installed()]
    if not missing:
        return
    names = ', '.join(need.name for need in missing)
    packages = sorted({need.package for need in missing})
    root = _as_root()
    if not shutil.which('apt-get') or root is None:
        raise Trouble(f'missing: {names}', _by_hand(packages))
    if not may_install(packages):
        raise Trouble(f'missing: {names}', f'add INSTALL=yes, or type: apt install {" ".join(packages)}')
    apt = [*root, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-o', 'DPkg::Lock::Timeout=120']
    with console.step('packages', 'apt installs ' + ' '.join(packages)) as step:
        try:
            tools.run([*apt, 'update'], watch=lambda: step.progress(lambda: 'apt-get update'))
        except tools.Failed:
            pass    # One unreachable archive does not matter if another has the packages.
        try:
            tools.run([*apt, 'install', '-y', '--no-install-recommends', *packages], watch=step.progress)
        except tools.Failed as failed:
            raise Trouble(f'apt could not install {" ".join(packages)}: {failed.last_line()}',
                          f'check the network connection, or type: apt install {" ".join(packages)}', failed.output) from failed


def main(args: list[str]) -> int:
    """Print the packages that `make run` needs, also those that are installed."""
    parser = argparse.ArgumentParser(prog='python3 -m tests packages', description=main.__doc__)
    parser.add_argument('arch', nargs='*', default=['um'], help='architectures, as for ARCH=')
    parser.add_argument('--manager', choices=MANAGERS, default='apt', help='whose names; only those for apt were tried')
    options = parser.parse_args(args)
    arches = [architecture.find(name) for name in options.arch]
    needs = [need.package for arch in arches for need in (*for_run(arch, arch.complete), *FETCH)]
    found, unknown = in_distribution(options.manager, ['python3', *needs])
    print(*found)
    if unknown:
        raise Trouble(f'no package of {options.manager} is known for {" ".join(unknown)}', 'install what these Debian packages contain')
    return 0
