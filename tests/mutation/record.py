# SPDX-License-Identifier: GPL-2.0
"""The verdicts on mutants: in a file, by architecture, merged from several runs, and as a score by function."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from host.errors import Trouble
from host.settings import PROJECT
from results.markdown import table

# A mutant that a guest ran.
KILLED, CRASHED, TIMED_OUT, SURVIVED = 'killed', 'crashed', 'timed out', 'survived'
# A mutant that no guest needs to run.
NOT_COMPILED, EQUIVALENT, DUPLICATE, NOT_REACHED, ABSENT = 'does not compile', 'equivalent', 'duplicate', 'not reached', 'not in this kernel'
# A mutant that benches ran: make mutation BENCH=1.
SLOWER, NOT_SLOWER = 'slower', 'not slower'
CAUGHT = (KILLED, CRASHED, TIMED_OUT)
RUN = (*CAUGHT, SURVIVED)
# A verdict that further cases do not change.
SETTLED = (*CAUGHT, NOT_COMPILED, EQUIVALENT, DUPLICATE, ABSENT)
# From the best to the worst, for the union of architectures.
ORDER = (*CAUGHT, SURVIVED, NOT_REACHED, EQUIVALENT, DUPLICATE, ABSENT, NOT_COMPILED)
# What make mutation says of a mutant that the record calls caught.
WORSE = 'survives, but was caught before'
TRIAGE = Path(__file__).with_name('survivors.csv')
KINDS = ('equivalent', 'performance only', 'other architecture', 'gap')
NOT_COUNTED = KINDS[:2]     # in the score


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant; `by` is the case, the report or the duplicate that says so."""

    mutant: str     # its key
    function: str
    line: int
    verdict: str
    by: str = ''
    diff: str = ''

    @property
    def caught(self) -> bool:
        return self.verdict in CAUGHT


class Record:
    """The verdicts of one kernel, in a file with one line for each: an interrupted run goes on with the rest."""

    def __init__(self, path: Path, identity: str):
        self.path = path
        self.identity = identity
        self.verdicts: dict[str, Verdict] = {}
        # A line that was cut off has no end.
        lines = [line for line in (path.read_text() if path.exists() else '').splitlines(keepends=True) if line.endswith('\n')]
        first = json.dumps({'kernel': identity}) + '\n'
        if lines[:1] != [first]:
            lines = [first]
        for line in lines[1:]:
            verdict = Verdict(**json.loads(line))
            self.verdicts[verdict.mutant] = verdict
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(''.join(lines))

    def add(self, verdict: Verdict) -> None:
        self.verdicts[verdict.mutant] = verdict
        with self.path.open('a') as file:
            file.write(json.dumps(asdict(verdict)) + '\n')


def save(path: Path, verdicts: Iterable[Verdict]) -> None:
    """Write verdicts to a file, one per line and in the order of the source."""
    lines = [json.dumps(asdict(verdict)) for verdict in sorted(verdicts, key=_place)]
    new = path.with_name(path.name + '.new')
    new.write_text('[\n' + ',\n'.join(lines) + '\n]\n')
    new.replace(path)


def load(path: Path) -> list[Verdict]:
    """Read a file of save()."""
    try:
        return [Verdict(**words) for words in json.loads(path.read_text())]
    except (TypeError, ValueError) as error:
        raise Trouble(f'{path}: not the record of make mutation ({error})', 'type make mutation for a new one') from error


def recorded(arch: str) -> Path:
    """The verdicts in the repository."""
    return PROJECT / f'tests/recorded/{arch}/mutation.json'


def of_architecture(arch: str) -> tuple[list[Verdict], list[Verdict]]:
    """The verdicts in the repository: of an architecture, and of all others."""
    own: list[Verdict] = []
    others: list[Verdict] = []
    for path in sorted(PROJECT.glob('tests/recorded/*/mutation.json')):
        (own if path == recorded(arch) else others).extend(load(path))
    return own, others


def _place(verdict: Verdict) -> tuple[str, int, str]:
    return verdict.function, verdict.line, verdict.mutant


