#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""`make module KDIR=`: only ptebatch.ko, for a kernel that was built elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import architecture
import guest
import run
import tools
from console import Console
from errors import Trouble
from settings import PROJECT, jobs, path, results


def _source(kdir: Path, ksrc: Path | None) -> Path:
    """The source of that kernel: the suites include headers that no distribution packages."""
    for source in (ksrc, kdir / 'source', kdir):
        if source and (source / 'mm/internal.h').is_file():
            return source.resolve()
    raise Trouble(f'KDIR={kdir} has no mm/internal.h and does not say where its source is',
                  'give KSRC= the source that this kernel was built from')


def build() -> int:
    """Build in a copy below O=, so that the checkout stays clean."""
    console = Console()
    kdir = path(os.environ, 'KDIR')
    if not kdir:
        raise Trouble('no kernel to build for', 'give KDIR= the build folder of one')
    if not (kdir / 'include/config/auto.conf').is_file():
        raise Trouble(f'KDIR={kdir} is no build folder of a kernel (include/config/auto.conf is missing)',
                      'give the folder that the kernel was built in')
    source = _source(kdir, path(os.environ, 'KSRC'))
    copy = results(os.environ) / 'module'
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in ('Kconfig', 'Makefile'):
        shutil.copy2(PROJECT / name, copy)
    for name in ('lib', 'mm'):
        shutil.copytree(PROJECT / name, copy / name)
    command = ['make', f'-j{jobs(os.environ)}', '-C', str(kdir), f'M={copy}', f'KSRC={source}',
               'CONFIG_PTEBATCH_KUNIT_TEST=m', 'modules']
    if os.environ.get('ARCH'):      # else make takes it for this machine's
        arch = architecture.find(os.environ['ARCH'])
        command += [f'ARCH={arch.name}', f'CROSS_COMPILE={arch.cross_compile}']
    with console.step('module', f'for {kdir}') as step:
        try:
            tools.run(command, watch=lambda: step.progress(step.note))
        except tools.Failed as failed:
            raise Trouble(f'the module does not build for {kdir}', 'see the lines above',
                          guest.first_errors(failed.output)) from failed
    console.say(f'module    {os.path.relpath(copy / "ptebatch.ko")}')
    return run.PASSED


if __name__ == '__main__':
    sys.exit(run.ended(build))
