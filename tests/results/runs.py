# SPDX-License-Identifier: GPL-2.0
"""The runs in a folder of results, each with what it ran and its cases, and what differs from an earlier run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path

from host import architecture
from host.variants import page_size
from results import known
from results import report
from results.changes import same_case
from results.pictures import Format
from results.report import FAIL, PASS, Case, Counts, Verdicts

RESULTS, FACTS, PREVIOUS = 'results.json', 'run.json', 'previous'
KNOWN = 'known'
# What make compare and make gate write, and what a run of a folder is compared with.
BEFORE, AFTER = 'before', 'after'
NEW_FAILED, NEW_PASSED, NEW, GONE = 'fails now', 'passes now', 'new', 'gone'
REASON = re.compile(r' # (?:SKIP|XFAIL) (.*)')
SEED = re.compile(r': random failed seed=(\d+)')
BOOT_BYTES = 100_000    # at the beginning of a boot log, which have the page size


@dataclass(frozen=True)
class Facts:
    """What a run tested, with what, and what became of it: all that a reader needs to repeat it."""

    name: str = ''
    arch: str = ''
    variant: str = ''   # what is special about it
    kernel: str = ''    # empty: there is no run.json
    patches: Sequence[str] = ()
    compiler: str = ''
    qemu: str = ''
    suites: str = ''    # SUITES=
    again: Sequence[str] = ()   # the command, without SUITES=
    begun: str = ''
    seconds: float = 0  # of the guest
    passed: bool = False
    errors: Sequence[str] = ()  # outside of cases

    def save(self, folder: Path) -> None:
        (folder / FACTS).write_text(json.dumps(asdict(self), indent=1) + '\n')

    @classmethod
    def load(cls, folder: Path) -> Facts:
        """The content of run.json; nothing for a run that could not write it."""
        try:
            content = json.loads((folder / FACTS).read_text())
            return cls(**{each.name: content[each.name] for each in fields(cls)})
        except (OSError, ValueError, TypeError, KeyError):
            return cls()


def _verdicts(folder: Path) -> Verdicts:
    """The verdict of each case, also KNOWN."""
    path = folder / RESULTS
    return {**report.verdicts(path), **dict.fromkeys(report.known_bugs(path), KNOWN)}


def _texts(folder: Path) -> Mapping[Case, str]:
    """What each case printed, or why it was skipped.

    From KTAP: kunit.py takes what the first of several rows prints for the output of all.
    """
    path = folder / 'results.ktap'
    if not path.exists():
        return report.texts(folder / 'results.junit.xml')
    ktap = path.read_text(errors='replace')
    found: dict[Case, str] = {}
    for case, _, begin, end in known.each(ktap):
        *lines, result = ktap[begin:end].splitlines()
        reason = REASON.search(result)
        found[case] = '\n'.join(filter(None, (found.get(case), reason[1] if reason else '', *lines)))
    return found


@dataclass(frozen=True)
class Earlier:
    """A run to compare with."""

    name: str
    facts: Facts
    verdicts: Verdicts


@dataclass(frozen=True)
class Run:
    """The results of `make run` in a folder."""

    name: str
    folder: Path
    facts: Facts
    verdicts: Verdicts
    texts: Mapping[Case, str]
    earlier: Earlier | None
    changes: Mapping[Case, str] = field(default_factory=dict)     # also of cases that are gone

    @property
    def counts(self) -> Counts:
        return Counts.read(self.folder / RESULTS)

    @property
    def passed(self) -> bool:
        return self.facts.passed if self.facts.kernel else self.counts.good

    @property
    def arch(self) -> str:
        """The architecture; a folder that was renamed, without run.json, may have none."""
        names = self.facts.arch, *self.folder.name.split('-')
        return next((name for name in names if name in architecture.ARCHES), '')

    @cached_property
    def format(self) -> Format:
        """The format of page tables."""
        try:
            with (self.folder / 'boot.log').open(errors='replace') as log:
                page = page_size(log.read(BOOT_BYTES))
        except OSError:
            page = 0
        return Format.of(self.arch, page or 4096)

    def again(self, case: Case) -> str:
        """The command that runs the suite of a case again."""
        if not self.facts.again:
            return ''
        seed = SEED.search(self.texts.get(case, ''))
        return ' '.join([*self.facts.again, f"SUITES={'.'.join(case[:2])}", *([f'SEED={seed[1]}', 'ROUNDS=1'] if seed else [])])


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
    if not then.facts.kernel or then.facts.suites == suites:
        found |= {case: GONE for case in before if case not in now}
    return found


def _earlier(folder: Path, name: str, against: Path | None, top: Path) -> Earlier | None:
    """The run to compare with: of AGAINST=, of the kernel without the series, or the previous one."""
    after = folder.parent.name == AFTER
    places = [(against / name, f'{against}'), (against, f'{against}')] if against else [
        (top / BEFORE / folder.name, 'the kernel without the series')] if after else [(folder / PREVIOUS, 'the previous run')]
    for place, text in places:
        if verdicts := _verdicts(place):
            return Earlier(text, Facts.load(place), verdicts)
    return None


def read(top: Path, against: Path | None = None) -> list[Run]:
    """All runs in a folder of results; the folder may be that of a single run."""
    found = []
    for path in sorted(each for pattern in (RESULTS, f'*/{RESULTS}', f'{BEFORE}/*/{RESULTS}', f'{AFTER}/*/{RESULTS}')
                       for each in top.glob(pattern)):
        folder = path.parent
        facts, verdicts = Facts.load(folder), _verdicts(folder)
        name = str(folder.relative_to(top)) if folder != top else facts.name or top.name
        earlier = _earlier(folder, name, against, top)
        changes = _changes(earlier, verdicts, facts.suites) if earlier else {}
        found.append(Run(name, folder, facts, verdicts, _texts(folder), earlier, changes))
    return found