def union(records: Iterable[Sequence[Verdict]]) -> list[Verdict]:
    """The best verdict on each mutant."""
    best: dict[str, Verdict] = {}
    as_caught: dict[str, Verdict] = {}
    for record in records:
        own = {verdict.mutant: verdict for verdict in record}
        for verdict in record:
            other = best.get(verdict.mutant)
            if not other or ORDER.index(verdict.verdict) < ORDER.index(other.verdict):
                best[verdict.mutant] = verdict
            # Where it is the same code as another mutant, it is caught as that one is.
            if verdict.verdict == DUPLICATE and verdict.by in own and own[verdict.by].caught:
                as_caught[verdict.mutant] = replace(verdict, verdict=own[verdict.by].verdict, by=own[verdict.by].by)
    return [as_caught.get(verdict.mutant, verdict) if verdict.verdict in (SURVIVED, NOT_REACHED) else verdict
            for verdict in best.values()]


def worse(verdicts: Iterable[Verdict], recorded: Iterable[Verdict]) -> list[Verdict]:
    """Those that the record calls caught, and that no case catches now."""
    caught = {verdict.mutant for verdict in recorded if verdict.caught}
    return [verdict for verdict in verdicts if verdict.verdict in (SURVIVED, NOT_REACHED) and verdict.mutant in caught]


def triage(path: Path = TRIAGE) -> dict[str, tuple[str, str]]:
    """The reviewed survivors: kind and reason by mutant."""
    found = {}
    with path.open(newline='') as file:
        for row in csv.DictReader(file):
            if row['kind'] not in KINDS:
                raise Trouble(f'{path}: {row["mutant"]}: unknown kind {row["kind"]}', f'type one of {", ".join(KINDS)}')
            found[row['mutant']] = row['kind'], row['reason']
    return found


@dataclass
class Score:
    """The figures of a function."""

    mutants: int = 0
    caught: int = 0
    survived: int = 0
    not_reached: int = 0
    equivalent: int = 0

    @property
    def percent(self) -> float | None:
        counted = self.caught + self.survived + self.not_reached
        return 100 * self.caught / counted if counted else None

    def add(self, verdict: Verdict, kind: str) -> None:
        self.mutants += 1
        if verdict.caught:
            self.caught += 1
        elif verdict.verdict in (EQUIVALENT, DUPLICATE) or kind in NOT_COUNTED:
            self.equivalent += 1
        elif verdict.verdict == SURVIVED:
            self.survived += 1
        elif verdict.verdict == NOT_REACHED:
            self.not_reached += 1

    def row(self, name: str) -> list[str]:
        return [name, str(self.mutants), str(self.caught), str(self.survived), str(self.not_reached), str(self.equivalent),
                '' if self.percent is None else f'{self.percent:.1f}']


def scores(verdicts: Iterable[Verdict], reviewed: Mapping[str, tuple[str, str]]) -> dict[str, Score]:
    """The score of each function, and of all as "all"."""
    found: dict[str, Score] = {}
    everything = Score()
    for verdict in sorted(verdicts, key=lambda one: one.function):
        if verdict.verdict in (NOT_COMPILED, ABSENT):
            continue
        kind = reviewed.get(verdict.mutant, ('', ''))[0]
        found.setdefault(verdict.function, Score()).add(verdict, kind)
        everything.add(verdict, kind)
    return found | {'all': everything}


def score_table(verdicts: Iterable[Verdict], reviewed: Mapping[str, tuple[str, str]]) -> str:
    """The scores as a table."""
    return table(['function', 'mutants', 'caught', 'survived', 'not reached', 'equivalent', '%'],
                 [score.row(name) for name, score in scores(verdicts, reviewed).items()])


def stale(reviewed: Iterable[str], mutants: Iterable[str]) -> list[str]:
    """The reviewed mutants that no longer exist."""
    return sorted({*reviewed} - {*mutants})


def survivors(verdicts: Iterable[Verdict], reviewed: Mapping[str, tuple[str, str]]) -> str:
    """The mutants that no case catches, each as a diff, with what the review says."""
    parts = []
    for verdict in sorted(verdicts, key=_place):
        if verdict.verdict in (SURVIVED, NOT_REACHED):
            kind, reason = reviewed.get(verdict.mutant, ('not reviewed', ''))
            parts.append(f'{verdict.function}, line {verdict.line}, {verdict.verdict}; {kind}{": " if reason else ""}{reason}\n'
                         f'`{verdict.mutant}`\n\n    ' + verdict.diff.replace('\n', '\n    '))
    return '\n\n'.join(parts)
