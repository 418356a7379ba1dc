# SPDX-License-Identifier: GPL-2.0
"""The programs that a command needs, and their installation by apt."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from host.architecture import Arch
from host.console import Console
from host.errors import Trouble
from host import tools

PYTHON = '/usr/bin/python3'     # Debian's interpreter
# The PATH of users other than root may lack the last two folders.
PATH = f'{os.environ.get("PATH", os.defpath)}:/usr/sbin:/sbin'


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
    """A Python module."""

    def is_installed(self) -> bool:
        return self.python() is not None

    def python(self) -> str | None:
        """An interpreter that can import the module: Debian's modules work only in Debian's interpreter."""
        for interpreter in (sys.executable, PYTHON):
            try:
                tools.run([interpreter, '-c', f'import {self.name}'])
                return interpreter
            except (tools.Failed, FileNotFoundError):
                pass
        return None


JINJA2 = Module('jinja2', 'python3-jinja2')
MATPLOTLIB = Module('matplotlib', 'python3-matplotlib')
SELENIUM = Module('selenium', 'python3-selenium')
CHROMIUM = Need('chromedriver', 'chromium-driver')  # which needs chromium
CSCOPE = Need('cscope', 'cscope')
CTAGS = Need('ctags', 'universal-ctags')
GCOVR = Need('gcovr', 'gcovr')
GIT = Need('git', 'git')
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
    JINJA2, MATPLOTLIB, SELENIUM, CHROMIUM, CSCOPE, CTAGS, *SELFTEST_LIBRARIES,
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
        raise Trouble(f'missing: {names}', f'install them (in Debian, as root: apt install {" ".join(packages)})')
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
