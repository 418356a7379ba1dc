# SPDX-License-Identifier: GPL-2.0
"""Build ptebatch_kunit.ko for a kernel without our hooks; the module looks up the functions that the kernel does not export."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from guests import guest
from host.errors import Trouble
from host.settings import PROJECT
from host import tools


def build(copy: Path, kdir: Path, source: Path, make: Sequence[str], env: Mapping[str, str] | None = None,
          watch: Callable[[], None] = lambda: None) -> Path:
    """Build the module in `copy`, so that the checkout stays clean; `make` are further arguments of make."""
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in ('Kconfig', 'Makefile'):
        shutil.copy2(PROJECT / name, copy)
    for name in ('lib', 'mm'):
        shutil.copytree(PROJECT / name, copy / name)
    try:
        tools.run(tools.supervised(['make', '-C', kdir, f'M={copy}', f'KSRC={source}', 'CONFIG_PTEBATCH_KUNIT_TEST=m',
                                    *make, 'modules']), env=env, watch=watch)
    except tools.Failed as failed:
        raise Trouble(f'the module does not build for {kdir}', 'see the output of the compiler above',
                      guest.first_errors(failed.output)) from failed
    return copy / 'ptebatch_kunit.ko'
