# SPDX-License-Identifier: GPL-2.0
"""Boot all suites in two guests side by side, each with a share of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from guests.guest import Guest
from results import merged

# KUnit takes one pattern. These two divide the suites by the second letter of their names, so that both shares take about
# as long on every architecture.
SHARES = ('ptebatch_?[ahms]*', 'ptebatch_?[!ahms]*')
# The options of kunit.py, the files that they name, and the functions that put those of several guests together.
FILES = (('--json', 'results.json', merged.results_json), ('--junit', 'results.junit.xml', merged.junit))


@dataclass(frozen=True)
class Boot:
    """How a guest ended."""

    output: str     # of kunit.py
    log: str        # of the kernel
    ktap: str       # of the suites


def _guests(guest: Guest) -> list[Guest]:
    """The guest, or one for each share of the suites."""
    settings = guest.settings
    if settings.jobs == 1 or settings.suites or settings.bench or settings.coverage:
        return [guest]
    guests = [Guest(replace(settings, suites=suites), guest.tree) for suites in SHARES]
    for number, share in enumerate(guests):
        share.accel = guest.accel
        if number:
            share.boot_in(f'share-{number}')
    return guests


def options(folder: Path) -> list[str]:
    """The options by which kunit.py writes results to a folder."""
    return [f'{option}={folder / name}' for option, name, _ in FILES]


def _options(guest: Guest) -> list[str]:
    """The options for the results of a guest; those of its last boot are removed."""
    for _, name, _ in FILES:
        (guest.boot_path / name).unlink(missing_ok=True)
    return options(guest.boot_path)


def boot(guest: Guest, on_line: Callable[[str], None], folder: Path, kernel_args: tuple[str, ...]) -> tuple[int, list[Boot]]:
    """Boot the suites and write the results of all to a folder; return the status of kunit.py and how each guest ended.

    The lines of the second guest follow those of the first.
    """
    first, *others = guests = _guests(guest)
    outputs: list[list[str]] = [[]]
    begun = time.monotonic()

    def shown(line: str) -> None:
        outputs[-1].append(line)
        on_line(line)
    with ExitStack() as stack:
        files = [other.boot_path / 'output' for other in others]
        beside = [stack.enter_context(other.suites_beside(file, *_options(other), kernel_args=kernel_args))
                  for other, file in zip(others, files)]
        status = first.boot_suites(shown, *_options(first), kernel_args=kernel_args)
        for process, file in zip(beside, files):
            status = process.wait() or status
            outputs.append([])
            for line in file.read_text(errors='replace').splitlines():
                shown(line)
    guest.seconds = time.monotonic() - begun
    for _, name, merge in FILES:
        if parts := [path.read_text() for each in guests if (path := each.boot_path / name).exists()]:
            (folder / name).write_text(merged.together(merge, parts))
    logs = [each.read_log() for each in guests]
    return status, [Boot('\n'.join(output), log, guest.ktap(log)) for output, log in zip(outputs, logs)]
