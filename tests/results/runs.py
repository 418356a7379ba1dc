# SPDX-License-Identifier: GPL-2.0
"""The runs in a folder of results, each with what it ran and its cases, and what differs from an earlier run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from host import architecture
from host.variants import page_size
from results import report
from results.changes import same_case
from results.pictures import Format
from results.report import FAIL, PASS, Case, Counts, Verdicts

RESULTS, FACTS, PREVIOUS = 'results.json', 'run.json', 'previous'
KNOWN = 'known'
# What make compare and make gate write, and what a run of a folder is compared with.
BEFORE, AFTER = 'before', 'after'
NEW_FAILED, NEW_PASSED, NEW, GONE = 'fails now', 'passes now', 'new', 'gone'
BOOT_LINES = 100_000    # bytes at the beginning of a boot log, which have the page size


def _facts(folder: Path) -> Mapping[str, Any]:
    """The content of run.json; empty for a run that could not write it."""
    try:
        content: Mapping[str, Any] = json.loads((folder / FACTS).read_text())
        return content
    except (OSError, ValueError):
        return {}


def errors(folder: Path) -> list[str]:
    """What failed outside of cases."""
    return list(_facts(folder).get('errors', ()))


def _verdicts(folder: Path) -> Verdicts:
    """The verdict of each case, also KNOWN."""
    path = folder / RESULTS
    return {**report.verdicts(path), **dict.fromkeys(report.known_bugs(path), KNOWN)}


@dataclass(frozen=True)
class Earlier:
    """A run to compare with."""

    name: str
    facts: Mapping[str, Any]
    verdicts: Verdicts


@dataclass(frozen=True)
class Run:
    """The results of `make run` in a folder."""

    name: str
    folder: Path
    facts: Mapping[str, Any]
    verdicts: Verdicts
    texts: Mapping[Case, str]
    earlier: Earlier | None
    changes: Mapping[Case, str] = field(default_factory=dict)     # also of cases that are gone

    @property
    def counts(self) -> Counts:
        return Counts.read(self.folder / RESULTS)

    @property
    def errors(self) -> list[str]:
        """What failed outside of cases."""
        return errors(self.folder)

    @property
    def passed(self) -> bool:
        return bool(self.facts.get('passed', self.counts.good))

    @property
    def arch(self) -> str:
        """The architecture; a folder that was renamed, without run.json, may have none."""
        names = self.facts.get('arch', ''), *self.folder.name.split('-')
        return next((name for name in names if name in architecture.ARCHES), '')

    @property
    def format(self) -> Format:
        """The format of page tables."""
        try:
            with (self.folder / 'boot.log').open(errors='replace') as log:
                page = page_size(log.read(BOOT_LINES))
        except OSError:
            page = 0
        return Format.of(self.arch, page or 4096)

    def again(self, case: Case) -> str:
        """The command that runs the suite of a case again."""
        again = self.facts.get('again', [])
        return ' '.join([*again, f"SUITES={'.'.join(case[:2])}"]) if again else ''


def _changes(then: Earlier, now: Verdicts, suites: str) -> dict[Case, str]:
    """What changed; if other SUITES= ran then, only of cases that ran now."""
    same = same_case(then.verdicts, now)
    before = {same.get(case, case): verdict for case, verdict in then.verdicts.items()}
    found = {}
    for case, verdict in now.items():
        was = before.get(case)
        if verdict == FAIL != was:
            found[case] = NEW_FAILED if was else NEW
        elif was is None:
            found[case] = NEW
        elif verdict == PASS and was in (FAIL, KNOWN):
            found[case] = NEW_PASSED
    if then.facts.get('suites', suites) == suites:
        found |= {case: GONE for case in before if case not in now}
    return found


def _earlier(folder: Path, name: str, against: Path | None, top: Path) -> Earlier | None:
    """The run to compare with: of AGAINST=, of the kernel without the series, or the previous one."""
    after = folder.parent.name == AFTER
    places = [(against / name, f'{against}'), (against, f'{against}')] if against else [
        (top / BEFORE / folder.name, 'the kernel without the series')] if after else [(folder / PREVIOUS, 'the previous run')]
    for place, text in places:
        if verdicts := _verdicts(place):
            return Earlier(text, _facts(place), verdicts)
    return None


def read(top: Path, against: Path | None = None) -> list[Run]:
    """All runs in a folder of results; the folder may be that of a single run."""
    found = []
    for path in sorted(each for pattern in (RESULTS, f'*/{RESULTS}', f'{BEFORE}/*/{RESULTS}', f'{AFTER}/*/{RESULTS}')
                       for each in top.glob(pattern)):
        folder = path.parent
        facts, verdicts = _facts(folder), _verdicts(folder)
        name = str(folder.relative_to(top)) if folder != top else facts.get('name', top.name)
        earlier = _earlier(folder, name, against, top)
        changes = _changes(earlier, verdicts, facts.get('suites', '')) if earlier else {}
        found.append(Run(name, folder, facts, verdicts, report.texts(folder / 'results.junit.xml'), earlier, changes))
    return found
