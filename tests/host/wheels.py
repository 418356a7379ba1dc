# SPDX-License-Identifier: GPL-2.0
"""Python packages that Debian 12 does not have, from the user's package index, in folders of their own in the user's cache."""

from __future__ import annotations

import hashlib
import sys
from importlib.util import find_spec
from pathlib import Path

from host.console import Console
from host.errors import Trouble
from host import packages
from host import tools

MUTATION = Path(__file__).with_name('requirements.txt')
TEST = Path(__file__).with_name('requirements-test.txt')
PIP = packages.Module('pip', 'python3-pip')


def folder(cache: Path, requirements: Path = MUTATION) -> Path:
    """Where the packages are: a folder for each interpreter and list of packages."""
    key = hashlib.sha256(f'{sys.implementation.cache_tag}\n{requirements.read_text()}'.encode()).hexdigest()[:8]
    return cache / 'python' / key


def ensure(cache: Path, console: Console, requirements: Path = MUTATION) -> None:
    """Install the packages if they are missing and the user agrees, and make them importable."""
    place = folder(cache, requirements)
    if not place.exists():
        names = [line for line in requirements.read_text().splitlines() if not line.startswith('#')]
        if not packages.may_install(names, 'pip'):
            raise Trouble(f'missing: {", ".join(names)}', 'add INSTALL=yes: pip installs them in the cache folder')
        python = sys.executable if find_spec('pip') else packages.PYTHON
        if python == packages.PYTHON:
            packages.ensure([PIP], console)
        with console.step('packages', 'pip installs ' + ' '.join(names)), tools.staging(place) as staged:
            try:
                tools.run([python, '-m', 'pip', 'install', '--no-input', '--target', staged,
                           '--requirement', requirements])
            except tools.Failed as failed:
                raise Trouble(f'pip could not install {" ".join(names)}: {failed.last_line()}',
                              'check the network connection, and the package index in pip config list', failed.output) from failed
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))
