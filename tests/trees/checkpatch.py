# SPDX-License-Identifier: GPL-2.0
"""scripts/checkpatch.pl of a kernel tree: one process for each job, as it takes a third of a second per file."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from host import tools

# FILE_PATH_CHANGES asks for an entry in MAINTAINERS, which belongs to a kernel tree, not to a file.
OPTIONS = ('--strict', '--no-tree', '--no-summary', '--show-types', '--terse', '--ignore=FILE_PATH_CHANGES')
# The submitter of a patch adds the sign-off, and checks the commit hashes in a tree with history.
SUBMITTERS = 'MISSING_SIGN_OFF,UNKNOWN_COMMIT_ID'


def _checked(tree: Path, options: Iterable[str], files: Iterable[Path], jobs: int) -> str:
    paths = sorted(files)

    def part(number: int) -> str:
        # checkpatch.pl treats a file that git tracks in the current folder as source, not as a patch: run it in /.
        try:
            return tools.run([tree / 'scripts/checkpatch.pl', *OPTIONS, *options, *paths[number::jobs]], cwd=Path('/'))
        except tools.Failed as failed:
            return failed.output
    with ThreadPoolExecutor(jobs) as pool:
        return ''.join(pool.map(part, range(min(jobs, len(paths)))))


def of_sources(tree: Path, files: Iterable[Path], jobs: int) -> str:
    """What checkpatch.pl says of source files."""
    return _checked(tree, ['-f'], files, jobs)


def of_mails(tree: Path, files: Iterable[Path], jobs: int) -> str:
    """What checkpatch.pl says of mails, except of what the submitter adds."""
    return _checked(tree, [f'--ignore={SUBMITTERS}'], (file for file in files if not file.name.startswith('0000-')), jobs)
