# SPDX-License-Identifier: GPL-2.0
"""Build ptebatch_kunit.ko with M=, for a kernel without our suites."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from host.errors import Trouble
from host import tools


def build(suites: Path, output: Path, kdir: Path, source: Path, make: Sequence[str],
          env: Mapping[str, str] | None = None, watch: Callable[[], None] = lambda: None) -> Path:
    """Build the module from `suites` in `output`; `make` are further arguments of make."""
    module, config = output / 'ptebatch_kunit.ko', kdir / 'include/generated/autoconf.h'
    # With M=, make does not notice that an option of the kernel has changed.
    if not module.exists() or config.exists() and module.stat().st_mtime < config.stat().st_mtime:
        shutil.rmtree(output, ignore_errors=True)
    try:
        tools.run(tools.supervised(['make', '-C', kdir, f'M={suites}', f'MO={output}', f'KSRC={source}',
                                    'CONFIG_PTEBATCH_KUNIT_TEST=m', *make, 'modules']), env=env, watch=watch)
    except tools.Failed as failed:
        raise Trouble(f'the module does not build for {kdir}', 'see the output of the compiler above',
                      failed.first_errors()) from failed
    return module
