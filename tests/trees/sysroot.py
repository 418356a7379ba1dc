# SPDX-License-Identifier: GPL-2.0
"""Libraries and programs of another architecture, from Debian's packages; the configuration of dpkg does not change."""

from __future__ import annotations

import re
from pathlib import Path

from host.architecture import ARCHES, Arch
from host.console import Console
from host.errors import Trouble
from host import lock
from host import packages
from host import tools
from trees import source

# Static libraries that the selftests link, and the shells of their guest.
PACKAGES = ('libcap-dev', 'libnuma-dev', 'liburing-dev', 'busybox-static', 'bash-static')


def _remedy() -> str:
    """How to run the selftests without packages of another architecture."""
    native = [f'ARCH={arch.name}' for arch in ARCHES.values() if arch.emulated and arch.native]
    return 'type ' + ' or '.join([*native, 'make compare SELFTESTS=0'])


def _release() -> str:
    """The Debian release of this machine: the cross compiler has its C library."""
    try:
        found = re.search(r'^VERSION_CODENAME=(\S+)', Path('/etc/os-release').read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else 'stable'


def find(cache: Path, arch: Arch, console: Console) -> Path:
    """The folder with the packages of that architecture, fetched at the first call."""
    if arch.native:
        packages.ensure(packages.SELFTEST_LIBRARIES, console)
        return Path('/')
    folder = cache / f'sysroot-{arch.debian}-{_release()}'
    folder.parent.mkdir(parents=True, exist_ok=True)
    with lock.locked(folder.with_suffix('.lock'), lambda: console.say('another run is fetching packages: waiting')):
        if not folder.exists():
            _fetch(folder, arch, console)
    return folder


def _fetch(folder: Path, arch: Arch, console: Console) -> None:
    packages.ensure(packages.FETCH, console)
    with source.scratch(folder.parent / f'.tmp-download-{arch.debian}') as scratch, \
         console.step('fetch', f'packages of {arch.debian}') as step, tools.staging(folder) as into:
        try:
            apt = source.PrivateApt(scratch / 'apt', _release(), _remedy(),
                                    f'APT::Architecture={arch.debian}', f'APT::Architectures={arch.debian}')
            apt.run('apt-get', 'update', '--error-on=any', step=step)
            apt.run('apt-get', 'download', *PACKAGES, step=step)
            for package in sorted(apt.folder.glob('*.deb')):
                tools.run(['dpkg-deb', '-x', str(package), str(into)])
        except tools.Failed as failed:
            raise Trouble(f'cannot fetch the packages {" ".join(PACKAGES)} of {arch.debian}: {failed.last_line()}',
                          f'check the network connection, or {_remedy()}', failed.output) from failed
        step.note = f'{arch.debian}: {" ".join(PACKAGES)}'
