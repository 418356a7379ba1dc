# SPDX-License-Identifier: GPL-2.0
"""The page of recorded mutants: python3 -m tests score tests/recorded/*/mutation.json >tests/recorded/mutation.md"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from host.errors import Trouble
from host import exit_status
from host import tools
from mutation import record

USAGE = 'type for example: python3 -m tests score build/x86_64/mutation.json build/arm64/mutation.json'
PAGE = '''\
# Mutants of the batched functions

Measured by `make mutation`, see [tests/README.md](../README.md#mutation); this page by
`python3 -m tests score {paths}`. A mutant that a case of one architecture catches is caught.

{scores}

## Not caught

{survivors}'''


def page(paths: Sequence[Path]) -> str:
    """The score by function on the union of the records, and the mutants that none catches."""
    verdicts = record.union(record.load(path) for path in paths)
    reviewed = record.triage()
    return PAGE.format(paths=' '.join(str(tools.shown(path.resolve())) for path in paths),
                       scores=record.score_table(verdicts, reviewed), survivors=record.survivors(verdicts, reviewed))


def main(args: Sequence[str]) -> int:
    """Print the page."""
    if not args or not all(Path(arg).is_file() for arg in args):
        raise Trouble('expected records of make mutation', USAGE)
    print(page([Path(arg) for arg in args]))
    return exit_status.PASSED
