# SPDX-License-Identifier: GPL-2.0
"""`make module KDIR=`: build only ptebatch_kunit.ko, for a kernel that is already built."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from host import architecture
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host.settings import PROJECT, jobs, path, results
from trees import external


def _source(kdir: Path, ksrc: Path | None) -> Path:
    """The kernel's source tree: the suites include mm/internal.h, which no distribution packages."""
    for source in (ksrc, kdir / 'source', kdir):
        if source and (source / 'mm/internal.h').is_file():
            return source.resolve()
    raise Trouble(f'KDIR={kdir}: kernel source not found (no mm/internal.h in this folder or in its link "source")',
                  'type KSRC= and the source that this kernel was built from, for example KSRC=~/linux')


def main(env: Mapping[str, str]) -> int:
    """Build below O=, to keep the checkout clean."""
    console = Console()
    kdir = path(env, 'KDIR')
    if not kdir:
        raise Trouble('KDIR= is not set', 'type the build folder of a kernel, for example KDIR=~/linux/build')
    if not (kdir / 'include/config/auto.conf').is_file():
        raise Trouble(f'KDIR={kdir}: not a kernel build folder (include/config/auto.conf is missing)',
                      'type the folder that the kernel was built in, for example KDIR=~/linux/build')
    source = _source(kdir, path(env, 'KSRC'))
    command = [f'-j{jobs(env)}']
    if env.get('ARCH'):      # the default of make is the architecture of the host
        arch = architecture.find(env['ARCH'])
        command += [f'ARCH={arch.name}', f'CROSS_COMPILE={arch.cross_compile}']
    if env.get('BENCH', '') not in ('', '0'):
        command.append('CONFIG_PTEBATCH_BENCH=y')
    lock.claim(results(env) / 'module')
    with console.step('module', f'for {kdir}') as step:
        module = external.build(PROJECT, results(env) / 'module', kdir, source, command,
                                watch=step.progress)
    console.say(f'module    {os.path.relpath(module)}')
    return exit_status.PASSED
